import {
  type Change,
  type Deliveries,
  type Directory,
  Ids,
  type Ledger,
  type Merchants,
  newClaim,
  type Payment,
  type StorageError,
  type SuccessRates,
  type Tenant
} from "@pointsman/core"
import { layer, type PostgresStorageOptions } from "@pointsman/storage-postgres"
import { Effect, Layer } from "effect"

export const tenant: Tenant = { workspaceId: "ws", environment: "sandbox" }

/** Opens the database, runs the effect and closes it. */
export const withStorage =
  (options: PostgresStorageOptions) =>
  <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError, Exclude<R, Ledger | Deliveries | Directory | Merchants | SuccessRates | Ids>> =>
    Effect.provide(effect, Layer.provideMerge(layer(options), Ids.layer), { local: true })

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
    review: null,
    ...fields
  }
  const change = {
    tenant,
    payment: { expected: 0, after: payment },
    attempts: [
      {
        id: yield* ids.attempt,
        paymentId: id,
        number: 1,
        connectionId: "first",
        money: payment.money,
        timeoutMillis: 30_000,
        sentAt: 0,
        answeredAt: null,
        outcome: null,
        providerRef: null,
        declineCategory: null,
        code: null,
        reason: null,
        checkout: null
      }
    ],
    events: [{ type: "payment.created", paymentId: id, createdAt: 0, data: { payment_id: id } }],
    claim: { expected: 0, after: newClaim({ key: `key-${id}`, fingerprint: "fp", paymentId: id, claimedAt: 0 }) }
  } as const satisfies Change
  return change
})
