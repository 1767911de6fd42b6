/** What a retry of a capture or a void under its key is answered: what was recorded. No provider is asked. */
import { Clock, Effect } from "effect"
import { KeyReused, RequestInProgress } from "../../decide/CreateRequest.ts"
import type { Answered, OperationOrder } from "../../decide/OperationOrder.ts"
import type { Operation } from "../../model/Operation.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { answerOf, recordOperation } from "./RecordOperation.ts"

/** The stored response of the order's key; `undefined` where it is free. */
export const operationStanding = Effect.fnUntraced(function* (book: PaymentBook, order: OperationOrder) {
  if (order.idempotencyKey === null) return undefined
  const earlier = book.operations.findLast((operation) => isNamed(operation, order))
  if (earlier === undefined) return undefined
  if (earlier.requestedMinor !== order.amountMinor) return yield* new KeyReused()
  return { payment: yield* answerOf(yield* answered(book, earlier)), isReplay: true } satisfies Answered
})

const answered = Effect.fnUntraced(function* (book: PaymentBook, earlier: Operation) {
  if (earlier.reply !== null) return earlier
  const { claimWindowMillis } = yield* PaymentSettings
  if ((yield* Clock.currentTimeMillis) - earlier.sentAt < claimWindowMillis) return yield* new RequestInProgress()
  // The request died, or its process is as good as dead: that looks exactly like a provider that did not answer.
  const died = { _tag: "Unanswered", reason: "the process that sent it did not come back" } as const
  const recorded = recordOperation(book, earlier, died, { storageErrors: "fail" })
  return yield* Effect.mapError(recorded, () => new RequestInProgress())
})

/** A refusal frees the key; in flight, or with a reply, it is taken. */
const isNamed = (operation: Operation, order: OperationOrder): boolean =>
  operation.kind === order.kind &&
  operation.idempotencyKey === order.idempotencyKey &&
  (operation.outcome === null || operation.reply !== null)
