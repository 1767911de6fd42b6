/** Reports and the books through promises: read, listed, explained, added up. */
import { readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import type { JournalEntry, Pointsman, ReconciliationRun } from "../src/index.ts"
import { failureOf, folder, inFiles, open, order } from "./support/Shop.ts"

const columns = "row_id,kind,gross,currency,occurred_at,attempt_id,fee,net,payout_id,settled_at"
/** All of its rows are of one time: rows are listed by that first. */
const reportOf = (rows: ReadonlyArray<string>): string =>
  `${columns}\n${rows.join("\n")}\n`.replaceAll("NOW", new Date().toISOString())

const bytesOf = async function* (text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
}

/** A paid order, and a report with its charge, a charge that is not known here, and a payout of both. */
const paid = async (pointsman: Pointsman) => {
  const { payment } = await pointsman.create(order, { idempotencyKey: "order-1001" })
  const { attempts } = await pointsman.paymentFile(payment.id)
  const charged = attempts.at(-1)
  const connection = charged?.connection_id ?? ""
  const report = reportOf([
    `txn_1,charge,1999,EUR,NOW,${charged?.id},30,1969,po_1,2030-01-01T00:00:00Z`,
    "txn_2,charge,500,EUR,NOW,,10,490,po_1,2030-01-01T00:00:00Z",
    "po_1,payout,-2459,EUR,NOW,,,,po_1,2030-01-01T00:00:00Z"
  ])
  return { payment, connection, report }
}

const allOf = async (journal: AsyncIterable<JournalEntry>): Promise<ReadonlyArray<JournalEntry>> => {
  const entries: Array<JournalEntry> = []
  for await (const entry of journal) entries.push(entry)
  return entries
}

/** By account and currency. */
const sumsOf = (entries: ReadonlyArray<JournalEntry>): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const entry of entries) {
    if (entry.type === "pending") continue
    for (const { account, amount } of entry.postings) sums[account] = (sums[account] ?? 0) + amount
  }
  return sums
}

const reportFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("pointsman-report-"))

