/** `pointsman reconcile run` and `fetch`: reports are read from files and from providers. */
import { type FetchOrder, Pointsman, type ReconciliationRun, type ReportBeingRead } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { entriesOf, formatOf, inspectReport } from "@pointsman/reconcile"
import { Clock, Console, Effect, Layer, Option, Result } from "effect"
import { Flag } from "effect/cli"
import { reportReaderLayer } from "../InstalledConnectors.ts"
import { CommandFailure, endWith } from "./CommandFailure.ts"
import { argument, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, momentFlag } from "./Moment.ts"
import { checkSettings, reachingProviders } from "./OpenDatabase.ts"
import { print, withProgress } from "./Output.ts"
import { differencesIn, runsText, runText, runView } from "./ReconciliationView.ts"
import { counted, printable } from "./Words.ts"

export const connectionFlag = Flag.String("connection").pipe(Flag.withMetavar("id"))

const foundText = (differences: number, unreadable: number): string =>
  `${counted(differences, "difference")}, ${counted(unreadable, "unreadable row")}. Those that are still open: ` +
  "pointsman reconcile differences"

export const refuse = (message: string) => new CommandFailure({ message })

/** Another process reads reports of the connection. */
export const taken = {
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
  if (Result.isFailure(format)) return yield* refuse(`--${format.failure.field}: ${format.failure.reason}.`)
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
        refuse(
          `${printable(path)}: ${printable(reason)}. What was read is kept: run the same file again to continue from there.`
        ),
      ...taken
    })
  )
})

export const run = databaseCommand(
  {
    name: "run",
    short: "Compare a report with the payments",
    long:
      "Compare a provider's report with the payments, and apply what its rows state: a payment whose messages were lost is " +
      "put right, and what is paid out is settled. It may be stopped and run again with the same file, and run beside " +
      "servers; the same file twice changes nothing. Ends with 1 where it found differences or unreadable rows.",
    examples: { "pointsman reconcile run june.csv --connection stripe-nl --by Jo": "One month" },
    isAudited: true,
    settings: [...checkSettings, "webhookScheduleMillis"],
    flags: {
      file: argument("file", "The report, as the provider gives it; .gz is read too"),
      connection: connectionFlag.pipe(Flag.withDescription("The connection whose provider wrote the report")),
      format: textFlag("format", "name", "The report's format; default: by the connection and the first line")
    }
  },
  function* ({ connection, file, format }, { json }) {
    const view = runView(yield* reconcile(file, { connection, format, json }))
    yield* print(json, { data: view }, runText(view))
    const differences = differencesIn(view)
    if (differences === 0 && view.rows_unreadable === 0) return
    yield* Console.error(foundText(differences, view.rows_unreadable))
    yield* endWith(1)
  }
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
        refuse(`${printable(reason)}. What was read is kept: the next fetch continues from there.`),
      ...taken
    })
  )
})

export const fetch = databaseCommand(
  {
    name: "fetch",
    short: "Fetch reports from a provider",
    long:
      "Fetch the reports of a connection from its provider's API, and reconcile them as `run` does with files. It may be " +
      "stopped and run again, and run beside servers; it continues from where the last fetch ended, and rows that were read " +
      "before change nothing. Ends with 1 where it found differences or unreadable rows.",
    examples: { "pointsman reconcile fetch --connection stripe-nl --by scheduler": "What is new; run it once a day" },
    isAudited: true,
    settings: [...checkSettings, "providerTimeoutMillis", "webhookScheduleMillis"],
    providersOf: (settings) => Layer.merge(reachingProviders(settings), reportReaderLayer),
    flags: {
      connection: connectionFlag.pipe(Flag.withDescription("The connection whose provider is asked")),
      report: textFlag("report", "name", "Only this report; default: all that the connector fetches"),
      from: momentFlag(
        "from",
        "Rows at or after this time; default: up to where it was fetched without a gap, and 7 days ago at first"
      ).pipe(Flag.optional),
      until: momentFlag(
        "until",
        "Rows before this time; default and latest: an hour ago, or as long ago as the provider needs to list them"
      ).pipe(Flag.optional)
    }
  },
  function* ({ connection, from, report, until }, { json }) {
    const now = yield* Clock.currentTimeMillis
    const runs = yield* fetchAll(
      {
        connectionId: connection,
        report: Option.getOrUndefined(report),
        from: epochMillisIn(from, now),
        until: epochMillisIn(until, now)
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
  }
)
