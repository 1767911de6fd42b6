/**
 * Servers of two releases on one PostgreSQL: this one, and a next one whose schema has one more step. Clients pay all the
 * time, and a balancer sends them to the servers that are ready.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import type { Step } from "../../storage/postgres/src/Migrations.ts"
import { isLong } from "./support/LongRuns.ts"
import { nextRelease, nextSchema } from "./support/NextRelease.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { runServer, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const body = { amount: 1000, currency: "EUR", country: "NL", capture_method: "manual" }

/** A column with each table that a payment writes, and a table. */
const additive = {
  additive: [
    ...["payments", "attempts", "operations", "refunds", "claims", "events", "connections"].map(
      (table) => `alter table ${table} add column next_release text`
    ),
    "create table next_release (id text primary key)"
  ]
}
const incompatible = ["alter table payments add column next_release text"]

const optionsOn = (url: string, step?: Step) => ({
  folder: temporaryFolder(),
  environment: {
    ...environmentOn(url),
    POINTSMAN_RATE_LIMIT: "off",
    ...(step === undefined ? {} : nextRelease(step))
  }
})

const ready = (server: ServerProcess) => server.request("GET", "/health/ready", { key: null })

const within = async (holds: () => Promise<boolean>): Promise<void> => {
  const until = Date.now() + 20_000
  while (!(await holds()) && Date.now() < until) await sleep(50)
}

/** Clients that create, capture and refund, one payment after the other, at a server of `serving`. */
const paying = (serving: () => ReadonlyArray<ServerProcess>) => {
  const failed: Array<string> = []
  let paid = 0
  let isOver = false
  const ask = async (what: string, asked: object) => {
    const servers = serving()
    const server = servers[paid % servers.length] as ServerProcess
    const answer = await server
      .request("POST", `${path}${what}`, { idempotencyKey: crypto.randomUUID(), body: asked })
      .catch((cause) => ({ status: 0, body: String(cause) }))
    if (answer.status !== 200 && answer.status !== 201) {
      failed.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    return answer.body
  }
  const client = async () => {
    while (!isOver && failed.length === 0) {
      const { data } = await ask("", body)
      await ask(`/${data?.id}/capture`, {})
      await ask(`/${data?.id}/refunds`, { amount: 400 })
      paid++
    }
  }
  const clients = Array.from({ length: 4 }, client)
  const end = async () => {
    isOver = true
    await Promise.all(clients)
    return failed
  }
  /** Once so many more payments were made. */
  const more = async (count: number) => {
    const enough = paid + count
    await within(async () => paid >= enough || failed.length > 0)
    assert.deepStrictEqual(failed, [])
    assert.isAtLeast(paid, enough)
  }
  return { end, more }
}

describe.skipIf(!isLong || postgresMissing !== undefined)("an upgrade on PostgreSQL", () => {
  it("given an additive step, when a server of the next release takes over, then no request fails, and there is a way back", async () => {
    const url = await newDatabase()
    const before = await startServer(optionsOn(url))
    let serving = [before]
    const payments = paying(() => serving)
    await payments.more(20)

    const next = await startServer(optionsOn(url, additive))
    const [schema] = await query(url, "select max(migration_id) as schema from pointsman_migrations")
    assert.deepStrictEqual(schema, { schema: nextSchema })
    serving = [before, next]
    await payments.more(40)
    await within(async () => /that this one can run beside/u.test(before.stderr() + before.stdout()))
    assert.match(
      before.stderr() + before.stdout(),
      /schema version 1000, created by a newer release that this one can run beside/u
    )
    assert.strictEqual((await ready(before)).status, 200)
    await payments.more(40)

    serving = [next]
    await payments.more(8)
    assert.strictEqual((await before.stop()).code, 0)
    await payments.more(20)

    const back = await startServer(optionsOn(url))
    serving = [back]
    await payments.more(8)
    assert.strictEqual((await next.stop()).code, 0)
    await payments.more(20)
    assert.deepStrictEqual(await payments.end(), [])
  })

  it("given another step, when a server of the next release takes it, then the older one takes no requests, and none starts", async () => {
    const url = await newDatabase()
    const before = await startServer(optionsOn(url))
    const next = await startServer(optionsOn(url, incompatible))
    await within(async () => (await ready(before)).status === 503)
    const unavailable = await ready(before)
    assert.deepStrictEqual([unavailable.status, (await ready(next)).status], [503, 200])
    assert.match(unavailable.body.reason, /schema version 1000, created by a newer release; this release supports/u)
    const asked = { idempotencyKey: "order-0001", body }
    const refused = await before.request("POST", path, asked)
    assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "1"])
    assert.strictEqual((await next.request("POST", path, { ...asked, key: before.sandboxKey })).status, 201)

    const again = await runServer(optionsOn(url))
    assert.strictEqual(again.code, 1)
    assert.match(again.stderr, /schema version 1000, created by a newer release/u)
  })
})
