/** `pointsman archive run`: what retention does in the background, now. */
import { Pointsman, type Tenant } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { archiveOfFile } from "../ArchiveLayer.ts"
import { actingAs, byFlag } from "./Actor.ts"
import { archiveMissing, type Variables } from "./OnArchive.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { type Text, table } from "./Table.ts"
import { anyWorkspaceFlag, oneWorkspace } from "./Tenants.ts"

export const runArchive = (variables: Variables) =>
  Command.make(
    "run",
    {
      workspace: anyWorkspaceFlag,
      dryRun: Flag.Boolean("dry-run").pipe(
        Flag.withDescription("Print what would leave, and write nothing"),
        Flag.withDefault(false),
        Flag.withoutNegation
      ),
      by: byFlag,
      json: jsonFlag,
      ...settingFlags([...databaseSettings, "configuration"])
    },
    Effect.fnUntraced(function* ({ by, dryRun: isDryRun, json, workspace, ...texts }) {
      yield* onDatabase(
        textsOf(texts),
        Effect.fnUntraced(function* ({ configuration }) {
          const archive = configuration === null ? undefined : yield* archiveOfFile(configuration, variables)
          if (archive === undefined) return yield* archiveMissing
          const pointsman = yield* Pointsman
          const contents = yield* (yield* Directory).contents
          const workspaceId = Option.isNone(workspace)
            ? undefined
            : yield* Effect.fromResult(oneWorkspace(contents, workspace))
          const { tenants } = yield* actingAs(by)(pointsman.sweepStore({ isDryRun, workspaceId }))
          const rows = tenants
            .map(({ payments, tenant }) => ({ tenant, payments }))
            .filter(({ payments }) => payments > 0)
          yield* print(
            json,
            { data: { dry_run: isDryRun, tenants: rows.map(rowView) } },
            rows.length === 0 ? "" : rowsText(rows, isDryRun)
          )
          if (!json && rows.length === 0) yield* Console.error("No payments leave the store.")
        }),
        undefined,
        variables
      )
    })
  ).pipe(
    Command.withDescription(
      "Do now what the server does every hour: write the closed payments whose retention is over to the archive, and remove " +
        "them from the database. Deliveries and bodies of messages whose retention is over are removed too. Servers may run " +
        "meanwhile. It may be interrupted and run again."
    ),
    Command.withShortDescription("Archive and remove payments whose retention is over"),
    Command.withExamples([
      { command: "pointsman archive run --config pointsman.json --dry-run", description: "What would leave" },
      { command: "pointsman archive run --config pointsman.json", description: "Archive it and remove it" }
    ])
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
