/** What a replay found, added up while it runs: for programs and for people. Programs get amounts in minor units. */
import type { Replayed } from "@pointsman/core"
import { paragraphs, type Text, table } from "./Table.ts"
import { moneyText, timeOf } from "./Words.ts"

const verdicts = ["same", "reordered", "moved", "nowhere"] as const

const meanings: Readonly<Record<Replayed["verdict"], string>> = {
  same: "the same decision",
  reordered: "the same first connection, but another difference",
  moved: "another first connection",
  nowhere: "no eligible connection"
}

/** Payments that go one way now and another one then. */
interface Flow {
  readonly from: string | null
  readonly to: string | null
  payments: number
  /** By currency. */
  readonly amounts: Map<string, number>
}

export interface ReplaySummary {
  readonly counts: Record<Replayed["verdict"], number>
  readonly flows: ReadonlyMap<string, Flow>
  /** Why connections cannot take those that go nowhere, by code: how many payments it holds for. */
  readonly reasons: ReadonlyMap<string, number>
  /** The first of those that differ, oldest first. */
  readonly differing: ReadonlyArray<Replayed>
}

export const summarize = (differingAtMost: number) => {
  const counts = { same: 0, reordered: 0, moved: 0, nowhere: 0 }
  const flows = new Map<string, Flow>()
  const reasons = new Map<string, number>()
  const differing: Array<Replayed> = []
  const summary: ReplaySummary = { counts, flows, reasons, differing }
  const add = (replayed: Replayed): void => {
    const { after, before, excluded, payment, verdict } = replayed
    counts[verdict]++
    if (verdict === "same") return
    if (differing.length < differingAtMost) differing.push(replayed)
    if (verdict === "reordered") return
    const from = before.order[0] ?? null
    const to = after?.order[0] ?? null
    const key = JSON.stringify([from, to])
    const flow = flows.get(key) ?? { from, to, payments: 0, amounts: new Map<string, number>() }
    flow.payments++
    const { currency, minorUnits } = payment.money
    flow.amounts.set(currency, (flow.amounts.get(currency) ?? 0) + minorUnits)
    flows.set(key, flow)
    if (verdict !== "nowhere") return
    for (const code of new Set(excluded.map((one) => one.code))) reasons.set(code, (reasons.get(code) ?? 0) + 1)
  }
  return { summary, add }
}

const totalOf = ({ counts }: ReplaySummary): number => verdicts.reduce((sum, verdict) => sum + counts[verdict], 0)

const flowsOf = ({ flows }: ReplaySummary): ReadonlyArray<Flow> =>
  [...flows.values()].sort((a, b) => b.payments - a.payments)

export const replayView = (summary: ReplaySummary) => ({
  payments: totalOf(summary),
  ...summary.counts,
  moves: flowsOf(summary).map(({ amounts, from, payments, to }) => ({
    from,
    to,
    payments,
    amounts: Object.fromEntries(amounts)
  })),
  nowhere_because: Object.fromEntries(summary.reasons),
  differing: summary.differing.map(({ after, before, excluded, payment, verdict }) => ({
    payment_id: payment.id,
    created: timeOf(payment.createdAt),
    amount: payment.money.minorUnits,
    currency: payment.money.currency,
    verdict,
    before: routeView(before),
    after: after === null ? null : routeView(after),
    excluded: excluded.map(({ code, connectionId }) => ({ connection_id: connectionId, code }))
  })),
  /** `false` where `differing` shows only the first of them. */
  all_shown: totalOf(summary) - summary.counts.same === summary.differing.length
})

const routeView = ({ degraded, maxAttempts, mode, order, path, rule, strategy }: Replayed["before"]) => ({
  path,
  rule,
  mode,
  strategy,
  order,
  max_attempts: maxAttempts,
  degraded
})

const share = (count: number, total: number): string =>
  total === 0 ? "-" : `${Math.round((1000 * count) / total) / 10} %`

export const replayText = (summary: ReplaySummary): Text => {
  const total = totalOf(summary)
  const sections = [
    table(
      ["VERDICT", "PAYMENTS", "SHARE", "MEANS"],
      verdicts.map((verdict) => [
        verdict,
        summary.counts[verdict],
        share(summary.counts[verdict], total),
        meanings[verdict]
      ])
    )
  ]
  const flows = flowsOf(summary)
  if (flows.length > 0) {
    sections.push(
      table(
        ["FROM", "TO", "PAYMENTS", "SHARE", "AMOUNT"],
        flows.map(({ amounts, from, payments, to }) => [
          from,
          to,
          payments,
          share(payments, total),
          [...amounts].map(([currency, amount]) => moneyText(amount, currency)).join(", ")
        ])
      )
    )
  }
  if (summary.reasons.size > 0) {
    sections.push(
      table(
        ["NO ROUTE BECAUSE", "PAYMENTS"],
        [...summary.reasons].sort(([, a], [, b]) => b - a)
      )
    )
  }
  if (summary.differing.length > 0) {
    sections.push(
      table(
        ["PAYMENT", "CREATED", "AMOUNT", "VERDICT", "WENT", "WOULD GO", "BY"],
        summary.differing.map(({ after, before, payment, verdict }) => [
          payment.id,
          timeOf(payment.createdAt),
          moneyText(payment.money.minorUnits, payment.money.currency),
          verdict,
          before.order.join(", "),
          after === null ? null : after.order.join(", "),
          after === null ? null : (after.rule ?? after.path)
        ])
      )
    )
  }
  return paragraphs(...sections)
}
