/** Reports, differences and payouts on the pages, and closing a difference with a note. */
import { Effect } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { readPages, readReport, rowOf, stateDispute } from "./support/Reports.ts"
import { assertFields, codeOf, dataOf, errorOf, everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()
let cookie: string
beforeEach(async () => {
  cookie = await here.signIn("jo", everywhere("operations"))
})
const page = (path: string, status = 200) => pageAt(here, path, cookie, status)

const at = "/reconciliation/acme/sandbox"
const report = { connectionId: "acme-sandbox" }

const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

/** One row matches, one has another amount, one is of no payment, and a payout. */
const reported = async () => {
  const same = await here.pay("acme", "sandbox", "automatic", "order-1")
  const other = await here.pay("acme", "sandbox", "automatic", "order-2")
  const charge = (ref: string | null, minorUnits: number) => ({
    kind: "charge" as const,
    ref: ref ?? "",
    gross: eur(minorUnits),
    fee: eur(50),
    net: eur(minorUnits - 50),
    payoutId: "po_1"
  })
  const run = await readReport(here.run, report, [
    rowOf("txn_1", charge(same.providerRef, 1999)),
    rowOf("txn_2", charge(other.providerRef, 1500)),
    rowOf("txn_<3>", charge("unknown", 700)),
    rowOf("po_1", { gross: eur(-2000) })
  ])
  return { run, same, other }
}

const openRows = () =>
  here.ask(({ reconciliation }) =>
    Effect.map(reconciliation.differences({ differences: "open", limit: 10 }), (found) =>
      found.map(({ connectionId, rowId }) => `${connectionId}/${rowId}`)
    )
  )

describe("reports", () => {
  it("a page without a report says how one is read, and that nothing is unexplained", async () => {
    const text = await page(at)
    assert.include(text, "No report was read.")
    assert.include(text, 'Oldest unexplained difference</dt><dd><span class="good">None</span>')
  })

  it("the pages show a report's state, rows by result, sums and differences", async () => {
    const { other, run } = await reported()
    const list = await page(at)
    assert.include(list, `<a href="/console${at}/reports/${run.id}">november.csv</a>`)
    assert.include(list, `<a href="/console${at}/differences?result=amount_differs">Another amount</a>: 1`)
    assert.include(list, `<a href="/console${at}/differences?result=missing_here">Not recorded here</a>: 1`)
    assert.notInclude(list, '<span class="good">None</span>')
    const text = await page(`${at}/reports/${run.id}`)
    for (const shown of [
      "4 read, 4 applied, 0 read before, 0 unreadable",
      "€21.99",
      "€1.50",
      "txn_&lt;3&gt;",
      "€15.00"
    ]) {
      assert.include(text, shown)
    }
    assert.include(text, `href="/console/payments/acme/sandbox/${other.id}"`)
    // It is done: nothing of it changes any more.
    assert.notInclude(text, "data-live")
    await page(`${at}/reports/rec_0`, 404)
    await page(`/reconciliation/acme/production/reports/${run.id}`, 404)
    assert.include(await page("/reconciliation/acme/production"), "No report was read.")
  })

  it("a payment's page shows the rows of reports to those who may read them", async () => {
    const { same } = await reported()
    const path = `/payments/acme/sandbox/${same.id}`
    assert.include(await page(path), "<code>po_1</code>")
    assert.notInclude(await pageAt(here, path, await here.signIn("kim", everywhere("support"))), "<code>po_1</code>")
  })
})

describe("differences", () => {
  it("an open difference closed with a note is closed once, under the operator's login", async () => {
    await reported()
    const path = `${at}/differences`
    const text = await page(path)
    assert.strictEqual([...text.matchAll(/<summary>Close…/gu)].length, 2)
    assert.include(text, "no payment found")
    assert.include(await page(`${path}?result=amount_differs`), "txn_2")
    assert.notInclude(await page(`${path}?result=amount_differs`), "txn_&lt;3&gt;")
    const form = { connection: "acme-sandbox", row: "txn_<3>", note: "A sale <at> the terminal\r\n" }
    assert.strictEqual(leadsTo(await here.send(path, { cookie, form })), `${path}?notice=closed`)
    assert.deepStrictEqual(await openRows(), ["acme-sandbox/txn_2"])
    assert.notInclude(await page(path), "txn_&lt;3&gt;")
    const closed = await page(`${path}?state=all`)
    assert.include(closed, "Closed: A sale &lt;at&gt; the terminal")
    const again = await pageOf(await here.send(path, { cookie, form }), 404)
    assert.include(again, "This connection has no open difference of this row.")
    const [entry] = await here.audited(/^difference\.closing$/u)
    assert.deepStrictEqual([entry?.actor, entry?.subject], ["jo", "acme-sandbox/txn_<3>"])
  })

  it("no note, or one with a card number, closes nothing", async () => {
    await reported()
    const before = await openRows()
    const form = { connection: "acme-sandbox", row: "txn_2", note: "explained" }
    const path = `${at}/differences`
    const noted = (note: string) => here.send(path, { cookie, form: { ...form, note } })
    for (const note of ["", " \r\n", "a\0b", "x".repeat(2_001), "4242 4242 4242 4242"]) {
      await pageOf(await noted(note), 422)
    }
    await pageOf(await here.send("/reconciliation/acme/production/differences", { cookie, form }), 404)
    await page(`${path}?after=x`, 422)
    assert.deepStrictEqual(await openRows(), before)
  })

  it("an accepted suggestion gives the row its payment, under the operator's login", async () => {
    const payment = await here.pay("acme", "sandbox", "automatic", "order-1")
    const unnamed = rowOf("txn_9", {
      kind: "charge",
      gross: eur(1999),
      occurredAt: payment.createdAt,
      payoutId: "po_9"
    })
    await readReport(here.run, report, [unnamed])
    const path = `${at}/differences`
    const text = await page(path)
    assert.include(text, `Perhaps <a href="/console/payments/acme/sandbox/${payment.id}"`)
    assert.include(text, "Accept the payment")
    const form = { connection: "acme-sandbox", row: "txn_9", payment: payment.id }
    const send = (sent: typeof form) => here.send(`${path}/accept`, { cookie, form: sent })
    await pageOf(await send({ ...form, payment: "pay_other" }), 404)
    await pageOf(await send({ ...form, connection: "globex-sandbox" }), 404)
    assert.deepStrictEqual(await openRows(), ["acme-sandbox/txn_9"])
    assert.strictEqual(leadsTo(await send(form)), `${path}?notice=accepted`)
    assert.deepStrictEqual(await openRows(), [])
    assert.include(await page(`/payments/acme/sandbox/${payment.id}`), "<code>po_9</code>")
    assert.include(await pageOf(await send(form), 404), "No open difference of this row suggests this payment")
    const [entry] = await here.audited(/^suggestion\.accepting$/u)
    assert.deepStrictEqual([entry?.actor, entry?.subject], ["jo", "acme-sandbox/txn_9"])
  })

  it("a suggestion that is accepted while a report is read is answered 409", async () => {
    const reading = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const pages = (async function* () {
      reading.resolve()
      await ended.promise
      yield [{ _tag: "Row", row: rowOf("txn_1", {}) } as const]
    })()
    const run = readPages(here.run, { ...report, sha256: "cd".repeat(32) }, pages)
    await reading.promise
    const form = { connection: "acme-sandbox", row: "txn_9", payment: "pay_1" }
    const refused = await pageOf(await here.send(`${at}/differences/accept`, { cookie, form }), 409)
    assert.include(refused, "A report of this connection is being read.")
    ended.resolve()
    assert.strictEqual((await run).state, "done")
  })

  it("the next page of differences continues after the last one shown", async () => {
    const rows = Array.from({ length: 60 }, (_, nth) =>
      rowOf(`row_${nth}`, { kind: "charge", ref: `x${nth}`, gross: eur(1) })
    )
    await readReport(here.run, report, rows)
    const shown: Array<string> = []
    let next: string | undefined = `${at}/differences`
    while (next !== undefined) {
      const text: string = await page(next)
      shown.push(...[...text.matchAll(/<code>(row_\d+)<\/code>/gu)].map(([, row = ""]) => row))
      next = /href="\/console([^"]+after=[^"]+)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&")
    }
    assert.deepStrictEqual(shown.toSorted(), rows.map(({ id }) => id).toSorted())
  })
})