describe("reconciliation", () => {
  it("a report's file settles the payment, and its difference is listed and closed", async () => {
    const { lines, pointsman } = await open()
    const { connection, payment, report } = await paid(pointsman)
    const path = join(folder(), "november.csv")
    writeFileSync(path, report)
    const seen: Array<ReconciliationRun> = []
    const { reconciliation } = pointsman
    const run = await reconciliation.run({ connection, report: path, by: "Jo", onProgress: (one) => seen.push(one) })
    assert.deepInclude(run, {
      workspace_id: "shop",
      environment: "sandbox",
      connection_id: connection,
      format: "http",
      file: "november.csv",
      state: "done",
      rows: 3,
      rows_unreadable: 0,
      // A first report that is shorter than the provider's delay.
      missing_looked_for: null,
      sums: { EUR: { gross: 40, fee: 40, net: 2459 } }
    })
    assert.deepInclude(run.results, { matched: 2, missing_here: 1 })
    assert.deepStrictEqual(
      seen.map(({ rows }) => rows),
      [3]
    )
    assert.deepStrictEqual((await pointsman.payment(payment.id)).settlement, {
      payout_id: "po_1",
      payout_status: "paid",
      fee: 30,
      net: 1969,
      currency: "EUR",
      settled_at: "2030-01-01T00:00:00.000Z"
    })
    assert.deepStrictEqual(await reconciliation.list(), { data: [run], has_more: false, next_cursor: null })
    assert.deepStrictEqual(await reconciliation.find(run.id), run)

    const { data } = await reconciliation.differences({ connection })
    assert.deepStrictEqual(
      data.map(({ gross, id, result }) => [id, result, gross]),
      [[`${connection}/txn_2`, "missing_here", { amount: 500, currency: "EUR" }]]
    )
    await reconciliation.close(`${connection}/txn_2`, { note: "a sale at the till", by: "Jo" })
    assert.deepStrictEqual((await reconciliation.differences()).data, [])
    const [closed] = (await reconciliation.differences({ state: "all" })).data
    assert.deepInclude(closed?.closed, { by: "person", note: "a sale at the till" })
    assert.deepInclude(await failureOf(reconciliation.close(`${connection}/txn_2`, { note: "again", by: "Jo" })), {
      code: "not_found",
      moneyMayHaveMoved: false
    })
    const acts = lines.filter(({ fields }) => fields["actor"] === "Jo").map(({ fields }) => fields["action"])
    assert.deepStrictEqual(acts, ["report.reconciling", "difference.closing", "difference.closing"])
  })

  it("the same report as bytes is the same run, and the temporary file is gone", async () => {
    const { pointsman } = await open()
    const { connection, report } = await paid(pointsman)
    const before = reportFolders()
    const run = await pointsman.reconciliation.run({ connection, report: bytesOf(report), name: "stream.csv" })
    assert.deepInclude(run, { state: "done", rows: 3, file: "stream.csv" })
    const again = await pointsman.reconciliation.run({ connection, report: bytesOf(report), format: "http" })
    assert.deepStrictEqual(again, run)
    const compressed = async function* () {
      yield gzipSync(report)
    }
    const other = await pointsman.reconciliation.run({ connection, report: compressed(), name: "november.csv.gz" })
    assert.deepInclude(other, { rows: 3, rows_known: 3 })
    const broken = async function* () {
      yield* bytesOf(report)
      throw new Error("the bucket is gone")
    }
    const failure = await failureOf(pointsman.reconciliation.run({ connection, report: broken() }))
    assert.deepInclude(failure, { code: "validation_error", moneyMayHaveMoved: false })
    assert.include(String(failure), "`report` could not be read: the bucket is gone. Nothing was written.")
    assert.deepStrictEqual(reportFolders(), before)
    assert.lengthOf((await pointsman.reconciliation.list()).data, 2)
  })

  it("a report read while the program closes continues from there", async () => {
    const path = folder()
    const first = await open(inFiles(path))
    const rows = Array.from({ length: 2_500 }, (_, at) => `fee_${at},fee,-1,EUR,NOW,,,,,`)
    const report = reportOf(rows)
    const order = { connection: "first", report: join(path, "fees.csv") }
    writeFileSync(order.report, report)
    let closing: Promise<void> | undefined
    const onProgress = () => {
      closing ??= first.pointsman.close()
    }
    const failure = await failureOf(first.pointsman.reconciliation.run({ ...order, onProgress }))
    assert.deepInclude(failure, { code: "report_unreadable", moneyMayHaveMoved: false })
    assert.include(String(failure), "the program closes. What was read is kept")
    await closing

    const second = await open(inFiles(path))
    const [stopped] = (await second.pointsman.reconciliation.list()).data
    assert.deepInclude(stopped, { state: "failed", rows: 1_000, failure: "the program closes" })
    const run = await second.pointsman.reconciliation.run(order)
    assert.deepInclude(run, { id: stopped?.id ?? "", state: "done", rows: 2_500, rows_known: 0, failure: null })
    assert.deepInclude(run.sums, { EUR: { gross: -2_500, fee: 0, net: 0 } })
  })

  it("`after` leads through all pages of differences, and filters count", async () => {
    const { pointsman } = await open()
    const rows = Array.from({ length: 5 }, (_, at) => `txn_${at},charge,${at + 1},EUR,NOW,,,,,`)
    await pointsman.reconciliation.run({ connection: "first", report: bytesOf(reportOf(rows)) })
    const found: Array<string> = []
    for (let after: string | null | undefined; after !== null; ) {
      const page = await pointsman.reconciliation.differences({ limit: 2, after })
      assert.isAtMost(page.data.length, 2)
      found.push(...page.data.map(({ row_id }) => row_id))
      after = page.next_cursor
    }
    assert.deepStrictEqual(found, ["txn_0", "txn_1", "txn_2", "txn_3", "txn_4"])
    const none = [
      { result: "duplicate" },
      { connection: "second" },
      { openedBefore: new Date(0) },
      { run: "rec_0" }
    ] as const
    for (const query of none) {
      assert.deepStrictEqual((await pointsman.reconciliation.differences(query)).data, [], JSON.stringify(query))
    }
    const options = { workspace: "shop", environment: "production" } as const
    assert.deepStrictEqual((await pointsman.reconciliation.differences({}, options)).data, [])
    assert.deepStrictEqual((await pointsman.reconciliation.list({}, options)).data, [])
  })

  it("a suggested payment is accepted once", async () => {
    const { pointsman } = await open()
    const { payment } = await pointsman.create(order, { idempotencyKey: "order-1001" })
    const report = reportOf(["txn_1,charge,1999,EUR,NOW,,30,1969,po_1,2030-01-01T00:00:00Z"])
    const { accept, differences, run } = pointsman.reconciliation
    await run({ connection: "first", report: bytesOf(report) })
    const [found] = (await differences()).data
    assert.deepInclude(found, { result: "missing_here", payment_id: null, suggested_payment_id: payment.id })
    const acceptance = { payment: payment.id, by: "Jo" }
    await accept(found?.id ?? "", acceptance)
    assert.strictEqual((await pointsman.payment(payment.id)).settlement?.payout_id, "po_1")
    assert.deepInclude(await failureOf(accept(found?.id ?? "", acceptance)), { code: "not_found" })
  })

  it("an error says that a connector has no reports of its API", async () => {
    const { pointsman } = await open()
    const failure = await failureOf(pointsman.reconciliation.fetch({ connection: "first", by: "scheduler" }))
    assert.deepInclude(failure, { code: "validation_error", moneyMayHaveMoved: false })
    assert.include(String(failure), "`connection`: the connector sandbox fetches no reports; read them from files.")
  })
})

