/** Wakes those who deliver as soon as there is something to deliver, so that nothing waits for the next look. */
import { Context, Effect, Latch, Layer } from "effect"

export class DeliveryWake extends Context.Service<
  DeliveryWake,
  {
    readonly wake: () => void
    /** To be called before a look at what is due: whatever comes after it ends the next rest. */
    readonly reset: () => void
    /** Rests until `wake`, at most so many milliseconds. */
    readonly rest: (millis: number) => Effect.Effect<void>
  }
>()("pointsman/webhooks/DeliveryWake") {
  static readonly layer: Layer.Layer<DeliveryWake> = Layer.effect(
    DeliveryWake,
    Effect.map(Latch.make(), (latch) =>
      DeliveryWake.of({
        wake: () => void latch.openUnsafe(),
        reset: () => void latch.closeUnsafe(),
        rest: (millis) =>
          Effect.contextWith((context) => {
            const alarm = Effect.runForkWith(context)(Effect.map(Effect.sleep(millis), () => latch.openUnsafe()))
            return Effect.ensuring(
              latch.await,
              Effect.sync(() => alarm.interruptUnsafe())
            )
          })
      })
    )
  )
}
