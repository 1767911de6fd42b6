/**
 * A key that is revoked through one server moves no money through any other from then on (a commit asks for its key by
 * itself), and is believed for reads for as long as a copy of the configuration may be: a second, where no word arrives.
 */
import { randomUUID } from "node:crypto"
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, query, sharedPostgres } from "./support/PostgresServer.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"
const keyOf = (byte: number) => formatApiKey("sandbox", new Uint8Array(64).fill(byte))

/** By workspace: a key that is revoked, and one that may read the outcome. */
const keys = {
  told: { leaving: keyOf(1), staying: keyOf(2) },
  untold: { leaving: keyOf(3), staying: keyOf(4) }
} as const
type Workspace = keyof typeof keys

const configurationOf = (without?: Workspace) => ({
  workspaces: Object.entries(keys).map(([id, { leaving, staying }]) => ({
    id,
    country: "NL",
    keys: [
      ...(id === without ? [] : [{ environment: "sandbox", secret: leaving }]),
      { environment: "sandbox", secret: staying, scopes: ["payments:read"] }
    ],
    connections: [{ id: `${id}-main`, environment: "sandbox", connector: "sandbox" }]
  }))
})

/** How long a copy of the configuration is used without asking, in milliseconds. */
const copyMillis = 1_000

describe.skipIf(sharedPostgres.url === "")("a key that is revoked on one of three servers", () => {
  /** Payments that the key could still move money of: for each server one to capture, one to void, one to refund. */
  const prepare = (servers: ReadonlyArray<ServerHere>, key: string) =>
    Promise.all(
      servers.map(async (server) => {
        const ids: Array<string> = []
        for (const capture_method of ["manual", "manual", "automatic"]) {
          const made = await pay(server, randomUUID(), { capture_method }, key)
          assert.strictEqual(made.status, 201)
          ids.push(made.body.data.payment_id)
        }
        return { server, ids }
      })
    )

  const assertStopped = async (
    prepared: Awaited<ReturnType<typeof prepare>>,
    { leaving, staying }: (typeof keys)[Workspace]
  ) => {
    const answers = await Promise.all(
      prepared.flatMap(({ ids: [held, released, taken], server }) => [
        pay(server, randomUUID(), {}, leaving),
        ...[`${held}/capture`, `${released}/void`, `${taken}/refunds`].map((at) =>
          server.request("POST", `${path}/${at}`, { key: leaving, body: {} })
        )
      ])
    )
    assert.deepStrictEqual(each(answers, "status"), Array(4 * prepared.length).fill(401))
    for (const { server, ids } of prepared) {
      const { data } = (await server.request("GET", `${path}?limit=100`, { key: staying })).body
      assert.lengthOf(data, 3 * prepared.length)
      const statusOf = new Map(data.map(({ id, status }: Record<string, string>) => [id, status]))
      assert.deepStrictEqual(
        ids.map((id) => statusOf.get(id)),
        ["AUTHORIZED", "AUTHORIZED", "CAPTURED"]
      )
    }
  }

  const read = async (servers: ReadonlyArray<ServerHere>, key: string) =>
    Promise.all(servers.map(async (server) => (await server.request("GET", `${path}?limit=1`, { key })).status))

  it("two servers refuse a revoked key at once for money, and in a second for reads", async () => {
    const [folder, url] = [temporaryFolder(), await newDatabase()]
    const moved = makeMovedClock()
    const start = (without?: Workspace) =>
      startServerHere({
        folder,
        configuration: configurationOf(without),
        environment: { ...environmentOn(url), POINTSMAN_RATE_LIMIT: "off" },
        clock: moved.clock
      })
    const both = await Promise.all([start(), start()])

    // While time stands, no copy becomes too old: the word of it ends the reads.
    const told = await prepare(both, keys.told.leaving)
    moved.hold()
    assert.deepStrictEqual(await read(both, keys.told.leaving), [200, 200])
    await start("told")
    await assertStopped(told, keys.told)
    await until("both heard of it", async () => (await read(both, keys.told.leaving)).join() === "401,401")

    // As a server does it, but for the word that is sent to the others.
    const untold = await prepare(both, keys.untold.leaving)
    assert.deepStrictEqual(await read(both, keys.untold.leaving), [200, 200])
    await query(
      url,
      `with told as (update directory_version set version = version + 1)
        update api_keys set revoked_at = ${Date.now()} where workspace_id = 'untold' and scopes is null`
    )
    assert.deepStrictEqual(await read(both, keys.untold.leaving), [200, 200])
    await assertStopped(untold, keys.untold)
    moved.push(copyMillis)
    assert.deepStrictEqual(await read(both, keys.untold.leaving), [401, 401])
  })
})
