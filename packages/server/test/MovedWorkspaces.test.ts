/**
 * Workspaces move between the nodes of a cluster while two servers take payments: nothing is lost, nothing is charged twice,
 * and no answer is late. On a cluster of its own (`POINTSMAN_CITUS=all POINTSMAN_LONG=all`).
 */
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it, onTestFinished } from "vitest"
import { missingCitus, startCluster } from "../../storage/citus/test/support/CitusCluster.ts"
import { documentOf, runCommand } from "./support/CommandProcess.ts"
import { connectionTo } from "./support/Configurations.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { isLong } from "./support/LongRuns.ts"
import { startBookedLoad } from "./support/load/BookedLoad.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const missing = missingCitus() ?? (process.env["POINTSMAN_CITUS_URL"] ? "they need a cluster of their own" : undefined)
if (isLong && missing !== undefined) {
  process.stderr.write(`server: moves of workspaces in a cluster are left out: ${missing}\n`)
}

const merchants = ["acme", "bravo", "cedar", "delta", "ember", "fjord"].map((id, number) => ({
  id,
  key: formatApiKey("production", new Uint8Array(64).fill(20 + number))
}))

const configurationOn = (provider: ScriptedProvider) => ({
  workspaces: merchants.map(({ id, key }) => ({
    id,
    name: id,
    country: "NL",
    keys: [{ environment: "production", secret: key }],
    connections: [connectionTo(provider, `${id}-main`)],
    routing: { production: { mode: "failover", order: [`${id}-main`] } }
  }))
})

/** How much later than usual an answer may come: so long a write waits for a move before it is refused, in `RunFunction.ts`. */
const lateMillis = 5_000

const usualMillis = 6_000

const startWorld = async () => {
  const cluster = await startCluster(["citus.shard_count = 8"])
  onTestFinished(cluster.stop)
  const provider = await startProvider({ looksUpOperations: true })
  const folder = temporaryFolder()
  const environmentAt = (node: number) => {
    const url = new URL(cluster.url)
    url.port = new URL(cluster.nodes[node] as string).port
    return {
      POINTSMAN_DATABASE_URL: url.href,
      POINTSMAN_DATABASE_DISTRIBUTED: "citus",
      POINTSMAN_ENCRYPTION_KEY: encryptionKeyOf("server"),
      POINTSMAN_RATE_LIMIT: "off"
    }
  }
  const configuration = configurationOn(provider)
  // The first one makes the tables.
  const atCoordinator = await startServer({ folder, configuration, environment: environmentAt(0) })
  const atWorker = await startServer({ folder, configuration, environment: environmentAt(1) })
  const command = async (...words: ReadonlyArray<string>) =>
    documentOf(await runCommand(folder, ["shards", ...words, "--json"], environmentAt(1))).data
  const nodeOf = async (workspace: string): Promise<string> =>
    (await command("list", "--workspace", workspace)).shard_groups[0].node
  const workers = cluster.nodes.slice(1).map((node) => new URL(node).host)
  const otherThan = (node: string) => workers.find((one) => one !== node) as string
  const fail = (...words: ReadonlyArray<string>) => runCommand(folder, ["shards", ...words], environmentAt(1))
  const load = startBookedLoad(merchants, [atCoordinator, atWorker])
  // Before the servers that it asks.
  onTestFinished(load.stop)
  return { cluster, command, fail, load, nodeOf, otherThan, provider, workers }
}

describe.skipIf(!isLong || missing !== undefined)("workspaces that move under load", { timeout: 300_000 }, () => {
  it("books agree and no answer is late when workspaces and workers move", async () => {
    const { cluster, command, fail, load, nodeOf, otherThan, provider, workers } = await startWorld()
    await new Promise((resolve) => setTimeout(resolve, usualMillis))
    const usual = load.takeSlowest()
    const tell = (line: string) => process.stderr.write(`moved workspaces: ${line}\n`)
    tell(`usual: slowest ${usual.millis.toFixed(0)} ms ${usual.request}`)
    const late: Array<string> = []
    const during = async <A>(what: string, act: () => Promise<A>): Promise<A> => {
      const [began, before] = [performance.now(), load.answers()]
      const result = await act()
      await load.paysOn()
      const { millis, request } = load.takeSlowest()
      const took = `${((performance.now() - began) / 1000).toFixed(1)} s, ${load.answers() - before} answers`
      const line = `${what}: ${took}, slowest ${millis.toFixed(0)} ms ${request}`
      tell(line)
      if (millis > usual.millis + lateMillis) late.push(line)
      return result
    }

    const from = await nodeOf("acme")
    const to = otherThan(from)
    const isolated = await during("isolate and move", () => command("isolate", "--workspace", "acme", "--to", to))
    assert.include(isolated, { workspace_id: "acme", isolated: true, moved: true, from, to })
    assert.deepStrictEqual(isolated.workspaces, ["acme"])
    const again = await command("isolate", "--workspace", "acme", "--to", to)
    assert.include(again, { isolated: false, moved: false, to })

    const bravo = await nodeOf("bravo")
    const moved = await during("move", () => command("move", "--workspace", "bravo", "--to", otherThan(bravo)))
    assert.include(moved, { moved: true, from: bravo, to: otherThan(bravo) })
    await during("move back", () => command("move", "--shard", String(moved.shard), "--to", bravo))

    const added = await during("add a worker", () => cluster.addWorker())
    const rebalanced = await during("rebalance", () => command("rebalance"))
    assert.strictEqual(rebalanced.state, "finished")
    assert.isAbove(rebalanced.moves.done, 0)
    const after = await command("list")
    const groupsAt = (node: string) =>
      after.shard_groups.filter((group: { readonly node: string }) => group.node === node)
    // One more is the copy of the tables that every node has.
    assert.isAbove(groupsAt(added).length, 0)

    // A node whose only shards are those of one workspace.
    await during("a node of its own", async () => {
      for (const { shard } of groupsAt(added))
        await command("move", "--shard", String(shard), "--to", workers[0] as string)
      await command("isolate", "--workspace", "cedar", "--to", added)
    })
    const drained = await during("empty a worker", () => command("rebalance", "--drain", workers[0] as string))
    assert.strictEqual(drained.state, "finished")
    const left = (await command("list")).nodes.find((one: { readonly node: string }) => one.node === workers[0])
    assert.include(left, { takes_shards: false, shard_groups: 0, workspaces: 0 })

    const refusals = [
      [
        ["move", "--workspace", "acme", "--to", "10.0.0.9:1"],
        /^No node "10\.0\.0\.9:1" in the cluster: expected one of 127/u
      ],
      [["move", "--workspace", "acme", "--to", workers[0] as string], /takes no shards: expected one of 127/u],
      [["move", "--workspace", "nobody", "--to", added], /^No workspace "nobody"/u],
      [["move", "--shard", "1", "--to", added], /^No shard group 1/u]
    ] as const
    for (const [words, expected] of refusals) {
      const { code, stderr } = await fail(...words)
      assert.strictEqual(code, 1)
      assert.match(stderr, expected)
    }
    await load.stop()
    tell(`${load.answers()} answers, ${load.paid.length} payments, sent again: ${JSON.stringify([...load.repeated])}`)
    assert.deepStrictEqual(load.wrong, [])
    assert.deepStrictEqual(late, [])
    await load.compare(provider)
  })
})
