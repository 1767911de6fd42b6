/** `pointsman reconcile` beside a running server, on a SQLite file. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { signInOperator } from "./support/ReadingRival.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const columns =
  "row_id,kind,gross,currency,occurred_at,attempt_id,provider_reference,refund_id,fee,net,payout_id,settled_at"

const setUp = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const server = await startServerHere({
    folder,
    configuration: configurationWith(connectionTo(provider))
  })
  const create = async (reference: string): Promise<string> => {
    const made = await pay(server, `order-${reference}`, { reference })
    return made.status === 201
      ? made.body.data.payment_id
      : (await server.request("GET", `${path}?reference=${reference}`, { key: liveKey })).body.data[0].payment_id
  }
  const read = async (id: string) => (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data
  const now = new Date().toISOString()
  const report = (name: string, rows: ReadonlyArray<string>) => {
    writeFileSync(join(folder, name), `${columns}\n${rows.map((row) => row.replaceAll("NOW", now)).join("\n")}\n`)
    return name
  }
  const run = (...words: ReadonlyArray<string>) => runHere(folder, ["reconcile", ...words])
  return { create, folder, provider, read, report, run, server }
}

const to = ["--connection", "main", "--by", "Jo"]

describe("pointsman reconcile", () => {
  it("a report beside a server settles and corrects payments, and lists differences", async () => {
    const { create, folder, provider, read, report, run, server } = await setUp()
    const fine = await create("fine")
    provider.next("charge", (call) => {
      call.execute()
      return "drop"
    })
    const lost = await create("lost")
    assert.strictEqual((await read(lost)).status, "UNKNOWN")
    assert.notProperty(await read(fine), "settlement")
    const [first, second] = provider.calls.filter(({ operation }) => operation === "charge")
    const attempts = [first, second].map((call) => call?.headers["idempotency-key"])
    const file = report("june.csv", [
      `txn_1,charge,1999,EUR,NOW,${attempts[0]},,,30,1969,po_1,2030-01-01T00:00:00Z`,
      `txn_2,charge,1999,EUR,NOW,${attempts[1]},ch_lost,,30,1969,po_1,2030-01-01T00:00:00Z`,
      "txn_3,charge,500,EUR,NOW,,ch_unknown,,,,po_1,",
      "po_1,payout,-3938,EUR,NOW,,,,,,po_1,",
      "txn_4,charge,five,EUR,NOW,,,,,,,"
    ])
    const ran = await run("run", file, ...to, "--json")
    assert.strictEqual(ran.code, 1, ran.stderr)
    assert.include(ran.stderr, "2 differences, 1 unreadable row.")
    const { data } = JSON.parse(ran.stdout)
    assert.deepInclude(data, { state: "done", rows: 5, rows_unreadable: 1, connection_id: "main", format: "http" })
    assert.deepInclude(data.results, { matched: 2, status_differs: 1, missing_here: 1 })
    assert.deepStrictEqual(data.sums, { EUR: { gross: 560, fee: 60, net: 3938 } })
    assert.deepInclude(await read(lost), { status: "SETTLED", captured_amount: 1999 })
    assert.deepStrictEqual((await read(fine)).settlement, {
      payout_id: "po_1",
      payout_status: "paid",
      fee: 30,
      net: 1969,
      currency: "EUR",
      settled_at: "2030-01-01T00:00:00.000Z"
    })
    const listed = (await server.request("GET", path, { key: liveKey })).body.data
    assert.deepStrictEqual(
      listed.map(({ settlement }: { readonly settlement?: { readonly payout_id: string } }) => settlement?.payout_id),
      ["po_1", "po_1"]
    )

    const again = await run("run", file, ...to, "--json")
    assert.deepStrictEqual(JSON.parse(again.stdout).data, data)
    assert.deepStrictEqual(each(documentOf(await run("list", "--json")).data, "id"), [data.id])
    assert.deepStrictEqual(documentOf(await run("show", data.id, "--json")).data, data)
    assert.match((await run("show", data.id)).stdout, /^File +june\.csv$/mu)
    const open = documentOf(await run("differences", "--json")).data
    assert.deepStrictEqual(
      open.map(({ id, result }: { readonly id: string; readonly result: string }) => [id, result]),
      [["main/txn_3", "missing_here"]]
    )
    const closed = documentOf(await run("differences", "--closed", "--kind", "status_differs", "--json")).data
    assert.deepInclude(closed[0], { id: "main/txn_2", payment_id: lost, expected: "ChargeUnknown" })
    assert.deepInclude(closed[0].closed, { by: "statement" })
    assert.deepStrictEqual(documentOf(await run("differences", "--older-than", "1 day", "--json")).data, [])
    const balance = documentOf(
      await run("balance", "--environment", "production", "--until", "2031-01-01", "--json")
    ).data
    assert.deepInclude(balance[0], { charges: 4498, fees: 60, payouts: -3938, currency: "EUR", rows: 4 })

    const payouts = documentOf(await run("payouts", "--environment", "production", "--json")).data
    assert.deepStrictEqual(
      payouts.map(({ gross, payout_id }: { readonly gross: unknown; readonly payout_id: string }) => [
        payout_id,
        gross
      ]),
      [["po_1", { amount: -3938, currency: "EUR" }]]
    )
    const payout = documentOf(await run("payout", "main/po_1", "--json")).data
    assert.deepInclude(payout, { connection_id: "main", payout_id: "po_1", settled_at: "2030-01-01T00:00:00.000Z" })
    const paidOut = { charges: 4498, refunds: 0, disputes: 0, fees: 60, payouts: -3938, others: 0 }
    assert.deepStrictEqual(payout.sums, [{ currency: "EUR", rows: 4, ...paidOut, rest: 500 }])
    assert.lengthOf(payout.entries, 4)
    assert.match((await run("payout", "main/po_1")).stdout, /^EUR +4 +€44\.98 .* €5\.00$/mu)
    const [header, ...lines] = (await run("payout", "main/po_1", "--csv")).stdout.trimEnd().split(/\r?\n/u)
    assert.match(header ?? "", /^connection,payout_id,row_id,kind,/u)
    assert.lengthOf(lines, 4)
    assert.isTrue(lines.every((line) => line.startsWith("main,po_1,")))
    assert.match((await run("payout", "main/po_2")).stderr, /Payout "main\/po_2" not found/u)
    assert.match((await run("payout", "po_1")).stderr, /expected connection\/payout/u)

    const card = await run("close", "main/txn_3", "--note", "4111 1111 1111 1111", "--by", "Jo")
    assert.match(card.stderr, /`--note` must not contain a card number\. Nothing was recorded\./u)
    assert.match((await run("close", "main/txn_3", "--note", "a test charge", "--by", "Jo")).stdout, /^Closed main/u)
    assert.match((await run("close", "main/txn_3", "--note", "again", "--by", "Jo")).stderr, /not found/u)
    assert.match((await run("close", "txn_3", "--note", "again", "--by", "Jo")).stderr, /expected connection\/row/u)
    assert.strictEqual((await run("differences")).stdout, "No difference is open.\n")
    const audit = JSON.stringify(documentOf(await runHere(folder, ["audit", "list", "--json"])).data)
    assert.include(audit, "report.reconciling")
    assert.include(audit, "difference.closing")
  })

  it("our charge matches after another shop's; an operator accepts it if unnamed", async () => {
    const { create, folder, provider, read, report, run } = await setUp()
    const loses = async (reference: string) => {
      provider.next("charge", (call) => {
        call.execute()
        return "drop"
      })
      const id = await create(reference)
      assert.strictEqual((await read(id)).status, "UNKNOWN")
      const call = provider.calls.findLast(({ operation }) => operation === "charge")
      return { id, attempt: call?.headers["idempotency-key"] }
    }
    const foreign = "txn_f,charge,1999,EUR,NOW,,ch_foreign,,99,1900,po_f,"
    const first = await loses("first")
    const ours = `txn_1,charge,1999,EUR,NOW,${first.attempt},ch_1,,30,1969,po_1,`
    await run("run", report("foreign.csv", [foreign]), ...to)
    assert.strictEqual((await read(first.id)).status, "UNKNOWN")
    await run("run", report("first.csv", [ours]), ...to)
    const settled = await read(first.id)
    assert.deepInclude(settled, { status: "SETTLED", captured_amount: 1999 })
    assert.deepInclude(settled.settlement, { payout_id: "po_1", fee: 30 })
    const [open, ...others] = documentOf(await run("differences", "--json")).data
    assert.deepStrictEqual(others, [])
    const stays = { id: "main/txn_f", result: "missing_here", payment_id: null, suggested_payment_id: first.id }
    assert.deepInclude(open, stays)
    assert.include((await run("differences")).stdout, `perhaps ${first.id}`)
    const accept = (row: string, payment: string) => run("accept", row, "--payment", payment, "--by", "Jo")
    assert.match((await accept("main/txn_f", first.id)).stderr, /a row or a charge of its own by now/u)
    assert.deepStrictEqual(await read(first.id), settled)

    const second = await loses("second")
    await run("run", report("second.csv", ["txn_2,charge,1999,EUR,NOW,,ch_2,,30,1969,po_2,"]), ...to)
    assert.strictEqual((await read(second.id)).status, "UNKNOWN")
    assert.match((await accept("main/txn_2", first.id)).stderr, /no open difference suggests payment/u)
    assert.match((await accept("txn_2", second.id)).stderr, /expected connection\/row/u)
    assert.include((await accept("main/txn_2", second.id)).stdout, `main/txn_2 is a row of payment ${second.id} now.`)
    const accepted = await read(second.id)
    assert.deepInclude(accepted, { status: "SETTLED", captured_amount: 1999 })
    assert.deepInclude(accepted.settlement, { payout_id: "po_2", fee: 30 })
    assert.deepStrictEqual(each(documentOf(await run("differences", "--json")).data, "id"), ["main/txn_f"])
    const audit = JSON.stringify(documentOf(await runHere(folder, ["audit", "list", "--json"])).data)
    assert.include(audit, "suggestion.accepting")
  })

  it("the last generated report says the fee, in any order, unchanged or not", async () => {
    const { create, folder, provider, read, run } = await setUp()
    const id = await create("fees")
    const [charged] = provider.calls.filter(({ operation }) => operation === "charge")
    const attempt = charged?.headers["idempotency-key"]
    const readReport = async (hours: number, fee: number, name = `${hours} ${fee}.csv`) => {
      const time = (at: number) => new Date(at).toISOString()
      const row = `txn_1,charge,1999,EUR,${time(started)},${attempt},${fee},${1999 - fee},po_1,${time(started + hours * hour)}`
      const header = "row_id,kind,gross,currency,occurred_at,attempt_id,fee,net,payout_id,generated_at"
      writeFileSync(join(folder, name), `${header}\n${row}\n`)
      const ran = await run("run", name, ...to, "--json")
      assert.strictEqual(ran.code, 0, ran.stderr)
      return [(await read(id)).settlement.fee, JSON.parse(ran.stdout).data.rows_known]
    }
    const hour = 3_600_000
    const started = Date.now() - 100 * hour
    assert.deepStrictEqual(await readReport(1, 50), [50, 0])
    assert.deepStrictEqual(await readReport(2, 60), [60, 0])
    assert.deepStrictEqual(await readReport(3, 50), [50, 0])
    // Generated before the last one, and read after it.
    assert.deepStrictEqual(await readReport(2, 70, "late.csv"), [50, 1])
    // Unchanged, and generated later than what is read next.
    assert.deepStrictEqual(await readReport(9, 50), [50, 1])
    assert.deepStrictEqual(await readReport(8, 80), [50, 1])
    assert.deepStrictEqual(await readReport(9, 90, "same time.csv"), [90, 0])
    const balance = documentOf(await run("balance", "--environment", "production", "--json")).data
    assert.deepInclude(balance[0], { charges: 1999, fees: 90, rows: 1 })
  })

  it("a payout that comes back in parts and whole shows in payments and lists", async () => {
    const { create, provider, read, report, run, server } = await setUp()
    const id = await create("paid")
    const [charged] = provider.calls.filter(({ operation }) => operation === "charge")
    const charge = `txn_1,charge,1999,EUR,NOW,${charged?.headers["idempotency-key"]},,,30,1969,po_1,`
    const stateAfter = async (name: string, rows: ReadonlyArray<string>) => {
      await run("run", report(name, rows), ...to)
      const listed = (await server.request("GET", path, { key: liveKey })).body.data
      const payout = documentOf(await run("payout", "main/po_1", "--json")).data
      const [row] = documentOf(await run("payouts", "--environment", "production", "--json")).data
      const csv = (await run("payout", "main/po_1", "--csv")).stdout.trimEnd().split(/\r?\n/u)
      const at = csv[0]?.split(",").indexOf("payout_status") ?? -1
      return [
        (await read(id)).settlement.payout_status,
        listed[0].settlement.payout_status,
        payout.status,
        row?.payout_status,
        csv[1]?.split(",")[at]
      ]
    }
    const all = (state: string) => [state, state, state, state, state]
    assert.deepStrictEqual(await stateAfter("open.csv", [charge]), ["open", "open", "open", undefined, "open"])
    assert.deepStrictEqual(await stateAfter("paid.csv", ["po_1,payout,-1969,EUR,NOW,,,,,,po_1,"]), all("paid"))
    const part = "po_1_a,payout_failed,900,EUR,NOW,,,,,,po_1,"
    assert.deepStrictEqual(await stateAfter("part.csv", [part]), all("partly_returned"))
    const rest = "po_1_b,payout_failed,1069,EUR,NOW,,,,,,po_1,"
    assert.deepStrictEqual(await stateAfter("rest.csv", [rest]), all("returned"))
    assert.match((await run("payout", "main/po_1")).stdout, /^Status +returned$/mu)
    assert.match((await run("payouts", "--environment", "production")).stdout, /^main\/po_1 .*returned$/mu)
    assert.strictEqual((await read(id)).status, "SETTLED")
  })

  it("evidence files for a report's dispute are kept up to the API's limit", async () => {
    const { create, folder, provider, report, run, server } = await setUp()
    await create("disputed")
    const [charged] = provider.calls.filter(({ operation }) => operation === "charge")
    const columns = "row_id,kind,gross,currency,occurred_at,attempt_id,dispute_id"
    const name = report("disputes.csv", [])
    const row = `txn_d,dispute,-1999,EUR,${new Date().toISOString()},${charged?.headers["idempotency-key"]},dp_1`
    writeFileSync(join(folder, name), `${columns}\n${row}\n`)
    await run("run", name, ...to)
    const disputes = async () => (await server.request("GET", "/api/v1/disputes", { key: liveKey })).body.data
    const [{ id }] = await disputes()
    const origin = server.url
    const cookie = await signInOperator(origin, (words) => runHere(folder, words), ["--role", "operations"])
    const send = (size: number) => {
      const bytes = new Uint8Array(size)
      bytes.set(new TextEncoder().encode("%PDF-1.7\n"))
      const form = new FormData()
      form.set("product_description", "A chair")
      form.set("receipt", new File([bytes], "receipt.pdf"))
      return fetch(`${origin}/console/disputes/acme/production/${id}/evidence`, {
        method: "POST",
        headers: { cookie, origin },
        body: form,
        redirect: "manual"
      })
    }
    assert.strictEqual((await send(5_000_000)).status, 303)
    assert.deepStrictEqual((await disputes())[0].evidence, {
      texts: ["product_description"],
      files: [{ name: "receipt", type: "application/pdf", bytes: 5_000_000 }]
    })
    const refused = await send(9_000_000)
    assert.strictEqual(refused.status, 413)
    assert.include(
      await refused.text(),
      "Nothing was kept: the form is too large. Files may have 5,000,000 bytes together."
    )
    assert.strictEqual((await disputes())[0].evidence.files[0].bytes, 5_000_000)
  })

  it("books with a matching report have its fees and payouts, and add up to zero", async () => {
    const { create, folder, provider, report, run } = await setUp()
    await create("one")
    await create("two")
    const [first, second] = provider.calls
      .filter(({ operation }) => operation === "charge")
      .map((call) => call.headers["idempotency-key"])
    const files = [
      ["open.csv", [`txn_1,charge,1999,EUR,NOW,${first},,,30,1969,,`]],
      [
        "paid.csv",
        [
          `txn_1,charge,1999,EUR,NOW,${first},,,32,1967,po_1,`,
          `txn_2,charge,1999,EUR,NOW,${second},,,30,1969,po_1,`,
          "fee_1,fee,-15,EUR,NOW,,,,,,,",
          "po_1,payout,-3921,EUR,NOW,,,,,,po_1,"
        ]
      ]
    ] as const
    for (const [name, rows] of files) {
      const ran = await run("run", report(name, rows), ...to, "--json")
      assert.strictEqual(ran.code, 0, ran.stderr)
    }
    const books = (...words: ReadonlyArray<string>) =>
      runHere(folder, ["books", ...words, "--workspace", "acme", "--environment", "production"])
    const { accounts, pending } = documentOf(await books("balance", "--json")).data
    assert.deepStrictEqual(
      accounts.map(({ account, amount }: { readonly account: string; readonly amount: number }) => [account, amount]),
      [
        ["Assets:Payouts:Main:EUR", 3921],
        ["Assets:Receivable:Main:EUR", 0],
        ["Expenses:Fees:Main:EUR", 77],
        ["Income:Sales:Main:EUR", -3998]
      ]
    )
    assert.deepStrictEqual(pending, [])
    const exported = (await books("export", "--format", "csv")).stdout
    const amounts = exported
      .split("\r\n")
      .slice(1, -1)
      .map((row) => Math.round(100 * Number(row.split(",")[5])))
    assert.strictEqual(
      amounts.reduce((sum, one) => sum + one, 0),
      0
    )
    assert.include(exported, ",Assets:Payouts:Main:EUR,main,39.21,EUR,")
    assert.include(exported, ",Expenses:Fees:Main:EUR,main,0.32,EUR,")
    assert.notInclude(exported, "Equity:Unexplained")
  })

  it("a command names the run, file and times of a report that another process reads", async () => {
    const { folder, report, run } = await setUp()
    const file = report("june.csv", ["txn_1,payout,-1,EUR,NOW,,,,,,,"])
    const since = Date.parse("2026-11-01T10:00:00Z")
    const until = Date.now() + 3_600_000
    const lease = (end: number) => {
      const db = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"))
      db.prepare(`insert or replace into reconciliation_leases
        select id, 'production', 'main', 'another process', ?, 'rec_1', 'may.csv', ? from workspaces`).run(end, since)
      db.close()
    }
    lease(until)
    const refused = await run("run", file, ...to)
    assert.strictEqual(refused.code, 1)
    assert.include(
      refused.stderr,
      "--connection: run rec_1 is reading may.csv since 2026-11-01T10:00:00.000Z. Run this again when that one has " +
        `ended; if its process died, from ${new Date(until).toISOString()} on.`
    )
    lease(Date.now() - 1)
    assert.strictEqual((await run("run", file, ...to)).code, 0)
  })

  it("a file that is no report is refused with what was expected", async () => {
    const { report, run } = await setUp()
    const file = report("june.csv", ["txn_1,payout,-1,EUR,NOW,,,,,,,"])
    assert.match((await run("run", file, "--connection", "none", "--by", "Jo")).stderr, /connection "none" not found/u)
    assert.match((await run("run", "none.csv", ...to)).stderr, /none\.csv: expected a file that can be read/u)
    const other = await run("run", file, ...to, "--format", "stripe-balance")
    assert.match(other.stderr, /--format: .*expected|is of stripe/u)
    assert.strictEqual(other.code, 1)
    assert.match((await run("show", "rec_none")).stderr, /Run "rec_none" not found/u)
  })
})
