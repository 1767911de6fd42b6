/** Tests in a world of their own: what a test forks ends before its world does. */
import { it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Effect, type Layer, type Scope } from "effect"
import { type World, world } from "./World.ts"

/** A test whose body is given its world, and the `Pointsman` in it. */
export const itIn = <R, Own>(
  title: string,
  own: Own & { readonly layer: Layer.Layer<R | Pointsman> },
  body: (own: Own, pointsman: Pointsman["Service"]) => Effect.fn.Return<unknown, unknown, R | Pointsman | Scope.Scope>
): void =>
  it.effect(title, () =>
    Effect.flatMap(Pointsman, (pointsman) => Effect.gen(() => body(own, pointsman))).pipe(
      Effect.scoped,
      Effect.provide(own.layer)
    )
  )

/** As `itIn`, in a world without options. */
export const itHere = (title: string, body: Parameters<typeof itIn<Layer.Success<World["layer"]>, World>>[2]): void =>
  itIn(title, world(), body)

/** A test in no world. */
export const itRuns = (title: string, body: () => Effect.fn.Return<unknown, unknown, Scope.Scope>): void =>
  it.effect(title, () => Effect.gen(body))
