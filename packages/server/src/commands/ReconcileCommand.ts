/** `pointsman reconcile`: providers' reports compared with the records. */
import { differenceResults, Pointsman } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { actingAs, byFlag } from "./Actor.ts"
import { cardNumberFailure } from "./CommandFailure.ts"
import { epochMillisOf, momentFlag } from "./Moment.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, limitFlag, print } from "./Output.ts"
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
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { findAnywhere, namedTenant, ownEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { printable } from "./Words.ts"

const anyConnectionFlag = connectionFlag.pipe(Flag.withDescription("Only this connection; default: all"), Flag.optional)

const list = Command.make(
  "list",
  { connection: anyConnectionFlag, limit: limitFlag, json: jsonFlag, ...settingFlags(databaseSettings) },
  Effect.fnUntraced(function* ({ connection, json, limit, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        const runs = yield* reconciliation.list({ connectionId: Option.getOrUndefined(connection), limit })
        const views = runs.map(runView)
        yield* print(json, { data: views }, runsText(views))
      })
    )
  })
).pipe(
  Command.withDescription("List the reports that were read, newest first."),
  Command.withShortDescription("List reports")
)

const show = Command.make(
  "show",
  {
    run: Argument.String("run").pipe(Argument.withDescription("The run's id: rec_…")),
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ json, run: id, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        const contents = yield* (yield* Directory).contents
        const found = yield* findAnywhere(contents, (tenant) => reconciliation.find(tenant, id))
        const view = runView(
          yield* Effect.mapError(Effect.fromOption(found), () => refuse(`Run "${printable(id)}" not found.`))
        )
        yield* print(json, { data: view }, runText(view))
      })
    )
  })
).pipe(
  Command.withDescription("Show what a report said, and how it compares with the payments."),
  Command.withShortDescription("Show one report")
)

const differences = Command.make(
  "differences",
  {
    connection: anyConnectionFlag,
    run: Flag.String("run").pipe(Flag.withMetavar("id"), Flag.withDescription("Only of this run"), Flag.optional),
    kind: Flag.Literals("kind", differenceResults).pipe(Flag.withDescription("Only of this kind"), Flag.optional),
    olderThan: momentFlag("older-than", "Found before this time").pipe(Flag.optional),
    closed: Flag.Boolean("closed").pipe(
      Flag.withDescription("Those that are closed too"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    limit: limitFlag,
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ closed, connection, json, kind, limit, olderThan, run: runId, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        const now = yield* Clock.currentTimeMillis
        const found = yield* reconciliation.differences({
          differences: closed ? "all" : "open",
          connectionId: Option.getOrUndefined(connection),
          runId: Option.getOrUndefined(runId),
          result: Option.getOrUndefined(kind),
          openedBefore: Option.getOrUndefined(Option.map(olderThan, (moment) => epochMillisOf(moment, now))),
          limit
        })
        yield* print(json, { data: found.map(entryView) }, differencesText(found))
      })
    )
  })
).pipe(
  Command.withDescription("List open differences between reports and payments, oldest first."),
  Command.withShortDescription("List open differences"),
  Command.withExamples([
    {
      command: 'pointsman reconcile differences --kind missing_there --older-than "7 days"',
      description: "Payments that no report has"
    }
  ])
)

const differenceArgument = Argument.String("difference").pipe(
  Argument.withDescription("As `pointsman reconcile differences` prints it: connection/row")
)

const rowNamed = (difference: string) => {
  const at = difference.indexOf("/")
  return at <= 0 || at === difference.length - 1
    ? refuse("difference: expected connection/row, as `pointsman reconcile differences` prints it.")
    : Effect.succeed({ connectionId: difference.slice(0, at), rowId: difference.slice(at + 1) })
}

const close = Command.make(
  "close",
  {
    difference: differenceArgument,
    note: Flag.String("note").pipe(Flag.withDescription("What explains it; up to 500 characters")),
    by: byFlag,
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ by, difference, json, note, ...texts }) {
    const named = yield* rowNamed(difference)
    if (note.trim() === "" || note.length > 500) return yield* refuse("--note: expected 1 to 500 characters.")
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        yield* reconciliation.close({ ...named, note }).pipe(
          Effect.catchTags({
            "pointsman/CardNumberFound": (found) => Effect.fail(cardNumberFailure(found, { note: "--note" })),
            "pointsman/DifferenceNotFound": () => refuse(`Open difference "${printable(difference)}" not found.`)
          })
        )
        yield* print(json, { data: { id: difference, note } }, `Closed ${printable(difference)}.`)
      })
    ).pipe(actingAs(by))
  })
).pipe(
  Command.withDescription("Close a difference that is explained. It moves no money."),
  Command.withShortDescription("Close a difference"),
  Command.withExamples([
    {
      command: 'pointsman reconcile close stripe-nl/txn_1 --note "refunded in the dashboard" --by Jo',
      description: "With what explains it"
    }
  ])
)

const accept = Command.make(
  "accept",
  {
    difference: differenceArgument,
    payment: Flag.String("payment").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("The payment that is suggested for it")
    ),
    by: byFlag,
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ by, difference, json, payment, ...settings }) {
    const named = yield* rowNamed(difference)
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        yield* reconciliation.accept({ ...named, paymentId: payment }).pipe(
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
      })
    ).pipe(actingAs(by))
  })
).pipe(
  Command.withDescription(
    "Make the row of a difference one of the payment that is suggested for it, as if it carried the payment's id: what it " +
      "states is applied."
  ),
  Command.withShortDescription("Accept the payment that is suggested for a row"),
  Command.withExamples([
    {
      command: "pointsman reconcile accept stripe-nl/txn_1 --payment pay_019ac1f0-7c00-7000-8000-000000000001 --by Jo",
      description: "After a look into the provider's dashboard"
    }
  ])
)

const balance = Command.make(
  "balance",
  {
    workspace: workspaceFlag,
    environment: ownEnvironmentFlag,
    connection: anyConnectionFlag,
    from: momentFlag("from", "Money that moved at or after this time; default: the beginning").pipe(Flag.optional),
    until: momentFlag("until", "Money that moved before this time; default: now").pipe(Flag.optional),
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ connection, environment, from, json, until, workspace, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        const tenant = yield* Effect.fromResult(namedTenant(yield* (yield* Directory).contents, workspace, environment))
        const now = yield* Clock.currentTimeMillis
        const millis = (moment: typeof from, otherwise: number) =>
          Option.getOrElse(
            Option.map(moment, (one) => epochMillisOf(one, now)),
            () => otherwise
          )
        const rows = yield* reconciliation.balance({
          tenant,
          connectionId: Option.getOrUndefined(connection),
          from: millis(from, 0),
          until: millis(until, now)
        })
        yield* print(json, { data: rows.map(balanceView) }, balanceText(rows))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Show what moved at each connection by day (UTC) and currency, as the providers' reports say: charges, refunds, " +
      "disputes, fees and payouts, in the currency of the payout."
  ),
  Command.withShortDescription("Show what moved by day"),
  Command.withExamples([
    { command: "pointsman reconcile balance --environment production --from 2026-11-01", description: "This month" }
  ])
)

export const reconcileCommand = Command.make("reconcile").pipe(
  Command.withDescription("Compare providers' reports with the payments: docs/guides/reconcile.md."),
  Command.withShortDescription("Compare providers' reports with the payments"),
  Command.withSubcommands([run, fetch, list, show, differences, close, accept, balance, payouts, payout])
)
