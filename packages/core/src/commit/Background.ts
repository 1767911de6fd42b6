/** Work that continues after its request was answered, for as long as Pointsman itself runs. */
import { Context, Effect, Layer, Schedule } from "effect"
import { withoutAllowance } from "../ports/StorageAllowance.ts"

export class Background extends Context.Service<
  Background,
  { readonly run: <R>(work: Effect.Effect<unknown, never, R>) => Effect.Effect<void, never, R> }
>()("pointsman/payment/Background") {
  static readonly layer: Layer.Layer<Background> = Layer.effect(
    Background,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      return Background.of({
        run: (work) => Effect.asVoid(Effect.forkIn(Effect.interruptible(withoutAllowance(work)), scope))
      })
    })
  )
}

/** Until it works, ever more slowly, at most a minute apart: for what a provider did, which must not be lost. */
export const keepTrying = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.ignore(Effect.retry(work, Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])))
