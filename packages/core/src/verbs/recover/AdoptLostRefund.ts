/**
 * Asks the provider for a refund whose record the store may have lost, before a request under its key sends it again. A
 * provider forgets keys after a day, and a refund key never ends: the refund would be made twice.
 *
 * A refund that was executed after the recovery is in none of its lists, so a recovered connection is asked too. No loss,
 * or one before the payment was created: nothing is read and nobody is asked.
 */
import { Clock, Effect, Option } from "effect"
import { refundId } from "../../call/CallIds.ts"
import { lookUpRefund } from "../../call/LookUp.ts"
import { missingRecords } from "../../call/MissingRecords.ts"
import { OpenConnections } from "../../call/OpenConnections.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { type Caller, NothingSent } from "../../decide/CreateRequest.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import { isRefundable } from "../../decide/RefundFact.ts"
import type { RefundOrder } from "../../decide/RefundOrder.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { RefundState } from "../../model/ProviderStatement.ts"
import { firstRefundStage, type Refund } from "../../model/Refund.ts"
import { refundableMinor } from "../../model/RefundLedger.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { type RecordLoss, RecordLosses, RecordsMissing } from "../../ports/RecordLoss.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { recoveredRefund } from "../refund/RecoveredRefund.ts"
import { planRefund } from "./PlanRefund.ts"

const retryAfterMillis = 60_000

/** Records the refund that was found, so that its key resolves to it. It fails where the provider does not answer. */
export const adoptLostRefund = Effect.fnUntraced(function* ({ tenant }: Caller, order: RefundOrder) {
  const { idempotencyKey: key, paymentId } = order
  const loss = yield* (yield* RecordLosses).known
  if (loss === null || key === null) return
  const ledger = yield* Ledger
  const nothingSent = (cause: unknown) => new NothingSent({ cause })
  const read = Effect.map(ledger.book(tenant, paymentId), Option.getOrUndefined)
  const book = yield* Effect.mapError(read, nothingSent)
  if (book === undefined || book.payment.createdAt >= loss.declaredAt) return
  const asked = yield* Effect.mapError(lostRefund(book, order, key, loss), nothingSent)
  if (asked === undefined) return
  const found = yield* Effect.mapError(lookUpRefund(book.payment, asked, holdingAttempt(book)), nothingSent)
  if (found === undefined) {
    if ((yield* PaymentSettings).afterRestore === "serve") return
    const { connectionId } = asked
    const missing = { connectionId, since: loss.since, retryAfterMillis, why: "unanswered" } as const
    return yield* nothingSent(new RecordsMissing(missing))
  }
  if (found._tag !== "Found") return
  yield* Effect.mapError(adopt(asked, found.state, book, read), nothingSent)
})

/** The refund that the request would send; `undefined` where it sends none, or where nobody can be asked for it. */
const lostRefund = Effect.fnUntraced(function* (book: PaymentBook, order: RefundOrder, key: string, loss: RecordLoss) {
  const { payment, refunds } = book
  const { connectionId, money, providerRef } = payment
  const left = refundableMinor(payment)
  if (left === 0 || !isRefundable(payment) || connectionId === null || providerRef === null) return undefined
  if (refunds.some((one) => one.idempotencyKey === key)) return undefined
  if ((yield* recoveredRefund(book, key)) !== undefined) return undefined
  const connections = yield* OpenConnections
  const all = yield* (yield* Directory).connections(payment.tenant)
  const connection = all.find(({ id }) => id === connectionId)
  // Until the connection is recovered, the request is refused.
  if (connection === undefined || (yield* missingRecords([connection])) !== undefined) return undefined
  const connector = Option.getOrUndefined(yield* Effect.option(connections.connector(connection)))
  if (connector?.lookUpRefund === undefined) return undefined
  const asked: Refund = {
    id: yield* refundId(book, key),
    claimedBy: null,
    paymentId: payment.id,
    origin: "api",
    stage: firstRefundStage,
    money: { ...money, minorUnits: Math.min(order.amountMinor ?? left, left) },
    requestedMinor: order.amountMinor,
    reason: null,
    idempotencyKey: null,
    connectionId,
    providerRef,
    providerRefundId: null,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: loss.since,
    answeredAt: null,
    settledAt: null,
    code: null,
    failureReason: null,
    reply: null
  }
  return asked
})

/** As a recovery adopts a refund of the provider's list. */
const adopt = (
  { connectionId, id: refundId, money, providerRef, timeoutMillis }: Refund,
  state: RefundState,
  first: PaymentBook,
  read: Effect.Effect<PaymentBook | undefined, StorageError>
) =>
  Effect.flatMap(Clock.currentTimeMillis, (created) =>
    decideAndCommit({
      first: first as PaymentBook | undefined,
      read: () => read,
      decide: (book, now) => {
        const at = { tenant: first.payment.tenant, connectionId, timeoutMillis }
        const stated = "stated" in state ? (state.stated ?? money) : money
        const plan = planRefund(at, { refundId, providerRef, money: stated, state, created }, book, now)
        return Effect.succeed("step" in plan ? write(plan.step, undefined) : done(undefined))
      },
      // Where it was written, the refund is found.
      afterUnknown: () => false,
      storageErrors: "fail"
    })
  )
