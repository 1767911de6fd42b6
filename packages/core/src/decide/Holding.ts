/** Who holds the money of a payment, and what the payment waits for. Pure. */
import type { Attempt } from "../model/Attempt.ts"
import type { Operation } from "../model/Operation.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { moneyTaken, type PaymentState } from "../model/PaymentMachine.ts"

/** The attempt whose charge the payment's connection holds. */
export const holdingAttempt = ({ attempts, payment }: Pick<PaymentBook, "attempts" | "payment">): Attempt | undefined =>
  attempts.findLast(({ providerRef }) => providerRef !== null && providerRef === payment.providerRef) ??
  attempts.findLast(({ connectionId }) => connectionId === payment.connectionId)

/** The capture or void that the payment waits for: there is at most one. */
export const openOperation = ({ operations }: Pick<PaymentBook, "operations">): Operation | undefined =>
  operations.findLast(({ outcome }) => outcome === null || outcome === "Unanswered" || outcome === "Accepted")

/** The attempt that the provider may have executed, and of which there is no last word. */
export const openAttempt = ({ attempts }: Pick<PaymentBook, "attempts">): Attempt | undefined =>
  attempts.findLast(
    ({ outcome }) => outcome === null || outcome === "Unanswered" || outcome === "Pending" || outcome === "Authorized"
  ) ?? attempts.at(-1)

const accepted: ReadonlySet<PaymentState> = new Set(["ChargePending", "CapturePending", "VoidPending"])

/** Whether the provider said that it is at work on the charge, the capture or the void. */
export const isAccepted = (state: PaymentState): boolean => accepted.has(state)

/** Where an attempt holds money, and nobody works on it. */
const atRest: ReadonlySet<PaymentState> = new Set(["Authorized", ...moneyTaken, "ChargedBack"])

/**
 * The attempts that may hold money besides the one that the payment is based on: the provider of an earlier one
 * reported late that it took the money, when a further one had gone out and nobody answered for it.
 */
export const openRivals = <A extends { readonly outcome: string | null }>(
  state: PaymentState,
  attempts: ReadonlyArray<A>
) => (atRest.has(state) ? attempts.filter(({ outcome }) => outcome === null || outcome === "Unanswered") : [])
