/** Tests whose steps are the body of a generator: their title, the world that they are in, and their steps. */
import { it } from "@effect/vitest"
import type { Pointsman } from "@pointsman/core"
import type { Secrets, StorageServices } from "@pointsman/core/ports"
import { Effect, type Layer, type Scope } from "effect"
import { type World, world } from "./World.ts"

type Steps<R> = Generator<Effect.Effect<unknown, unknown, R | Scope.Scope>, void, never>
type Services = Pointsman | StorageServices | Secrets

export const testEffect = (title: string, steps: () => Steps<never>) => it.effect(title, () => Effect.gen(steps))

/** What the steps began in the background ends before their world does. */
export const testIn = <Own extends { readonly layer: Layer.Layer<Services> }>(
  title: string,
  own: Own,
  steps: (own: Own) => Steps<Services>
) => it.effect(title, () => Effect.gen(() => steps(own)).pipe(Effect.scoped, Effect.provide(own.layer)))

/** In a world as it is unless options say otherwise. */
export const testWorld = (title: string, steps: (own: World) => Steps<Services>) => testIn(title, world(), steps)
