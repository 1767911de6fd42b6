/**
 * The background: takes payments whose time has come, by lease, and checks each. Any number of processes may do so;
 * what one of them took and did not finish is due again when the lease is over.
 */
import { Clock, Effect, Option } from "effect"
import { PaymentSettings } from "../payment/PaymentSettings.ts"
import { type DuePayment, Ledger } from "../ports/Ledger.ts"
import { checkPayment } from "./CheckPayment.ts"
import { nextCheckAt } from "./CheckSchedule.ts"

/** Payments at once; each waits for a provider most of the time. */
const batch = 16

/** Checks one batch of what is due, and gives how many there were. */
export const sweep = Effect.fnUntraced(function* () {
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  const now = yield* Clock.currentTimeMillis
  // No provider call lasts longer than the claim window.
  const due = yield* ledger.takeDue({ now, leaseMillis: claimWindowMillis, limit: batch })
  yield* Effect.forEach(due, checkOne, { concurrency: "unbounded", discard: true })
  return due.length
})

const checkOne = Effect.fnUntraced(
  function* ({ paymentId, tenant }: DuePayment) {
    const ledger = yield* Ledger
    const { checkIntervals, claimWindowMillis } = yield* PaymentSettings
    yield* checkPayment(tenant, paymentId)
    const payment = yield* ledger.payment(tenant, paymentId)
    if (Option.isNone(payment)) return
    const now = yield* Clock.currentTimeMillis
    yield* ledger.postpone(payment.value, nextCheckAt(payment.value, checkIntervals, claimWindowMillis, now))
  },
  // One payment that cannot be checked keeps nobody from the others; it is due again when its lease is over.
  (check, { paymentId }) =>
    Effect.catchCause(check, (cause) => Effect.logError(`payment ${paymentId} could not be checked`, cause))
)
