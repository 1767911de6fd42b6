/** `pointsman retention`: records whose retention is over. */
import { Pointsman, type TenantSweep } from "@pointsman/core"
import { dayMillis, yearMillis } from "@pointsman/core/internal"
import { Effect, Option } from "effect"
import { archiveOfFile } from "../ArchiveLayer.ts"
import type { Settings } from "../Settings.ts"
import { StartFailure } from "../StartFailure.ts"
import { commandGroup, switchFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import { print } from "./Output.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { anyWorkspaceFlag, workspaceOf } from "./Tenants.ts"
import { counted, timeOrNull } from "./Words.ts"

interface Order {
  readonly workspace: Option.Option<string>
  readonly isDryRun: boolean
}

const sweep = Effect.fnUntraced(function* ({ isDryRun, workspace }: Order) {
  const pointsman = yield* Pointsman
  const workspaceId = Option.isNone(workspace) ? undefined : yield* workspaceOf(workspace)
  const { inPartitions, tenants } = yield* pointsman.sweepStore({ isDryRun, workspaceId })
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
const monthsLine = ({ database }: Settings, { isDryRun, workspace }: Order) =>
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

const status = databaseCommand(
  {
    name: "status",
    short: "Show what would leave the database",
    long:
      "Show what would leave the database, by workspace and kind, how old the oldest of each kind is, and why old payments " +
      "are kept. On PostgreSQL, deliveries and message bodies of the longest retention leave by whole months.",
    flags: { workspace: anyWorkspaceFlag }
  },
  function* ({ workspace }, { json, settings: opened }) {
    const order = { workspace, isDryRun: true }
    const view = yield* sweep(order)
    yield* print(json, { data: view }, sweepText(view, monthsLine(opened, order)))
  }
)

const archiveOrFlag = new StartFailure({
  message:
    "POINTSMAN_CONFIG (--config): expected the path of a configuration file with the field `archive`, to which payments " +
    "are written before they are removed, or --without-archive, to remove them for good. Nothing was removed."
})

/** `environment`: what the configuration file may refer to. With an archive in the file, payments go there first. */
const run = (environment: Readonly<Record<string, string | undefined>>) =>
  databaseCommand(
    {
      name: "run",
      short: "Remove records whose retention is over",
      long:
        "Remove what the workspaces do not keep any longer: closed payments, webhook deliveries that have ended, and bodies " +
        "of provider messages. Payments are written to the archive of the configuration first. Servers do so every hour, " +
        "and may run meanwhile. It may be interrupted and run again.",
      examples: {
        "pointsman retention run --dry-run": "What would be removed",
        "pointsman retention run --config pointsman.json --workspace acme --by Jo": "Of one workspace"
      },
      isAudited: true,
      settings: [...databaseSettings, "configuration"],
      environment,
      flags: {
        workspace: anyWorkspaceFlag,
        dryRun: switchFlag("dry-run", "Print what would be removed, and remove nothing"),
        withoutArchive: switchFlag("without-archive", "Remove payments for good if no configuration names an archive")
      }
    },
    function* ({ dryRun, withoutArchive, workspace }, { json, settings }) {
      const { configuration } = settings
      if (!dryRun && !withoutArchive) {
        const archive = configuration === null ? undefined : yield* archiveOfFile(configuration, environment)
        if (archive === undefined) return yield* archiveOrFlag
      }
      const order = { workspace, isDryRun: dryRun }
      const view = yield* sweep(order)
      yield* print(json, { data: view }, sweepText(view, monthsLine(settings, order)))
    }
  )

export const retentionCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  commandGroup(
    "retention",
    {
      short: "Show or remove records whose retention is over",
      long: "Show or remove records whose retention is over: docs/guides/retention.md."
    },
    [status, run(environment)]
  )
