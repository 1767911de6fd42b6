/**
 * A key of a capture or a void that the store lost, after its effect was recovered: the list of charges says that it
 * was captured, and not under which key. The id that is derived from the key is looked up, and what the provider
 * confirms is the answer to the key. Nothing is captured or voided again.
 */
import { Clock, Effect, Option } from "effect"
import { operationId } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { lookUpOperation } from "../../call/LookUp.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { type Caller, KeyReused, NothingSent } from "../../decide/CreateRequest.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import type { Answered, OperationOrder } from "../../decide/OperationOrder.ts"
import type { Operation } from "../../model/Operation.ts"
import { movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { RecordLosses } from "../../ports/RecordLoss.ts"
import { unansweredOperation } from "./ClaimOperation.ts"

/** `undefined` where no loss is known, or the provider does not confirm it: the request is refused as it would be. */
export const recoveredOperation = Effect.fnUntraced(
  function* (caller: Caller, order: OperationOrder) {
    const loss = yield* (yield* RecordLosses).known
    if (loss === null || order.idempotencyKey === null) return undefined
    const ledger = yield* Ledger
    const read = ledger.book(caller.tenant, order.paymentId)
    const book = Option.getOrUndefined(yield* read)
    if (book === undefined || isOnFile(book, order)) return undefined
    const asked = yield* askedBefore(caller, order, book)
    if (asked === undefined) return undefined
    const found = yield* lookUpOperation(book.payment, asked.operation, asked.attempt)
    if (found === undefined || found === "Unsupported" || found._tag !== "Found") return undefined
    if (found.state._tag === "OperationFailed") return undefined
    const outcome = found.state._tag === "OperationConfirmed" ? "Confirmed" : "Accepted"
    if (order.kind === "capture" && asked.operation.money.minorUnits !== book.payment.capturedMinor) {
      return yield* new KeyReused()
    }
    return yield* answerWith(read, { ...asked.operation, outcome })
  },
  Effect.catchTag("pointsman/StorageError", (cause) => Effect.fail(new NothingSent({ cause })))
)

/** The operation of the payment is stored with its key, and this is another key. */
const isOnFile = ({ operations }: PaymentBook, { kind }: OperationOrder): boolean =>
  operations.some((one) => one.kind === kind && (one.outcome === "Confirmed" || one.outcome === "Accepted"))

/** What the lost request asked the provider for; `undefined` where it cannot have asked. */
const askedBefore = Effect.fnUntraced(function* (caller: Caller, order: OperationOrder, book: PaymentBook) {
  const directory = yield* Directory
  const { payment } = book
  const attempt = holdingAttempt(book) ?? book.attempts.at(-1)
  const providerRef = payment.providerRef ?? attempt?.providerRef ?? null
  const connections = yield* directory.connections(caller.tenant)
  const connection = connections.find(({ id }) => id === attempt?.connectionId)
  if (attempt === undefined || connection === undefined || providerRef === null) return undefined
  const operation: Operation = {
    id: yield* operationId(book, order.kind, order.idempotencyKey),
    claimedBy: null,
    paymentId: payment.id,
    kind: order.kind,
    idempotencyKey: order.idempotencyKey,
    requestedMinor: order.amountMinor,
    money: { ...payment.money, minorUnits: order.amountMinor ?? payment.authorizedMinor },
    connectionId: connection.id,
    providerRef,
    timeoutMillis: (yield* OpenConnections).timeoutMillis(connection),
    sentAt: payment.createdAt,
    ...unansweredOperation,
    answeredAt: yield* Clock.currentTimeMillis
  }
  return { attempt, operation }
})

const answerWith = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<Option.Option<PaymentBook>, E, R>,
  operation: Operation
) {
  return yield* decideAndCommit({
    read: () => Effect.map(read, Option.getOrThrow),
    decide: (book: PaymentBook) => {
      const { operations, payment } = book
      const stored = operations.find(({ id }) => id === operation.id)
      if (stored?.reply?._tag === "Done") {
        return done<Answered>({ payment: stored.reply.payment, isReplay: true })
      }
      const after = { ...payment, version: payment.version + 1 }
      const step = {
        tenant: payment.tenant,
        payment: movedPayment(book, after),
        operations: [{ ...operation, reply: { _tag: "Done" as const, payment: after } }],
        events: []
      }
      return Effect.succeed(write<Answered>(step, { payment: after, isReplay: true }))
    },
    // Where it was written, the operation is stored with its reply.
    afterUnknown: () => false,
    storageErrors: "fail"
  }).pipe(Effect.mapError((cause) => new NothingSent({ cause })))
})
