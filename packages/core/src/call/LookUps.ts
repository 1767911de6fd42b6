/**
 * At most one lookup of a payment at a time in this process: a customer who reloads, or has several tabs, does not ask
 * the provider over and over. Who comes while one is under way gets its result. Nothing is locked meanwhile.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import type { Payment } from "../model/Payment.ts"
import type { StorageError } from "../ports/StorageError.ts"

export class LookUps extends Context.Service<
  LookUps,
  {
    readonly once: <R>(
      paymentId: string,
      lookUp: Effect.Effect<Payment, StorageError, R>
    ) => Effect.Effect<Payment, StorageError, R>
  }
>()("pointsman/hosted/LookUps") {
  static readonly layer: Layer.Layer<LookUps> = Layer.sync(LookUps, () => {
    // One entry for each lookup under way; a lookup ends with its time-out at the latest.
    const underWay = new Map<string, Deferred.Deferred<Payment, StorageError>>()
    return LookUps.of({
      once: (paymentId, lookUp) =>
        Effect.uninterruptibleMask((restore) => {
          const begun = underWay.get(paymentId)
          if (begun !== undefined) return restore(Deferred.await(begun))
          const result = Deferred.makeUnsafe<Payment, StorageError>()
          underWay.set(paymentId, result)
          const run = Effect.onExit(lookUp, (exit) => {
            underWay.delete(paymentId)
            return Deferred.done(result, exit)
          })
          // In a fiber of its own: the tab that began it may go away, and others wait for it.
          return Effect.andThen(Effect.forkDetach(run, { startImmediately: true }), restore(Deferred.await(result)))
        })
    })
  })
}
