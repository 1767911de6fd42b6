/** Operations and refunds of a payment, and the changes that write them. */
import type { Operation, Payment, Refund } from "@pointsman/core"
import { movedPayment, refundTotals } from "@pointsman/core/internal"
import { type Change, Ids, type NamedInRows, type PaymentBook, type StoredMessage } from "@pointsman/core/ports"
import { Clock, Effect } from "effect"

/** A capture of all that is authorized, in flight. */
export const newOperation = Effect.fnUntraced(function* (payment: Payment, fields: Partial<Operation> = {}) {
  const ids = yield* Ids
  const operation: Operation = {
    id: yield* ids.operation,
    claimedBy: yield* ids.claim,
    paymentId: payment.id,
    kind: "capture",
    idempotencyKey: null,
    requestedMinor: null,
    money: { ...payment.money, minorUnits: payment.authorizedMinor },
    connectionId: "first",
    providerRef: payment.providerRef ?? "ref-1",
    timeoutMillis: 30_000,
    sentAt: yield* Clock.currentTimeMillis,
    answeredAt: null,
    outcome: null,
    code: null,
    reason: null,
    reply: null,
    ...fields
  }
  return operation
})

/** A refund of all that was captured, being sent. */
export const newRefund = Effect.fnUntraced(function* (payment: Payment, fields: Partial<Refund> = {}) {
  const ids = yield* Ids
  const refund: Refund = {
    id: yield* ids.refund,
    claimedBy: yield* ids.claim,
    paymentId: payment.id,
    origin: "api",
    stage: "Sending",
    money: { ...payment.money, minorUnits: payment.capturedMinor },
    requestedMinor: null,
    reason: null,
    idempotencyKey: null,
    connectionId: "first",
    providerRef: payment.providerRef ?? "ref-1",
    providerRefundId: null,
    timeoutMillis: 30_000,
    sentAt: yield* Clock.currentTimeMillis,
    answeredAt: null,
    settledAt: null,
    code: null,
    failureReason: null,
    reply: null,
    ...fields
  }
  return refund
})

/** Replaced by id where they were, added where they are new; oldest first. */
export const withEntries = <A extends { readonly id: string }>(
  stored: ReadonlyArray<A>,
  written: ReadonlyArray<A>
): ReadonlyArray<A> =>
  [...new Map([...stored, ...written].map((entry) => [entry.id, entry])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1
  )

/** The next version of a payment, with what is written beside it. */
export const nextOf = (payment: Payment, fields: Partial<Payment> = {}, beside: Partial<Change> = {}): Change => ({
  tenant: payment.tenant,
  payment: { expected: payment.version, after: { ...payment, ...fields, version: payment.version + 1 } },
  attempts: [],
  events: [],
  ...beside
})

/** The change with another reference of its charge. */
export const withReference = (change: Change, providerRef: string): Change => ({
  ...change,
  payment: { ...change.payment, after: { ...change.payment.after, providerRef } },
  attempts: change.attempts.map((attempt) => ({ ...attempt, providerRef }))
})

/** Names that rows of reports have. */
export const names = (some: Partial<NamedInRows>): NamedInRows => ({
  attemptIds: [],
  operationIds: [],
  refundIds: [],
  providerRefundIds: [],
  providerRefs: [],
  ...some
})

/** A message as it is stored when it comes. */
export const messageOf = (eventId: string, fields: Partial<StoredMessage> = {}): StoredMessage => ({
  connectionId: "first",
  eventId,
  paymentId: null,
  about: "charge",
  subjectId: "att_1",
  disputeId: null,
  verdict: null,
  outcome: "received",
  reason: null,
  writtenAt: 1,
  receivedAt: 2,
  body: `{"id":"${eventId}"}`,
  isSealed: true,
  ...fields
})

/** Writes entries of a payment whose state stays as it is; its totals follow from its refunds. */
export const writeEntries = (
  before: PaymentBook,
  entries: { readonly operations?: ReadonlyArray<Operation>; readonly refunds?: ReadonlyArray<Refund> }
): { readonly change: Change; readonly after: PaymentBook } => {
  const refunds = withEntries(before.refunds, entries.refunds ?? [])
  const payment = { ...before.payment, ...refundTotals(refunds), version: before.payment.version + 1 }
  return {
    change: {
      tenant: payment.tenant,
      payment: movedPayment(before, payment),
      attempts: [],
      ...entries,
      events: []
    },
    after: { ...before, payment, operations: withEntries(before.operations, entries.operations ?? []), refunds }
  }
}
