/** `pointsman archive run`: what retention does in the background, now. */
import { Pointsman, type Tenant } from "@pointsman/core"
import { Console, Option } from "effect"
import { archiveOfFile } from "../ArchiveLayer.ts"
import { switchFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { archiveMissing, type Variables } from "./OnArchive.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import { print } from "./Output.ts"
import { type Text, table } from "./Table.ts"
import { anyWorkspaceFlag, workspaceOf } from "./Tenants.ts"

export const runArchive = (environment: Variables) =>
  databaseCommand(
    {
      name: "run",
      short: "Archive and remove payments whose retention is over",
      long:
        "Do now what the server does every hour: write the closed payments whose retention is over to the archive, and remove " +
        "them from the database. Deliveries and bodies of messages whose retention is over are removed too. Servers may run " +
        "meanwhile. It may be interrupted and run again.",
      examples: {
        "pointsman archive run --config pointsman.json --dry-run": "What would leave",
        "pointsman archive run --config pointsman.json": "Archive it and remove it"
      },
      isAudited: true,
      settings: [...databaseSettings, "configuration"],
      environment,
      flags: {
        workspace: anyWorkspaceFlag,
        dryRun: switchFlag("dry-run", "Print what would leave, and write nothing")
      }
    },
    function* ({ dryRun: isDryRun, workspace }, { json, settings: { configuration } }) {
      const archive = configuration === null ? undefined : yield* archiveOfFile(configuration, environment)
      if (archive === undefined) return yield* archiveMissing
      const pointsman = yield* Pointsman
      const workspaceId = Option.isNone(workspace) ? undefined : yield* workspaceOf(workspace)
      const { tenants } = yield* pointsman.sweepStore({ isDryRun, workspaceId })
      const rows = tenants.map(({ payments, tenant }) => ({ tenant, payments })).filter(({ payments }) => payments > 0)
      yield* print(
        json,
        { data: { dry_run: isDryRun, tenants: rows.map(rowView) } },
        rows.length === 0 ? "" : rowsText(rows, isDryRun)
      )
      if (!json && rows.length === 0) yield* Console.error("No payments leave the store.")
    }
  )

interface Row {
  readonly tenant: Tenant
  readonly payments: number
}

const rowView = ({ payments, tenant }: Row) => ({
  workspace_id: tenant.workspaceId,
  environment: tenant.environment,
  payments
})

const rowsText = (rows: ReadonlyArray<Row>, isDryRun: boolean): Text =>
  table(
    ["WORKSPACE", "ENVIRONMENT", isDryRun ? "WOULD LEAVE" : "ARCHIVED"],
    rows.map(({ payments, tenant }) => [tenant.workspaceId, tenant.environment, payments])
  )
