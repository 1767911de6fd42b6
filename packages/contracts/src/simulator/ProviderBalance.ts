/**
 * The merchant's balance at the simulated provider: a row for everything that moves it, as a provider's report has them.
 * The provider keeps fees, converts what some connections take, and pays out.
 */
import type { ReportNames, ReportRow, ReportRowKind, SignedMoney } from "@pointsman/core/connector"
import { type ChargeRecord, providerRefundIdOf, type RefundRecord } from "./ProviderBooks.ts"
import type { Time } from "./Time.ts"

/** A row of the account of one connection. */
export interface BalanceRow extends ReportRow {
  readonly connectionId: string
  /** The payout that has it, and when that was made, in epoch milliseconds: the row comes again with it. */
  paidOut: { readonly payoutId: string; readonly at: number } | null
}

/** What the account of a connection has in one currency, in minor units. All but the balance only ever add up rows. */
export interface BalanceTotals {
  /** What the provider owes. */
  balance: number
  fees: number
  paidOut: number
}

export const isForeignRow = ({ names }: Pick<ReportRow, "names">): boolean =>
  names.reference?.startsWith(foreignPrefix) === true
const foreignPrefix = "foreign-"

/** Connections of this kind are paid out in another currency than they charge. */
const converts = (connectionId: string): boolean => connectionId.startsWith("backup-")
const payoutCurrency = "USD"

/** In minor units of a payout's currency. */
const inPayoutCurrency = (minorUnits: number): number => Math.round(minorUnits * 1.08)
const chargeFee = (minorUnits: number): number => 10 + Math.floor(minorUnits * 0.014)
const disputeFee = 1_500

export const nothingNamed: ReportNames = {
  attemptId: null,
  operationId: null,
  refundId: null,
  providerRef: null,
  providerRefundId: null,
  disputeId: null,
  reference: null
}

interface Movement {
  readonly kind: ReportRowKind
  readonly connectionId: string
  readonly gross: SignedMoney
  readonly names: Partial<ReportNames>
  /** In minor units of the payout's currency. */
  readonly feeMinor: number
  readonly payoutId?: string
}

type Move = (movement: Movement) => void

export type ProviderBalance = ReturnType<typeof providerBalance>

export const providerBalance = (time: Time) => {
  /** In the order in which the money moved. */
  const rows: Array<BalanceRow> = []
  /** By connection and currency: `main-sandbox EUR`. */
  const totals = new Map<string, BalanceTotals>()

  const totalsOf = (connectionId: string, currency: string): BalanceTotals => {
    const key = `${connectionId} ${currency}`
    const known = totals.get(key) ?? { balance: 0, fees: 0, paidOut: 0 }
    totals.set(key, known)
    return known
  }

  const move: Move = ({ connectionId, feeMinor, gross, kind, names, payoutId }) => {
    const isConverted = converts(connectionId) && gross.currency !== payoutCurrency
    const base = isConverted ? { minorUnits: inPayoutCurrency(gross.minorUnits), currency: payoutCurrency } : gross
    const net = { ...base, minorUnits: base.minorUnits - feeMinor }
    const account = totalsOf(connectionId, net.currency)
    account.balance += net.minorUnits
    account.fees += feeMinor
    if (kind === "payout") account.paidOut -= net.minorUnits
    rows.push({
      connectionId,
      id: `bt_${rows.length + 1}`,
      kind,
      names: { ...nothingNamed, ...names },
      gross,
      converted: isConverted ? base : null,
      fee: { minorUnits: feeMinor, currency: base.currency },
      net,
      payoutId: payoutId ?? null,
      occurredAt: time.now(),
      settledAt: null,
      paidOut: null
    })
  }

  const notePayout = (charge: ChargeRecord): void => {
    const { attemptId, connectionId, money } = charge
    const row = rows.findLast(({ kind, names }) => kind === "charge" && names.attemptId === attemptId)
    const payoutId = `po_${rows.length + 1}`
    if (row !== undefined) row.paidOut ??= { payoutId, at: time.now() }
    const currency = converts(connectionId) ? payoutCurrency : money.currency
    const { balance } = totalsOf(connectionId, currency)
    if (balance <= 0) return
    const gross = { minorUnits: -balance, currency }
    move({ kind: "payout", connectionId, gross, names: {}, feeMinor: 0, payoutId })
  }

  /** Another shop of the account charges as much. Its row may have the merchant's own reference alone. */
  const noteForeign = ({ connectionId, money }: ChargeRecord, isNamed: boolean): void => {
    const reference = `${foreignPrefix}${rows.length + 1}`
    const names = { reference, ...(isNamed ? { providerRef: `ch_${reference}` } : {}) }
    move({ kind: "charge", connectionId, gross: money, names, feeMinor: chargeFee(money.minorUnits) })
  }

  return { rows, totals, noteCharge: chargesNoted(move), noteRefund: refundsNoted(move), notePayout, noteForeign }
}

/** Notes what changed of a charge since it was noted last. */
const chargesNoted = (move: Move) => {
  const noteDisputes = disputesNoted(move)
  const captured = new Map<ChargeRecord, number>()
  return (charge: ChargeRecord): void => {
    const { attemptId, capturedMinor, connectionId, money, providerRef, reference, state } = charge
    const names = { attemptId, providerRef, reference }
    // What is held is captured only once it is taken.
    const now = state === "Captured" ? capturedMinor : 0
    const change = now - (captured.get(charge) ?? 0)
    captured.set(charge, now)
    const gross = { minorUnits: change, currency: money.currency }
    if (change > 0) move({ kind: "charge", connectionId, gross, names, feeMinor: chargeFee(change) })
    else if (change < 0) move({ kind: "charge_failed", connectionId, gross, names, feeMinor: 0 })
    noteDisputes(charge, names)
  }
}

const disputesNoted = (move: Move) => {
  /** What each dispute holds, in minor units. */
  const disputed = new Map<ChargeRecord, Map<string | null, number>>()
  return (charge: ChargeRecord, names: Partial<ReportNames>): void => {
    const { capturedMinor, connectionId, disputes, money } = charge
    const held = disputed.get(charge) ?? new Map<string | null, number>()
    disputed.set(charge, held)
    for (const [disputeId, verdict] of disputes) {
      const before = held.get(disputeId) ?? 0
      const amount = before > 0 ? before : capturedMinor > 0 ? capturedMinor : money.minorUnits
      const now = verdict === "won" ? 0 : amount
      if (now === before) continue
      held.set(disputeId, now)
      move({
        kind: now > 0 ? "dispute" : "dispute_reversed",
        connectionId,
        gross: { minorUnits: before - now, currency: money.currency },
        names: { ...names, disputeId },
        feeMinor: now > 0 ? disputeFee : 0
      })
    }
  }
}

const refundsNoted = (move: Move) => {
  const refunded = new Map<RefundRecord, number>()
  return (refund: RefundRecord): void => {
    const { amountMinor, charge, isByHand, refundId, state } = refund
    const now = state === "Succeeded" ? amountMinor : 0
    const change = (refunded.get(refund) ?? 0) - now
    refunded.set(refund, now)
    if (change === 0) return
    move({
      kind: change < 0 ? "refund" : "refund_failed",
      connectionId: charge.connectionId,
      gross: { minorUnits: change, currency: charge.money.currency },
      names: {
        ...(isByHand ? { providerRefundId: providerRefundIdOf(refundId) } : { refundId }),
        ...{ attemptId: charge.attemptId, providerRef: charge.providerRef }
      },
      feeMinor: 0
    })
  }
}
