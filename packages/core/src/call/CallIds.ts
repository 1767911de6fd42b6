/**
 * The ids of calls that move money; each is the provider's idempotency key. Derived from the merchant's key where the
 * request had one, else drawn (decisions, section 1).
 */
import { Effect } from "effect"
import { type AttemptPlace, attemptText, operationText, startOfDay, timeOfUuidV7 } from "../decide/DerivedId.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { isGivenBack } from "../model/Refund.ts"
import { Ids } from "../ports/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"

/** What the id of an attempt is made of: the payment's part. */
export interface AttemptedPayment extends Pick<Payment, "tenant" | "idempotencyKey" | "createdAt"> {
  readonly asks: AttemptPlace["asks"]
}

export const attemptId = Effect.fnUntraced(function* (payment: AttemptedPayment, connectionId: string) {
  const { asks, createdAt, idempotencyKey: key, tenant } = payment
  if (key === null) return yield* (yield* Ids).attempt
  const day = startOfDay(createdAt)
  return `att_${yield* (yield* Secrets).derivedUuid(attemptText({ tenant, key, asks, connectionId, day }), day)}`
})

export const operationId = Effect.fnUntraced(function* (
  { operations, payment }: PaymentBook,
  kind: Operation["kind"],
  key: string | null
) {
  return key === null
    ? yield* (yield* Ids).operation
    : yield* freeId(
        "op",
        payment,
        kind,
        key,
        operations.filter(({ outcome }) => outcome !== "Abandoned")
      )
})

export const refundId = Effect.fnUntraced(function* ({ payment, refunds }: PaymentBook, key: string | null) {
  return key === null
    ? yield* (yield* Ids).refund
    : yield* freeId(
        "rf",
        payment,
        "refund",
        key,
        refunds.filter((refund) => !isGivenBack(refund))
      )
})

/**
 * The first id under the key that was not refused. One of which nothing was sent is taken again: a store that lost it
 * would take it too.
 */
const freeId = Effect.fnUntraced(function* (
  prefix: string,
  payment: Payment,
  kind: Operation["kind"] | "refund",
  key: string,
  earlier: ReadonlyArray<{ readonly id: string }>
) {
  for (let tries = 0; ; tries++) {
    const id = yield* derivedId(prefix, payment, kind, key, tries)
    if (!earlier.some((one) => one.id === id)) return id
  }
})

const derivedId = Effect.fnUntraced(function* (
  prefix: string,
  { createdAt, id, tenant }: Payment,
  kind: Operation["kind"] | "refund",
  key: string,
  tries: number
) {
  const text = operationText(tenant, id, kind, key, tries)
  // A payment that was recovered has its id again, and not the time of its creation.
  return `${prefix}_${yield* (yield* Secrets).derivedUuid(text, timeOfUuidV7(id) ?? createdAt)}`
})

/** The id of a refund under a key after so many that were refused. */
export const derivedRefundId = (payment: Payment, key: string, tries: number) =>
  derivedId("rf", payment, "refund", key, tries)
