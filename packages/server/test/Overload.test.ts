/**
 * More requests than the database takes. Those that cannot be claimed within a second are refused with 503 and nothing
 * written; the others are served as fast as before. A key that was refused is free. A long run (`POINTSMAN_LONG=all`).
 */
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { EmbeddedPostgres } from "../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { configurationWith, connectionTo, liveKey as key } from "./support/Configurations.ts"
import { isLong } from "./support/LongRuns.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, query, startPostgresServer } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServer } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"

/** With two connections for payments, two commits a payment and this long for each: five payments a second. */
const commitSeconds = 0.2
const perSecond = 2 / commitSeconds / 2
/** Together they would wait for ten seconds: longer than a claim may be sent on. */
const clients = 100
const loadSeconds = 8

describe.skipIf(postgresMissing !== undefined || !isLong)("an overloaded database", () => {
  let postgres: EmbeddedPostgres
  beforeAll(async () => {
    postgres = await startPostgresServer()
  }, 60_000)
  afterAll(() => postgres?.stop())

  it("far more requests than a server takes are refused unclaimed; the rest served", async () => {
    const provider = await startProvider()
    const url = await newDatabase(postgres)
    const server = await startServer({
      environment: {
        ...environmentOn(url),
        POINTSMAN_DATABASE_CONNECTIONS: "4",
        POINTSMAN_RATE_LIMIT: "off"
      },
      configuration: configurationWith({ ...connectionTo(provider), timeout: "30 seconds" })
    })
    const create = (reference: string) => pay(server, reference, { reference, capture_method: "manual" })
    const first = await create("before-the-load")
    await query(
      url,
      `create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(${commitSeconds}); return new; end $$`
    )
    await query(url, "create trigger slowly before insert or update on payments for each row execute function slowly()")

    const endsAt = performance.now() + loadSeconds * 1_000
    const answers: Record<string, number> = {}
    const refused = new Set<string>()
    let slowest = 0
    const client = async (at: number) => {
      for (let turn = 0; performance.now() < endsAt; turn++) {
        const reference = `client-${at}-${turn}`
        for (;;) {
          const began = performance.now()
          const { body, headers, status } = await create(reference)
          slowest = Math.max(slowest, performance.now() - began)
          const answer = `${status} ${body.error?.code ?? body.data.status}`
          answers[answer] = (answers[answer] ?? 0) + 1
          if (status !== 503) break
          assert.strictEqual(headers.get("retry-after"), "1")
          refused.add(reference)
          if (performance.now() >= endsAt) break
          await sleep(1_000)
        }
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, at) => client(at)))
    process.stderr.write(`overload: ${JSON.stringify(answers)}, the slowest ${Math.round(slowest)} ms\n`)

    // None was claimed and then given up.
    assert.deepStrictEqual(Object.keys(answers).sort(), ["201 AUTHORIZED", "503 internal_error"])
    assert.isAbove(answers["201 AUTHORIZED"] ?? 0, (loadSeconds * perSecond) / 3)
    assert.isBelow(slowest, 15_000)

    const captured = await server.request("POST", `${path}/${first.body.data.id}/capture`, { key, body: {} })
    assert.deepStrictEqual([captured.status, captured.body.data.status], [200, "CAPTURED"])
    for (const reference of [...refused].slice(-20)) assert.strictEqual((await create(reference)).status, 201)
    const charged = provider.calls.filter(({ operation }) => operation === "charge").map(({ body }) => body.reference)
    assert.strictEqual(new Set(charged).size, charged.length)
    assert.strictEqual((await server.stop()).code, 0)
  })
})
