/**
 * What is written before a provider is asked for a refund: the refund with its key, and its amount as reserved, in one
 * commit. A commit of which it is not known whether it was written is not sent on.
 */
import { Clock, Effect, Option, Result } from "effect"
import { money } from "../money/Money.ts"
import { Background } from "../payment/Background.ts"
import { decisionsAtMost } from "../payment/ChargeInHand.ts"
import { type Caller, NothingSent } from "../payment/CreateRequest.ts"
import { holdingAttempt } from "../payment/Holding.ts"
import { commitInsistently, keepTrying, readInsistently } from "../payment/Insistently.ts"
import { InvalidAmount, ProviderRefused, TakenByAnother } from "../payment/OperationOrder.ts"
import type { Payment } from "../payment/Payment.ts"
import { PaymentNotFound } from "../payment/ReadPayments.ts"
import { Directory } from "../ports/Directory.ts"
import { Ids } from "../ports/Ids.ts"
import { ApiKeyRevoked, type CommitFailure, Ledger, type PaymentBook } from "../ports/Ledger.ts"
import type { Connection } from "../routing/Connection.ts"
import { OpenConnections } from "../routing/OpenConnections.ts"
import { firstRefundStage, type Refund } from "./Refund.ts"
import { isRefundable } from "./RefundFact.ts"
import { refundableMinor, refundTotals, withRefund } from "./RefundLedger.ts"
import { NotRefundable, type RefundOrder, RefundPending } from "./RefundOrder.ts"
import { refundStanding } from "./ReplayRefund.ts"

export interface RefundInHand {
  /** As it stands with the refund in it. */
  readonly book: PaymentBook
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly refund: Refund
  readonly connection: Connection
}

/** The refund that may be sent; or what its key stands for already. */
export const claimRefund = Effect.fnUntraced(function* (caller: Caller, order: RefundOrder) {
  const ledger = yield* Ledger
  const background = yield* Background
  const nothingSent = (cause: unknown) => new NothingSent({ cause })
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const found = yield* Effect.mapError(ledger.book(caller.tenant, order.paymentId), nothingSent)
    if (Option.isNone(found)) return yield* new PaymentNotFound()
    const book = found.value
    const earlier = yield* refundStanding(book, order)
    if (earlier !== undefined) return { _tag: "Replayed" as const, answered: earlier }
    const inHand: RefundInHand = yield* begin(caller, order, book)
    const written: Result.Result<void, CommitFailure> = yield* Effect.result(
      ledger.commit({
        tenant: caller.tenant,
        apiKeyHash: caller.apiKeyHash,
        payment: { expected: book.payment.version, after: inHand.book.payment },
        attempts: [],
        refunds: [inHand.refund],
        events: []
      })
    )
    if (Result.isSuccess(written)) return { _tag: "Begun" as const, ...inHand }
    switch (written.failure._tag) {
      case "pointsman/ApiKeyRevoked":
        return yield* new ApiKeyRevoked()
      case "pointsman/StorageError":
        return yield* nothingSent(written.failure)
      case "pointsman/CommitUnknown":
        yield* Effect.catch(giveBack(book, inHand.refund), () =>
          background.run(keepTrying(giveBack(book, inHand.refund)))
        )
        return yield* nothingSent(written.failure)
      case "pointsman/KeyTaken":
      case "pointsman/Stale": // Decided again on what is stored now.
    }
  }
  return yield* new TakenByAnother()
})

const begin = Effect.fnUntraced(function* (caller: Caller, order: RefundOrder, { payment, ...rest }: PaymentBook) {
  const directory = yield* Directory
  const connections = yield* OpenConnections
  const ids = yield* Ids
  const { connectionId, providerRef } = payment
  const attemptId = holdingAttempt({ ...rest, payment })?.id
  if (!isRefundable(payment.state) || connectionId === null || providerRef === null || attemptId === undefined) {
    return yield* new NotRefundable()
  }
  const left = refundableMinor(payment)
  if (left === 0) {
    if (payment.refundPendingMinor > 0) return yield* new RefundPending()
    return yield* new InvalidAmount({ expected: "a payment of which something is left to refund" })
  }
  const all = yield* Effect.mapError(directory.connections(caller.tenant), (cause) => new NothingSent({ cause }))
  const connection = all.find(({ id }) => id === connectionId)
  if (connection === undefined) return yield* new NotRefundable()
  const connector = yield* Effect.mapError(
    connections.connector(connection),
    () => new ProviderRefused({ message: "Nothing was sent to the provider: its connection cannot be used." })
  )
  if (connector.refund === undefined) return yield* new NotRefundable()
  const now = yield* Clock.currentTimeMillis
  const refund: Refund = {
    id: yield* ids.refund,
    paymentId: payment.id,
    stage: firstRefundStage,
    money: money(Math.min(order.amountMinor ?? left, left), payment.money.currency),
    requestedMinor: order.amountMinor,
    reason: order.reason,
    idempotencyKey: order.idempotencyKey,
    connectionId,
    providerRef,
    providerRefundId: null,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: now,
    answeredAt: null,
    settledAt: null,
    code: null,
    failureReason: null,
    reply: null
  }
  const refunds = withRefund(rest.refunds, refund)
  const after: Payment = { ...payment, ...refundTotals(refunds), version: payment.version + 1, updatedAt: now }
  const inHand: RefundInHand = { book: { ...rest, payment: after, refunds }, attemptId, refund, connection }
  return inHand
})

/**
 * It is not known whether the refund was written, or may still be; nothing may be sent on it. So its place is taken by
 * a write that changes nothing: where that works, the commit that is out can no longer be written. Where it was
 * written, it is taken back and its key is free. It fails where the store stays silent.
 */
const giveBack = Effect.fnUntraced(function* (book: PaymentBook, refund: Refund) {
  const ledger = yield* Ledger
  let stored = book
  let ours: Refund | undefined
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const released: ReadonlyArray<Refund> =
      ours === undefined
        ? []
        : [{ ...ours, stage: "Refused", idempotencyKey: null, settledAt: now, failureReason: "nothing was sent" }]
    const refunds = released.reduce(withRefund, stored.refunds)
    const { payment } = stored
    const taken = yield* Effect.result(
      commitInsistently({
        tenant: payment.tenant,
        payment: {
          expected: payment.version,
          after: { ...payment, ...refundTotals(refunds), version: payment.version + 1, updatedAt: now }
        },
        attempts: [],
        refunds: released,
        events: []
      })
    )
    if (Result.isSuccess(taken)) return
    const read = yield* readInsistently(ledger.book(payment.tenant, payment.id))
    if (Option.isNone(read)) return
    ours = read.value.refunds.find(({ id }) => id === refund.id)
    // Not there, and its version has passed; or it is settled already.
    const hasPassed = read.value.payment.version > payment.version
    if (ours === undefined ? hasPassed : ours.stage !== "Sending") return
    stored = read.value
  }
  return yield* new TakenByAnother()
})
