/** Where a store is made to fail, and what others do in between. */
import type { Payment } from "@pointsman/core"
import { type Change, Ledger } from "@pointsman/core/ports"
import { Deferred, Effect, Option } from "effect"
import { acme, type World } from "./World.ts"

/** Before a provider is asked, after it answered, or neither of them. */
export type Step = "claim" | "settle" | "other"

export const stepOf = ({ attempts, operations = [], refunds = [] }: Change): Step => {
  const ends = [
    ...attempts.map(({ outcome }) => outcome !== null),
    ...operations.map(({ outcome }) => outcome !== null),
    ...refunds.map(({ stage }) => stage !== "Sending")
  ]
  if (ends.length === 0) return "other"
  return ends.every((hasEnded) => hasEnded) ? "settle" : "claim"
}

/** Writes the payment with other fields, as another process does. */
export const overwrite = (world: World, id: string, fields: Partial<Payment> = {}): Promise<unknown> =>
  world.run(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const payment = Option.getOrThrow(yield* ledger.payment(acme, id))
      const after = { ...payment, ...fields, version: payment.version + 1 }
      return yield* ledger.commit({
        ...{ tenant: acme, attempts: [], events: [] },
        payment: { expected: payment.version, after }
      })
    })
  )

/** A writer whose commit changes nothing but the version comes first, as often as somebody claims. */
export const alwaysComeFirst = (world: World, id: string): void => {
  world.ledger.beforeCommit = (_number, change) =>
    stepOf(change) === "claim" ? Effect.asVoid(Effect.promise(() => overwrite(world, id))) : Effect.void
}

/** Runs once, right before the next claim is written. */
export const beforeNextClaim = (world: World, work: () => Promise<unknown>): void => {
  let isDone = false
  world.ledger.beforeCommit = (_number, change) =>
    Effect.suspend(() => {
      if (isDone || stepOf(change) !== "claim") return Effect.void
      isDone = true
      return Effect.asVoid(Effect.promise(work))
    })
}

/** A provider that is being asked and waits for the test to let it answer. */
export interface Held {
  /** Settles when the provider is asked. */
  readonly asked: Promise<void>
  readonly release: () => Promise<unknown>
  readonly hold: Effect.Effect<void>
}

export const held = (): Held => {
  const asked = Deferred.makeUnsafe<void>()
  const released = Deferred.makeUnsafe<void>()
  return {
    asked: Effect.runPromise(Deferred.await(asked)),
    release: () => Effect.runPromise(Deferred.succeed(released, undefined)),
    hold: Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(released))
  }
}