it("a payout in a report is listed, adds up, and gives its rows", async () => {
  const { pointsman } = await open()
  const { connection, payment, report } = await paid(pointsman)
  await pointsman.reconciliation.run({ connection, report: bytesOf(report) })
  const [from, until] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)]
  const { payout, payoutEntries, payouts } = pointsman.reconciliation
  const listed = await payouts({ from, until })
  assert.deepStrictEqual(
    listed.map(({ gross, payout_id }) => [payout_id, gross.amount]),
    [["po_1", -2459]]
  )
  assert.deepStrictEqual(await payouts({ from, until, connection: "none" }), [])
  const name = { connection, payout: "po_1" }
  const sums = { charges: 2499, refunds: 0, disputes: 0, fees: 40, payouts: -2459, others: 0 }
  assert.deepInclude(await payout(name), {
    ...{ connection_id: connection, payout_id: "po_1", settled_at: "2030-01-01T00:00:00.000Z" },
    sums: [{ currency: "EUR", rows: 3, ...sums, rest: 0 }]
  })
  const rows: Array<readonly [string, string | null]> = []
  for await (const { payment_id, row_id } of payoutEntries(name)) rows.push([row_id, payment_id])
  assert.deepStrictEqual(rows, [
    ["po_1", null],
    ["txn_1", payment.id],
    ["txn_2", null]
  ])
  assert.deepInclude(await failureOf(payout({ ...name, payout: "po_2" })), { code: "not_found" })
  assert.include(String(await failureOf(payout({ connection } as never))), "`payout` must be an id.")
})

describe("the balance and the journal", () => {
  it("a day of a report adds up, and each transaction of its books to zero", async () => {
    const { pointsman } = await open()
    const { connection, payment, report } = await paid(pointsman)
    await pointsman.reconciliation.run({ connection, report: bytesOf(report) })
    const [from, until] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)]
    const rows = await pointsman.reconciliation.balance({ from, until, connection })
    const total = (field: "charges" | "fees" | "payouts" | "rows") => rows.reduce((sum, row) => sum + row[field], 0)
    assert.deepStrictEqual([total("charges"), total("fees"), total("payouts"), total("rows")], [2499, 40, -2459, 3])
    assert.deepStrictEqual(await pointsman.reconciliation.balance({ from: new Date(0), until: from }), [])

    const books = pointsman.journal()
    const entries = await allOf(books)
    assert.deepStrictEqual(sumsOf(entries), { receivable: 0, payouts: 2459, sales: -1999, fees: 40, unexplained: -500 })
    for (const entry of entries) {
      if (entry.type === "pending") continue
      assert.strictEqual(
        entry.postings.reduce((sum, { amount }) => sum + amount, 0),
        0
      )
    }
    const sale = entries.find((entry) => entry.type === "transaction" && entry.subject === "capture")
    assert.deepInclude(sale, { payment_id: payment.id, reference: "order-1001", connection_id: connection })
    assert.deepStrictEqual(await allOf(books), entries)
    assert.deepStrictEqual(await allOf(pointsman.journal({ connection: "none" })), [])
    assert.deepStrictEqual(await allOf(pointsman.journal({ until: from })), [])
  })

  it("a reader of the journal that stops or meets a close does not hold it up", async () => {
    const { pointsman } = await open()
    const { connection, report } = await paid(pointsman)
    await pointsman.reconciliation.run({ connection, report: bytesOf(report) })
    for await (const entry of pointsman.journal()) {
      assert.strictEqual(entry.type, "transaction")
      break
    }
    const reader = pointsman.journal()[Symbol.asyncIterator]()
    assert.isFalse((await reader.next()).done)
    await pointsman.close()
    assert.deepInclude(await failureOf(allOf(pointsman.journal())), { code: "closed", moneyMayHaveMoved: false })
  })
})

