/** `pointsman reconcile`: providers' reports compared with the records. */
import {
  differenceResults,
  type FetchOrder,
  Pointsman,
  type ReconciliationRun,
  type ReportBeingRead
} from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Clock, Console, Effect, Layer, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { entriesOf, formatOf, inspectReport } from "../ReportFile.ts"
import { actingAs, byFlag } from "./Actor.ts"
import { checkSettings } from "./CheckTimes.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { endWith } from "./EndWith.ts"
import { epochMillisOf, momentFlag } from "./Moment.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { limitFlag } from "./Paging.ts"
import { withProgress } from "./Progress.ts"
import {
  balanceText,
  balanceView,
  differencesIn,
  differencesText,
  entryView,
  runsText,
  runText,
  runView
} from "./ReconciliationView.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { printable } from "./Table.ts"
import { environmentFlag, findAnywhere, oneWorkspace, workspaceFlag } from "./Tenants.ts"
import { counted } from "./Words.ts"

const connectionFlag = Flag.String("connection").pipe(Flag.withMetavar("id"))

const anyConnectionFlag = connectionFlag.pipe(
  Flag.withDescription("This connection alone; default: all"),
  Flag.optional
)

const foundText = (differences: number, unreadable: number): string =>
  `${counted(differences, "difference")}, ${counted(unreadable, "unreadable row")}. Those that are still open: ` +
  "pointsman reconcile differences"

const refuse = (message: string) => new CommandFailure({ message })

/** Another process reads reports of the connection. */
const taken = {
  "pointsman/ReportBeingRead": ({ fileName, runId, since, until }: ReportBeingRead) =>
    refuse(
      `--connection: run ${runId} is reading ${printable(fileName)} since ${new Date(since).toISOString()}. Run this ` +
        `again when that one has ended; if its process died, from ${new Date(until).toISOString()} on.`
    ),
  "pointsman/ReportTaken": () =>
    refuse(
      "Another process began this report again, or this process paused for too long and another report is read. What " +
        "was read is kept: run this again when the other one has ended."
    )
}

/** Reads the report, and applies what its rows state. */
const reconcile = Effect.fnUntraced(function* (
  path: string,
  { connection: id, format: named, json }: { connection: string; format: Option.Option<string>; json: boolean }
) {
  const pointsman = yield* Pointsman
  const found = Option.getOrUndefined(yield* (yield* Directory).connection(id))
  if (found === undefined) return yield* refuse(`--connection: connection "${printable(id)}" not found.`)
  const report = yield* Effect.tryPromise({
    try: () => inspectReport(path),
    catch: () => refuse(`${printable(path)}: expected a file that can be read.`)
  })
  const format = formatOf(Option.getOrUndefined(named), found.connector, report)
  if (Result.isFailure(format)) return yield* refuse(`${format.failure}.`)
  const context = yield* Effect.context()
  return yield* withProgress(json, (tell) => {
    const told = ({ rowsDone }: ReconciliationRun) => Effect.runForkWith(context)(tell(counted(rowsDone, "row")))
    return pointsman.reconciliation.run({
      connectionId: id,
      format: format.success,
      fileName: report.fileName,
      sha256: report.sha256,
      entries: entriesOf(path, format.success, report),
      onProgress: told
    })
  }).pipe(
    Effect.catchTags({
      "pointsman/ReportRefused": ({ reason }) => refuse(`--${reason}.`),
      "pointsman/ReportBroken": ({ reason }) =>
        refuse(`${printable(path)}: ${printable(reason)}. What was read is kept: the same file goes on from there.`),
      ...taken
    })
  )
})

const run = Command.make(
  "run",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The report, as the provider gives it; .gz is read too")
    ),
    connection: connectionFlag.pipe(Flag.withDescription("The connection whose provider wrote the report")),
    format: Flag.String("format").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("The report's format; default: by the connection and the first line"),
      Flag.optional
    ),
    by: byFlag,
    json: jsonFlag,
    ...settingFlags([...checkSettings, "webhookScheduleMillis"])
  },
  Effect.fnUntraced(function* ({ by, connection, file, format, json, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* () {
        const view = runView(yield* reconcile(file, { connection, format, json }))
        yield* print(json, { data: view }, runText(view))
        const differences = differencesIn(view)
        if (differences === 0 && view.rows_unreadable === 0) return
        yield* Console.error(foundText(differences, view.rows_unreadable))
        yield* endWith(1)
      })
    ).pipe(actingAs(by))
  })
).pipe(
  Command.withDescription(
    "Compare a provider's report with the payments, and apply what its rows state: a payment whose messages were lost is " +
      "put right, and what is paid out is settled. It may be stopped and run again with the same file, and run beside " +
      "servers; the same file twice changes nothing. Ends with 1 where it found differences or unreadable rows."
  ),
  Command.withShortDescription("Compare a report with the payments"),
  Command.withExamples([
    { command: "pointsman reconcile run june.csv --connection stripe-nl --by Jo", description: "One month" }
  ])
)

