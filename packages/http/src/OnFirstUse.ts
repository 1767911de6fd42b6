import { type Context, Effect, Exit } from "effect"

/**
 * What a module makes, loaded and made by the first use of it: most servers answer nothing but the API. It is made with the
 * services that are at hand here. What could not be loaded is tried again.
 */
export const onFirstUse = <Module, A, R>(
  load: () => Promise<Module>,
  make: (module: Module) => Effect.Effect<A, never, R>
): Effect.Effect<Effect.Effect<A>, never, R> =>
  Effect.contextWith((services: Context.Context<R>) =>
    Effect.cachedWithTTL(Effect.promise(load).pipe(Effect.flatMap(make), Effect.provideContext(services)), (exit) =>
      Exit.isSuccess(exit) ? Number.POSITIVE_INFINITY : 0
    )
  )
