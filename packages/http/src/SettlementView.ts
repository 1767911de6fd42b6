/** What providers' reports say about the money of payments, read for those that are paid out. */
import {
  type Payment,
  type PayoutStatus,
  type Pointsman,
  type Settlement,
  type SettlementEntry,
  settlementOf,
  type Tenant
} from "@pointsman/core"
import type { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Payment as PaymentBody } from "./api/Payment.ts"

export type SettlementFields = Pick<PaymentBody, "settlement" | "refund_settlements">

const nothing: SettlementFields = {}

type StatusOf = (settlement: Settlement) => PayoutStatus | null

/** By payment: one read of entries and one of payouts for all of them, and none where nothing is paid out. */
export const settlementsOf = (
  { reconciliation }: Pick<Pointsman["Service"], "reconciliation">,
  tenant: Tenant,
  payments: ReadonlyArray<Payment>
): Effect.Effect<(payment: Payment) => SettlementFields, StorageError> =>
  Effect.gen(function* () {
    const paidOut = payments.filter(({ reported }) => reported?.isPaidOut === true).map(({ id }) => id)
    const entries = yield* reconciliation.entriesOf(tenant, paidOut)
    const statusOf = yield* reconciliation.payoutStatuses(tenant, entries)
    const byPayment = Map.groupBy(entries, ({ paymentId }) => paymentId)
    return ({ id }) => fieldsOf(byPayment.get(id) ?? [], statusOf)
  })

const fieldsOf = (entries: ReadonlyArray<SettlementEntry>, statusOf: StatusOf): SettlementFields => {
  if (entries.length === 0) return nothing
  const charges = entries.filter(({ kind }) => kind === "charge" || kind === "charge_failed")
  const settlement = settlementView(charges, statusOf)
  const ofRefunds = entries.filter(({ refundId }) => refundId !== null)
  const refunds = [...Map.groupBy(ofRefunds, ({ refundId }) => refundId)].flatMap(([refundId, some]) => {
    const view = settlementView(some, statusOf)
    return view === undefined || refundId === null ? [] : [{ refund_id: refundId, ...view }]
  })
  return {
    ...(settlement === undefined ? {} : { settlement }),
    ...(refunds.length === 0 ? {} : { refund_settlements: refunds })
  }
}

const settlementView = (entries: ReadonlyArray<SettlementEntry>, statusOf: StatusOf) => {
  const settlement = settlementOf(entries)
  if (settlement === undefined) return undefined
  const { currency, feeMinor, netMinor, payoutId, settledAt } = settlement
  return {
    payout_id: payoutId,
    payout_status: statusOf(settlement),
    fee: feeMinor,
    net: netMinor,
    currency,
    settled_at: settledAt === null ? null : new Date(settledAt).toISOString()
  }
}
