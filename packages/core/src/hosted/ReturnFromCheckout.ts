/**
 * The customer comes back from the provider's page. What the address of the return says is nobody's word: the provider
 * is asked for its record, and for nothing else.
 */
import { Clock, Effect } from "effect"
import { type Attempt, endAttempt } from "../payment/Attempt.ts"
import { callProvider } from "../payment/CallProvider.ts"
import type { Payment } from "../payment/Payment.ts"
import type { PaymentState } from "../payment/PaymentMachine.ts"
import { asUsable } from "../payment/SendCharge.ts"
import type { ChargeState, Found } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import { Ledger } from "../ports/Ledger.ts"
import type { Unanswered } from "../ports/Transport.ts"
import { checkoutFactOf } from "./CheckoutFact.ts"
import { findPage } from "./FindPage.ts"
import type { Checkout } from "./HostedPage.ts"
import { LookUps } from "./LookUps.ts"
import { viewOf } from "./ViewHostedPage.ts"
import { writeFact } from "./WriteFact.ts"

/** Where the customer may have paid, and we have not heard the last word. */
const isOpen = (state: PaymentState): boolean => state === "CheckoutOpen" || state === "ChargePending"

export const returnFromCheckout = Effect.fnUntraced(function* (token: string) {
  const payment = yield* findPage(token)
  if (!isOpen(payment.state)) return yield* viewOf(payment)
  const lookUps = yield* LookUps
  return yield* viewOf(yield* lookUps.once(payment.id, lookUp(payment)))
})

const lookUp = Effect.fnUntraced(function* (payment: Payment) {
  const ledger = yield* Ledger
  const directory = yield* Directory
  const { id, tenant } = payment
  const attempts = yield* ledger.attempts(tenant, id)
  const attempt = attempts.findLast(hasCheckout)
  const connections = yield* directory.connections(tenant)
  const connection = connections.find((one) => one.id === attempt?.connectionId)
  if (attempt === undefined || connection === undefined) return payment

  const askedAt = yield* Clock.currentTimeMillis
  const request = {
    attemptId: attempt.id,
    providerRef: attempt.providerRef,
    money: attempt.money,
    simulation: payment.simulation
  }
  const found = yield* callProvider<Found<ChargeState>>(
    connection,
    (connector) => Effect.flatMap(connector.lookUpCharge(request), usable),
    Number.POSITIVE_INFINITY
  )
  if (found._tag !== "Found" && found._tag !== "NotFound") return payment
  const fact = checkoutFactOf(payment, attempt, found, askedAt)
  if (fact === undefined) return payment
  const now = yield* Clock.currentTimeMillis
  const told = found._tag === "NotFound" ? attempt : endAttempt(attempt, found.state, now)
  const ended: Attempt = fact.on === "MismatchStated" ? { ...told, outcome: "Mismatched" } : told
  const all = attempts.map((one) => (one.id === ended.id ? ended : one))
  return (yield* writeFact(payment, fact, { attempt: ended, attempts: all })).payment
})

const hasCheckout = (attempt: Attempt): attempt is Attempt & { readonly checkout: Checkout } =>
  attempt.checkout !== null

const usable = (found: Found<ChargeState>): Effect.Effect<Found<ChargeState>, Unanswered> => {
  if (found._tag === "NotFound") return Effect.succeed(found)
  const state = asUsable(found.state)
  return state._tag === "pointsman/Unanswered" ? Effect.fail(state) : Effect.succeed(found)
}
