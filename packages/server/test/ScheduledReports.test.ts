/** Reports that a running server fetches by itself, from an adapter of the provider protocol. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { documentOf } from "./support/CommandProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { serveHttp } from "./support/HttpHere.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"
const hour = 3_600_000

const metricOf = async (url: string, series: string): Promise<string | undefined> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return text
    .split("\n")
    .find((line) => line.startsWith(series))
    ?.split(" ")
    .at(-1)
}

describe("reports that are fetched on a schedule", () => {
  it("a fetched row settles an unanswered charge, and the fetch is reported", async () => {
    const provider = await startProvider()
    const folder = temporaryFolder()
    const configurationOf = (more: object) => configurationWith({ ...connectionTo(provider), ...more })
    const before = await startServerHere({ folder, configuration: configurationOf({}) })
    provider.next("charge", (call) => {
      call.execute()
      return "drop"
    })
    const body = { amount: 1999, currency: "EUR", country: "NL", reference: "order-1" }
    await pay(before, "order-0001", body)
    const [made] = (await before.request("GET", `${path}?reference=order-1`, { key: liveKey })).body.data
    assert.strictEqual(made.status, "UNKNOWN")
    await before.stop()

    const occurredAt = Date.now() - 3 * hour
    const attempt = provider.calls.find(({ operation }) => operation === "charge")?.headers["idempotency-key"]
    const row = {
      row_id: "mv_1",
      kind: "charge",
      gross: 1999,
      currency: "EUR",
      occurred_at: new Date(occurredAt).toISOString(),
      attempt_id: attempt,
      provider_reference: `provider-${attempt}`,
      fee: 30,
      net: 1969,
      payout_id: "po_1",
      settled_at: "2030-01-01T00:00:00Z"
    }
    provider.always("listReportRows", (call) => {
      const query = new URL(call.path, "http://provider").searchParams
      const [from, until] = ["occurred_from", "occurred_before"].map((end) => Date.parse(query.get(end) ?? ""))
      const isInside = occurredAt >= Number(from) && occurredAt < Number(until)
      return { status: 200, body: { rows: isInside ? [row] : [], next_cursor: null } }
    })

    // Where the schedule goes on from, so that it has three hours to ask for, and not the first seven days.
    const [from, until] = [5, 4].map((hours) => new Date(Date.now() - hours * hour).toISOString())
    const period = ["--from", from ?? "", "--until", until ?? ""]
    const byHand = await runHere(folder, ["reconcile", "fetch", "--connection", "main", "--by", "Jo", ...period])
    assert.strictEqual(byHand.code, 0, byHand.stderr)

    const server = await startServerHere({ folder, configuration: configurationOf({ reports: { every: "1 hour" } }) })
    const series = 'pointsman_report_fetches_total{connection="main",report="http",result="fetched"}'
    // One that never comes runs into the test's own time-out.
    while (Number(await metricOf(server.url, series)) !== 1) {}
    const payment = (await server.request("GET", `${path}/${made.payment_id}`, { key: liveKey })).body.data
    assert.deepInclude(payment, { status: "SETTLED", captured_amount: 1999 })
    assert.deepInclude(payment.settlement, { payout_id: "po_1", fee: 30, net: 1969 })

    const runs = documentOf(await runHere(folder, ["reconcile", "list", "--json"])).data
    assert.isTrue(
      runs.every(({ format, state }: { readonly [field: string]: string }) => format === "http" && state === "done")
    )
    const shown = await runHere(folder, ["connections", "show", "main"])
    assert.match(shown.stdout, /^Reports +fetched every 3600000 ms$/mu)
    const doctor = documentOf(await runHere(folder, ["doctor", "--json"])).data.checks
    assert.deepInclude(doctor.at(-1), { check: "reports", verdict: "ok" })
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
