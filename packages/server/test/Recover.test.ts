/**
 * A backup that is restored under payments and refunds: `pointsman recover` brings them back from the providers' lists, and
 * no key moves money twice. `POINTSMAN_RECOVERED_PAYMENTS` sets how many payments there are, with a fifth as many refunds: 50, and
 * 1,000 in a long run, which tests PostgreSQL too.
 */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { pagesOf } from "./support/kill/Rest.ts"
import { amountOf, isLong } from "./support/LongRuns.ts"
import { pay } from "./support/Pay.ts"
import {
  environmentOn,
  newDatabase,
  postgresMissing,
  query,
  setDatabaseAhead,
  sharedPostgres
} from "./support/PostgresServer.ts"
import { keptFile, recoverHere } from "./support/RecoverHere.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"
import { until, untilAnswer } from "./support/Until.ts"

const path = "/api/v1/payments"
const count = amountOf("POINTSMAN_RECOVERED_PAYMENTS", { long: 1_000, short: 50 })
if (!(count >= 50)) throw new Error("POINTSMAN_RECOVERED_PAYMENTS: expected 50 or more")
const day = 24 * 60 * 60_000

/** A storage that can be kept and restored; `environment`: what servers and commands run with. */
interface Kept {
  readonly environment: Readonly<Record<string, string>>
  /** The storage's own clock goes ahead by so many milliseconds. */
  readonly goAhead: (millis: number) => Promise<void>
  /** Whether it can be restored while a server runs, which then refuses requests before the recovery. */
  readonly isUnderServers: boolean
  readonly keep: () => Promise<void>
  readonly restore: () => Promise<void>
}

const onFile = (folder: string): Kept => {
  const { keep, restore } = keptFile(folder)
  const own = { environment: {}, goAhead: async () => {}, isUnderServers: false }
  return { ...own, keep: async () => keep(), restore: async () => restore() }
}

const keptDatabase = async (): Promise<Kept> => {
  const url = await newDatabase()
  const name = new URL(url).pathname.slice(1)
  const run = (statement: string) => query(sharedPostgres.url, statement)
  return {
    environment: environmentOn(url),
    goAhead: (millis) => setDatabaseAhead(url, millis),
    isUnderServers: true,
    keep: async () => void (await run(`create database ${name}_backup template ${name}`)),
    restore: async () => {
      await run(`drop database ${name} with (force)`)
      await run(`create database ${name} template ${name}_backup`)
    }
  }
}

interface Sent {
  readonly key: string
  readonly path: string
  readonly body: object
}

/** What merchants ask in a day: charges, some captured, voided or refunded later. */
const askedFor = async (server: ServerHere): Promise<ReadonlyArray<Sent>> => {
  const sent: Array<Sent> = []
  const post = async (key: string, path: string, body: object) => {
    const answer = await server.request("POST", path, { key: liveKey, idempotencyKey: key, body })
    assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
    sent.push({ key, path, body })
    return answer.body.data
  }
  const one = async (number: number) => {
    const isManual = number % 5 >= 3
    const money = { amount: 1000 + number, currency: number % 7 === 0 ? "USD" : "EUR", country: "NL" }
    const order = { ...money, reference: `order ${number}`, capture_method: isManual ? "manual" : "automatic" }
    const { payment_id: id } = await post(`order-${number}-key`, path, order)
    if (number % 5 === 0) await post(`refund-${number}-key`, `${path}/${id}/refunds`, { amount: 300 })
    if (number % 10 === 3) await post(`capture-${number}-key`, `${path}/${id}/capture`, { amount: 700 })
    if (number % 10 === 4) await post(`void-${number}-key`, `${path}/${id}/void`, {})
  }
  const numbers = Array.from({ length: count }, (_, number) => number)
  const workers = Array.from({ length: 8 }, async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) await one(number)
  })
  await Promise.all(workers)
  return sent
}

const shown = [
  ...["payment_id", "reference", "payment_status", "amount", "currency", "country", "capture_method"],
  ...["captured_amount", "refunded_amount", "refund_pending_amount"]
]

const allPayments = (server: ServerHere) => pagesOf<Readonly<Record<string, unknown>>>(server, path, "before", liveKey)

const seen = (payments: Awaited<ReturnType<typeof allPayments>>) =>
  payments.map((payment) => shown.map((field) => payment[field])).toSorted((a, b) => (String(a) < String(b) ? -1 : 1))

const moved = ({ calls }: ScriptedProvider) =>
  ["charge", "capture", "void", "refund"].map(
    (operation) => calls.filter((call) => call.operation === operation).length
  )

