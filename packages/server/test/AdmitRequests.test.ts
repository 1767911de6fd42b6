/** Who takes a place among the requests that a server works on, and who gives it back. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { liveKey } from "./support/Configurations.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const environment = { POINTSMAN_RATE_LIMIT: "off" }
const payment = { amount: 1000, currency: "EUR", country: "NL" }
/** There are 32 places. */
const clients = 80

const create = (server: Pick<ServerHere, "request">) => server.request("POST", path, { body: payment })

const open = (server: Pick<ServerHere, "url">): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname, () => resolve(socket)).on("error", reject)
  })

const head = (sandboxKey: string | undefined, length: number) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${sandboxKey}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "",
    ""
  ].join("\r\n")

/** Of a request that arrives in one piece. */
const statusOfWhole = async (server: Pick<ServerHere, "url">, key: string): Promise<number> => {
  const socket = await open(server)
  const body = JSON.stringify(payment)
  socket.write(head(key, body.length) + body)
  const [answer] = await once(socket, "data")
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/u.exec(String(answer))?.[1])
}

describe("places for requests", () => {
  it("given clients that never send the body, then they take no place", async () => {
    const server = await startServerHere({ folder: temporaryFolder(), environment })
    const sockets = await Promise.all(Array.from({ length: clients }, () => open(server)))
    for (const socket of sockets) socket.write(head(server.sandboxKey, 100))
    await sleep(300)
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(server)))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      Array(6).fill(201)
    )
    for (const socket of sockets) socket.destroy()
  })

  it("given clients that hang up at any moment, then their places are free again", async () => {
    const server = await startServerHere({ folder: temporaryFolder(), environment })
    const body = JSON.stringify(payment)
    for (let round = 0; round < 5; round++) {
      const sockets = await Promise.all(Array.from({ length: clients }, () => open(server)))
      for (const [at, socket] of sockets.entries()) {
        socket.write(head(server.sandboxKey, body.length) + body)
        setTimeout(() => socket.destroy(), at)
      }
      await sleep(2 * clients)
    }
    await sleep(1_000)
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(server)))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      Array(12).fill(201)
    )
  })

  it("given more requests at once than places, then a burst is served whole", async () => {
    const server = await startServerHere({ folder: temporaryFolder(), environment })
    await create(server)
    const answers = await Promise.all(Array.from({ length: clients }, () => create(server)))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      Array(clients).fill(201)
    )
  })

  it.skipIf(postgresMissing !== undefined)(
    "given a queue that is full, when one more comes, then some are refused, and counted",
    async () => {
      const url = await newDatabase()
      // A counter belongs to the first server of a process.
      const server = await startServer({
        folder: temporaryFolder(),
        // A statement for several payments would sleep once for each of them.
        environment: { ...environment, ...environmentOn(url), POINTSMAN_BATCH_COMMITS: "false" }
      })
      assert.strictEqual((await create(server)).status, 201)
      await query(
        url,
        "create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(1.5); return new; end $$"
      )
      await query(url, "create trigger slowly before insert on payments for each row execute function slowly()")
      // 32 have a place, and 128 may wait, a second at most: none of those is served by then.
      const creates = Promise.all(Array.from({ length: 401 }, () => create(server)))
      // Until the queue was full for long enough.
      await sleep(600)
      const strangers = await Promise.all(Array.from({ length: 300 }, () => statusOfWhole(server, liveKey)))
      const all = await creates
      const refused = all.filter(({ status }) => status === 503)
      assert.isNotEmpty(refused)
      for (const { body, headers } of refused) {
        assert.strictEqual(body.error.code, "internal_error")
        assert.strictEqual(headers.get("retry-after"), "1")
        assert.match(headers.get("x-request-id") ?? "", /^req_[0-9a-f-]{36}$/u)
      }
      // Refused before anything was done for them: nobody has looked at their key.
      assert.isAbove(strangers.filter((status) => status === 503).length, 100)
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      assert.isAbove(Number(/^pointsman_requests_refused_total (\d+)$/mu.exec(metrics)?.[1]), 0)
    }
  )
})
