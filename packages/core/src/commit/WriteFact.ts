/** Records a fact of a charge that no provider stated. */
import { Effect, Result } from "effect"
import { applyChargeFact, type ChargeFact } from "../decide/ChargeFact.ts"
import type { Payment } from "../model/Payment.ts"
import { Ledger } from "../ports/Ledger.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { asStorageError, decideAndCommit, done, isSameWrite, orLost, write } from "./DecideAndCommit.ts"
import type { DeliveryWake } from "./WakeDelivery.ts"

export interface Written {
  readonly payment: Payment
  /** `false` where the payment had moved meanwhile and the fact changes nothing any more. */
  readonly isWritten: boolean
}

export const writeFact = Effect.fnUntraced(function* (
  payment: Payment,
  fact: ChargeFact
): Effect.fn.Return<Written, StorageError, Ledger | DeliveryWake> {
  const ledger = yield* Ledger
  const { id, tenant } = payment
  const operation = `writing ${fact.on}`
  return yield* decideAndCommit({
    first: payment,
    decide: (stored: Payment, now) => {
      const moved = applyChargeFact(stored, fact, now)
      if (Result.isFailure(moved)) return done({ payment: stored, isWritten: false })
      const { events, payment: after } = moved.success
      const step = { tenant, payment: { expected: stored.version, after }, events }
      return Effect.succeed(write(step, { payment: after, isWritten: true }))
    },
    read: () => Effect.flatMap(ledger.payment(tenant, id), orLost(operation)),
    afterUnknown: isSameWrite,
    storageErrors: "fail"
  }).pipe(Effect.mapError(asStorageError(operation)))
})
