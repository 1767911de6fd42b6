/**
 * What is written before a provider is asked to capture or to void: the payment in its state of waiting, and the
 * operation with its key, in one commit. A commit of which it is not known whether it was written is not sent on.
 */
import { Clock, Effect, Option, Result } from "effect"
import { step } from "../machine/Machine.ts"
import { money } from "../money/Money.ts"
import type { Connector } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import { Ids } from "../ports/Ids.ts"
import { ApiKeyRevoked, type Change, type CommitFailure, Ledger, type PaymentBook } from "../ports/Ledger.ts"
import type { Connection } from "../routing/Connection.ts"
import { OpenConnections } from "../routing/OpenConnections.ts"
import { Background } from "./Background.ts"
import { decisionsAtMost } from "./ChargeInHand.ts"
import { type Caller, NothingSent } from "./CreateRequest.ts"
import { holdingAttempt } from "./Holding.ts"
import { commitInsistently, keepTrying, readInsistently } from "./Insistently.ts"
import type { Operation } from "./Operation.ts"
import {
  type Answered,
  InvalidAmount,
  NoProviderRef,
  type OperationOrder,
  ProviderRefused,
  TakenByAnother,
  Unsupported
} from "./OperationOrder.ts"
import type { Payment } from "./Payment.ts"
import { type PaymentEvent, PaymentMachine } from "./PaymentMachine.ts"
import { PaymentNotFound } from "./ReadPayments.ts"
import { operationStanding } from "./ReplayOperation.ts"

export interface OperationInHand {
  readonly payment: Payment
  /** The attempt that made the charge. */
  readonly attemptId: string
  readonly operation: Operation
  readonly connection: Connection
  readonly connector: Connector
}

const claimEvent: Record<Operation["kind"], PaymentEvent> = { capture: "CaptureClaimed", void: "VoidClaimed" }
const refusalEvent: Record<Operation["kind"], PaymentEvent> = { capture: "CaptureRefused", void: "VoidRefused" }

/** The operation that may be sent; or what its key stands for already. */
export const claimOperation = Effect.fnUntraced(function* <Refusal>(
  caller: Caller,
  order: OperationOrder,
  refusal: () => Refusal
) {
  const ledger = yield* Ledger
  const background = yield* Background
  const nothingSent = (cause: unknown) => new NothingSent({ cause })
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const found = yield* Effect.mapError(ledger.book(caller.tenant, order.paymentId), nothingSent)
    if (Option.isNone(found)) return yield* new PaymentNotFound()
    const book = found.value
    const earlier = yield* operationStanding(book, order)
    if (earlier !== undefined) return { _tag: "Replayed" as const, answered: earlier satisfies Answered }
    const moved = step(PaymentMachine, book.payment.state, claimEvent[order.kind])
    if (Result.isFailure(moved)) return yield* Effect.fail(decision === 0 ? refusal() : new TakenByAnother())

    const inHand: OperationInHand = yield* begin(caller, order, book, moved.success.to)
    const written: Result.Result<void, CommitFailure> = yield* Effect.result(
      ledger.commit({
        tenant: caller.tenant,
        apiKeyHash: caller.apiKeyHash,
        payment: { expected: book.payment.version, after: inHand.payment },
        attempts: [],
        operations: [inHand.operation],
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
        yield* Effect.catch(giveBack(book, inHand), () => background.run(keepTrying(giveBack(book, inHand))))
        return yield* nothingSent(written.failure)
      case "pointsman/KeyTaken":
      case "pointsman/Stale": // Decided again on what is stored now.
    }
  }
  return yield* new TakenByAnother()
})

const begin = Effect.fnUntraced(function* (
  caller: Caller,
  order: OperationOrder,
  { attempts, payment }: PaymentBook,
  state: Payment["state"]
) {
  const directory = yield* Directory
  const connections = yield* OpenConnections
  const ids = yield* Ids
  const attemptId = holdingAttempt({ attempts, payment })?.id
  if (payment.connectionId === null || payment.providerRef === null || attemptId === undefined) {
    return yield* new NoProviderRef()
  }
  const { providerRef } = payment
  const all = yield* Effect.mapError(directory.connections(caller.tenant), (cause) => new NothingSent({ cause }))
  const connection = all.find(({ id }) => id === payment.connectionId)
  if (connection === undefined) return yield* new Unsupported()
  const connector = yield* Effect.mapError(
    connections.connector(connection),
    () => new ProviderRefused({ message: "Nothing was sent to the provider: its connection cannot be used." })
  )
  if (connector[order.kind] === undefined) return yield* new Unsupported()
  const amountMinor = order.amountMinor ?? payment.authorizedMinor
  if (amountMinor > payment.authorizedMinor) {
    return yield* new InvalidAmount({ expected: `at most the authorized amount, ${payment.authorizedMinor}` })
  }
  const now = yield* Clock.currentTimeMillis
  const operation: Operation = {
    id: yield* ids.operation,
    paymentId: payment.id,
    kind: order.kind,
    idempotencyKey: order.idempotencyKey,
    requestedMinor: order.amountMinor,
    money: money(amountMinor, payment.money.currency),
    connectionId: connection.id,
    providerRef,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: now,
    answeredAt: null,
    outcome: null,
    code: null,
    reason: null,
    reply: null
  }
  const after: Payment = { ...payment, state, version: payment.version + 1, updatedAt: now }
  const inHand: OperationInHand = { payment: after, attemptId, operation, connection, connector }
  return inHand
})

/**
 * It is not known whether the claim was written, or may still be; nothing may be sent on it. So its place is taken: the
 * payment is written as it stood, with the operation as abandoned. Where that works, the claim that is out can no
 * longer be written; where the claim was written, it is taken back. It fails where the store stays silent.
 */
const giveBack = Effect.fnUntraced(function* (book: PaymentBook, inHand: OperationInHand) {
  const ledger = yield* Ledger
  const abandoned: Operation = { ...inHand.operation, outcome: "Abandoned" }
  let stored = book.payment
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const back = Result.map(step(PaymentMachine, stored.state, refusalEvent[inHand.operation.kind]), (row) => row.to)
    const change: Change = {
      tenant: stored.tenant,
      payment: {
        expected: stored.version,
        after: {
          ...stored,
          state: Result.getOrElse(back, () => stored.state),
          version: stored.version + 1,
          updatedAt: yield* Clock.currentTimeMillis
        }
      },
      attempts: [],
      operations: [abandoned],
      events: []
    }
    const taken = yield* Effect.result(commitInsistently(change))
    if (Result.isSuccess(taken)) return
    const now = Option.getOrUndefined(yield* readInsistently(ledger.book(stored.tenant, stored.id)))
    const ours = now?.operations.find(({ id }) => id === inHand.operation.id)
    if (now === undefined) return
    // Not there, and its version has passed; or it is settled already.
    if (ours === undefined ? now.payment.version > stored.version : ours.outcome !== null) return
    stored = now.payment
  }
  return yield* new TakenByAnother()
})
