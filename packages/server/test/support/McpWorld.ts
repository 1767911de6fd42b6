/** A server with two workspaces, its operators, and clients of `pointsman mcp` on its database. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { formatApiKey } from "@pointsman/core"
import { onTestFinished } from "vitest"
import { bundledMain } from "./Bundle.ts"
import { runHere, startHere } from "./CommandInProcess.ts"
import { documentOf } from "./CommandProcess.ts"
import { signInByLink } from "./ReadingRival.ts"
import { startServerHere } from "./ServerHere.ts"
import { temporaryFolder } from "./ServerProcess.ts"

const keyOf = (fill: number) => formatApiKey("sandbox", new Uint8Array(64).fill(fill))
const keys = { acme: keyOf(21), globex: keyOf(22) }
const workspace = (id: keyof typeof keys) => ({
  id,
  name: id,
  country: "NL",
  keys: [{ environment: "sandbox", secret: keys[id] }],
  connections: [{ id: `${id}-play`, environment: "sandbox", connector: "sandbox" }]
})

const roles = [
  ["root", "admin", undefined],
  ["ann", "operations", "acme"],
  ["jo", "support", "acme"],
  ["vic", "viewer", "acme"],
  ["gus", "support", "globex"]
] as const

export const token = "0123456789abcdef0123456789abcdef"

export interface ToolSaid {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
  readonly said: any
  readonly text: string
}

export const mcpWorld = async () => {
  const folder = temporaryFolder()
  const server = await startServerHere({
    folder,
    configuration: { workspaces: [workspace("acme"), workspace("globex")] }
  })
  const run = (...words: ReadonlyArray<string>) => runHere(folder, words)
  for (const [login, role, of] of roles) {
    const where = of === undefined ? [] : ["--workspace", of]
    await run("operators", "add", login, "--role", role, ...where, "--by", "root")
  }
  const connect = async (transport: StdioClientTransport | StreamableHTTPClientTransport) => {
    const client = new Client({ name: "a test", version: "1" })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    onTestFinished(() => client.close())
    return agentOf(client)
  }
  /** `pointsman mcp --port` in the test's own process. */
  const serve = async (login: string, ...flags: ReadonlyArray<string>) => {
    const words = ["mcp", "--operator", login, "--port", "0", "--by", "robot", ...flags]
    const running = startHere(folder, words, { POINTSMAN_MCP_TOKEN: token })
    onTestFinished(async () => void (await running.stop()))
    const [, url = ""] = await running.printed(/^Listening on (\S+)\.$/mu, "stderr")
    return { running, url }
  }
  let payments = 0
  return {
    folder,
    run,
    serve,
    pay: async (body: object = {}, of: keyof typeof keys = "acme"): Promise<string> => {
      payments += 1
      const { body: made } = await server.request("POST", "/api/v1/payments", {
        key: keys[of],
        idempotencyKey: `order-of-mcp-${payments}`,
        body: { amount: 1999, currency: "EUR", country: "NL", ...body }
      })
      return made.data.payment_id
    },
    read: async (id: string) => (await server.request("GET", `/api/v1/payments/${id}`, { key: keys.acme })).body.data,
    /** The simulator opens none. */
    dispute: (payment: string, record: object): string => {
      const id = "dp_01a1fe08-9226-7266-a33a-000000000001"
      const database = new DatabaseSync(join(folder, ".pointsman/pointsman.db"), { enableForeignKeyConstraints: false })
      const whole = {
        ...{ id, paymentId: payment, attemptId: "att_1", connectionId: "acme-play", providerRef: null },
        ...{ providerDisputeId: "du_1", status: "needs_response", money: { minorUnits: 1999, currency: "EUR" } },
        ...{ reason: "fraudulent", providerReason: null, evidenceDueBy: 1_900_000_000_000, evidenceSubmittedAt: null },
        ...{ remindedDays: null, evidence: null, submissions: [], createdAt: 1, updatedAt: 1, checkAt: null },
        ...record
      }
      database
        .prepare(
          "insert into disputes (workspace_id, environment, payment_id, id, status, record) values ('acme', 'sandbox', ?, ?, ?, ?)"
        )
        .run(payment, id, whole.status, JSON.stringify(whole))
      database.close()
      return id
    },
    /** Of what agents did: action and actor. */
    trail: async (): Promise<ReadonlyArray<readonly [action: string, actor: string]>> =>
      documentOf(await run("audit", "list", "--json"))
        .data.filter(({ via }: { readonly via: string }) => via === "mcp")
        .map(({ action, actor }: { readonly action: string; readonly actor: string }) => [action, actor]),
    /** What an operator does in the console. */
    console: async (login: string) => {
      const cookie = await signInByLink(server.url, await run("operators", "link", login, "--by", "root"))
      const headers = { "content-type": "application/json", origin: server.url, cookie }
      return (path: string) =>
        fetch(`${server.url}/console/api/workspaces/acme/sandbox${path}`, { method: "POST", headers })
    },
    /** Over streamable HTTP. */
    agent: async (login: string, ...flags: ReadonlyArray<string>) => {
      const { url } = await serve(login, ...flags)
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    },
    /** Over standard input and output, as the program of a process. */
    program: (login: string, ...flags: ReadonlyArray<string>) =>
      connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [bundledMain, "mcp", "--operator", login, "--by", "robot", ...flags],
          cwd: folder,
          env: { PATH: process.env["PATH"] ?? "" },
          stderr: "pipe"
        })
      )
  }
}

const agentOf = (client: Client) => ({
  client,
  tools: async (): Promise<ReadonlyArray<string>> => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name: string, given: Record<string, unknown> = {}): Promise<ToolSaid> => {
    const { content, isError = false } = await client.callTool({ name, arguments: given })
    const [{ text }] = content as [{ readonly text: string }]
    return { isError: isError === true, said: JSON.parse(text), text }
  }
})
