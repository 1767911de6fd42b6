/** A month in the console of a real server: a report is uploaded, the books are added up, and the journal is downloaded. */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { dial } from "./support/RawSocket.ts"
import { signInOperator } from "./support/ReadingRival.ts"
import { each } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

const columns = "row_id,kind,gross,currency,occurred_at,attempt_id,fee,net,payout_id"
const at = "/console/reconciliation/acme/production"
const books = "/console/books/acme/production"
const api = "/console/api/workspaces/acme/production"

const setUp = async (role = "operations") => {
  // Each of the large forms counts as the requests of a second.
  const { create, data, folder, provider, run, server } = await openShop({
    environment: { POINTSMAN_RATE_LIMIT: "off" }
  })
  const cookie = await signInOperator(server.url, (words) => runHere(folder, words), ["--role", role])
  const pay = async () => {
    await create("order-1")
    return provider.charges[0]?.attemptId ?? assert.fail("nothing was charged")
  }
  const now = new Date().toISOString()
  const reportOf = (attempt: string) =>
    [
      columns,
      `txn_1,charge,1999,EUR,${now},${attempt},30,1969,po_1`,
      `txn_2,charge,500,EUR,${now},,,,po_1`,
      `po_1,payout,-1969,EUR,${now},,,,po_1`,
      ""
    ].join("\n")
  const headers = { cookie, origin: server.url }
  const upload = (
    path: string,
    file: string | Uint8Array,
    { connection = "main", format = "", name = "november.csv" } = {}
  ) => {
    const form = new FormData()
    form.set("connection", connection)
    form.set("file", new File([typeof file === "string" ? file : new Uint8Array(file)], name))
    form.set("format", format)
    return fetch(`${server.url}${path}`, { method: "POST", body: form, headers, redirect: "manual" })
  }
  const read = async (path: string) => (await fetch(`${server.url}${path}`, { headers })).text()
  const runs = () => data("reconcile", "list")
  const ended = (most = 1) =>
    until("the reports to be read", async () => {
      const found: ReadonlyArray<{ readonly state: string }> = await runs()
      return found.length === most && found.every(({ state }) => state === "done")
    })
  return { data, ended, headers, now, pay, read, reportOf, run, runs, server, upload }
}

