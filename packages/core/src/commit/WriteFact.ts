/** Records a fact of a charge that no provider stated. */
import { Effect, Option, Result } from "effect"
import { applyChargeFact, type ChargeFact } from "../decide/ChargeFact.ts"
import type { Payment } from "../model/Payment.ts"
import { isSameCount } from "../model/Version.ts"
import { Ledger } from "../ports/Ledger.ts"
import { StorageError } from "../ports/StorageError.ts"
import { decideAndCommit, done, write } from "./DecideAndCommit.ts"
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
  const gaveUp = (cause: unknown) => new StorageError({ operation: `writing ${fact.on}`, cause })
  return yield* decideAndCommit({
    first: payment,
    decide: (stored: Payment, now) => {
      const moved = applyChargeFact(stored, fact, now)
      if (Result.isFailure(moved)) return Effect.succeed(done({ payment: stored, isWritten: false }))
      const { events, payment: after } = moved.success
      const step = { tenant, payment: { expected: stored.version, after }, events }
      return Effect.succeed(write(step, { payment: after, isWritten: true }))
    },
    read: () =>
      Effect.flatMap(
        ledger.payment(tenant, id),
        Option.match({ onNone: () => Effect.fail(gaveUp("the payment is not stored")), onSome: Effect.succeed })
      ),
    afterUnknown: (stored, { payment: { after } }) =>
      isSameCount(stored.version, after.version) &&
      stored.state === after.state &&
      stored.updatedAt === after.updatedAt,
    storageErrors: "fail"
  }).pipe(Effect.mapError((failure) => (failure._tag === "NotWritten" ? failure.cause : gaveUp(failure))))
})
