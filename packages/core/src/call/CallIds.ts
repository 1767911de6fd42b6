/**
 * Ids of calls that move money, the provider's keys: derived from the merchant's key, else drawn (decision 30). A store
 * that lost its last records asks again under the same ids, and the provider recognises the call.
 */
import { Effect } from "effect"
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

/** Of the refund that a row of a report names, if it was made at the provider. */
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

// What ids hash. Each ends with a tag that depends on the tenant and the key alone: one that is found at a provider names
// the key.

/**
 * One attempt: the call of a charge, or the opening of a checkout, at one connection. A key lives for 24 hours from its
 * answer, so that on one day only requests of which nothing was sent precede another one: theirs is the same id.
 */
export interface AttemptPlace {
  readonly tenant: Tenant
  readonly key: string
  readonly asks: "charge" | "checkout"
  readonly connectionId: string
  /** Of the payment, in epoch milliseconds; see `startOfDay`. */
  readonly day: number
}

const attemptText = ({ asks, connectionId, day, key, tenant }: AttemptPlace): string =>
  JSON.stringify(["attempt", ...place(tenant), key, asks, day, connectionId])

/**
 * A capture, a void or a refund of the charge that an attempt made. The payment's id is no part of it: a store that lost
 * the payment makes another one for the same charge. Of a dispute, the charge is followed by the provider's name of it.
 * `tries`: how many under the key were refused.
 */
const operationText = (
  tenant: Tenant,
  attemptId: string,
  kind: "capture" | "void" | "refund" | "submit" | "accept",
  key: string,
  tries: number
): string => JSON.stringify([kind, ...place(tenant), attemptId, key, tries])

/** A refund that was made at the provider, by the provider's id of it. */
const unnamedRefundText = (tenant: Tenant, connectionId: string, providerRefundId: string): string =>
  JSON.stringify(["refund at the provider", ...place(tenant), connectionId, providerRefundId])

const place = ({ environment, workspaceId }: Tenant) => [workspaceId, environment]

const dayMillis = 24 * 60 * 60 * 1000

/** Of the UTC day. Both in epoch milliseconds. */
export const startOfDay = (at: number): number => at - (at % dayMillis)

const keyText = (tenant: Tenant, key: string): string => JSON.stringify(["key", ...place(tenant), key])

/** 48 bits, of the hash of a `keyText`. */
const keyTagFrom = (hash: string): string => hash.slice(0, 12)

/** The tag of the key that an id was derived from; `undefined` for an id that was drawn. */
export const keyTagOf = (id: string): string | undefined => taggedId.exec(id)?.[1]
const taggedId = /^(?:att|op|rf)_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-([0-9a-f]{12})$/u

/**
 * A lower-case UUIDv8 (RFC 9562, section 5.8) of a time in epoch milliseconds, 26 bits of a hash, and a tag. It begins with
 * the time as a UUIDv7 does, so that an index of such ids is written where it was written last.
 */
const derivedUuid = (hash: string, at: number, tag: string): string => {
  const time = at.toString(16).padStart(12, "0")
  const variant = "89ab"[Number.parseInt(hash.slice(3, 4), 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${tag}`
}

/**
 * The same of a call that acts on a charge. A merchant may use one key for many payments, and then nothing but the hash
 * tells their ids apart: the time is another one of the charge's UTC day, for another 26 bits of it.
 */
const derivedUuidOnDay = (hash: string, at: number, tag: string): string =>
  derivedUuid(hash, startOfDay(at) + (Number.parseInt(hash.slice(7, 19), 16) % dayMillis), tag)

/** The same without a key. */
export const derivedUuidAlone = (hash: string, at: number): string => derivedUuid(hash, at, hash.slice(7, 19))

/** Epoch milliseconds in an id with a UUIDv7 or one of our UUIDv8 (RFC 9562); `undefined` for another id. */
const timeOfId = (id: string): number | undefined => {
  const found = /^(?:[a-z]+_)?([0-9a-f]{8})-([0-9a-f]{4})-[78]/u.exec(id)
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16)
}

/** The start of the UTC day that an attempt's id was derived with, in epoch milliseconds; `undefined` for a drawn one. */
export const derivedDay = (attemptId: string): number | undefined =>
  /^att_[0-9a-f]{8}-[0-9a-f]{4}-8/u.test(attemptId) ? timeOfId(attemptId) : undefined

/** When a call is sent, in epoch milliseconds: later than those before it, so that time gives their order. */
export const sentAfter = (earlier: ReadonlyArray<{ readonly sentAt: number }>, now: number): number =>
  earlier.reduce((latest, { sentAt }) => Math.max(latest, sentAt + 1), now)
