/**
 * `pointsman mcp` as the official inspector's client uses it: https://modelcontextprotocol.io/docs/tools/inspector. The client
 * of its first version, which installs without the inspector's web application.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"
import { bundledMain } from "./support/Bundle.ts"
import { mcpWorld } from "./support/McpWorld.ts"
import { each } from "./support/ServerProcess.ts"

const tool = fileURLToPath(new URL("../../../scripts/tool.mjs", import.meta.url))

it.skipIf(process.env["POINTSMAN_TOOLS"] !== "all")(
  "the inspector's client accepts every answer to its list and calls",
  async () => {
    const world = await mcpWorld()
    const payment = await world.pay({ reference: "order-1001" })
    const dispute = world.dispute(payment, {})
    const inspect = async (...words: ReadonlyArray<string>) => {
      const database = `sqlite:${join(world.folder, ".pointsman/pointsman.db")}`
      const server = ["mcp", "--operator", "root", "--allow-write", "--database-url", database]
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [tool, "mcp-inspector-cli", "--cli", process.execPath, bundledMain, ...server, ...words],
        // It looks for its name in the manifest above its working folder.
        { cwd: import.meta.dirname }
      )
      return JSON.parse(stdout)
    }
    const given: Readonly<Record<string, ReadonlyArray<string>>> = {
      find_payments: ["text=order-1001", "limit=5"],
      show_payment: [`payment=${payment}`],
      explain_routing: [`payment=${payment}`],
      list_reviews: [],
      list_disputes: [],
      show_dispute: [`dispute=${dispute}`],
      connection_health: [],
      draft_refund: [`payment=${payment}`, "amount=500", "reason=returned"]
    }
    const { tools } = await inspect("--method", "tools/list")
    assert.deepStrictEqual(each(tools, "name"), Object.keys(given))
    for (const [name, fields] of Object.entries(given)) {
      const words = [...fields, "workspace=acme", "environment=sandbox"].flatMap((field) => ["--tool-arg", field])
      const { content, isError } = await inspect("--method", "tools/call", "--tool-name", name, ...words)
      assert.isFalse(isError, `${name}: ${content[0].text}`)
    }
  },
  120_000
)
