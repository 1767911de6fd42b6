/** What a recovery found and did, for programs and for people. Programs get amounts in minor units of their currency. */
import type { ConnectionRecovery, RecoveredAmount, Recovery } from "@pointsman/core"
import type { RecordLoss } from "@pointsman/core/ports"
import { paragraphs, status, type Text, table } from "./Table.ts"
import { moneyText, timeOf } from "./Words.ts"

const amountView = ({ amountMinor, count, currency }: RecoveredAmount) => ({ currency, count, amount: amountMinor })

const results = { Complete: "complete", NoList: "no_list", Failed: "failed" } as const

const connectionView = (one: ConnectionRecovery) => ({
  connection_id: one.connectionId,
  workspace_id: one.tenant.workspaceId,
  environment: one.tenant.environment,
  /** `complete`: recovered. `no_list`: its provider lists nothing. `failed`: not all was answered; run it again. */
  result: results[one.end._tag],
  reason: one.end._tag === "Failed" ? one.end.reason : null,
  /** What its provider does not list: it may have happened, and was not recovered. */
  unasked: one.unasked,
  listed: one.listed,
  payments: one.payments.map(amountView),
  refunds: one.refunds.map(amountView),
  disputes: one.disputes.map(amountView),
  changed: one.changed.map(amountView),
  reviewed: one.reviewed.map(amountView),
  kept: one.kept
})

export const lossView = (loss: RecordLoss) => ({
  since: timeOf(loss.since),
  reason: loss.reason,
  declared: timeOf(loss.declaredAt),
  recovered: loss.recovered,
  refunds_wait: loss.refundsWait,
  ended: loss.ended === null ? null : { outcome: loss.ended.outcome, at: timeOf(loss.ended.at) }
})

export const recoveryView = ({ connections, loss, since }: Recovery, isDryRun: boolean) => ({
  since: timeOf(since),
  dry_run: isDryRun,
  connections: connections.map(connectionView),
  loss: loss === null ? null : lossView(loss)
})

type RecoveryView = ReturnType<typeof recoveryView>

const amountsText = (amounts: RecoveryView["connections"][number]["payments"]): string =>
  amounts.length === 0
    ? "0"
    : amounts.map(({ amount, count, currency }) => `${count} (${moneyText(amount, currency)})`).join(", ")

export const recoveryText = ({ connections, dry_run: isDryRun, since }: RecoveryView): Text => {
  const header = [
    "CONNECTION",
    "RESULT",
    "LISTED",
    "PAYMENTS",
    "REFUNDS",
    "DISPUTES",
    "CHANGED",
    "REVIEWED",
    "KEPT",
    "NOT ASKED FOR"
  ]
  const rows = connections.map((one) => [
    one.connection_id,
    status(one.result),
    one.listed,
    amountsText(one.payments),
    amountsText(one.refunds),
    amountsText(one.disputes),
    amountsText(one.changed),
    amountsText(one.reviewed),
    one.kept,
    one.unasked.join(", ")
  ])
  const title = isDryRun ? `Would be recovered since ${since}` : `Recovered since ${since}`
  return paragraphs(`${title}.`, table(header, rows))
}
