/**
 * A key that is revoked through one server moves no money through any other from then on (a commit asks for its key by
 * itself), and is believed for reads for as long as a copy of the configuration may be: a second, where no word arrives.
 */
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { environmentOn, newDatabase, query, sharedPostgres } from "./support/PostgresServer.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

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

/** How long a copy of the configuration is used without asking, and what a busy machine adds. In milliseconds. */
const copyMillis = 1_000
const slackMillis = 500

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

describe.skipIf(sharedPostgres.url === "")("a key that is revoked on one of three servers", () => {
  /** Payments that the key could still move money of: for each server one to capture, one to void, one to refund. */
  const prepare = async (servers: ReadonlyArray<ServerHere>, key: string) =>
    Promise.all(
      servers.map(async (server) => {
        const create = async (capture_method: string): Promise<string> => {
          const body = { amount: 1000, currency: "EUR", country: "NL", capture_method }
          const { body: answer, status } = await server.request("POST", path, { key, body })
          assert.strictEqual(status, 201)
          return answer.data.payment_id
        }
        const [held, released, taken] = [await create("manual"), await create("manual"), await create("automatic")]
        return { server, held, released, taken }
      })
    )

  const assertStopped = async (
    prepared: Awaited<ReturnType<typeof prepare>>,
    { leaving, staying }: (typeof keys)[Workspace]
  ) => {
    const answers = await Promise.all(
      prepared.flatMap(({ held, released, server, taken }) =>
        [path, `${path}/${held}/capture`, `${path}/${released}/void`, `${path}/${taken}/refunds`].map(async (at) => {
          const body = at === path ? { amount: 1000, currency: "EUR", country: "NL" } : {}
          const answer = await server.request("POST", at, { key: leaving, body })
          return `${answer.status} ${answer.body.error?.code}`
        })
      )
    )
    assert.deepStrictEqual(answers, Array(4 * prepared.length).fill("401 unauthorized"))
    for (const { held, released, server, taken } of prepared) {
      const statusOf = async (id: string) =>
        (await server.request("GET", `${path}/${id}`, { key: staying })).body.data.status
      assert.deepStrictEqual(
        [await statusOf(held), await statusOf(released), await statusOf(taken)],
        ["AUTHORIZED", "AUTHORIZED", "CAPTURED"]
      )
      const { body } = await server.request("GET", `${path}?limit=100`, { key: staying })
      assert.lengthOf(body.data, 3 * prepared.length)
    }
  }

  /** Reads with the key at each server until it is refused; gives when the last read that was served began. */
  const lastServed = async (servers: ReadonlyArray<ServerHere>, key: string): Promise<ReadonlyArray<number>> =>
    Promise.all(
      servers.map(async (server) => {
        let last = 0
        // Bounded by the time that the test allows.
        for (;;) {
          const began = Date.now()
          const { status } = await server.request("GET", `${path}?limit=1`, { key })
          if (status === 401) return last
          assert.strictEqual(status, 200)
          last = began
          await pause(2)
        }
      })
    )

  it("given two servers with a copy of it, when a third one revokes it, then both refuse at once what moves money, and reads within a second", async () => {
    const [folder, url] = [temporaryFolder(), await newDatabase()]
    const start = (without?: Workspace) =>
      startServerHere({
        folder,
        configuration: configurationOf(without),
        environment: { ...environmentOn(url), POINTSMAN_RATE_LIMIT: "off" }
      })
    const both = await Promise.all([start(), start()])
    const revokedAt = async (workspace: Workspace) => {
      const [row] = await query(
        url,
        `select revoked_at::text as at from api_keys where workspace_id = '${workspace}' and scopes is null`
      )
      return Number(row?.["at"])
    }

    const told = await prepare(both, keys.told.leaving)
    const reads = lastServed(both, keys.told.leaving)
    await start("told")
    await assertStopped(told, keys.told)
    const toldAt = await revokedAt("told")
    const toldMillis = (await reads).map((last) => Math.max(0, last - toldAt))

    // As a server does it, but for the word that is sent to the others.
    const untold = await prepare(both, keys.untold.leaving)
    const readsUntold = lastServed(both, keys.untold.leaving)
    await pause(100)
    await query(
      url,
      `with told as (update directory_version set version = version + 1)
        update api_keys set revoked_at = ${Date.now()} where workspace_id = 'untold' and scopes is null`
    )
    await assertStopped(untold, keys.untold)
    const untoldAt = await revokedAt("untold")
    const untoldMillis = (await readsUntold).map((last) => Math.max(0, last - untoldAt))

    process.stdout.write(
      `a revoked key: milliseconds for which reads were served: ${toldMillis.join(", ")}; ` +
        `where no word arrived: ${untoldMillis.join(", ")}\n`
    )
    for (const millis of [...toldMillis, ...untoldMillis]) assert.isBelow(millis, copyMillis + slackMillis)
  })
})
