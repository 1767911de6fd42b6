/** Who takes a place among the requests that a server works on, and who gives it back. */
import { once } from "node:events"
import { makeAdmission } from "@pointsman/core/internal"
import { Ids } from "@pointsman/core/ports"
import { Effect, Metric } from "effect"
import { assert, describe, it } from "vitest"
import { admitRequests, countRefused } from "../src/AdmitRequests.ts"
import { listenHere } from "./support/ListenHere.ts"
import { isLong } from "./support/LongRuns.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { dial } from "./support/RawSocket.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { each, startServer } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"
const environment = { POINTSMAN_RATE_LIMIT: "off" }
const payment = { amount: 1000, currency: "EUR", country: "NL" }
/** There are 32 places. */
const clients = 80

const create = (server: Pick<ServerHere, "request">) => server.request("POST", path, { body: payment })

const head = (server: Pick<ServerHere, "sandboxKey">, length: number, more: ReadonlyArray<string> = []) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${server.sandboxKey}`,
    "Content-Type: application/json",
    ...more,
    `Content-Length: ${length}`,
    "",
    ""
  ].join("\r\n")

describe("places for requests", () => {
  it("clients that never send the body take no place", async () => {
    const server = await startServerHere({ environment })
    const sockets = await Promise.all(Array.from({ length: clients }, () => dial(server.url)))
    // The server says that it goes on once it has read the head.
    const read = sockets.map((socket) => once(socket, "data"))
    for (const socket of sockets) socket.write(head(server, 100, ["Expect: 100-continue"]))
    await Promise.all(read)
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(server)))
    assert.deepStrictEqual(each(answers, "status"), Array(6).fill(201))
    for (const socket of sockets) socket.destroy()
  })

  it("places of clients that hang up at any moment are free again", async () => {
    const server = await startServerHere({ environment })
    const body = JSON.stringify(payment)
    for (let round = 0; round < (isLong ? 5 : 1); round++) {
      const sockets = await Promise.all(Array.from({ length: clients }, () => dial(server.url)))
      const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)))
      for (const [at, socket] of sockets.entries()) {
        socket.write(head(server, body.length) + body)
        setTimeout(() => socket.destroy(), at)
      }
      await Promise.all(closed)
    }
    await until("12 are served at once", async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => create(server)))
      return answers.every(({ status }) => status === 201)
    })
  })

  it.skipIf(postgresMissing !== undefined)(
    "a slow database refuses some of more requests than it takes, to come again",
    async () => {
      const url = await newDatabase()
      const server = await startServer({
        environment: { ...environment, ...environmentOn(url), POINTSMAN_BATCH_COMMITS: "false" }
      })
      assert.strictEqual((await create(server)).status, 201)
      await query(
        url,
        "create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(1.5); return new; end $$"
      )
      await query(url, "create trigger slowly before insert on payments for each row execute function slowly()")
      // Some wait too long for a place, and some for a connection to the database: which of them is the machine's choice.
      const all = await Promise.all(Array.from({ length: 401 }, () => create(server)))
      const refused = all.filter(({ status }) => status === 503)
      assert.isNotEmpty(refused)
      for (const { body, headers } of refused) {
        assert.strictEqual(body.error.code, "internal_error")
        assert.strictEqual(headers.get("retry-after"), "1")
        assert.match(headers.get("x-request-id") ?? "", /^req_[0-9a-f-]{36}$/u)
      }
      // Also where none of them waited for a place.
      assert.match(await (await fetch(`${server.url}/metrics`)).text(), /^pointsman_requests_refused_total \d+$/mu)
    }
  )

  it("whole requests without a place are refused before any work for them, and counted", async () => {
    const admission = makeAdmission({ places: 1, onRefused: await Effect.runPromise(countRefused) })
    const { listener } = await Effect.runPromise(Effect.provide(admitRequests(admission), Ids.layer))
    let handled = 0
    const { url } = await listenHere(
      listener((_request, response) => {
        handled++
        response.end()
      })
    )
    const counted = async () =>
      (await Effect.runPromise(Metric.snapshot)).flatMap((one) =>
        one.id === "pointsman_requests_refused_total" && one.type === "Counter" ? [Number(one.state.count)] : []
      )[0] ?? 0
    const body = JSON.stringify(payment)
    const statusOfWhole = async () => {
      const socket = await dial(url)
      socket.write(head({ sandboxKey: undefined }, body.length) + body)
      const [answer] = await once(socket, "data")
      socket.destroy()
      return /^HTTP\/1\.1 (\d+)/u.exec(String(answer))?.[1]
    }
    const before = await counted()
    admission.enter(
      () => {},
      () => {}
    )
    const refused = await Promise.all(Array.from({ length: 20 }, statusOfWhole))
    assert.deepStrictEqual([new Set(refused), handled, (await counted()) - before], [new Set(["503"]), 0, 20])
    admission.leave()
    assert.deepStrictEqual([await statusOfWhole(), handled], ["200", 1])
  })
})