const setUp = async (make: (folder: string) => Kept | Promise<Kept>) => {
  const folder = temporaryFolder()
  const kept = await make(folder)
  const [main, backup] = [
    await startProvider({ looksUpOperations: true }),
    await startProvider({ looksUpOperations: true })
  ]
  const circuitBreaker = { failures: 1, open: "1 hour" }
  const connections = [
    { ...connectionTo(main), circuitBreaker },
    { ...connectionTo(backup, "backup"), circuitBreaker }
  ]
  const start = (clockAheadMillis = 0) =>
    startServerHere({
      folder,
      configuration: { workspaces: [workspaceWith(connections)] },
      environment: { ...kept.environment, POINTSMAN_RATE_LIMIT: "off" },
      clockAheadMillis
    })
  const recover = (...flags: ReadonlyArray<string>) =>
    kept.isUnderServers || flags.includes("--dry-run")
      ? runHere(folder, ["recover", "--json", ...flags], kept.environment)
      : recoverHere(folder, flags, kept.environment)
  return { kept, main, backup, start, recover }
}

/** The server noticed that records are missing: each of the requests is refused, and so is a new one. */
const assertRefused = async (server: ServerHere, sent: ReadonlyArray<Sent>) => {
  const post = ({ body, key, path }: Sent) => server.request("POST", path, { key: liveKey, idempotencyKey: key, body })
  const another = { key: "after-the-loss", path, body: { amount: 100, currency: "EUR", country: "NL" } }
  // Within two seconds: a request before that would be sent.
  await until(
    "the loss is noticed",
    async () => (await server.request("GET", "/health/ready", { key: null })).body.record_loss !== undefined
  )
  for (const one of [another, ...sent.filter((_, at) => at % 5 === 0)]) {
    const { body, headers, status } = await post(one)
    const code = body.error?.code
    // A payment that was lost has no captures, voids and refunds.
    if (code === "not_found") continue
    const expected = one.path.endsWith("/refunds") ? "refund_pending" : "idempotency_in_progress"
    assert.deepStrictEqual([status, code, headers.get("retry-after")], [409, expected, "60"], one.key)
  }
}

/** A minute before anything is lost, so that the clocks' margin of five minutes asks for all of it. */
const backupTime = () => new Date(Date.now() - 60_000).toISOString()

const storages: ReadonlyArray<readonly [string, (folder: string) => Kept | Promise<Kept>]> = [
  ["SQLite", onFile],
  ...(isLong && postgresMissing === undefined ? [["PostgreSQL", keptDatabase] as const] : [])
]

