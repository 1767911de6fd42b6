/** `pointsman reconcile` and `pointsman books` beside a running server, on a SQLite file. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"

const columns =
  "row_id,kind,gross,currency,occurred_at,attempt_id,provider_reference,refund_id,fee,net,payout_id,settled_at"

const to = ["--connection", "main", "--by", "Jo"]
const ofProduction = ["--environment", "production"]

const setUp = async () => {
  const shop = await openShop()
  const report = (name: string, rows: ReadonlyArray<string>) => {
    const text = rows.join("\n").replaceAll("NOW", new Date().toISOString())
    writeFileSync(join(shop.folder, name), `${columns}\n${text}\n`)
    return name
  }
  return {
    ...shop,
    report,
    reconcile: (...words: ReadonlyArray<string>) => shop.run("reconcile", ...words),
    seen: (...words: ReadonlyArray<string>) => shop.data("reconcile", ...words),
    attemptOf: (at: number) => shop.callsOf("charge")[at]?.headers["idempotency-key"],
    /** Executed, and never answered. */
    lose: (reference: string) => {
      shop.provider.next("charge", (call) => {
        call.execute()
        return "drop"
      })
      return shop.create(reference)
    }
  }
}

describe("pointsman reconcile", () => {
  it("a report beside a server settles and corrects payments, and lists differences", async () => {
    const { attemptOf, create, data: printed, lose, read, reconcile, report, seen } = await setUp()
    const fine = await create("fine")
    const lost = await lose("lost")
    assert.strictEqual((await read(lost)).status, "UNKNOWN")
    assert.notProperty(await read(fine), "settlement")
    const file = report("june.csv", [
      `txn_1,charge,1999,EUR,NOW,${attemptOf(0)},,,30,1969,po_1,2030-01-01T00:00:00Z`,
      `txn_2,charge,1999,EUR,NOW,${attemptOf(1)},ch_lost,,30,1969,po_1,2030-01-01T00:00:00Z`,
      "txn_3,charge,500,EUR,NOW,,ch_unknown,,,,po_1,",
      "po_1,payout,-3938,EUR,NOW,,,,,,po_1,",
      "txn_4,charge,five,EUR,NOW,,,,,,,"
    ])
    const ran = await reconcile("run", file, ...to, "--json")
    assert.strictEqual(ran.code, 1, ran.stderr)
    assert.include(ran.stderr, "2 differences, 1 unreadable row.")
    const { data } = JSON.parse(ran.stdout)
    assert.deepInclude(data, { state: "done", rows: 5, rows_unreadable: 1, connection_id: "main", format: "http" })
    assert.deepInclude(data.results, { matched: 2, status_differs: 1, missing_here: 1 })
    assert.deepStrictEqual(data.sums, { EUR: { gross: 560, fee: 60, net: 3938 } })
    assert.deepInclude(await read(lost), { status: "SETTLED", captured_amount: 1999 })
    const settlement = { payout_id: "po_1", payout_status: "paid", fee: 30, net: 1969 }
    assert.deepInclude((await read(fine)).settlement, settlement)

    assert.deepStrictEqual(JSON.parse((await reconcile("run", file, ...to, "--json")).stdout).data, data)
    assert.deepStrictEqual(each(await seen("list"), "id"), [data.id])
    assert.deepStrictEqual(await seen("show", data.id), data)
    assert.match((await reconcile("show", data.id)).stdout, /^File +june\.csv$/mu)
    const [open, ...others] = await seen("differences")
    assert.deepStrictEqual([open.id, open.result, others], ["main/txn_3", "missing_here", []])
    const [closed] = await seen("differences", "--closed", "--kind", "status_differs")
    assert.deepInclude(closed, { id: "main/txn_2", payment_id: lost, expected: "ChargeUnknown" })
    assert.deepInclude(closed.closed, { by: "statement" })
    assert.deepStrictEqual(await seen("differences", "--older-than", "1 day"), [])
    const [balance] = await seen("balance", ...ofProduction, "--until", "2031-01-01")
    assert.deepInclude(balance, { charges: 4498, fees: 60, payouts: -3938, currency: "EUR", rows: 4 })

    const [paidOut, ...more] = await seen("payouts", ...ofProduction)
    assert.deepStrictEqual([paidOut.payout_id, more], ["po_1", []])
    assert.deepStrictEqual(paidOut.gross, { amount: -3938, currency: "EUR" })
    const payout = await seen("payout", "main/po_1")
    assert.deepInclude(payout, { connection_id: "main", payout_id: "po_1", settled_at: "2030-01-01T00:00:00.000Z" })
    const moved = { charges: 4498, refunds: 0, disputes: 0, fees: 60, payouts: -3938, others: 0 }
    assert.deepStrictEqual(payout.sums, [{ currency: "EUR", rows: 4, ...moved, rest: 500 }])
    assert.lengthOf(payout.entries, 4)
    assert.match((await reconcile("payout", "main/po_1")).stdout, /^EUR +4 +€44\.98 .* €5\.00$/mu)
    const [header, ...lines] = (await reconcile("payout", "main/po_1", "--csv")).stdout.trimEnd().split(/\r?\n/u)
    assert.match(header ?? "", /^connection,payout_id,row_id,kind,/u)
    assert.lengthOf(lines, 4)
    assert.isTrue(lines.every((line) => line.startsWith("main,po_1,")))

    const close = (row: string, note: string) => reconcile("close", row, "--note", note, "--by", "Jo")
    const card = await close("main/txn_3", "4111 1111 1111 1111")
    assert.match(card.stderr, /`--note` must not contain a card number\. Nothing was recorded\./u)
    assert.match((await close("main/txn_3", "a test charge")).stdout, /^Closed main/u)
    assert.match((await close("main/txn_3", "again")).stderr, /not found/u)
    assert.strictEqual((await reconcile("differences")).stdout, "No difference is open.\n")

    // Another charge whose row has neither our id nor the provider's reference.
    const second = await lose("second")
    await reconcile("run", report("second.csv", ["txn_5,charge,1999,EUR,NOW,,ch_2,,30,1969,po_2,"]), ...to)
    assert.strictEqual((await read(second)).status, "UNKNOWN")
    assert.include((await reconcile("differences")).stdout, `perhaps ${second}`)
    const accept = (row: string, payment: string) => reconcile("accept", row, "--payment", payment, "--by", "Jo")
    assert.match((await accept("main/txn_5", fine)).stderr, /no open difference suggests payment/u)
    assert.include((await accept("main/txn_5", second)).stdout, `main/txn_5 is a row of payment ${second} now.`)
    const accepted = await read(second)
    assert.deepInclude(accepted, { status: "SETTLED", captured_amount: 1999 })
    assert.deepInclude(accepted.settlement, { payout_id: "po_2", fee: 30 })
    assert.deepStrictEqual(await seen("differences"), [])
    const audit = JSON.stringify(await printed("audit", "list"))
    for (const action of ["report.reconciling", "difference.closing", "suggestion.accepting"]) {
      assert.include(audit, action)
    }
  })

  it("a payout that comes back in parts and whole shows in payments and lists", async () => {
    const { attemptOf, create, get, read, reconcile, report, seen } = await setUp()
    const id = await create("paid")
    const statusesAfter = async (...rows: ReadonlyArray<string>) => {
      await reconcile("run", report("next.csv", rows), ...to)
      const [listed] = await get("payments")
      const [row] = await seen("payouts", ...ofProduction)
      const csv = (await reconcile("payout", "main/po_1", "--csv")).stdout.split(/\r?\n/u, 2)
      const [header = [], first = []] = csv.map((line) => line.split(","))
      return [
        (await read(id)).settlement.payout_status,
        listed.settlement.payout_status,
        (await seen("payout", "main/po_1")).status,
        first[header.indexOf("payout_status")],
        row?.payout_status
      ]
    }
    const charge = `txn_1,charge,1999,EUR,NOW,${attemptOf(0)},,,30,1969,po_1,`
    assert.deepStrictEqual(await statusesAfter(charge), ["open", "open", "open", "open", undefined])
    for (const [row, status] of [
      ["po_1,payout,-1969", "paid"],
      ["po_1_a,payout_failed,900", "partly_returned"],
      ["po_1_b,payout_failed,1069", "returned"]
    ] as const) {
      assert.deepStrictEqual(await statusesAfter(`${row},EUR,NOW,,,,,,po_1,`), Array(5).fill(status))
    }
    assert.match((await reconcile("payout", "main/po_1")).stdout, /^Status +returned$/mu)
    assert.match((await reconcile("payouts", ...ofProduction)).stdout, /^main\/po_1 .*returned$/mu)
    assert.strictEqual((await read(id)).status, "SETTLED")
  })

  it("a report that cannot be read, or is read elsewhere, is refused with the reason", async () => {
    const { folder, reconcile, report } = await setUp()
    const file = report("june.csv", ["txn_1,payout,-1,EUR,NOW,,,,,,,"])
    const run = ["run", file, ...to]
    for (const [words, said] of [
      [["run", file, "--connection", "none", "--by", "Jo"], /connection "none" not found/u],
      [["run", "none.csv", ...to], /none\.csv: expected a file that can be read/u],
      [[...run, "--format", "stripe-balance"], /--format: .*expected|is of stripe/u],
      [["show", "rec_none"], /Run "rec_none" not found/u],
      [["payout", "main/po_2"], /Payout "main\/po_2" not found/u],
      [["payout", "po_1"], /expected connection\/payout/u],
      [["close", "txn_3", "--note", "again", "--by", "Jo"], /expected connection\/row/u],
      [["accept", "txn_2", "--payment", "p", "--by", "Jo"], /expected connection\/row/u]
    ] as const) {
      assertRefused(await reconcile(...words), said)
    }

    const since = Date.parse("2026-11-01T10:00:00Z")
    const until = Date.now() + 3_600_000
    const lease = (end: number) => {
      const db = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"))
      db.prepare(`insert or replace into reconciliation_leases
        select id, 'production', 'main', 'another process', ?, 'rec_1', 'may.csv', ? from workspaces`).run(end, since)
      db.close()
    }
    lease(until)
    const refused = await reconcile(...run)
    assert.strictEqual(refused.code, 1)
    assert.include(
      refused.stderr,
      "--connection: run rec_1 is reading may.csv since 2026-11-01T10:00:00.000Z. Run this again when that one has " +
        `ended; if its process died, from ${new Date(until).toISOString()} on.`
    )
    lease(Date.now() - 1)
    assert.strictEqual((await reconcile(...run)).code, 0)
  })
})

