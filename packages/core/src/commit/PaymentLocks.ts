/** One lock for each payment within a process. Correctness needs none: the version in the store decides. */
import { Context, Deferred, Effect, Layer } from "effect"

/** The longest wait for a lock, because a store may hang. After it the version decides. */
const patience = "2 seconds"

export type Lock = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export class PaymentLocks extends Context.Service<
  PaymentLocks,
  {
    /** Runs work while no other work in this process holds the lock. It is never held during a call to a provider. */
    readonly take: (paymentId: string) => Lock
  }
>()("pointsman/payment/PaymentLocks") {
  static readonly layer: Layer.Layer<PaymentLocks> = Layer.sync(PaymentLocks, () => {
    // For each locked payment: the release of the last holder.
    const ends = new Map<string, Deferred.Deferred<void>>()
    return PaymentLocks.of({
      take: (paymentId) => (work) =>
        Effect.suspend(() => {
          const before = ends.get(paymentId)
          const end = Deferred.makeUnsafe<void>()
          ends.set(paymentId, end)
          const leave = () => {
            if (ends.get(paymentId) === end) ends.delete(paymentId)
            Deferred.doneUnsafe(end, Effect.void)
          }
          const begun =
            before === undefined
              ? work
              : Effect.andThen(
                  Effect.timeoutOrElse(Deferred.await(before), { duration: patience, orElse: () => Effect.void }),
                  work
                )
          return Effect.ensuring(begun, Effect.sync(leave))
        })
    })
  })
}
