/**
 * Each request that reads gets few rows from the database, however many there are: of everything that a key or a session
 * may read, by the documents of both APIs and the table of pages, so that a new one is here by itself. What other
 * workspaces have does not count.
 */
import { DatabaseSync, StatementSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { fillLists, fillOther } from "./support/FilledLists.ts"
import { floodedConfiguration, floodingKey } from "./support/FloodedServer.ts"
import { pay } from "./support/PayBeside.ts"
import { type ReadEndpoint, readsOfApi, readsOfConsoleApi, readsOfPages } from "./support/ReadEndpoints.ts"
import { readingRival, rivalLiveKey, signInOperator } from "./support/ReadingRival.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const records = 2_000
/** Of one request: a page of each of several lists, 100 rows of each. */
const rowsAtMost = 1_200

/** 1,000 payments of today and the lists beside them: a process reads a day once in 10 seconds. */
const ofDay = 1_400

/** What `docs/reference/costs.md` says otherwise; without limit are the ids of a payment's events, for the deliveries of each. */
const more: Readonly<Record<string, number>> = {
  "/console/day/{workspace}/{environment}": ofDay,
  "/console/api/workspaces/{workspace}/{environment}/day": ofDay,
  "/console/payments/{workspace}/{environment}/{payment}": rowsAtMost + records + 200
}

const ofOutcome: ReadonlyArray<ReadEndpoint> = ["unmatched", "received", "applied"].map((outcome) => {
  const path = `/console/messages/rival/sandbox?outcome=${outcome}`
  return { name: path, path }
})

/** A list that has 50 of them, and whether there are more. */
const pageRows = 51

const { all } = StatementSync.prototype
const { prepare } = DatabaseSync.prototype
const counting = new WeakSet<DatabaseSync>()
let rows = 0
/** Those that the first walk of a select meets, too, where it passes over them. */
let met = 0

beforeAll(() => {
  StatementSync.prototype.all = function counted(this: StatementSync, ...values: Parameters<typeof all>) {
    const found = all.apply(this, values)
    rows += found.length
    return found
  } as typeof all
  // A condition that is checked for each row, before the others.
  DatabaseSync.prototype.prepare = function counted(this: DatabaseSync, text: string) {
    if (!counting.has(this)) {
      counting.add(this)
      this.function("met", () => {
        met += 1
        return 1
      })
    }
    const isSelect = /^\s*(?:select|with)\b/u.test(text)
    return prepare.call(this, isSelect ? text.replace(/\swhere\s/u, "$&met() and ") : text)
  }
})
afterAll(() => {
  DatabaseSync.prototype.prepare = prepare
  StatementSync.prototype.all = all
})

describe("rows that a request reads", () => {
  it(`each request reads few of ${records} records in every list`, async () => {
    const folder = temporaryFolder()
    const configuration = floodedConfiguration(readingRival)
    const environment = { POINTSMAN_RATE_LIMIT: "off", POINTSMAN_LOG_LEVEL: "error" }
    const server = await startServerHere({ folder, configuration, environment })
    const payment: string = (await pay(server, floodingKey)).body.data.payment_id
    const cookie = await signInOperator(server.url, (words) => runHere(folder, words), ["--role", "admin"])
    const places = fillLists(folder, payment, records)
    const ask = async ({ name, path }: ReadEndpoint) => {
      rows = met = 0
      const { status } = await fetch(`${server.url}${path}`, {
        redirect: "manual",
        headers: path.startsWith("/console")
          ? { cookie }
          : { authorization: `Bearer ${name.startsWith("/api/v1/merchants") ? rivalLiveKey : floodingKey}` }
      }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      return { name, rows, met, status }
    }
    const reads = [...readsOfApi(places), ...readsOfConsoleApi(places), ...readsOfPages(places), ...ofOutcome]
    const asked: Array<Awaited<ReturnType<typeof ask>>> = []
    for (const read of reads) asked.push(await ask(read))
    assert.isAbove(asked.length, 90)
    // Control: the lists have more than a page, and their rows are counted.
    assert.isAbove(asked.filter(({ rows }) => rows >= pageRows).length, 25)
    assert.deepStrictEqual(
      asked.filter(({ name, rows, status }) => rows > (more[name] ?? rowsAtMost) || status >= 500),
      []
    )
    fillOther(folder, "shop")
    const again: typeof asked = []
    for (const read of reads) again.push(await ask(read))
    // What another workspace has is not even passed over. The day is read once in 10 seconds, and so not again here.
    const isKept = ({ name }: { readonly name: string }) => name.endsWith("/day")
    assert.deepStrictEqual(
      again.filter((one) => !isKept(one)),
      asked.filter((one) => !isKept(one))
    )
  })
})