describe("pointsman books", () => {
  it("printed books add up to zero, with what is unknown beside them", async () => {
    const { create, provider, refund, run } = await openShop()
    const taken = await create("taken")
    assert.strictEqual((await refund(taken, { amount: 500 })).status, 200)
    const open = await create("open")
    provider.next("refund", () => ({ status: 500, body: {} }))
    assert.strictEqual((await refund(open, { amount: 700 })).status, 502)
    const books = (act: string, ...words: ReadonlyArray<string>) =>
      run("books", act, "--workspace", "acme", ...ofProduction, ...words)
    const ends = await Promise.all([
      books("export", "--format", "beancount"),
      books("export", "--from", "1 day", "--format", "ledger"),
      books("export", "--format", "csv"),
      books("balance", "--json"),
      books("balance"),
      books("export", "--to", "2020-01-01", "--format", "ledger"),
      books("export", "--from", "2020-02-01", "--to", "2020-01-01", "--format", "csv")
    ])
    const [beancount, ledger, csv, balance, text, none, backwards] = ends
    assert.deepStrictEqual(each(ends, "code"), [0, 0, 0, 0, 0, 0, 1])
    assert.match(beancount.stdout, /^plugin "beancount\.plugins\.auto_accounts"\n\n\d{4}-/u)
    assert.match(beancount.stdout, /\* "Refund"\n {2}id: "evt_[^"]+"\n {2}payment: "[^"]+"\n {2}reference: "taken"\n/u)
    assert.match(ledger.stdout, / {4}Income:Sales:Main:EUR {2}-19\.99 EUR\n/u)
    assert.match(beancount.stderr, /^The period is open until \d{4}-/u)

    assert.lengthOf(csv.stdout.split("\r\n").slice(1, -1), 6)

    assert.deepStrictEqual(documentOf(balance).data.accounts, [
      { account: "Assets:Receivable:Main:EUR", connection: "main", currency: "EUR", amount: 3498 },
      { account: "Income:Refunds:Main:EUR", connection: "main", currency: "EUR", amount: 500 },
      { account: "Income:Sales:Main:EUR", connection: "main", currency: "EUR", amount: -3998 }
    ])
    assert.deepStrictEqual(documentOf(balance).data.pending, [
      { what: "refund", connection: "main", currency: "EUR", amount: 700, count: 1 }
    ])
    assert.match(text.stdout, /Assets:Receivable:Main:EUR +34\.98 +EUR\n/u)
    assert.match(text.stdout, /\nrefund +main +1 +7\.00 +EUR\n/u)
    assert.deepStrictEqual([none.stdout, none.stderr], ["", ""])
    assert.match(backwards.stderr, /--from: expected a time before the end of the period, 2020-01-01T00:00:00\.000Z\./u)
  })
})
