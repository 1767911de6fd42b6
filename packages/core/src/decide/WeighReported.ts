/**
 * What a provider reported of a payout or a dispute while the payment could not take it, weighed by the step that ends a
 * charge, a capture or a void (decisions, section 3). Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { EventType } from "../model/EventType.ts"
import type { Payment } from "../model/Payment.ts"
import { moneyTaken, type PaymentEvent, PaymentMachine, type PaymentState } from "../model/PaymentMachine.ts"
import { isDisputed } from "../model/Reported.ts"

const taken: ReadonlySet<PaymentState> = new Set(moneyTaken)

/** The payment as it is once its payout and its disputes count, with the types of the events of those moves. */
export const weighReported = (
  payment: Payment
): { readonly payment: Payment; readonly emits: ReadonlyArray<EventType> } => {
  const { reported } = payment
  const emits: Array<EventType> = []
  if (reported === null) return { payment, emits }
  let { state } = payment
  const move = (on: PaymentEvent) => {
    const row = Result.getOrUndefined(step(PaymentMachine, state, on))
    if (row === undefined) return
    state = row.to
    emits.push(...row.emits)
  }
  // A payment that is captured and paid out is settled: this is the first step that knows both.
  if (reported.isPaidOut && state === "Captured") move("SettlementReported")
  if (taken.has(state) && isDisputed(reported)) move("DisputeOpened")
  return { payment: state === payment.state ? payment : { ...payment, state }, emits }
}
