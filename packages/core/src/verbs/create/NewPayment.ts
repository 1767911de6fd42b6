/** A payment and an attempt as they are written first: nothing is held or taken yet. Pure but for the attempt's id. */
import { Context, Effect } from "effect"
import { type AttemptedPayment, attemptId } from "../../call/CallIds.ts"
import { claimGuard } from "../../call/ClaimGuard.ts"
import { OpenConnections } from "../../call/OpenConnections.ts"
import type { Caller, CreateRequest } from "../../decide/CreateRequest.ts"
import { keyTagOf } from "../../decide/DerivedId.ts"
import { type Attempt, openAttempt } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import { type Payment, unansweredPayment } from "../../model/Payment.ts"
import { Ids } from "../../ports/Ids.ts"
import type { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { Secrets } from "../../ports/Secrets.ts"

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

export const newAttempt = (
  connection: Connection,
  payment: AttemptedPayment & Pick<Payment, "id" | "money">,
  number: number,
  now: number
) =>
  Effect.contextWith((context: Context.Context<Ids | Secrets | OpenConnections>) => {
    const ids = Context.get(context, Ids)
    const id = attemptId({ ids, secrets: Context.get(context, Secrets) }, payment, connection.id)
    // A charge's request is known by its payment, which it drew: only the customers of one page claim the same payment.
    const claimedBy = payment.asks === "checkout" ? ids.claim : Effect.succeed(null)
    return Effect.zipWith(
      id,
      claimedBy,
      (id, claimedBy): Attempt => ({
        ...openAttempt,
        id,
        claimedBy,
        paymentId: payment.id,
        number,
        connectionId: connection.id,
        account: connection.account?.current ?? null,
        money: payment.money,
        timeoutMillis: Context.get(context, OpenConnections).timeoutMillis(connection),
        sentAt: now
      })
    )
  })

/** Of the claim of an attempt. `isKeyGuarded`: not where what was recovered under its key is over. */
export const chargeGuard = (settings: PaymentSettings, { id }: Attempt, isKeyGuarded = true) => {
  const tag = isKeyGuarded ? keyTagOf(id) : undefined
  return claimGuard(settings, tag === undefined ? null : { tag, kind: "charge" })
}
