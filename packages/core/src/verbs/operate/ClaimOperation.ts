/**
 * What is written before a provider is asked to capture or to void: the payment in its state of waiting, and the
 * operation with its key, in one commit. A commit of which it is not known whether it was written is not sent on.
 */
import { Clock, Effect, Option, Result } from "effect"
import { operationId, sentAfter } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { claimCall, connectionInAccount, connectorOf } from "../../commit/ClaimCall.ts"
import { claimGuard, type Step, takeKept } from "../../commit/CommitChange.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { type Caller, RequestInProgress } from "../../decide/CreateRequest.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import {
  type Answered,
  InvalidAmount,
  NoProviderRef,
  type OperationOrder,
  TakenByAnother,
  Unsupported
} from "../../decide/OperationOrder.ts"
import { weighedEvents, weighReported } from "../../decide/WithReview.ts"
import { step } from "../../machine/Machine.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Operation } from "../../model/Operation.ts"
import type { Payment } from "../../model/Payment.ts"
import { bookAfter, movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import { type PaymentEvent, PaymentMachine } from "../../model/PaymentMachine.ts"
import { money } from "../../money/Money.ts"
import type { Connector } from "../../ports/Connector.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { orNotFound } from "../read/ReadArchive.ts"
import { operationStanding } from "./ReplayOperation.ts"

/** What an operation has before it is answered. */
export const unansweredOperation = { answeredAt: null, outcome: null, code: null, reason: null, reply: null } as const

export interface OperationInHand {
  /** The payment including the operation. */
  readonly book: PaymentBook
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly operation: Operation
  readonly connection: Connection
  readonly connector: Connector
}

const claimEvent: Record<Operation["kind"], PaymentEvent> = { capture: "CaptureClaimed", void: "VoidClaimed" }
const refusalEvent: Record<Operation["kind"], PaymentEvent> = { capture: "CaptureRefused", void: "VoidRefused" }

interface Claimed {
  readonly _tag: "Begun"
  /** As it was before. */
  readonly book: PaymentBook
  readonly inHand: OperationInHand
}

type Unclaimed = { readonly _tag: "Replayed"; readonly answered: Answered } | { readonly _tag: "Refused" }

/** The operation that may be sent; or what its key already resolves to; or that the payment cannot take it. */
export const claimOperation = Effect.fnUntraced(function* (caller: Caller, order: OperationOrder) {
  const ledger = yield* Ledger
  const loop = {
    decide: (book: PaymentBook, _now: number, _reused: unknown, lastTry: Claimed | undefined) =>
      Effect.gen(function* () {
        const earlier = yield* operationStanding(book, order)
        if (earlier !== undefined) return done<Unclaimed>({ _tag: "Replayed", answered: earlier })
        const moved = step(PaymentMachine, book.payment.state, claimEvent[order.kind])
        if (Result.isFailure(moved)) {
          return lastTry === undefined ? done<Unclaimed>({ _tag: "Refused" }) : yield* new TakenByAnother()
        }
        const inHand: OperationInHand = yield* begin(order, book, moved.success.to)
        const claim = {
          tenant: caller.tenant,
          apiKeyHash: caller.apiKeyHash,
          guard: claimGuard(yield* PaymentSettings, null),
          payment: movedPayment(book, inHand.book.payment),
          operations: [inHand.operation],
          events: []
        }
        return write<Claimed>(claim, { _tag: "Begun", book, inHand })
      }),
    read: () => Effect.flatMap(ledger.book(caller.tenant, order.paymentId), orNotFound)
  }
  return yield* claimCall(loop, RequestInProgress, releaseClaim, yield* takeKept(caller.tenant, order.paymentId))
})

const begin = Effect.fnUntraced(function* (order: OperationOrder, book: PaymentBook, state: Payment["state"]) {
  const connections = yield* OpenConnections
  const { operations, payment } = book
  const attempt = holdingAttempt(book)
  if (payment.connectionId === null || payment.providerRef === null || attempt === undefined) {
    return yield* new NoProviderRef()
  }
  const { providerRef } = payment
  const attemptId = attempt.id
  const connection = yield* connectionInAccount(book, payment.connectionId, attempt, () => new Unsupported())
  const connector = yield* connectorOf(connection)
  if (connector[order.kind] === undefined) return yield* new Unsupported()
  const amountMinor = order.amountMinor ?? payment.authorizedMinor
  if (amountMinor > payment.authorizedMinor) {
    return yield* new InvalidAmount({ expected: `at most the authorized amount, ${payment.authorizedMinor}` })
  }
  const now = yield* Clock.currentTimeMillis
  const operation: Operation = {
    id: yield* operationId(book, order.kind, order.idempotencyKey),
    claimedBy: yield* (yield* Ids).claim,
    paymentId: payment.id,
    kind: order.kind,
    idempotencyKey: order.idempotencyKey,
    requestedMinor: order.amountMinor,
    money: money(amountMinor, payment.money.currency),
    connectionId: connection.id,
    providerRef,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: sentAfter(operations, now),
    ...unansweredOperation
  }
  const after: Payment = { ...payment, state, version: payment.version + 1, updatedAt: now }
  const written = bookAfter(book, { payment: after, operations: [operation] })
  const inHand: OperationInHand = { book: written, attemptId, operation, connection, connector }
  return inHand
})

/**
 * It is not known whether the claim was written, or may still be; nothing may be sent on it. So its place is taken: the
 * payment is written unchanged, with the operation as abandoned. Where that works, the claim that is out can no
 * longer be written; where the claim was written, it is taken back. It fails where the store stays silent.
 */
const releaseClaim = Effect.fnUntraced(function* ({ book, inHand }: Claimed) {
  const ledger = yield* Ledger
  const { id, tenant, version } = book.payment
  const abandoned: Operation = { ...inHand.operation, outcome: "Abandoned" }
  yield* decideAndCommit({
    first: book as PaymentBook | undefined,
    decide: (stored, now) => {
      if (stored === undefined) return done(undefined)
      const ours = stored.operations.find(({ claimedBy }) => claimedBy === abandoned.claimedBy)
      // Not there, and its version has passed; or it is settled already.
      const isOver = ours === undefined ? stored.payment.version > version : ours.outcome !== null
      if (isOver) return done(undefined)
      const { payment } = stored
      const back = Result.map(step(PaymentMachine, payment.state, refusalEvent[abandoned.kind]), (row) => row.to)
      const state = Result.getOrElse(back, () => payment.state)
      const weighed = weighReported({ ...payment, state, version: payment.version + 1, updatedAt: now })
      const taken: Step = {
        tenant,
        payment: movedPayment(stored, weighed.payment),
        operations: [abandoned],
        events: weighedEvents(weighed.payment, weighed)
      }
      return Effect.succeed(write(taken, undefined))
    },
    read: () => Effect.map(ledger.book(tenant, id), Option.getOrUndefined),
    // Where it was written, the operation is settled.
    afterUnknown: () => false,
    storageErrors: "retry"
  })
})
