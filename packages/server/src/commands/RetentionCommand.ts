/** `pointsman retention`: records whose retention is over. */
import { Pointsman, type TenantSweep } from "@pointsman/core"
import { dayMillis, yearMillis } from "@pointsman/core/internal"
import { Directory } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { archiveOfFile } from "../ArchiveLayer.ts"
import type { Settings } from "../Settings.ts"
import { StartFailure } from "../StartFailure.ts"
import { actingAs, byFlag } from "./Actor.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { anyWorkspaceFlag, oneWorkspace } from "./Tenants.ts"
import { counted, timeOrNull } from "./Words.ts"

interface Order {
  readonly workspace: Option.Option<string>
  readonly isDryRun: boolean
  readonly by: Option.Option<string>
}

const sweep = Effect.fnUntraced(function* ({ by, isDryRun, workspace }: Order) {
  const pointsman = yield* Pointsman
  const contents = yield* (yield* Directory).contents
  const workspaceId = Option.isNone(workspace) ? undefined : yield* Effect.fromResult(oneWorkspace(contents, workspace))
  const { inPartitions, tenants } = yield* actingAs(by)(pointsman.sweepStore({ isDryRun, workspaceId }))
  return {
    dry_run: isDryRun,
    deliveries_in_partitions: inPartitions.deliveries,
    message_bodies_in_partitions: inPartitions.bodies,
    tenants: tenants.map(tenantView)
  }
})

const tenantView = (one: TenantSweep) => ({
  workspace_id: one.tenant.workspaceId,
  environment: one.tenant.environment,
  retention: {
    payments: durationText(one.retention.payments),
    deliveries: durationText(one.retention.deliveries),
    messages: durationText(one.retention.messages)
  },
  payments: one.payments,
  deliveries: one.deliveries,
  message_bodies: one.bodies,
  kept: one.kept,
  oldest_payment: timeOrNull(one.oldestPaymentAt),
  oldest_delivery: timeOrNull(one.oldestDeliveryAt),
  oldest_message_body: timeOrNull(one.oldestBodyAt)
})

/** As the configuration file says it. */
const durationText = (millis: number | null): string => {
  if (millis === null) return "off"
  return millis % yearMillis === 0 ? counted(millis / yearMillis, "year") : counted(millis / dayMillis, "day")
}

type View = Effect.Success<ReturnType<typeof sweep>>

/** What the counts of a dry run do not show. What is of one workspace, or in a cluster, leaves in batches. */
const monthsLine = ({ database }: Settings, { isDryRun, workspace }: Pick<Order, "isDryRun" | "workspace">) =>
  isDryRun && Option.isNone(workspace) && database._tag === "Postgres" && !database.isDistributed
    ? ["Deliveries and message bodies of the longest retention leave by whole months."]
    : []

const droppedLine = (kind: string, count: number): ReadonlyArray<string> =>
  count === 0 ? [] : [`${kind} removed with partitions of the database: about ${count}.`]

const sweepText = (
  { deliveries_in_partitions: deliveries, dry_run: isDryRun, message_bodies_in_partitions: bodies, tenants }: View,
  lines: ReadonlyArray<string>
): string | Text => {
  if (tenants.length === 0) return "The database has no workspaces."
  const rows = tenants.map((one) => [
    one.workspace_id,
    one.environment,
    one.payments,
    one.deliveries,
    one.message_bodies,
    one.oldest_payment?.slice(0, 10) ?? "none",
    Object.entries(one.kept)
      .map(([reason, count]) => `${count} ${reason}`)
      .join(", ") || "none"
  ])
  return paragraphs(
    `${isDryRun ? "Would be removed" : "Removed"}:`,
    table(["WORKSPACE", "ENVIRONMENT", "PAYMENTS", "DELIVERIES", "MESSAGE BODIES", "OLDEST PAYMENT", "KEPT OLD"], rows),
    ...lines,
    ...droppedLine("Deliveries", deliveries),
    ...droppedLine("Message bodies", bodies)
  )
}

const status = Command.make(
  "status",
  { workspace: anyWorkspaceFlag, json: jsonFlag, ...settingFlags(databaseSettings) },
  Effect.fnUntraced(function* ({ json, workspace, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* (opened) {
        const order = { workspace, isDryRun: true, by: Option.none() }
        const view = yield* sweep(order)
        yield* print(json, { data: view }, sweepText(view, monthsLine(opened, order)))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Show what would leave the database, by workspace and kind, how old the oldest of each kind is, and why old payments " +
      "are kept. On PostgreSQL, deliveries and message bodies of the longest retention leave by whole months."
  ),
  Command.withShortDescription("Show what would leave the database")
)

const archiveOrFlag = new StartFailure({
  message:
    "POINTSMAN_CONFIG (--config): expected the path of a configuration file with the field `archive`, to which payments " +
    "are written before they are removed, or --without-archive, to remove them for good. Nothing was removed."
})

/** `environment`: what the configuration file may refer to. With an archive in the file, payments go there first. */
const run = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make(
    "run",
    {
      workspace: anyWorkspaceFlag,
      dryRun: Flag.Boolean("dry-run").pipe(
        Flag.withDescription("Print what would be removed, and remove nothing"),
        Flag.withDefault(false),
        Flag.withoutNegation
      ),
      withoutArchive: Flag.Boolean("without-archive").pipe(
        Flag.withDescription("Remove payments for good if no configuration names an archive"),
        Flag.withDefault(false),
        Flag.withoutNegation
      ),
      by: byFlag,
      json: jsonFlag,
      ...settingFlags([...databaseSettings, "configuration"])
    },
    Effect.fnUntraced(function* ({ by, dryRun, json, withoutArchive, workspace, ...settings }) {
      yield* onDatabase(
        textsOf(settings),
        Effect.fnUntraced(function* (opened) {
          const { configuration } = opened
          if (!dryRun && !withoutArchive) {
            const archive = configuration === null ? undefined : yield* archiveOfFile(configuration, environment)
            if (archive === undefined) return yield* archiveOrFlag
          }
          const order = { workspace, isDryRun: dryRun, by }
          const view = yield* sweep(order)
          yield* print(json, { data: view }, sweepText(view, monthsLine(opened, order)))
        }),
        undefined,
        environment
      )
    })
  ).pipe(
    Command.withDescription(
      "Remove what the workspaces do not keep any longer: closed payments, webhook deliveries that have ended, and bodies " +
        "of provider messages. Payments are written to the archive of the configuration first. Servers do so every hour, " +
        "and may run meanwhile. It may be interrupted and run again."
    ),
    Command.withShortDescription("Remove records whose retention is over"),
    Command.withExamples([
      { command: "pointsman retention run --dry-run", description: "What would be removed" },
      {
        command: "pointsman retention run --config pointsman.json --workspace acme --by Jo",
        description: "Of one workspace"
      }
    ])
  )

export const retentionCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make("retention").pipe(
    Command.withDescription("Show or remove records whose retention is over: docs/guides/retention.md."),
    Command.withShortDescription("Show or remove records whose retention is over"),
    Command.withSubcommands([status, run(environment)])
  )
