/** `pointsman reconcile payouts` and `payout`: what providers paid out, and what one payout consists of. */
import {
  entryCsvHeader,
  entryCsvLine,
  type Payout,
  type PayoutStatus,
  Pointsman,
  payoutRest,
  type SettlementEntry
} from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Clock, Console, Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { argument, switchFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, momentFlag } from "./Moment.ts"
import { limitFlag, print } from "./Output.ts"
import { connectionFlag, refuse } from "./ReadReports.ts"
import { entriesText } from "./ReconciliationView.ts"
import { facts, paragraphs, type Text, table } from "./Table.ts"
import { ownEnvironmentFlag, tenantOf, workspaceFlag } from "./Tenants.ts"
import { moneyText, printable, timeOf, timeOrNull } from "./Words.ts"

const { entryView, payoutEntryView, payoutView } = InProcess

export const payouts = databaseCommand(
  {
    name: "payouts",
    short: "List payouts",
    long: "List what providers paid out, newest first, as their reports say.",
    flags: {
      workspace: workspaceFlag,
      environment: ownEnvironmentFlag,
      connection: connectionFlag.pipe(Flag.withDescription("Only this connection; default: all"), Flag.optional),
      from: momentFlag("from", "Payouts at or after this time; default: the beginning").pipe(Flag.optional),
      until: momentFlag("until", "Payouts before this time; default: now").pipe(Flag.optional),
      limit: limitFlag
    }
  },
  function* ({ connection, environment, from, limit, until, workspace }, { json }) {
    const { reconciliation } = yield* Pointsman
    const tenant = yield* tenantOf(workspace, environment)
    const now = yield* Clock.currentTimeMillis
    const found = yield* reconciliation.payouts({
      tenant,
      connectionId: Option.getOrUndefined(connection),
      from: epochMillisIn(from, now) ?? 0,
      until: epochMillisIn(until, now) ?? now,
      limit
    })
    const statusOf = yield* reconciliation.payoutStatuses(tenant, found)
    const data = found.map((entry) => payoutEntryView(entry, statusOf(entry)))
    yield* print(json, { data }, payoutsText(found, statusOf))
  }
)

const payoutsText = (
  found: ReadonlyArray<SettlementEntry>,
  statusOf: (entry: SettlementEntry) => PayoutStatus | null
): string | Text =>
  found.length === 0
    ? "No payout is stored for this time."
    : table(
        ["PAYOUT", "AMOUNT", "LEFT", "ARRIVES", "STATUS"],
        found.map((entry) => {
          const { connectionId, converted, gross, occurredAt, payoutId, rowId, settledAt } = entry
          const { currency, minorUnits } = converted ?? gross
          return [
            `${connectionId}/${payoutId ?? rowId}`,
            moneyText(minorUnits, currency),
            timeOf(occurredAt),
            timeOrNull(settledAt),
            statusWord(statusOf(entry))
          ]
        })
      )

const statusWord = (status: PayoutStatus | null): string | null => status?.replace("_", " ") ?? null

const nameIn = (named: string) => {
  const at = named.indexOf("/")
  return at <= 0 || at === named.length - 1
    ? undefined
    : { connectionId: named.slice(0, at), payoutId: named.slice(at + 1) }
}

export const payout = databaseCommand(
  {
    name: "payout",
    short: "Show one payout",
    long:
      "Show what one payout consists of, by currency, and its first rows. `--csv` prints all of its rows. The rest is what the " +
      "rows add up to, less what is paid out: zero where every report of it was read.",
    examples: {
      "pointsman reconcile payout stripe-nl/po_1": "What it consists of",
      "pointsman reconcile payout stripe-nl/po_1 --csv > po_1.csv": "All of its rows"
    },
    check: ({ csv, payout: named }, json) => {
      if (nameIn(named) === undefined)
        return refuse("payout: expected connection/payout, as `pointsman reconcile payouts` prints it.")
      return csv && json ? refuse("--csv: expected no --json beside it.") : Effect.void
    },
    flags: {
      payout: argument("payout", "As `pointsman reconcile payouts` prints it: connection/payout"),
      csv: switchFlag("csv", "Print all of its rows as CSV"),
      limit: limitFlag
    }
  },
  function* ({ csv, limit, payout: named }, { json }) {
    const { reconciliation } = yield* Pointsman
    const name = nameIn(named)
    const connection = name && Option.getOrUndefined(yield* (yield* Directory).connection(name.connectionId))
    const notFound = refuse(`Payout "${printable(named)}" not found: no report that was read names it.`)
    if (name === undefined || connection === undefined) return yield* notFound
    const { environment, workspaceId } = connection
    const tenant = { workspaceId, environment }
    const found = yield* Effect.mapError(Effect.fromOption(yield* reconciliation.payout(tenant, name)), () => notFound)
    if (csv) {
      // Every text ends with a line break, which the console writes.
      const write = (text: string) => Console.log(text.trimEnd())
      yield* write(entryCsvHeader)
      return yield* Stream.runForEachArray(reconciliation.exportPayout({ tenant }, name), (rows) =>
        rows.length === 0 ? Effect.void : write(rows.map(entryCsvLine(found.status)).join(""))
      )
    }
    const entries = yield* reconciliation.payoutEntries(tenant, { ...name, after: undefined, limit })
    yield* print(json, { data: { ...payoutView(found), entries: entries.map(entryView) } }, payoutText(found, entries))
  }
)

const payoutText = (payout: Payout, entries: ReadonlyArray<SettlementEntry>): Text =>
  paragraphs(
    facts([
      ["Payout", `${payout.connectionId}/${payout.payoutId}`],
      ["Status", statusWord(payout.status)],
      ["Arrives", timeOrNull(payout.settledAt)],
      ["Money moved", `${timeOf(payout.period.from)} to ${timeOf(payout.period.until)}`]
    ]),
    table(
      ["CURRENCY", "ROWS", "CHARGES", "REFUNDS", "DISPUTES", "FEES", "OTHERS", "PAID OUT", "REST"],
      payout.sums.map((sum) => [
        sum.currency,
        sum.rows,
        ...[
          sum.chargesMinor,
          sum.refundsMinor,
          sum.disputesMinor,
          sum.feesMinor,
          sum.othersMinor,
          sum.payoutsMinor,
          payoutRest(sum)
        ].map((minorUnits) => moneyText(minorUnits, sum.currency))
      ])
    ),
    entriesText(entries)
  )