describe("payouts", () => {
  it("the page adds up what moved by connection, day and currency", async () => {
    await reported()
    const text = await page(`${at}/payouts`)
    for (const shown of ["€41.99", "€1.50", "-€20.00"]) assert.include(text, shown)
    assert.include(await page(`${at}/payouts?from=2020-01-01&until=2020-02-01`), "No report has rows")
    assert.include(await page(`${at}/payouts?connection=other`), "No report has rows")
    await page(`${at}/payouts?from=2020-01-01&until=2022-02-01`, 422)
    await page(`${at}/payouts?from=yesterday`, 422)
  })

  /** Two charges, a fee of its own row, a refund of the first one, a dispute of the second one, and the payout of them all. */
  const paidOut = async (payoutId: string) => {
    const first = await here.pay("acme", "sandbox", "automatic", "order-1")
    const second = await here.pay("acme", "sandbox", "automatic", "order-2")
    const dispute = await stateDispute(here.run, "acme-sandbox", acme, { providerRef: second.providerRef })
    const of = (ref: string | null, minorUnits: number, more: Parameters<typeof rowOf>[1] = {}) => ({
      ...{ kind: "charge" as const, ref: ref ?? "", gross: eur(minorUnits), payoutId, ...more }
    })
    const settledAt = Date.UTC(2030, 0, 2)
    await readReport(here.run, report, [
      rowOf("txn_1", of(first.providerRef, 1999, { fee: eur(50), net: eur(1949) })),
      rowOf("txn_2", of(second.providerRef, 1999, { fee: eur(50), net: eur(1949) })),
      rowOf("=SUM(A1)", of(null, -30, { kind: "fee" })),
      {
        ...rowOf("txn_d", of(second.providerRef, -900, { kind: "dispute" })),
        names: { ...rowOf("", {}).names, providerRef: second.providerRef, disputeId: dispute.providerDisputeId }
      },
      rowOf(payoutId, { gross: eur(-2968), payoutId, settledAt }),
      rowOf("other", { kind: "fee", gross: eur(-5) })
    ])
    return { first, second, dispute }
  }
  const acme = { workspaceId: "acme", environment: "sandbox" } as const
  const queryOf = (payout: string) => `?${new URLSearchParams({ connection: "acme-sandbox", payout })}`

  it("a payout's page has its amounts, and its rows with links to their subjects", async () => {
    const name = "po/1 & <2>"
    const { dispute, first, second } = await paidOut(name)
    const path = `${at}/payout${queryOf(name)}`
    assert.include(await page(`${at}/payouts`), `href="/console${path.replaceAll("&", "&amp;")}"`)
    assert.include(await page(`/payments/acme/sandbox/${first.id}`), `href="/console${path.replaceAll("&", "&amp;")}"`)
    const text = await page(path)
    for (const shown of ["€39.98", "-€9.00", "€1.00", "-€0.30", "-€29.68", "The rows add up to what is paid out."]) {
      assert.include(text, shown)
    }
    for (const link of [first.id, second.id].map((id) => `/console/payments/acme/sandbox/${id}`)) {
      assert.include(text, `href="${link}"`)
    }
    assert.include(text, `href="/console/disputes/acme/sandbox/${dispute.id}"`)
    assert.notInclude(text, "<code>other</code>")
    await page(`/reconciliation/acme/production/payout${queryOf(name)}`, 404)
    await page(`${at}/payout${queryOf("po_0")}`, 404)
    await page(`${at}/payout`, 404)
    await page(`${path}&after=x`, 422)
  })

  it("a payout's export and API have the same rows, and the trail names who exported", async () => {
    const { first } = await paidOut("po_1")
    const api = "/api/workspaces/acme/sandbox/payout"
    const sent = await here.send(`${at}/payout/export.csv${queryOf("po_1")}`, { cookie })
    assert.strictEqual(sent.headers.get("content-disposition"), 'attachment; filename="payout-acme-sandbox.csv"')
    const csv = await sent.text()
    const [header = "", ...lines] = csv.split("\r\n").slice(0, -1)
    assert.match(header, /^connection,payout_id,row_id,kind,result,occurred,settled,amount,currency,/u)
    assert.lengthOf(lines, 5)
    assert.include(csv, "acme-sandbox,po_1,'=SUM(A1),fee,matched,")
    assert.match(
      csv,
      new RegExp(`^acme-sandbox,po_1,txn_1,charge,matched,[^,]+,,19.99,EUR,,,0.50,EUR,19.49,EUR,${first.id},`, "mu")
    )
    assert.strictEqual(await (await here.send(`${api}/export.csv${queryOf("po_1")}`, { cookie })).text(), csv)
    const exported = await here.audited(/^payments\.exporting$/u)
    assert.deepStrictEqual(
      exported.map(({ actor, details }) => [actor, JSON.parse(details).payout_id]),
      [
        ["jo", "po_1"],
        ["jo", "po_1"]
      ]
    )
    const sums = { currency: "EUR", rows: 5, charges: 3998, refunds: 0, disputes: -900, fees: 100, others: -30 }
    assert.deepInclude(await dataOf(await here.send(`${api}${queryOf("po_1")}`, { cookie })), {
      connection_id: "acme-sandbox",
      payout_id: "po_1",
      settled_at: "2030-01-02T00:00:00.000Z",
      sums: [{ ...sums, payouts: -2968, rest: 0 }]
    })
    const found: Array<string> = []
    for (let after = ""; ; ) {
      const page = await bodyOf(await here.send(`${api}/entries${queryOf("po_1")}&limit=2${after}`, { cookie }))
      found.push(...page.data.map(({ row_id }: { readonly row_id: string }) => row_id))
      if (!page.has_more) break
      after = `&after=${encodeURIComponent(page.next_cursor)}`
    }
    assert.deepStrictEqual(found.toSorted(), ["=SUM(A1)", "po_1", "txn_1", "txn_2", "txn_d"])
    const list = await dataOf(await here.send("/api/workspaces/acme/sandbox/payouts", { cookie }))
    assertFields(list, "row_id", "po_1")
    assert.deepStrictEqual(await codeOf(await here.send(`${api}${queryOf("po_0")}`, { cookie })), [404, "not_found"])
    const missing = await errorOf(await here.send(`${api}?connection=acme-sandbox`, { cookie }))
    assert.deepStrictEqual(missing.slice(0, 2), [422, "validation_error"])
    assert.include(missing[2], "`payout`")
    assert.strictEqual((await here.send(`${at}/payout/export.csv${queryOf("po_0")}`, { cookie })).status, 404)
  })

  it("a payout with unread rows says on its page that they do not add up", async () => {
    const charge = { kind: "charge" as const, ref: "unknown", gross: eur(700), payoutId: "po_1" }
    await readReport(here.run, report, [rowOf("txn_1", charge)])
    const path = `${at}/payout${queryOf("po_1")}`
    assert.include(await page(path), "No report that was read has the payout itself.")
    await readReport(here.run, { ...report, sha256: "cd".repeat(32) }, [
      rowOf("po_1", { gross: eur(-900), payoutId: "po_1" })
    ])
    const text = await page(path)
    assert.include(text, "The rows do not add up to what is paid out")
    assert.include(text, "-€2.00")
  })

  it("a payout that comes back shows on its page, list, payment, API and export", async () => {
    const { first } = await paidOut("po_1")
    const api = "/api/workspaces/acme/sandbox/payout"
    const shown = async () => {
      const pages = [`${at}/payout${queryOf("po_1")}`, `${at}/payouts`, `/payments/acme/sandbox/${first.id}`]
      const texts = await Promise.all(pages.map((path) => page(path)))
      const [listed] = await dataOf(await here.send(`${api}s`, { cookie }))
      const { status } = await dataOf(await here.send(`${api}${queryOf("po_1")}`, { cookie }))
      const csv = await (await here.send(`${api}/export.csv${queryOf("po_1")}`, { cookie })).text()
      const ends = csv
        .split("\r\n")
        .slice(1, -1)
        .map((line) => line.split(",").at(-1))
      return { texts, said: [status, listed.payout_status, ...new Set(ends)] }
    }
    const paid = await shown()
    assert.deepStrictEqual(paid.said, ["paid", "paid", "paid"])
    for (const text of paid.texts) assert.include(text, '<span class="status good">Paid</span>')
    await readReport(here.run, { ...report, sha256: "cd".repeat(32) }, [
      rowOf("po_1_back", { kind: "payout_failed", gross: eur(2968), payoutId: "po_1" })
    ])
    const returned = await shown()
    assert.deepStrictEqual(returned.said, ["returned", "returned", "returned"])
    for (const text of returned.texts) assert.include(text, '<span class="status bad">Returned</span>')
    assert.include(returned.texts[0] ?? "", "The payout came back.")
  })
})
