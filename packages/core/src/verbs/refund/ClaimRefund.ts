/**
 * What is written before a provider is asked for a refund: the refund with its key, and its amount as reserved, in one
 * commit. A commit of which it is not known whether it was written is not sent on.
 */
import { Clock, Effect, Option, Result } from "effect"
import { keyTagOf, refundId, sentAfter } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { claimCall, connectionInAccount, connectorOf } from "../../commit/ClaimCall.ts"
import { claimGuard, takeKept } from "../../commit/CommitChange.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import type { Caller } from "../../decide/CreateRequest.ts"
import { type Answered, NotRefundable, type RefundOrder, RefundPending } from "../../decide/OperationOrder.ts"
import { type Permission, refundSource, refundTarget } from "../../decide/ProposedRefund.ts"
import { refundWaits } from "../../decide/RefundWait.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import { movedPayment, type PaymentBook, refundTotals } from "../../model/PaymentBook.ts"
import { begunRefund, type Refund, withRefund } from "../../model/Refund.ts"
import { money } from "../../money/Money.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { RecordLosses } from "../../ports/RecordLoss.ts"
import { orNotFound } from "../read/ReadArchive.ts"
import { refundStanding } from "./ReplayRefund.ts"

export interface RefundInHand {
  /** The payment including the refund. */
  readonly book: PaymentBook
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly refund: Refund
  readonly connection: Connection
}

interface Claimed {
  readonly _tag: "Begun"
  /** As it was before. */
  readonly book: PaymentBook
  readonly inHand: RefundInHand
}

type Unclaimed<E> =
  | { readonly _tag: "Replayed"; readonly answered: Answered }
  | { readonly _tag: "NotPermitted"; readonly why: E }

/** The refund that may be sent; or what its key already resolves to. */
export const claimRefund = Effect.fnUntraced(function* <E>(
  caller: Pick<Caller, "tenant" | "apiKeyHash">,
  order: RefundOrder,
  permission: Permission<E>
) {
  const ledger = yield* Ledger
  const loop = {
    decide: (book: PaymentBook, now: number) =>
      Effect.gen(function* () {
        const earlier = yield* refundStanding(book, order)
        if (earlier !== undefined) return done<Unclaimed<E>>({ _tag: "Replayed", answered: earlier })
        const begun = yield* begin(order, book)
        const permitted = permission(book, now)
        if (Result.isFailure(permitted)) return done<Unclaimed<E>>({ _tag: "NotPermitted", why: permitted.failure })
        const after: PaymentBook = { ...begun.book, payment: { ...begun.book.payment, ...permitted.success } }
        const inHand: RefundInHand = { ...begun, book: after }
        const claim = {
          tenant: caller.tenant,
          apiKeyHash: caller.apiKeyHash,
          guard: refundGuard(yield* PaymentSettings, inHand.refund),
          payment: movedPayment(book, after.payment),
          refunds: [inHand.refund],
          events: []
        }
        return write<Claimed>(claim, { _tag: "Begun", book, inHand })
      }),
    read: () => Effect.flatMap(ledger.book(caller.tenant, order.paymentId), orNotFound)
  }
  return yield* claimCall(loop, RefundPending, releaseClaim, yield* takeKept(caller.tenant, order.paymentId))
})

/** An operator has to decide. */
const waitMillis = 60_000
/** A recovered refund that the record could not take is filed under its key alone. */
const refundGuard = (settings: PaymentSettings, { id }: Refund) => {
  const tag = keyTagOf(id)
  return claimGuard(settings, tag === undefined ? null : { tag, kind: "refund" })
}

const begin = Effect.fnUntraced(function* (order: RefundOrder, book: PaymentBook) {
  const connections = yield* OpenConnections
  const { payment, ...rest } = book
  const { attempt, connectionId, providerRef } = yield* Effect.fromResult(refundSource(book))
  const attemptId = attempt.id
  const connection = yield* connectionInAccount(book, connectionId, attempt, () => new NotRefundable())
  const { afterRestore } = yield* PaymentSettings
  const loss = yield* (yield* RecordLosses).known
  if (afterRestore !== "serve" && refundWaits(book, connectionId, loss)) {
    return yield* new RefundPending({ retryAfterMillis: waitMillis })
  }
  const connector = yield* connectorOf(connection)
  if (connector.refund === undefined) return yield* new NotRefundable()
  const now = yield* Clock.currentTimeMillis
  const refund: Refund = {
    ...begunRefund,
    id: yield* refundId(book, order.idempotencyKey),
    claimedBy: yield* (yield* Ids).claim,
    paymentId: payment.id,
    origin: "api",
    money: money(refundTarget(book, order.amountMinor).amountMinor, payment.money.currency),
    requestedMinor: order.amountMinor,
    reason: order.reason,
    idempotencyKey: order.idempotencyKey,
    connectionId,
    providerRef,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: sentAfter(book.refunds, now)
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
const releaseClaim = Effect.fnUntraced(function* ({ book, inHand: { refund } }: Claimed) {
  const ledger = yield* Ledger
  const { id, tenant, version } = book.payment
  yield* decideAndCommit({
    first: book as PaymentBook | undefined,
    decide: (stored, now) => {
      if (stored === undefined) return done(undefined)
      const { payment } = stored
      const ours = stored.refunds.find(({ claimedBy }) => claimedBy === refund.claimedBy)
      // Not there, and its version has passed; or it is settled already.
      const isOver = ours === undefined ? payment.version > version : ours.stage !== "Sending"
      if (isOver) return done(undefined)
      const released: ReadonlyArray<Refund> =
        ours === undefined
          ? []
          : [{ ...ours, stage: "Refused", idempotencyKey: null, settledAt: now, failureReason: "nothing was sent" }]
      const refunds = released.reduce(withRefund, stored.refunds)
      const step = {
        tenant,
        payment: movedPayment(stored, {
          ...payment,
          ...refundTotals(refunds),
          version: payment.version + 1,
          updatedAt: now
        }),
        refunds: released,
        events: []
      }
      return Effect.succeed(write(step, undefined))
    },
    read: () => Effect.map(ledger.book(tenant, id), Option.getOrUndefined),
    // Where it was written, the version has passed or the refund is settled.
    afterUnknown: () => false,
    storageErrors: "retry"
  })
})
