/** Who holds the money of a payment, what the payment waits for, and what was captured of it. Pure. */
import type { Attempt } from "../model/Attempt.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { StatedCapture } from "../model/ProviderStatement.ts"
import { nothingReported, type Reported, type ReportedCapture } from "../model/Reported.ts"

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

// Captures by the provider's ids of them. Amounts of distinct captures add up, and an amount that was recorded without an
// id is a total: captures with ids are a part of it until they come to more.

/** Captures of one payment: a provider writes there. */
const mostCaptures = 50

export const capturesOf = ({ reported }: Pick<Payment, "reported">): ReadonlyArray<ReportedCapture> =>
  reported?.captures ?? []

/** By our id of it first, and then by the provider's. */
export const captureNamed = (
  captures: ReadonlyArray<ReportedCapture>,
  { id, operationId }: StatedCapture
): ReportedCapture | undefined =>
  captures.find((one) => operationId !== undefined && one.operationId === operationId) ??
  captures.find((one) => one.id === id)

/** The captures with the one that is stated; `undefined` where there is no room for it. */
export const withCapture = (
  captures: ReadonlyArray<ReportedCapture>,
  said: StatedCapture
): ReadonlyArray<ReportedCapture> | undefined => {
  const { id, money, operationId } = said
  const known = captureNamed(captures, said)
  if (known === undefined && captures.length >= mostCaptures) return undefined
  const named = operationId ?? known?.operationId
  const capture: ReportedCapture = {
    id: known?.id ?? id,
    minorUnits: money.minorUnits,
    ...(named === undefined ? {} : { operationId: named })
  }
  return known === undefined ? [...captures, capture] : captures.map((one) => (one === known ? capture : one))
}

/** The payment's reports with the captures, and with the one that is stated where there is room for it. */
export const reportedWith = (payment: Pick<Payment, "reported">, said: StatedCapture | undefined): Reported | null => {
  const captures = said === undefined ? undefined : withCapture(capturesOf(payment), said)
  return captures === undefined ? payment.reported : { ...(payment.reported ?? nothingReported), captures }
}

/** The capture of an operation failed. Its id stays, because an older statement of its success may come again. */
export const failedCapture = (
  captures: ReadonlyArray<ReportedCapture>,
  operationId: string,
  failedAt: number
): ReadonlyArray<ReportedCapture> =>
  captures.map((one) => (one.operationId === operationId ? { ...one, minorUnits: 0, failedAt } : one))

/** What people captured at the provider, in minor units. */
export const byHandOf = (captures: ReadonlyArray<ReportedCapture>): number =>
  sumOf(captures.filter(({ operationId }) => operationId === undefined))

/** What the captures with ids come to, in minor units. */
export const sumOf = (captures: ReadonlyArray<ReportedCapture>): number =>
  captures.reduce((sum, { minorUnits }) => sum + minorUnits, 0)
