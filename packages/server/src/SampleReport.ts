/**
 * A report about the payments of `pointsman dev`, as a provider writes one: a payout with its charges, an amount that differs
 * from the record, and a charge that is recorded nowhere.
 */
import { type Payment, Pointsman, type Tenant } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import { Clock, Effect, Logger } from "effect"

const currency = "EUR"
const payoutId = "po_sandbox_1"
/** Of a charge, in minor units and parts of its amount. */
const fee = { fixed: 25, share: 0.014 }

const eur = (minorUnits: number) => ({ minorUnits, currency })

const rowOf = (
  id: string,
  fields: Partial<ReportRow> & Pick<ReportRow, "kind" | "gross" | "occurredAt">
): ReportRow => ({
  id,
  names: unnamed,
  ...{ converted: null, fee: null, net: null, payoutId: null, settledAt: null },
  ...fields
})

const unnamed: ReportRow["names"] = {
  ...{ attemptId: null, operationId: null, refundId: null, providerRef: null, providerRefundId: null },
  ...{ disputeId: null, reference: null }
}

const chargeOf = ({ createdAt, id, money, providerRef }: Payment, settledAt: number, differsBy: number) => {
  const gross = eur(money.minorUnits - differsBy)
  const kept = eur(fee.fixed + Math.round(gross.minorUnits * fee.share))
  return rowOf(`txn_${id}`, {
    ...{ kind: "charge", gross, fee: kept, payoutId, occurredAt: createdAt, settledAt },
    net: eur(gross.minorUnits - kept.minorUnits),
    names: { ...unnamed, providerRef }
  })
}

/** Of one connection: the first that was used. */
export const readSampleReport = Effect.fnUntraced(function* (tenant: Tenant) {
  const { payments, reconciliation } = yield* Pointsman
  const now = yield* Clock.currentTimeMillis
  const { items } = yield* payments(tenant, { states: ["Captured"], limit: 100 })
  const [connectionId] = items.flatMap((one) => one.connectionId ?? []).toReversed()
  if (connectionId === undefined) return
  const ours = items.filter((one) => one.connectionId === connectionId)
  const charges = ours.map((payment, at) => chargeOf(payment, now, at === 0 ? 100 : 0))
  const paid = charges.reduce((sum, { net }) => sum + (net?.minorUnits ?? 0), 0)
  const strange = { ...unnamed, providerRef: "sandbox_of_another_system" }
  const rows = [
    ...charges,
    rowOf("txn_strange", { kind: "charge", gross: eur(1_850), occurredAt: now, names: strange }),
    rowOf("txn_payout", { kind: "payout", gross: eur(-paid), payoutId, occurredAt: now })
  ]
  const order = {
    connectionId,
    format: { name: "pointsman", kinds: ["sandbox"], delayMillis: 86_400_000 },
    fileName: "sandbox-payouts.csv",
    // A new database has read no report.
    sha256: "0".repeat(64),
    entries: (async function* () {
      yield rows.map((row) => ({ _tag: "Row", row }) as const)
    })()
  }
  // The greeting comes first: the act is in the audit trail, and not on the screen.
  yield* Effect.provideService(reconciliation.run(order), Logger.CurrentLoggers, new Set())
})
