/** A payment and an attempt as they are written first: nothing is held or taken yet. Pure but for the attempt's id. */
import { Effect } from "effect"
import { type AttemptedPayment, attemptId } from "../../call/CallIds.ts"
import { claimGuard } from "../../call/ClaimGuard.ts"
import { OpenConnections } from "../../call/OpenConnections.ts"
import type { Caller, CreateRequest } from "../../decide/CreateRequest.ts"
import { keyTagOf } from "../../decide/DerivedId.ts"
import { type Attempt, openAttempt } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import { type Payment, unansweredPayment } from "../../model/Payment.ts"
import { Ids } from "../../ports/Ids.ts"

export const newPayment = (
  caller: Caller,
  request: CreateRequest,
  begun: Pick<Payment, "id" | "version" | "state" | "hosted" | "routing" | "createdAt">
): Payment => ({
  ...request.details,
  ...unansweredPayment,
  ...begun,
  tenant: caller.tenant,
  metadata: request.details.metadata ?? null,
  purchase: request.details.purchase ?? null,
  idempotencyKey: request.idempotencyKey,
  updatedAt: begun.createdAt
})

export const newAttempt = Effect.fnUntraced(function* (
  connection: Connection,
  payment: AttemptedPayment & Pick<Payment, "id" | "money">,
  number: number,
  now: number
) {
  const connections = yield* OpenConnections
  const attempt: Attempt = {
    ...openAttempt,
    id: yield* attemptId(payment, connection.id),
    // A charge's request is known by its payment, which it drew: only the customers of one page claim the same payment.
    claimedBy: payment.asks === "checkout" ? yield* (yield* Ids).claim : null,
    paymentId: payment.id,
    number,
    connectionId: connection.id,
    account: connection.account?.current ?? null,
    money: payment.money,
    timeoutMillis: connections.timeoutMillis(connection),
    sentAt: now
  }
  return attempt
})

/** Of the claim of an attempt. `isKeyGuarded`: not where what was recovered under its key is over. */
export const chargeGuard = ({ id }: Attempt, isKeyGuarded = true) => {
  const tag = isKeyGuarded ? keyTagOf(id) : undefined
  return claimGuard(tag === undefined ? null : { tag, kind: "charge" })
}
