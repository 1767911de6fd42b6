/** A payment and an attempt as they are written first: nothing is held or taken yet. Pure but for the attempt's id. */
import { Context, Effect } from "effect"
import { type AttemptedPayment, attemptId } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/OpenConnections.ts"
import { claimGuard } from "../../commit/CommitChange.ts"
import type { Caller, CreateRequest } from "../../decide/CreateRequest.ts"
import { keyTagOf } from "../../decide/DerivedId.ts"
import { type Attempt, openAttempt } from "../../model/Attempt.ts"
import type { Claim } from "../../model/Claim.ts"
import type { Connection } from "../../model/Connection.ts"
import { type Payment, unansweredPayment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { Ids } from "../../ports/Ids.ts"
import type { Change } from "../../ports/Ledger.ts"
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

/** The progress of a charge: what is stored, and the attempt that is about to be sent or was sent. */
export interface ChargeInHand {
  readonly payment: Payment
  /** `null` for a request without a key. */
  readonly claim: Claim | null
  readonly connection: Connection
  readonly attempt: Attempt
  /** The book as this process wrote it just now; absent where that is not known. */
  readonly book?: PaymentBook | undefined
  /** The attempts before it; all of them executed nothing. */
  readonly earlier: ReadonlyArray<Attempt>
}

/** The part of a change that moves a claim; nothing if there is no claim, or if it is unchanged. */
export const claimChange = (before: Claim | null, after: Claim | null): Change["claim"] =>
  before === null || after === null || before === after ? undefined : { expected: before.version, after }