describe("a report that is uploaded", () => {
  it("a report uploaded twice and by command is read once, with names in the trail", async () => {
    const { data, ended, pay, read, reportOf, runs, upload } = await setUp()
    const text = reportOf(await pay())
    const sent = await upload(`${at}/read`, text, { name: "C:\\reports\\november.csv" })
    const path = sent.headers.get("location") ?? ""
    assert.match(`${sent.status} ${path}`, /^303 \/console\/reconciliation\/acme\/production\/reports\/rec_[^?]+$/u)
    await ended()
    const page = await read(path)
    assert.include(page, "3 read, 3 applied, 0 read before, 0 unreadable")
    assert.include(page, "<h1>november.csv</h1>")
    const [first] = await runs()
    assert.deepInclude(first.results, { matched: 2, missing_here: 1 })

    const again = await upload(`${at}/read`, gzipSync(text))
    // Compressed it is another file, whose rows are known.
    assert.notInclude(again.headers.get("location") ?? "", "notice")
    await ended(2)
    const same = await upload(`${at}/read`, text)
    assert.strictEqual(same.headers.get("location"), `${path}?notice=known`)
    assert.include(await read(`${path}?notice=known`), "This file was read before. Nothing was changed.")
    const known = await upload(`${api}/reports`, text)
    assert.deepStrictEqual([known.status, await known.json()], [200, { data: { id: first.id, known: true } }])
    assert.deepStrictEqual(each(await runs(), "rows_known"), [3, 0])

    const trail: ReadonlyArray<Readonly<Record<string, unknown>>> = await data("audit", "list")
    const entry = trail.find(({ action }) => action === "report.reconciling")
    assert.deepInclude(entry, { actor: "jo", subject: "main" })
  })

  it("a bad form, file, size, connection or role is explained, and nothing written", async () => {
    const { headers, runs, server, upload } = await setUp()
    const says = async (sent: Promise<Response>, status: number, text: string | RegExp) => {
      const answer = await sent
      assert.strictEqual(answer.status, status)
      assert.match(JSON.parse(await answer.text()).error.message, new RegExp(text, "u"))
    }
    const path = `${api}/reports`
    await says(upload(path, "%PDF-1.7\n"), 422, 'the column "row_id" is missing: expected a report of the format http')
    await says(upload(path, "columns"), 422, /expected/u)
    await says(upload(path, `${columns}\nx,charge,"5,EUR`), 422, "a quotation mark is not closed")
    await says(upload(path, `${columns}\n${"x".repeat(200_000)}`), 422, "the row is longer than 65536 bytes")
    await says(upload(path, gzipSync(Buffer.alloc(40_000_000))), 422, /less than 1\/200 of its size|longer than 65536/u)
    await says(upload(path, gzipSync(columns).subarray(0, 20)), 422, "not readable as gzip")
    await says(upload(path, columns, { format: "june" }), 422, "Format: expected one of")
    await says(upload(path, columns, { connection: "other" }), 422, "`connection` must be the id of a connection")
    await says(upload(path, ""), 422, "one file under `file`")
    await says(upload(path, new Uint8Array(8_000_001)), 413, "pointsman reconcile run")
    await says(upload(path, new Uint8Array(8_300_000)), 413, "pointsman reconcile run")
    await says(upload("/console/api/workspaces/acme/sandbox/reports", columns), 422, "`connection` must be")
    const json = { method: "POST", body: "{}", headers: { ...headers, "content-type": "application/json" } }
    await says(fetch(`${server.url}${path}`, json), 422, "multipart/form-data")
    assert.strictEqual((await upload(`${at}/read`, "%PDF-1.7\n")).status, 422)
    assert.deepStrictEqual(await runs(), [])
  })

  it("the role support gets no page, form or download of it", async () => {
    const { read, reportOf, runs, upload } = await setUp("support")
    for (const path of [`${at}/read`, `${api}/reports`])
      assert.strictEqual((await upload(path, reportOf("x"))).status, 403)
    for (const path of [`${at}/read`, books, `${books}/journal?month=2026-11&format=csv`]) {
      assert.include(await read(path), "Your role in this workspace does not allow this.")
    }
    assert.deepStrictEqual(await runs(), [])
  })

  it("nothing of an upload that breaks off is applied, and the file is read later", async () => {
    const { ended, headers, pay, reportOf, runs, server, upload } = await setUp()
    const text = reportOf(await pay())
    const part = (name: string, more = "") => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
    const body = `${part("connection")}main\r\n${part("file", '; filename="november.csv"')}${text}\r\n--b--\r\n`
    const lines = [
      `POST ${at}/read HTTP/1.1`,
      `Host: ${new URL(server.url).host}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "Content-Type: multipart/form-data; boundary=b",
      `Content-Length: ${body.length}`
    ]
    for (const length of [body.indexOf("txn_2"), body.length - 5]) {
      const socket = await dial(server.url)
      socket.write(`${lines.join("\r\n")}\r\n\r\n${body.slice(0, length)}`)
      await new Promise((resolve) => socket.once("close", resolve).destroySoon())
    }
    assert.deepStrictEqual(await runs(), [])
    assert.strictEqual((await upload(`${at}/read`, text)).status, 303)
    await ended()
    assert.strictEqual((await runs())[0].rows, 3)
  })
})

describe("the books in the console", () => {
  it("a month's balances and journals are the commands', and the export is audited", async () => {
    const { data, ended, now, pay, read, reportOf, run, server, headers, upload } = await setUp()
    await upload(`${at}/read`, reportOf(await pay()))
    await ended()
    const month = now.slice(0, 7)
    const end = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)))).toISOString().slice(0, 10)
    const command = ["--environment", "production", "--to", end]
    const { accounts, pending } = await data("books", "balance", ...command)
    const answered = JSON.parse(await read(`${api}/books/balances?before=${end}`)).data
    assert.deepStrictEqual(answered, { accounts, pending })
    const page = await read(`${books}?until=${end}`)
    for (const text of ["<code>Equity:Unexplained:Main:EUR</code>", "-€5.00", "€19.69"]) assert.include(page, text)
    assert.notInclude(await read(books), "Equity:Unexplained")

    for (const format of ["beancount", "ledger", "csv"]) {
      const query = `?month=${month}&format=${format}`
      const downloaded = await fetch(`${server.url}${books}/journal${query}`, { headers })
      assert.include(
        downloaded.headers.get("content-disposition") ?? "",
        `"journal-${month}-acme-production.${format}"`
      )
      const text = await downloaded.text()
      const { stdout } = await run("books", "export", ...command, "--from", `${month}-01`, "--format", format)
      assert.strictEqual(text.trimEnd(), stdout.trimEnd())
      assert.strictEqual(await read(`${api}/books/journal${query}`), text)
      assert.notInclude(await read(`${books}/journal${query}&connection=other`), "Receivable")
    }
    for (const query of ["month=2026-13&format=csv", "month=&format=csv", "month=2026-11&format=xml"]) {
      assert.strictEqual((await fetch(`${server.url}${books}/journal?${query}`, { headers })).status, 422)
      assert.strictEqual((await fetch(`${server.url}${api}/books/journal?${query}`, { headers })).status, 422)
    }
    assert.strictEqual((await fetch(`${server.url}${books}?until=soon`, { headers })).status, 422)
    const trail: ReadonlyArray<Readonly<Record<string, unknown>>> = await data("audit", "list")
    const exported = trail.filter(({ action }) => action === "payments.exporting")
    // For each format by the page and the API, and of another connection.
    assert.lengthOf(exported, 9)
    assert.deepInclude(exported[0], { actor: "jo", subject: "acme" })
    assert.deepInclude(Object(exported[0]?.["details"]), { journal: "beancount", before: `${end}T00:00:00.000Z` })
  })
})
