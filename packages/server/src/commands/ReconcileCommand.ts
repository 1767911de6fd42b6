/** `pointsman reconcile`: providers' reports compared with the records. */
import { differenceResults, Pointsman } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Clock, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { cardNumberFailure } from "./CommandFailure.ts"
import { argument, commandGroup, switchFlag, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, momentFlag } from "./Moment.ts"
import { limitFlag, print } from "./Output.ts"
import { payout, payouts } from "./PayoutCommands.ts"
import { connectionFlag, fetch, refuse, run, taken } from "./ReadReports.ts"
import {
  balanceText,
  balanceView,
  differencesText,
  entryView,
  runsText,
  runText,
  runView
} from "./ReconciliationView.ts"
import { findAnywhere, ownEnvironmentFlag, tenantOf, workspaceFlag } from "./Tenants.ts"
import { printable } from "./Words.ts"

const anyConnectionFlag = connectionFlag.pipe(Flag.withDescription("Only this connection; default: all"), Flag.optional)

const list = databaseCommand(
  {
    name: "list",
    short: "List reports",
    long: "List the reports that were read, newest first.",
    flags: { connection: anyConnectionFlag, limit: limitFlag }
  },
  function* ({ connection, limit }, { json }) {
    const { reconciliation } = yield* Pointsman
    const runs = yield* reconciliation.list({ connectionId: Option.getOrUndefined(connection), limit })
    const views = runs.map(runView)
    yield* print(json, { data: views }, runsText(views))
  }
)

const show = databaseCommand(
  {
    name: "show",
    short: "Show one report",
    long: "Show what a report said, and how it compares with the payments.",
    flags: { run: argument("run", "The run's id: rec_…") }
  },
  function* ({ run: id }, { json }) {
    const { reconciliation } = yield* Pointsman
    const contents = yield* (yield* Directory).contents
    const found = yield* findAnywhere(contents, (tenant) => reconciliation.find(tenant, id))
    const view = runView(
      yield* Effect.mapError(Effect.fromOption(found), () => refuse(`Run "${printable(id)}" not found.`))
    )
    yield* print(json, { data: view }, runText(view))
  }
)

const differences = databaseCommand(
  {
    name: "differences",
    short: "List open differences",
    long: "List open differences between reports and payments, oldest first.",
    examples: {
      'pointsman reconcile differences --kind missing_there --older-than "7 days"': "Payments that no report has"
    },
    flags: {
      connection: anyConnectionFlag,
      run: textFlag("run", "id", "Only of this run"),
      kind: Flag.Literals("kind", differenceResults).pipe(Flag.withDescription("Only of this kind"), Flag.optional),
      olderThan: momentFlag("older-than", "Found before this time").pipe(Flag.optional),
      closed: switchFlag("closed", "Those that are closed too"),
      limit: limitFlag
    }
  },
  function* ({ closed, connection, kind, limit, olderThan, run: runId }, { json }) {
    const { reconciliation } = yield* Pointsman
    const now = yield* Clock.currentTimeMillis
    const found = yield* reconciliation.differences({
      differences: closed ? "all" : "open",
      connectionId: Option.getOrUndefined(connection),
      runId: Option.getOrUndefined(runId),
      result: Option.getOrUndefined(kind),
      openedBefore: epochMillisIn(olderThan, now),
      limit
    })
    yield* print(json, { data: found.map(entryView) }, differencesText(found))
  }
)

const differenceArgument = argument("difference", "As `pointsman reconcile differences` prints it: connection/row")

const rowNamed = (difference: string) => {
  const at = difference.indexOf("/")
  return at <= 0 || at === difference.length - 1
    ? refuse("difference: expected connection/row, as `pointsman reconcile differences` prints it.")
    : Effect.succeed({ connectionId: difference.slice(0, at), rowId: difference.slice(at + 1) })
}

