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

export const operationId = (book: PaymentBook, kind: Operation["kind"], key: string | null) => {
  if (key === null) return Effect.flatMap(Ids, (ids) => ids.operation)
  const earlier = book.operations.filter(({ outcome }) => outcome !== "Abandoned")
  return freeId("op", book, kind, key, earlier)
}

export const refundId = (book: PaymentBook, key: string | null) => {
  if (key === null) return Effect.flatMap(Ids, (ids) => ids.refund)
  const earlier = book.refunds.filter((refund) => !isGivenBack(refund))
  return freeId("rf", book, "refund", key, earlier)
}

/** The first id under the key that was not refused, or of which nothing was sent: a store that lost it takes it. */
const freeId = (
  prefix: string,
  book: PaymentBook,
  kind: Operation["kind"] | "refund",
  key: string,
  earlier: ReadonlyArray<{ readonly id: string }>,
  tries = 0
): Effect.Effect<string, never, Secrets> =>
  Effect.flatMap(derivedId(prefix, book, kind, key, tries), (id) =>
    earlier.some((one) => one.id === id) ? freeId(prefix, book, kind, key, earlier, tries + 1) : Effect.succeed(id)
  )

const derivedId = (
  prefix: string,
  book: PaymentBook,
  kind: Operation["kind"] | "refund",
  key: string,
  tries: number
) => {
  const { createdAt, id, tenant } = book.payment
  const charge = (holdingAttempt(book) ?? book.attempts.at(-1))?.id ?? id
  return Effect.flatMap(Secrets, ({ derive }) =>
    Effect.zipWith(
      derive(operationText(tenant, charge, kind, key, tries)),
      derive(keyText(tenant, key)),
      (hash, ofKey) => `${prefix}_${derivedUuidOnDay(hash, timeOfId(charge) ?? createdAt, keyTagFrom(ofKey))}`
    )
  )
}

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
