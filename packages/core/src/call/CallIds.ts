/** Ids of calls that move money, the provider's keys: derived from the merchant's key, else drawn (decision 30). */
import { Effect } from "effect"
import {
  type AttemptPlace,
  attemptText,
  derivedUuid,
  derivedUuidAlone,
  derivedUuidOnDay,
  keyTagFrom,
  keyText,
  operationText,
  startOfDay,
  timeOfId,
  unnamedRefundText
} from "../decide/DerivedId.ts"
import { holdingAttempt } from "../decide/Holding.ts"
import type { Dispute, SubmissionKind } from "../model/Dispute.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { MessageAbout } from "../model/ProviderStatement.ts"
import { isGivenBack } from "../model/Refund.ts"
import type { ReportRow } from "../model/ReportRow.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Ids } from "../ports/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"

/** See `keyTagOf`. */
export const keyTag = Effect.fnUntraced(function* (tenant: Tenant, key: string) {
  return keyTagFrom(yield* (yield* Secrets).derive(keyText(tenant, key)))
})

/** What the id of an attempt is made of: the payment's part. */
export interface AttemptedPayment extends Pick<Payment, "tenant" | "idempotencyKey" | "createdAt"> {
  readonly asks: AttemptPlace["asks"]
}

export const attemptId = (
  { ids, secrets }: { readonly ids: Ids["Service"]; readonly secrets: Secrets["Service"] },
  { asks, createdAt, idempotencyKey: key, tenant }: AttemptedPayment,
  connectionId: string
): Effect.Effect<string> => {
  if (key === null) return ids.attempt
  const day = startOfDay(createdAt)
  return Effect.zipWith(
    secrets.derive(attemptText({ tenant, key, asks, connectionId, day })),
    secrets.derive(keyText(tenant, key)),
    (hash, ofKey) => `att_${derivedUuid(hash, day, keyTagFrom(ofKey))}`
  )
}

export const operationId = Effect.fnUntraced(function* (
  book: PaymentBook,
  kind: Operation["kind"],
  key: string | null
) {
  const earlier = book.operations.filter(({ outcome }) => outcome !== "Abandoned")
  return key === null ? yield* (yield* Ids).operation : yield* freeId("op", book, kind, key, earlier)
})

export const refundId = Effect.fnUntraced(function* (book: PaymentBook, key: string | null) {
  const earlier = book.refunds.filter((refund) => !isGivenBack(refund))
  return key === null ? yield* (yield* Ids).refund : yield* freeId("rf", book, "refund", key, earlier)
})

/** The first id under the key that was not refused, or of which nothing was sent: a store that lost it takes it. */
const freeId = Effect.fnUntraced(function* (
  prefix: string,
  book: PaymentBook,
  kind: Operation["kind"] | "refund",
  key: string,
  earlier: ReadonlyArray<{ readonly id: string }>
) {
  for (let tries = 0; ; tries++) {
    const id = yield* derivedId(prefix, book, kind, key, tries)
    if (!earlier.some((one) => one.id === id)) return id
  }
})

const derivedId = Effect.fnUntraced(function* (
  prefix: string,
  book: PaymentBook,
  kind: Operation["kind"] | "refund",
  key: string,
  tries: number
) {
  const { createdAt, id, tenant } = book.payment
  const charge = (holdingAttempt(book) ?? book.attempts.at(-1))?.id ?? id
  const hash = yield* (yield* Secrets).derive(operationText(tenant, charge, kind, key, tries))
  return `${prefix}_${derivedUuidOnDay(hash, timeOfId(charge) ?? createdAt, yield* keyTag(tenant, key))}`
})

/** Of a refund that was made at the provider: the same by whatever way it is stated, and after records were lost. */
export const unnamedRefundId = Effect.fnUntraced(function* (
  tenant: Tenant,
  connectionId: string,
  providerRefundId: string
) {
  const text = unnamedRefundText(tenant, connectionId, providerRefundId)
  return `rf_${derivedUuidAlone(yield* (yield* Secrets).derive(text), 0)}`
})

/** Of the refund that a row of a report names, if somebody made it at the provider. */
export const refundIdByHand = (tenant: Tenant, connectionId: string, { kind, names }: ReportRow) =>
  kind === "refund" && names.providerRefundId !== null
    ? unnamedRefundId(tenant, connectionId, names.providerRefundId)
    : Effect.undefined

/** The statement with our id of what it is about. */
export const withRefundId = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string, about: MessageAbout) {
  if (about._tag !== "UnnamedRefund") return about
  return { ...about, refundId: yield* unnamedRefundId(tenant, connectionId, about.providerRefundId) }
})

/** Of a submission of evidence, or of an acceptance. A key has one of each dispute: a refusal replays its answer. */
export const submissionId = Effect.fnUntraced(function* (
  tenant: Tenant,
  dispute: Dispute,
  kind: SubmissionKind,
  key: string | null
) {
  if (key === null) return yield* (yield* Ids).operation
  const { attemptId, createdAt, providerDisputeId } = dispute
  const text = operationText(tenant, `${attemptId}/${providerDisputeId ?? ""}`, kind, key, 0)
  const hash = yield* (yield* Secrets).derive(text)
  return `op_${derivedUuidOnDay(hash, timeOfId(attemptId) ?? createdAt, yield* keyTag(tenant, key))}`
})
