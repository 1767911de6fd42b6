/** Reports that a running server fetches by itself, from an adapter of the provider protocol. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { serveHttp } from "./support/HttpHere.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

const hour = 3_600_000

describe("reports that are fetched on a schedule", () => {
  it("a fetched row settles an unanswered charge, and the fetch is reported", async () => {
    const { clock, push } = makeMovedClock()
    const { create, data, provider, read, run, server } = await openShop({
      configured: (provider) => configurationWith({ ...connectionTo(provider), reports: { every: "1 hour" } }),
      clock
    })
    provider.always("lookUpCharge", () => "drop")
    provider.next("charge", (call) => {
      call.execute()
      return "drop"
    })
    const id = await create("order-1")
    assert.strictEqual((await read(id)).status, "UNKNOWN")

    const occurredAt = Date.now() - 3 * hour
    const [charge] = provider.charges
    const row = {
      ...{ row_id: "mv_1", kind: "charge", gross: 1999, currency: "EUR" },
      occurred_at: new Date(occurredAt).toISOString(),
      ...{ attempt_id: charge?.attemptId, provider_reference: charge?.providerReference },
      ...{ fee: 30, net: 1969, payout_id: "po_1", settled_at: "2030-01-01T00:00:00Z" }
    }
    provider.always("listReportRows", (call) => {
      const query = new URL(call.path, "http://provider").searchParams
      const [from, until] = ["occurred_from", "occurred_before"].map((end) => Date.parse(query.get(end) ?? ""))
      const isInside = occurredAt >= Number(from) && occurredAt < Number(until)
      return { status: 200, body: { rows: isInside ? [row] : [], next_cursor: null } }
    })
    // The fetch at the start had no answer, and is tried again.
    push(hour)
    await until("the row is read", async () => (await read(id)).status === "SETTLED")
    const payment = await read(id)
    assert.strictEqual(payment.captured_amount, 1999)
    assert.deepInclude(payment.settlement, { payout_id: "po_1", fee: 30, net: 1969 })

    const series = 'pointsman_report_fetches_total{connection="main",report="http",result="fetched"} 1'
    await until("the fetch is counted", async () =>
      (await (await fetch(`${server.url}/metrics`)).text()).includes(series)
    )
    const runs: ReadonlyArray<Record<string, string>> = await data("reconcile", "list")
    assert.isTrue(runs.every(({ format, state }) => format === "http" && state === "done"))
    assert.match((await run("connections", "show", "main")).stdout, /^Reports +fetched every 3600000 ms$/mu)
    assert.deepInclude((await data("doctor")).checks.at(-1), { check: "reports", verdict: "ok" })
  })

  it("rows of files fetched by hand are read, and those of a cut file are not", async () => {
    const header =
      "Action Type,Action ID,Payment ID,Processed On,Processing Currency,Holding Currency,Payout ID,Breakdown Type," +
      "Processing Currency Amount,Holding Currency Amount"
    const madeAt = new Date(Date.now() - 5 * hour).toISOString()
    const row = (id: string, part: string, amount: string) =>
      `Capture,act_${id},pay_${id},${madeAt},EUR,EUR,po_1,${part},${amount},${amount}`
    const whole = [header, row("1", "Capture", "19.99"), row("1", "Scheme Fixed Fee", "-0.30"), ""].join("\n")
    let text = '"cut off'
    const listing = {
      data: [
        {
          id: "rpt_1",
          created_on: madeAt,
          type: "FinancialActionsByPayoutId",
          files: [{ id: "file_1", filename: "actions.csv", format: "CSV" }]
        }
      ]
    }
    const { url: baseUrl } = await serveHttp(({ url = "" }, response) =>
      response.end(url.startsWith("/reports?") ? JSON.stringify(listing) : text)
    )
    const folder = temporaryFolder()
    const credentials = { secretKey: "sk_sbox_o2nulev2arguvyf6w7sc5fkznas", prefix: "vkuhvk4v", baseUrl }
    const connection = { id: "cko", environment: "sandbox", connector: "checkout", credentials }
    const configuration = JSON.stringify({ workspaces: [{ id: "acme", connections: [connection] }] })
    await (await startServerHere({ folder, configuration })).stop()

    const fetchAll = () => runHere(folder, ["reconcile", "fetch", "--connection", "cko", "--by", "Jo", "--json"])
    const cut = await fetchAll()
    assert.strictEqual(cut.code, 1)
    assert.include(cut.stderr, "file rpt_1/file_1: row 1: a quotation mark is not closed")
    text = whole
    // No payment of ours has the charge.
    const fetched = await fetchAll()
    assert.include(fetched.stderr, "1 difference, 0 unreadable rows.")
    const rows = JSON.parse(fetched.stdout).data.map(({ rows }: { readonly rows: number }) => rows)
    assert.strictEqual(
      rows.reduce((sum: number, count: number) => sum + count, 0),
      2
    )
    const balance = documentOf(
      await runHere(folder, ["reconcile", "balance", "--environment", "sandbox", "--json"])
    ).data
    assert.deepInclude(balance[0], { charges: 1999, others: -30, currency: "EUR", rows: 2 })
  })
})
