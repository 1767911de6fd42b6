/** Wakes those who deliver as soon as there is something to deliver, so that nothing waits for the next look. */
import { Context, Effect, Latch, Layer } from "effect"

export class Stirring extends Context.Service<
  Stirring,
  {
    readonly stir: Effect.Effect<void>
    /** To be called before a look at what is due: whatever comes after it ends the next rest. */
    readonly settle: Effect.Effect<void>
    /** Rests until something stirs, at most so many milliseconds. */
    readonly rest: (millis: number) => Effect.Effect<void>
  }
>()("pointsman/webhooks/Stirring") {
  static readonly layer: Layer.Layer<Stirring> = Layer.effect(
    Stirring,
    Effect.map(Latch.make(), (latch) =>
      Stirring.of({
        stir: Effect.asVoid(latch.open),
        settle: Effect.asVoid(latch.close),
        rest: (millis) => Effect.asVoid(Effect.timeoutOption(latch.await, millis))
      })
    )
  )
}
