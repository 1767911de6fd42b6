/** What the tests of the SQL storages are given. */
import type { Operation, Payment, Refund, Tenant } from "@pointsman/core"
import { newClaim, openAttempt } from "@pointsman/core/internal"
import {
  type Change,
  type DirectoryContents,
  Ids,
  type StorageError,
  type StorageServices,
  type StoredRate
} from "@pointsman/core/ports"
import { makeRows } from "@pointsman/storage-sql"
import { Effect, Layer } from "effect"

export const tenant: Tenant = { workspaceId: "ws", environment: "sandbox" }

export const rate: StoredRate = {
  tenant,
  connectionId: "first",
  segment: "",
  rate: { succeeded: 1, failed: 2, at: 3 },
  version: 1
}

/** A form that binds what it is given. */
export const plainRows = makeRows<string | number | boolean | null>({
  bindText: (text) => text,
  readText: (value) => value as string,
  bindTexts: (texts) => JSON.stringify(texts),
  readTexts: (value) => JSON.parse(value as string),
  bindBoolean: (value) => value,
  readBoolean: (value) => value as boolean
})

/** Written beside what is stored. */
export const contentsOf = (contents: Partial<DirectoryContents>): DirectoryContents => ({
  ...{ workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] },
  ...contents
})

type Storage = StorageServices

/** Opens the storage, runs the effect and closes it. */
export const within =
  (layer: Layer.Layer<Storage, StorageError, Ids>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, Exclude<R, Storage | Ids>> =>
    Effect.provide(effect, Layer.provideMerge(layer, Ids.layer), { local: true })

/** A new payment with its attempt, its event and its key. */
export const newChange = Effect.fnUntraced(function* (fields: Partial<Payment> = {}) {
  const ids = yield* Ids
  const id = yield* ids.payment
  const payment: Payment = {
    id,
    tenant,
    version: 1,
    state: "Charging",
    money: { minorUnits: 1000, currency: "EUR" },
    country: "DE",
    method: "card",
    cardBrand: "visa",
    initiator: "cit",
    captureMethod: "automatic",
    reference: "order-1",
    metadata: null,
    purchase: null,
    declineCategory: null,
    declineReason: null,
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    refundPendingMinor: 0,
    connectionId: null,
    providerRef: null,
    idempotencyKey: `key-${id}`,
    hosted: null,
    routing: null,
    simulation: null,
    createdAt: 0,
    updatedAt: 0,
    settledAt: null,
    reported: null,
    review: null,
    ...fields
  }
  const change = {
    tenant,
    payment: { expected: 0, after: payment },
    attempts: [
      {
        ...openAttempt,
        id: yield* ids.attempt,
        paymentId: id,
        claimedBy: null,
        number: 1,
        connectionId: "first",
        money: payment.money,
        timeoutMillis: 30_000,
        sentAt: 0,
        account: { id: "acct_1", mode: "live" }
      }
    ],
    events: [{ type: "payment.created", paymentId: id, createdAt: 0, data: { payment_id: id } }],
    claim: { expected: 0, after: newClaim({ key: `key-${id}`, fingerprint: "fp", paymentId: id, claimedAt: 0 }) }
  } as const satisfies Change
  return change
})

/** A capture in flight. */
export const newOperation = (payment: Payment, fields: Partial<Operation> = {}): Operation => ({
  id: `op_${payment.id}`,
  claimedBy: null,
  paymentId: payment.id,
  kind: "capture",
  idempotencyKey: "key-of-the-operation",
  requestedMinor: null,
  money: payment.money,
  connectionId: "first",
  providerRef: "ref-1",
  timeoutMillis: 30_000,
  sentAt: 0,
  answeredAt: null,
  outcome: null,
  code: null,
  reason: null,
  reply: null,
  ...fields
})

/** A refund of all of the payment, being sent. */
export const newRefund = (payment: Payment, fields: Partial<Refund> = {}): Refund => ({
  id: `rf_${payment.id}`,
  claimedBy: null,
  paymentId: payment.id,
  origin: "api",
  stage: "Sending",
  money: payment.money,
  requestedMinor: null,
  reason: null,
  idempotencyKey: "key-of-the-refund",
  connectionId: "first",
  providerRef: "ref-1",
  providerRefundId: null,
  timeoutMillis: 30_000,
  sentAt: 0,
  answeredAt: null,
  settledAt: null,
  code: null,
  failureReason: null,
  reply: null,
  ...fields
})
