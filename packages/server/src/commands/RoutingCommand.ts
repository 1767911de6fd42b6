/** `pointsman routing`: why a payment went where it went, and where payments would go under another configuration. */
import {
  defaultRoutingSettings,
  Pointsman,
  type RoutingConfiguration,
  type RoutingExplanation,
  type Tenant
} from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Clock, Console, Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import type { Settings } from "../Settings.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, epochMillisOf, momentFlag } from "./Moment.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import { print, withProgress } from "./Output.ts"
import { replayText, replayView, summarize } from "./ReplayView.ts"
import { explanationText, explanationView, ratesText, rateView } from "./RoutingView.ts"
import { environmentFlag, findAnywhere, workspaceFlag, workspaceOf } from "./Tenants.ts"
import { printable, timeOf } from "./Words.ts"

const explain = databaseCommand(
  {
    name: "explain",
    short: "Explain how a payment was routed",
    long:
      "Explain how a payment was routed: what decided, the order of connections and their scores, which " +
      "connections were excluded and why, which circuits were open, and how each attempt ended.",
    examples: { "pointsman routing explain 01a1fe08-9226-7266-a33a-e3e7f1609a4e": "One payment, as text" },
    flags: { payment: argument("payment", "The payment's id") }
  },
  function* ({ payment: id }, { json }) {
    const explanation = yield* explanationOf(id)
    yield* print(json, { data: explanationView(explanation) }, explanationText(explanation))
  }
)

/** Payments between one line of progress and the next: some tens of milliseconds. */
const toldEvery = 500

const explanationOf = Effect.fnUntraced(function* (id: string) {
  const pointsman = yield* Pointsman
  const contents = yield* (yield* Directory).contents
  const found = yield* findAnywhere(contents, (tenant) =>
    pointsman.explainRouting(tenant, id).pipe(
      Effect.asSome,
      Effect.catchTag("pointsman/PaymentNotFound", () => Effect.succeed(Option.none<RoutingExplanation>()))
    )
  )
  return yield* Effect.mapError(
    Effect.fromOption(found),
    () => new CommandFailure({ message: `Payment "${printable(id)}" not found.` })
  )
})

/** `environment`: what the configuration file may refer to. */
const replay = (environmentVariables: Readonly<Record<string, string | undefined>>) =>
  databaseCommand(
    {
      name: "replay",
      short: "Replay stored payments under another configuration",
      long:
        "Replay the routing decisions of stored payments under another configuration file, or under the " +
        "stored configuration if none is given, and report what would change. Sends and writes nothing. " +
        "Requests without an eligible connection recorded no payment and are therefore not replayed.",
      examples: {
        'pointsman routing replay --config new.json --since "7 days"': "What would change",
        "pointsman routing replay --config new.json --since 2026-11-01 --until 2026-11-08 --json": "One week, as JSON"
      },
      settings: [...databaseSettings, "configuration", "claimWindowMillis", "providerTimeoutMillis"],
      flags: {
        workspace: workspaceFlag,
        environment: environmentFlag.pipe(Flag.withDefault("production")),
        since: momentFlag("since", "Payments created at or after this time"),
        until: momentFlag("until", "Payments created before this time; default: no limit").pipe(Flag.optional),
        limit: Flag.Int("limit").pipe(
          Flag.withDescription("Maximum number of differing payments to list, 0 to 100000; all are counted"),
          Flag.filter(
            (limit) => limit >= 0 && limit <= 100_000,
            () => "a whole number from 0 to 100000"
          ),
          Flag.withDefault(20)
        )
      }
    },
    function* ({ environment, limit, since, until, workspace }, { json, settings }) {
      const tenant = { workspaceId: yield* workspaceOf(workspace), environment }
      const now = yield* Clock.currentTimeMillis
      const from = epochMillisOf(since, now)
      const to = epochMillisIn(until, now)
      if (to !== undefined && to <= from) {
        return yield* new CommandFailure({
          message: `--until: expected a time after --since, which is ${timeOf(from)}.`
        })
      }
      const under = yield* configurationFor(settings, tenant, environmentVariables)
      const { add, summary } = summarize(limit)
      const decisions = (yield* Pointsman).replayRouting(tenant, { from, until: to, under })
      yield* withProgress(json, (tell) => {
        let decided = 0
        return Stream.runForEach(decisions, (replayed) => {
          add(replayed)
          decided += 1
          return decided % toldEvery === 0 ? tell(`${decided} payments replayed …`) : Effect.void
        })
      })
      const view = replayView(summary)
      const what = settings.configuration ?? "the stored configuration"
      yield* Console.error(
        `Replayed ${view.payments} payment(s) of ${tenant.workspaceId} (${environment}) since ` +
          `${timeOf(from)} under ${printable(what)}. Nothing was sent or written.`
      )
      yield* print(json, { data: view }, replayText(summary))
    }
  )

const rates = databaseCommand(
  {
    name: "rates",
    short: "Recent success rates, as used by mode auto",
    long:
      "List the recent success rates of a workspace's connections in production, overall and by segment. " +
      "The mode auto orders connections by them. Older outcomes count less, so the counts are not whole " +
      "numbers.",
    flags: { workspace: workspaceFlag }
  },
  function* ({ workspace }, { json }) {
    const workspaceId = yield* workspaceOf(workspace)
    const stored = yield* (yield* Pointsman).successRates({ workspaceId, environment: "production" })
    yield* print(json, { data: stored.map(rateView) }, stored.length === 0 ? "" : ratesText(stored))
    if (!json && stored.length === 0) yield* Console.error("No measurements from production yet.")
  }
)

/** Loaded only here: the connectors are much of the program. */
const configurationFor = Effect.fnUntraced(function* (
  settings: Settings,
  tenant: Tenant,
  environment: Readonly<Record<string, string | undefined>>
) {
  const { installedLimits, routingOfFile } = yield* Effect.promise(() => import("../RoutingOfFile.ts"))
  if (settings.configuration !== null)
    return yield* routingOfFile(settings.configuration, settings, tenant, environment)
  const directory = yield* Directory
  const stored = yield* directory.routing(tenant)
  return {
    settings: Option.getOrElse(stored, () => defaultRoutingSettings),
    connections: yield* directory.connections(tenant),
    providerSupports: installedLimits(),
    strategies: []
  } satisfies RoutingConfiguration
})

export const routingCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  commandGroup("routing", { short: "Explain and replay routing", long: "Explain and replay routing decisions." }, [
    explain,
    replay(environment),
    rates
  ])
