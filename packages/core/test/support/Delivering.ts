/** The background's part in delivering webhooks, for as long as a test lasts, in simulated time. */
import { Pointsman } from "@pointsman/core"
import { Effect, Layer, Random } from "effect"
import { TestClock } from "effect/testing"

export const second = 1_000
export const minute = 60 * second

/** Every delay is a multiple of it, so that nothing is late by chance. */
export const lookEvery = 5 * second

/** What every draw gives: 0.5 leaves a delay as it is. */
const draws = (value: number) => ({ nextIntUnsafe: () => 0, nextDoubleUnsafe: () => value })
export const drawing = (value: number) => Effect.provideService(Random.Random, draws(value))
export const drawn = <R, E, In>(layer: Layer.Layer<R, E, In>, value = 0.5): Layer.Layer<R, E, In> =>
  Layer.provideMerge(layer, Layer.succeed(Random.Random, draws(value)))

/** Runs the background's part for the rest of the test. */
export const background = Effect.gen(function* () {
  const pointsman = yield* Pointsman
  return yield* Effect.forkScoped(pointsman.keepDelivering(lookEvery), { startImmediately: true })
})

/** Lets every fiber come as far as it can at this moment: none of them waits for anything but its turn. */
export const settle = Effect.repeat(Effect.yieldNow, { times: 500 })

export const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)
