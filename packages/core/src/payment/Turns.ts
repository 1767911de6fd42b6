/**
 * Operations on one payment take turns inside a process, so that its writers rarely meet. Between processes the
 * version in the store decides; nothing here is needed for correctness.
 */
import { Context, Effect, Layer, Semaphore } from "effect"

export class Turns extends Context.Service<
  Turns,
  {
    /** Runs it when nobody else in this process works on the payment. Never held while a provider is asked. */
    readonly take: (paymentId: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("pointsman/payment/Turns") {
  static readonly layer: Layer.Layer<Turns> = Layer.sync(Turns, () => {
    // One entry for each payment that is being worked on; the last one out removes it.
    const queues = new Map<string, { readonly semaphore: Semaphore.Semaphore; waiting: number }>()
    return Turns.of({
      take: (paymentId) => (work) =>
        Effect.suspend(() => {
          const queue = queues.get(paymentId) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
          queue.waiting += 1
          queues.set(paymentId, queue)
          const leave = Effect.sync(() => {
            queue.waiting -= 1
            if (queue.waiting === 0) queues.delete(paymentId)
          })
          return Effect.ensuring(queue.semaphore.withPermit(work), leave)
        })
    })
  })
}
