/**
 * What the searches of one client cost the payments of another, beside payments of a quiet server: 24 clients, within the
 * rate of their key, look for what none of 100,000 payments is. A long run (`POINTSMAN_LONG=all`): each takes
 * `POINTSMAN_FLOOD_SECONDS`, 10 unless set.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { floodingKey, payingKey, startFloodedServer } from "./support/FloodedServer.ts"
import { amountOf } from "./support/LongRuns.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { type ServerProcess, temporaryFolder } from "./support/ServerProcess.ts"

const seconds = amountOf("POINTSMAN_FLOOD_SECONDS", { long: 10 })
const payments = 100_000
const clients = 24
/** Requests of a key: more than the client makes that pays, one after the other. */
const perSecond = "1000"
/** The flooded p99 may be so many times the quiet one, and always this many milliseconds. */
const timesQuiet = 2
const leastLimitMillis = 50
/** What else runs on the machine may disturb a measurement: one of these has to be within the limit. */
const turnsAtMost = 3

const searches = [
  "metadata[a]=same&metadata[b]=nope",
  "metadata[a]=same&currency=USD",
  "amount=1000&reference=nope",
  "connection=nope"
]

const free = { key: "null", page: "null", claim: "null", claim_version: "null", claimed_at: "null" }

/** Copies of the only payment of the flooding workspace, each with the same text, and one of its own. */
const copyPayments = (columns: ReadonlyArray<string>, id: string, numbers: string): ReadonlyArray<string> => {
  const values: Record<string, string> = { ...free, id }
  return [
    `insert into payments (${columns.join(", ")}) select ${columns.map((one) => values[one] ?? one).join(", ")}
      from payments as p, ${numbers} where p.t = (select t from tenants where workspace_id = 'rival')`,
    `insert into payment_metadata (t, payment, name, value) select t, id, 'a', 'same' from payments where key is null`,
    `insert into payment_metadata (t, payment, name, value)
      select t, id, 'b', 'order ' || row_number() over () from payments where key is null`
  ]
}

const onFile = () => {
  const folder = temporaryFolder()
  return {
    folder,
    environment: {},
    fill: async () => {
      const database = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"), { timeout: 60_000 })
      const columns = database.prepare("select name from pragma_table_info('payments')").all()
      const numbers = `(with recursive n (number) as (select 1 union all select number + 1 from n where number < ${payments})
        select number from n) as numbers`
      const names = columns.map(({ name }) => String(name))
      for (const one of copyPayments(names, "unhex(substr(hex(p.id), 1, 20) || printf('%012x', number))", numbers))
        database.exec(one)
      database.close()
    }
  }
}

const onPostgres = async () => {
  const url = await newDatabase()
  return {
    folder: temporaryFolder(),
    environment: environmentOn(url),
    fill: async () => {
      const columns = await query(
        url,
        "select attname as name from pg_attribute where attrelid = 'payments'::regclass and attnum > 0 and not attisdropped"
      )
      const id = "(left(p.id::text, 24) || lpad(to_hex(number), 12, '0'))::uuid"
      const numbers = `generate_series(1, ${payments}) as numbers (number)`
      const names = columns.map(({ name }) => String(name))
      for (const one of [...copyPayments(names, id, numbers), "analyze"]) await query(url, one)
    }
  }
}

const pay = async (server: ServerProcess, key: string) => {
  const body = { amount: 1000, currency: "EUR", country: "NL", simulate: { charge: "approve" } }
  return await server.request("POST", "/api/v1/payments", { key, body })
}

/** Payments one after the other; gives the time of each in milliseconds, in order. */
const payFor = async (server: ServerProcess, millis: number): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  const end = performance.now() + millis
  while (performance.now() < end) {
    const began = performance.now()
    assert.strictEqual((await pay(server, payingKey)).status, 201)
    took.push(performance.now() - began)
  }
  return took.toSorted((a, b) => a - b)
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const startSearches = (server: ServerProcess) => {
  let isOver = false
  const statuses: Record<string, number> = {}
  const client = async (number: number) => {
    for (let turn = number; !isOver; turn++) {
      const path = `/api/v1/payments?${searches[turn % searches.length]}`
      const { headers, status } = await server.request("GET", path, { key: floodingKey })
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 429) await sleep(1_000 * Number(headers.get("retry-after")))
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return async () => {
    isOver = true
    await all
    return statuses
  }
}

describe.skipIf(seconds === 0)("searches of one client", () => {
  it.each([
    ["SQLite", onFile] as const,
    ...(postgresMissing === undefined ? [["PostgreSQL", onPostgres] as const] : [])
  ])(
    "given %s, when another client pays, then it is hardly slower, and none of its payments is refused",
    { timeout: 120_000 + turnsAtMost * 3_000 * seconds },
    async (storage, open) => {
      const { environment, fill, folder } = await open()
      const server = await startFloodedServer({
        folder,
        environment: { ...environment, POINTSMAN_RATE_LIMIT: perSecond }
      })
      for (let time = 0; time < 50; time++) await pay(server, payingKey)
      await pay(server, floodingKey)
      await fill()
      const wrong: Array<string> = []
      for (let turn = 0; turn < turnsAtMost; turn++) {
        const before = await payFor(server, 500 * seconds)
        const end = startSearches(server)
        const flooded = await payFor(server, 1_000 * seconds)
        const statuses = await end()
        const quiet = [...before, ...(await payFor(server, 500 * seconds))].toSorted((a, b) => a - b)
        const limit = Math.max(leastLimitMillis, timesQuiet * percentile(quiet, 0.99))
        const measured =
          `payments ${quiet.length} quiet, ${flooded.length} beside ${JSON.stringify(statuses)} searches; p50 ` +
          `${percentile(quiet, 0.5).toFixed(1)} and ${percentile(flooded, 0.5).toFixed(1)} ms; p99 ` +
          `${percentile(quiet, 0.99).toFixed(1)} and ${percentile(flooded, 0.99).toFixed(1)} ms (at most ` +
          `${limit.toFixed(0)}); slowest ${flooded.at(-1)?.toFixed(0)} ms`
        process.stderr.write(`searches on ${storage}: ${measured}\n`)
        assert.isAbove(statuses[200] ?? 0, 10 * seconds)
        assert.hasAllKeys(statuses, ["200", "429"])
        if (percentile(flooded, 0.99) <= limit) return
        wrong.push(measured)
      }
      assert.fail(wrong.join("; "))
    }
  )
})
