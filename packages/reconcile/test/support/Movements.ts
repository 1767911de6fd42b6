/**
 * Movements of money as a simulated provider has them, for its reports: the same for the same seed, one after the other, and
 * never all in memory. Every payout is the sum of what came before it in its currency.
 */
import type { ReportRowKind } from "@pointsman/core/connector"
import { scaleOf } from "@pointsman/core/connector"

export interface Movement {
  readonly index: number
  readonly kind: ReportRowKind
  /** Of our ids, and the provider's. Those that a kind has no use for are not written. */
  readonly attemptId: string
  readonly operationId: string
  readonly refundId: string
  readonly providerRef: string
  readonly providerRefundId: string
  readonly disputeId: string
  readonly reference: string
  readonly currency: string
  /** In minor units of `currency`, with a sign. */
  readonly gross: number
  readonly payoutCurrency: string
  /** In minor units of `payoutCurrency`: of `gross`, what is kept, and what is left. */
  readonly converted: number
  readonly fee: number
  readonly net: number
  readonly payoutId: string
  /** Epoch milliseconds, whole seconds. */
  readonly occurredAt: number
  readonly settledAt: number
}

/** What is wrong with a row on purpose. */
export type Difference =
  /** The provider's report does not have it. */
  | "missing"
  | "twice"
  /** One minor unit more. */
  | "amount"
  | "currency"
  /** A unit more of fee, and less of net. */
  | "fee"
  /** Of a payment that Pointsman does not have. */
  | "unknown"
  /** An invalid time. */
  | "unreadable"

export interface Simulated {
  readonly count: number
  readonly seed?: number
  /** Whether payments in other currencies are paid out in EUR. */
  readonly converts?: boolean
  /** By the movement's index. */
  readonly planted?: ReadonlyMap<number, Difference>
}

/** A number from 0 to 2³² - 1 of two numbers, the same each time (a finalizer of MurmurHash3, which is in the public domain). */
export const mixed = (one: number, other: number): number => {
  let hash = Math.imul(one ^ Math.imul(other, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const uuid = (seed: number, index: number): string => {
  const part = (at: number) =>
    mixed(index, seed * 8 + at)
      .toString(16)
      .padStart(8, "0")
  const hex = `${index.toString(16).padStart(8, "0")}${part(1)}${part(2)}${part(3)}`
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Of forty movements. */
const others: Readonly<Record<number, ReportRowKind>> = {
  9: "refund",
  14: "refund",
  19: "dispute",
  24: "dispute_reversed",
  29: "refund_failed",
  33: "charge_failed",
  36: "fee",
  38: "adjustment"
}

const leaves: ReadonlySet<ReportRowKind> = new Set(["refund", "dispute", "charge_failed", "fee", "adjustment"])
const currencies = ["EUR", "EUR", "EUR", "JPY", "KWD"]
/** Minor units of EUR for one minor unit. */
const rates: Readonly<Record<string, number>> = { EUR: 1, JPY: 0.62, KWD: 0.3 }

const began = Date.UTC(2026, 0, 5)
const apart = 1_000

const movementAt = (index: number, seed: number, converts: boolean): Movement => {
  const random = mixed(index, seed)
  const kind = others[index % 40] ?? "charge"
  const currency = currencies[random % currencies.length] ?? "EUR"
  const payoutCurrency = converts ? "EUR" : currency
  const size = 50 + (random % 100_000)
  const gross = leaves.has(kind) ? -size : size
  const converted = payoutCurrency === currency ? gross : Math.trunc(gross * (rates[currency] ?? 1))
  const fee = kind === "charge" ? 1 + (random % 300) : kind === "dispute" ? 750 : 0
  const occurredAt = began + index * apart
  return {
    index,
    kind,
    attemptId: `att_${uuid(seed, index)}`,
    operationId: `op_${uuid(seed + 1, index)}`,
    refundId: `rf_${uuid(seed + 2, index)}`,
    providerRef: `PAY${index.toString(36).toUpperCase().padStart(13, "0")}`,
    providerRefundId: `REF${index.toString(36).toUpperCase().padStart(13, "0")}`,
    disputeId: `DSP${index.toString(36).toUpperCase().padStart(13, "0")}`,
    reference: `order ${index}, "of" ${random % 97}`,
    currency,
    gross,
    payoutCurrency,
    converted,
    fee,
    net: converted - fee,
    payoutId: String(1_000 + Math.floor(index / 500)),
    occurredAt,
    settledAt: occurredAt + 172_800_000
  }
}

const payoutOf = (last: Movement, currency: string, sum: number): Movement => ({
  ...last,
  kind: sum < 0 ? "payout_failed" : "payout",
  currency,
  payoutCurrency: currency,
  gross: -sum,
  converted: -sum,
  fee: 0,
  net: -sum
})

/** What a provider that has none of `planted` in its books would pay. */
export const movements = function* ({ converts = true, count, seed = 1 }: Simulated): Generator<Movement> {
  const sums = new Map<string, number>()
  for (let index = 0; index < count; index++) {
    const movement = movementAt(index, seed, converts)
    sums.set(movement.payoutCurrency, (sums.get(movement.payoutCurrency) ?? 0) + movement.net)
    yield movement
    if (index % 500 !== 499 && index !== count - 1) continue
    for (const [currency, sum] of sums) if (sum !== 0) yield payoutOf(movement, currency, sum)
    sums.clear()
  }
}

/** The movements as the report has them: none, one or two for each. */
export const planted = (movement: Movement, difference: Difference | undefined): ReadonlyArray<Movement> => {
  const { converted, currency, fee, gross, net, payoutCurrency } = movement
  switch (difference) {
    case "missing":
      return []
    case "twice":
      return [movement, movement]
    case "amount":
      return [{ ...movement, gross: gross + 1, converted: converted + 1, net: net + 1 }]
    case "currency":
      return [{ ...movement, currency: "USD", payoutCurrency: payoutCurrency === currency ? "USD" : payoutCurrency }]
    case "fee":
      return [{ ...movement, fee: fee + 1, net: net - 1 }]
    case "unknown": {
      const other = movementAt(movement.index + 100_000_000, 4_711, true)
      const { attemptId, disputeId, operationId, providerRef, providerRefundId, reference, refundId } = other
      return [{ ...movement, attemptId, disputeId, operationId, providerRef, providerRefundId, reference, refundId }]
    }
    default:
      return [movement]
  }
}

/** A decimal text of minor units: `-19.99`. */
export const decimal = (minorUnits: number, currency: string): string => {
  const scale = scaleOf(currency) ?? 0
  const digits = String(Math.abs(minorUnits)).padStart(scale + 1, "0")
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return minorUnits < 0 ? `-${text}` : text
}