it.each([
  [(p: Pointsman) => p.reconciliation.run(undefined as never), "`report` must be"],
  [(p: Pointsman) => p.reconciliation.run({ connection: "first", report: "" }), "`report` must be the path of a file"],
  [(p: Pointsman) => p.reconciliation.run({ connection: "first", report: "/none.csv" }), "`report` must be the path"],
  [(p: Pointsman) => p.reconciliation.run({ connection: "none", report: "/none.csv" }), '"none" not found'],
  [
    (p: Pointsman) => p.reconciliation.run({ connection: "first", report: bytesOf("a\n"), format: "csv" }),
    "`format`: expected one of http"
  ],
  [
    (p: Pointsman) => p.reconciliation.run({ connection: "first", report: bytesOf("a\n"), by: " " }),
    "`by` must be a name"
  ],
  [
    (p: Pointsman) => p.reconciliation.run({ connection: "first", report: bytesOf("a\n"), Format: "http" } as never),
    "`Format` is not a field of `order`"
  ],
  [
    (p: Pointsman) => p.reconciliation.fetch({ connection: "first", from: "yesterday" as never }),
    "`from` must be a date"
  ],
  [(p: Pointsman) => p.reconciliation.list({ limit: 0 }), "`limit` must be"],
  [(p: Pointsman) => p.reconciliation.differences({ result: "matched" as never }), "`result` must be one of amount_"],
  [(p: Pointsman) => p.reconciliation.differences({ state: "closed" as never }), "`state` must be open or all"],
  [(p: Pointsman) => p.reconciliation.differences({ after: "1" }), "`after` must be the `next_cursor`"],
  [(p: Pointsman) => p.reconciliation.close("txn_1", { note: "a", by: "Jo" }), "`differenceId` must be the `id`"],
  [(p: Pointsman) => p.reconciliation.close("first/txn_1", { note: " ", by: "Jo" }), "`note` must be text"],
  [(p: Pointsman) => p.reconciliation.close("first/txn_1", { note: "a" } as never), "`by` must be a name"],
  [(p: Pointsman) => p.reconciliation.accept("txn_1", { payment: "p", by: "Jo" }), "`differenceId` must be the `id`"],
  [(p: Pointsman) => p.reconciliation.accept("first/txn_1", { by: "Jo" } as never), "`payment` must be an id"],
  [(p: Pointsman) => p.reconciliation.balance({} as never), "`from` must be a date"],
  [(p: Pointsman) => allOf(p.journal({ from: new Date(2), until: new Date(1) })), "`from` must be a time before"],
  [(p: Pointsman) => allOf(p.journal({ closeAfterMillis: -1 })), "`closeAfterMillis` must be a whole number"],
  [(p: Pointsman) => allOf(p.journal({ to: new Date() } as never)), "`to` is not a field of `query`"]
])("the call %# is refused and the error names the field", async (call, message) => {
  const { pointsman } = await open()
  const failure = await failureOf(call(pointsman))
  assert.deepInclude(failure, { code: "validation_error", moneyMayHaveMoved: false })
  assert.include(String(failure), message)
  assert.deepStrictEqual((await pointsman.reconciliation.list()).data, [])
})

it("a report without a needed column is unreadable, and the error names it", async () => {
  const { pointsman } = await open()
  const failure = await failureOf(
    pointsman.reconciliation.run({ connection: "first", report: bytesOf("row_id,kind\n1,fee\n") })
  )
  assert.deepInclude(failure, { code: "report_unreadable", moneyMayHaveMoved: false })
  assert.include(String(failure), 'the column "gross" is missing')
})