/** Fetches what the provider has, and runs it. */
const fetchAll = Effect.fnUntraced(function* (order: Omit<FetchOrder, "onProgress">, json: boolean) {
  const { reconciliation } = yield* Pointsman
  const context = yield* Effect.context()
  return yield* withProgress(json, (tell) =>
    reconciliation.fetch({
      ...order,
      onProgress: ({ rowsDone }) => void Effect.runForkWith(context)(tell(counted(rowsDone, "row")))
    })
  ).pipe(
    Effect.catchTags({
      "pointsman/ReportRefused": ({ reason }) => refuse(`--${reason}.`),
      "pointsman/ReportBroken": ({ reason }) =>
        refuse(`${printable(reason)}. What was read is kept: the next fetch goes on from there.`),
      ...taken
    })
  )
})

const fetch = Command.make(
  "fetch",
  {
    connection: connectionFlag.pipe(Flag.withDescription("The connection whose provider is asked")),
    report: Flag.String("report").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("This report alone; default: all that the connector fetches"),
      Flag.optional
    ),
    from: momentFlag(
      "from",
      "Rows at or after this time; default: where the last fetch ended, and 7 days ago at first"
    ).pipe(Flag.optional),
    until: momentFlag("until", "Rows before this time; default: now").pipe(Flag.optional),
    by: byFlag,
    json: jsonFlag,
    ...settingFlags([...checkSettings, "providerTimeoutMillis", "webhookScheduleMillis"])
  },
  Effect.fnUntraced(function* ({ by, connection, from, json, report, until, ...texts }) {
    const { connectorsLayer, NodeTransport } = yield* Effect.promise(async () => ({
      NodeTransport: await import("@pointsman/transport-node"),
      connectorsLayer: (await import("../LoadConnectors.ts")).connectorsLayer
    }))
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* () {
        const now = yield* Clock.currentTimeMillis
        const millis = (moment: typeof from) =>
          Option.getOrUndefined(Option.map(moment, (one) => epochMillisOf(one, now)))
        const runs = yield* fetchAll(
          {
            connectionId: connection,
            report: Option.getOrUndefined(report),
            from: millis(from),
            until: millis(until)
          },
          json
        )
        const views = runs.map(runView)
        yield* print(json, { data: views }, runsText(views))
        const differences = views.reduce((sum, view) => sum + differencesIn(view), 0)
        const unreadable = views.reduce((sum, view) => sum + view.rows_unreadable, 0)
        if (differences === 0 && unreadable === 0) return
        yield* Console.error(foundText(differences, unreadable))
        yield* endWith(1)
      }),
      (settings) => Layer.merge(connectorsLayer(settings), NodeTransport.layer())
    ).pipe(actingAs(by))
  })
).pipe(
  Command.withDescription(
    "Fetch the reports of a connection from its provider's API, and reconcile them as `run` does with files. It may be " +
      "stopped and run again, and run beside servers; it goes on from where the last fetch ended, and rows that were read " +
      "before change nothing. Ends with 1 where it found differences or unreadable rows."
  ),
  Command.withShortDescription("Fetch reports from a provider"),
  Command.withExamples([
    {
      command: "pointsman reconcile fetch --connection stripe-nl --by scheduler",
      description: "What is new; run it once a day"
    }
  ])
)

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
    run: Flag.String("run").pipe(Flag.withMetavar("id"), Flag.withDescription("Of this run alone"), Flag.optional),
    kind: Flag.Literals("kind", differenceResults).pipe(Flag.withDescription("Of this kind alone"), Flag.optional),
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

const close = Command.make(
  "close",
  {
    difference: Argument.String("difference").pipe(
      Argument.withDescription("As `pointsman reconcile differences` prints it: connection/row")
    ),
    note: Flag.String("note").pipe(Flag.withDescription("What explains it; up to 500 characters")),
    by: byFlag,
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ by, difference, json, note, ...settings }) {
    const at = difference.indexOf("/")
    if (at <= 0 || at === difference.length - 1) {
      return yield* refuse("difference: expected connection/row, as `pointsman reconcile differences` prints it.")
    }
    if (note.trim() === "" || note.length > 500) return yield* refuse("--note: expected 1 to 500 characters.")
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const { reconciliation } = yield* Pointsman
        const named = { connectionId: difference.slice(0, at), rowId: difference.slice(at + 1) }
        yield* reconciliation
          .close({ ...named, note })
          .pipe(
            Effect.catchTag("pointsman/DifferenceNotFound", () =>
              refuse(`Open difference "${printable(difference)}" not found.`)
            )
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

const balance = Command.make(
  "balance",
  {
    workspace: workspaceFlag,
    environment: environmentFlag,
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
        const workspaceId = yield* Effect.fromResult(oneWorkspace(yield* (yield* Directory).contents, workspace))
        const now = yield* Clock.currentTimeMillis
        const millis = (moment: typeof from, otherwise: number) =>
          Option.getOrElse(
            Option.map(moment, (one) => epochMillisOf(one, now)),
            () => otherwise
          )
        const rows = yield* reconciliation.balance({
          tenant: { workspaceId, environment },
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
  Command.withSubcommands([run, fetch, list, show, differences, close, balance])
)