const close = databaseCommand(
  {
    name: "close",
    short: "Close a difference",
    long: "Close a difference that is explained. It moves no money.",
    examples: {
      'pointsman reconcile close stripe-nl/txn_1 --note "refunded in the dashboard" --by Jo': "With what explains it"
    },
    isAudited: true,
    check: ({ difference, note }) =>
      note.trim() === "" || note.length > 500
        ? Effect.andThen(rowNamed(difference), refuse("--note: expected 1 to 500 characters."))
        : rowNamed(difference),
    flags: {
      difference: differenceArgument,
      note: Flag.String("note").pipe(Flag.withDescription("What explains it; up to 500 characters"))
    }
  },
  function* ({ difference, note }, { json }) {
    const { reconciliation } = yield* Pointsman
    yield* reconciliation.close({ ...(yield* rowNamed(difference)), note }).pipe(
      Effect.catchTags({
        "pointsman/CardNumberFound": (found) => Effect.fail(cardNumberFailure(found, { note: "--note" })),
        "pointsman/DifferenceNotFound": () => refuse(`Open difference "${printable(difference)}" not found.`)
      })
    )
    yield* print(json, { data: { id: difference, note } }, `Closed ${printable(difference)}.`)
  }
)

const accept = databaseCommand(
  {
    name: "accept",
    short: "Accept the payment that is suggested for a row",
    long:
      "Make the row of a difference one of the payment that is suggested for it, as if it carried the payment's id: what it " +
      "states is applied.",
    examples: {
      "pointsman reconcile accept stripe-nl/txn_1 --payment pay_019ac1f0-7c00-7000-8000-000000000001 --by Jo":
        "After a look into the provider's dashboard"
    },
    isAudited: true,
    check: ({ difference }) => rowNamed(difference),
    flags: {
      difference: differenceArgument,
      payment: Flag.String("payment").pipe(
        Flag.withMetavar("id"),
        Flag.withDescription("The payment that is suggested for it")
      )
    }
  },
  function* ({ difference, payment }, { json }) {
    const { reconciliation } = yield* Pointsman
    yield* reconciliation.accept({ ...(yield* rowNamed(difference)), paymentId: payment }).pipe(
      Effect.catchTags({
        "pointsman/SuggestionNotFound": () =>
          refuse(
            `${printable(difference)}: no open difference suggests payment "${printable(payment)}", or the payment has ` +
              "a row or a charge of its own by now."
          ),
        ...taken
      })
    )
    const text = `${printable(difference)} is a row of payment ${printable(payment)} now.`
    yield* print(json, { data: { id: difference, payment_id: payment } }, text)
  }
)

const balance = databaseCommand(
  {
    name: "balance",
    short: "Show what moved by day",
    long:
      "Show what moved at each connection by day (UTC) and currency, as the providers' reports say: charges, refunds, " +
      "disputes, fees and payouts, in the currency of the payout.",
    examples: { "pointsman reconcile balance --environment production --from 2026-11-01": "This month" },
    flags: {
      workspace: workspaceFlag,
      environment: ownEnvironmentFlag,
      connection: anyConnectionFlag,
      from: momentFlag("from", "Money that moved at or after this time; default: the beginning").pipe(Flag.optional),
      until: momentFlag("until", "Money that moved before this time; default: now").pipe(Flag.optional)
    }
  },
  function* ({ connection, environment, from, until, workspace }, { json }) {
    const { reconciliation } = yield* Pointsman
    const tenant = yield* tenantOf(workspace, environment)
    const now = yield* Clock.currentTimeMillis
    const rows = yield* reconciliation.balance({
      tenant,
      connectionId: Option.getOrUndefined(connection),
      from: epochMillisIn(from, now) ?? 0,
      until: epochMillisIn(until, now) ?? now
    })
    yield* print(json, { data: rows.map(balanceView) }, balanceText(rows))
  }
)

export const reconcileCommand = commandGroup(
  "reconcile",
  {
    short: "Compare providers' reports with the payments",
    long: "Compare providers' reports with the payments: docs/guides/reconcile.md."
  },
  [run, fetch, list, show, differences, close, accept, balance, payouts, payout]
)
