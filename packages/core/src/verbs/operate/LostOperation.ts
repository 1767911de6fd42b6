/**
 * Asks the provider for a charge before it is captured or voided, where the store may have lost a capture or a void of
 * it. The lists of a recovery have the charges that were created since the loss, and not what was captured since of an
 * older one; a provider that captures in parts would take the money twice.
 *
 * No loss, or one before the payment was created: nothing is read and nobody is asked.
 */
import { Clock, Effect, Option } from "effect"
import { aboutCharge, connectionOf, proveCharge } from "../../call/LookUp.ts"
import { missingRecords } from "../../call/MissingRecords.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import { type Caller, NothingSent } from "../../decide/CreateRequest.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import type { OperationOrder } from "../../decide/OperationOrder.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { RecordLosses, RecordsMissing } from "../../ports/RecordLoss.ts"

const retryAfterMillis = 60_000

/** Records what became of the charge, so that the request is decided on that. It fails where the provider does not answer. */
export const recordLostOperation = Effect.fnUntraced(
  function* ({ tenant }: Caller, { paymentId }: OperationOrder) {
    const loss = yield* (yield* RecordLosses).known
    if (loss === null) return
    const ledger = yield* Ledger
    const book = Option.getOrUndefined(yield* ledger.book(tenant, paymentId))
    if (book === undefined || book.payment.state !== "Authorized" || book.payment.createdAt >= loss.declaredAt) return
    const attempt = holdingAttempt(book)
    if (attempt === undefined) return
    const connection = yield* connectionOf(tenant, attempt.connectionId)
    // Until the connection is recovered, the request is refused.
    if (connection === undefined || (yield* missingRecords([connection])) !== undefined) return
    const askedAt = yield* Clock.currentTimeMillis
    const found = yield* proveCharge(book.payment, attempt)
    if (found === "Unsupported") return
    // A pending charge that is authorized here may be being captured.
    if (found === undefined || (found._tag === "Found" && found.state._tag === "Pending")) {
      if ((yield* PaymentSettings).afterRestore === "serve") return
      const { since } = loss
      return yield* new RecordsMissing({ connectionId: connection.id, since, retryAfterMillis, why: "unanswered" })
    }
    if (found._tag !== "Found" || found.state._tag === "Authorized") return
    yield* recordLookup(book, { ...aboutCharge(attempt, found), askedAt })
  },
  Effect.mapError((cause) => new NothingSent({ cause }))
)
