/** Operations on one payment take turns in a process. Correctness needs none: the version in the store decides. */
import { Context, Deferred, Effect, Layer } from "effect"

/** A store that hangs holds nobody up for longer: from then on the version decides. */
const patience = "2 seconds"

export type Turn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export class Turns extends Context.Service<
  Turns,
  {
    /** Runs it when nobody else in this process works on the payment. Never held while a provider is asked. */
    readonly take: (paymentId: string) => Turn
  }
>()("pointsman/payment/Turns") {
  static readonly layer: Layer.Layer<Turns> = Layer.sync(Turns, () => {
    // The end of the last turn of each payment that is being worked on.
    const ends = new Map<string, Deferred.Deferred<void>>()
    return Turns.of({
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
