/**
 * Each request that reads gets few rows from the database, however many there are: of everything that a key or a session
 * may read, by the documents of both APIs and the table of pages, so that a new one is here by itself.
 */
import { StatementSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { fillLists } from "./support/FilledLists.ts"
import { floodedConfiguration, floodingKey } from "./support/FloodedServer.ts"
import { pay } from "./support/PayBeside.ts"
import { type ReadEndpoint, readsOfApi, readsOfConsoleApi, readsOfPages } from "./support/ReadEndpoints.ts"
import { readingRival, rivalLiveKey, signInOperator } from "./support/ReadingRival.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const records = 2_000
/** Of one request: a page of each of several lists, 100 rows of each. */
const rowsAtMost = 1_200

/** What `docs/reference/costs.md` says is without limit: the ids of the payment's events, for the deliveries of each. */
const more: Readonly<Record<string, number>> = {
  "/console/payments/{workspace}/{environment}/{payment}": rowsAtMost + records + 200
}

/** A list that has 50 of them, and whether there are more. */
const pageRows = 51

const { all } = StatementSync.prototype
let rows = 0

beforeAll(() => {
  StatementSync.prototype.all = function counted(this: StatementSync, ...values: Parameters<typeof all>) {
    const found = all.apply(this, values)
    rows += found.length
    return found
  } as typeof all
})
afterAll(() => {
  StatementSync.prototype.all = all
})

describe("rows that a request reads", () => {
  it(`given ${records} records in every list, when anything is read, then each request reads few of them`, async () => {
    const folder = temporaryFolder()
    const configuration = floodedConfiguration(readingRival)
    const environment = { POINTSMAN_RATE_LIMIT: "off", POINTSMAN_LOG_LEVEL: "error" }
    const server = await startServerHere({ folder, configuration, environment })
    const payment: string = (await pay(server, floodingKey)).body.data.payment_id
    const cookie = await signInOperator(server.url, (words) => runHere(folder, words), ["--role", "admin"])
    const places = fillLists(folder, payment, records)
    const ask = async ({ name, path }: ReadEndpoint) => {
      rows = 0
      const { status } = await fetch(`${server.url}${path}`, {
        redirect: "manual",
        headers: path.startsWith("/console")
          ? { cookie }
          : { authorization: `Bearer ${name.startsWith("/api/v1/merchants") ? rivalLiveKey : floodingKey}` }
      }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      return { name, rows, status }
    }
    const asked: Array<Awaited<ReturnType<typeof ask>>> = []
    for (const read of [...readsOfApi(places), ...readsOfConsoleApi(places), ...readsOfPages(places)]) {
      asked.push(await ask(read))
    }
    assert.isAbove(asked.length, 90)
    // Control: the lists have more than a page, and their rows are counted.
    assert.isAbove(asked.filter(({ rows }) => rows >= pageRows).length, 25)
    assert.deepStrictEqual(
      asked.filter(({ name, rows, status }) => rows > (more[name] ?? rowsAtMost) || status >= 500),
      []
    )
  })
})
