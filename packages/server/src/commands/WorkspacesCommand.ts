/** `pointsman workspaces`: who is served here, and what they have. */
import type { Environment, Workspace } from "@pointsman/core"
import { Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { argument, commandGroup } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { print } from "./Output.ts"
import { facts, shortened, type Text, table } from "./Table.ts"
import { oneWorkspace } from "./Tenants.ts"
import { counted } from "./Words.ts"

const list = databaseCommand(
  {
    name: "list",
    short: "List the workspaces",
    long: "List the workspaces by id, including those of partners' sub-merchants.",
    flags: {}
  },
  function* (_, { json }) {
    const contents = yield* (yield* Directory).contents
    const counts = countsOf(contents)
    const workspaces = contents.workspaces.map((workspace) => workspaceView(workspace, counts))
    yield* print(json, { data: workspaces }, workspaces.length === 0 ? "" : workspacesText(workspaces))
    if (!json && workspaces.length === 0) yield* Console.error("The database has no workspaces.")
  }
)

const show = databaseCommand(
  {
    name: "show",
    short: "Show one workspace",
    long: "Show a workspace, with its numbers of active keys and active connections.",
    examples: { "pointsman workspaces show acme": "One workspace" },
    flags: { workspace: argument("workspace", "The workspace's id") }
  },
  function* ({ workspace: id }, { json }) {
    const contents = yield* (yield* Directory).contents
    const found = yield* Effect.fromResult(oneWorkspace(contents, Option.some(id)))
    const counts = countsOf(contents)
    for (const workspace of contents.workspaces.filter((one) => one.id === found)) {
      const view = workspaceView(workspace, counts)
      yield* print(json, { data: view }, workspaceText(view))
    }
  }
)

export const workspacesCommand = commandGroup(
  "workspaces",
  { short: "List and show workspaces", long: "List and show workspaces. A workspace is one merchant." },
  [list, show]
)

const kinds = ["keys", "connections", "webhooks"] as const

interface Counts {
  readonly keys: number
  readonly connections: number
  readonly webhooks: number
}

const none: Counts = { keys: 0, connections: 0, webhooks: 0 }

type CountsOf = (workspaceId: string, environment: Environment) => Counts

/** Keys that work, active connections, active webhook endpoints. In one walk: a partner has thousands of workspaces. */
const countsOf = ({ apiKeys, connections, webhookEndpoints }: DirectoryContents): CountsOf => {
  const counts = new Map<string, Counts>()
  const place = (workspaceId: string, environment: Environment) => `${environment} ${workspaceId}`
  const alive = {
    keys: apiKeys.filter(({ revokedAt }) => revokedAt === null),
    connections: connections.filter(({ active }) => active),
    webhooks: webhookEndpoints.filter(({ active }) => active)
  }
  for (const kind of kinds) {
    for (const { environment, workspaceId } of alive[kind]) {
      const at = place(workspaceId, environment)
      const before = counts.get(at) ?? none
      counts.set(at, { ...before, [kind]: before[kind] + 1 })
    }
  }
  return (workspaceId, environment) => counts.get(place(workspaceId, environment)) ?? none
}

const workspaceView = ({ category, country, id, name, partner, suspended }: Workspace, counts: CountsOf) => ({
  id,
  name,
  country,
  category,
  suspended,
  /** How many sub-merchants it may have; `null` for one that is no partner. */
  partner_allowance: partner?.allowance ?? null,
  sandbox: counts(id, "sandbox"),
  production: counts(id, "production")
})

type WorkspaceView = ReturnType<typeof workspaceView>

const yesOrNo = (is: boolean): string => (is ? "yes" : "no")

const workspacesText = (workspaces: ReadonlyArray<WorkspaceView>): Text =>
  table(
    ["WORKSPACE", shortened("NAME"), "COUNTRY", "CATEGORY", "SUSPENDED", "PARTNER OF", "SANDBOX", "PRODUCTION"],
    workspaces.map((one) => [
      one.id,
      one.name,
      one.country,
      one.category,
      yesOrNo(one.suspended),
      one.partner_allowance,
      countsText(one.sandbox),
      countsText(one.production)
    ])
  )

const workspaceText = (one: WorkspaceView): Text =>
  facts([
    ["Workspace", one.id],
    ["Name", one.name],
    ["Country", one.country],
    ["Category", one.category],
    ["Suspended", yesOrNo(one.suspended)],
    ["Partner", one.partner_allowance === null ? "no" : `of at most ${counted(one.partner_allowance, "merchant")}`],
    ["Sandbox", countsText(one.sandbox)],
    ["Production", countsText(one.production)]
  ])

const countsText = ({ connections, keys, webhooks }: Counts): string =>
  [counted(keys, "key"), counted(connections, "connection"), counted(webhooks, "webhook")].join(", ")