describe.each(storages)("a backup that is restored, on %s", { timeout: 180_000 + count * 1_000 }, (_, make) => {
  it("recovered payments and refunds are all back, and their keys move nothing", async () => {
    const { kept, main, recover, start } = await setUp(make)
    const earlier = await start()
    const order = { amount: 2000, currency: "EUR", country: "NL" }
    const post = async (server: ServerHere, { body, key, path }: Sent) => {
      const send = () => server.request("POST", path, { key: liveKey, idempotencyKey: key, body })
      // On a busy machine the pool may be full for a second: nothing was sent.
      const answer = await untilAnswer(`${key} is served`, send, ({ status }) => status !== 503)
      assert.isBelow(answer.status, 300, `${key}: ${JSON.stringify(answer.body)}`)
      return answer.body.data
    }
    const kept1 = await post(earlier, { key: "kept-0001", path, body: order })
    const kept2 = await post(earlier, { key: "kept-0002", path, body: { ...order, capture_method: "manual" } })
    await earlier.stop()
    await kept.keep()
    const since = backupTime()

    const first = await start()
    const ofKept: ReadonlyArray<Sent> = [
      { key: "refund-of-kept", path: `${path}/${kept1.payment_id}/refunds`, body: { amount: 100 } },
      { key: "capture-of-kept", path: `${path}/${kept2.payment_id}/capture`, body: { amount: 1500 } }
    ]
    for (const one of ofKept) await post(first, one)
    const sent = [...ofKept, ...(await askedFor(first))]
    const before = await allPayments(first)
    const movedBefore = moved(main)
    if (!kept.isUnderServers) await first.stop()
    await kept.restore()
    if (kept.isUnderServers) await assertRefused(first, sent)
    await first.stop()
    assert.deepStrictEqual(moved(main), movedBefore)

    // A loss that was noticed has a time already.
    const when = kept.isUnderServers ? [] : ["--since", since]
    const wouldBe = await recover(...when, "--dry-run")
    const unlisted = (id: string) => `Connection ${id}: its provider lists no payouts`
    assert.match(wouldBe.stderr, new RegExp(`^${unlisted("backup")}.*\\n${unlisted("main")}`, "u"))
    const would = documentOf(wouldBe).data
    const { dry_run, ...did } = documentOf(await recover(...when)).data
    assert.isFalse(dry_run)
    assert.deepStrictEqual(did.connections, would.connections)
    const [ofBackup, ofMain] = did.connections.toSorted(byConnection)
    assert.deepInclude(ofBackup, { connection_id: "backup", result: "complete", listed: 0, payments: [] })
    const changed = [{ currency: "EUR", count: 1, amount: 2000 }]
    assert.deepInclude(ofMain, { result: "complete", changed, reviewed: [], kept: 0, unasked: ["payouts"] })
    assert.strictEqual(total(ofMain.payments), count)
    assert.strictEqual(total(ofMain.refunds), count / 5 + 1)
    assert.strictEqual(did.loss.ended.outcome, "recovered")

    // With the circuit of the connection open that was charged.
    const untilMidnight = day - (Date.now() % day) + 1
    await kept.goAhead(untilMidnight)
    const later = await start(untilMidnight)
    const after = await allPayments(later)
    assert.deepStrictEqual(seen(after), seen(before))
    const unmarked = after.filter(({ recovered }) => recovered !== true)
    assert.deepStrictEqual(each(unmarked, "payment_id"), [kept2.payment_id])
    main.next("charge", () => ({ status: 401, body: { error: { code: "unauthorized", message: "not today" } } }))
    const opens = await pay(later, "opens-the-circuit")
    assert.strictEqual(opens.body.data?.payment_status, "CAPTURED", JSON.stringify(opens.body))
    for (const one of sent) await post(later, one)
    assert.strictEqual((await allPayments(later)).length, before.length + 1)
    await later.stop()
    const [charges, ...others] = movedBefore
    assert.deepStrictEqual(moved(main), [(charges ?? 0) + 1, ...others])
    assert.lengthOf(main.charges, count + 2)
  })
})

describe("providers that do not list all of it", () => {
  it("a refund waits with Retry-After after a recovery until the loss is accepted", async () => {
    const { backup, kept, main, recover, start } = await setUp(onFile)
    const unlisted = () => ({ status: 501, body: { error: { code: "no_list", message: "none" } } })
    for (const provider of [main, backup]) provider.always("listDisputes", unlisted)
    for (const list of ["listCharges", "listRefunds"] as const) backup.always(list, unlisted)
    const first = await start()
    const created = await pay(first, "order-0001")
    await first.stop()
    await kept.keep()
    await kept.restore()
    const recovered = await recover("--since", backupTime())
    assert.match(recovered.stderr, /Connection main: refunds of payments .* --accept-loss --connection main/u)
    assert.strictEqual(recovered.code, 1)
    const { connections, loss } = JSON.parse(recovered.stdout).data
    const [ofBackup, ofMain] = connections.toSorted(byConnection)
    assert.deepInclude(ofBackup, { result: "no_list", payments: [], kept: 0 })
    assert.deepInclude(ofMain, { result: "complete", unasked: ["disputes", "payouts"] })
    assert.deepInclude(loss, { refunds_wait: ["main"], ended: null })

    const server = await start()
    const refund = () =>
      server.request("POST", `${path}/${created.body.data.payment_id}/refunds`, {
        ...{ key: liveKey, idempotencyKey: "refund-0001", body: { amount: 500 } }
      })
    const waits = await refund()
    const found = [waits.status, waits.body.error?.code, waits.headers.get("retry-after")]
    assert.deepStrictEqual(found, [409, "refund_pending", "60"])
    assert.strictEqual(moved(main)[3], 0)
    const accepted = documentOf(await recover("--accept-loss", "--connection", "main")).data
    assert.deepInclude(accepted, { refunds_wait: [], ended: null })
    assert.strictEqual(documentOf(await recover("--accept-loss")).data.ended.outcome, "accepted")
    assert.strictEqual((await recover("--accept-loss")).code, 1)
    await until("the server knows of it", async () => (await refund()).status < 300)
    assert.strictEqual(moved(main)[3], 1)
    await server.stop()
  })
})

type Amounts = ReadonlyArray<{ readonly count: number }>

const total = (amounts: Amounts): number => amounts.reduce((sum, one) => sum + one.count, 0)

const byConnection = (a: { readonly connection_id: string }, b: { readonly connection_id: string }) =>
  a.connection_id < b.connection_id ? -1 : 1
