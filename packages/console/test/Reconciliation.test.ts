/** Reports, differences and payouts on the pages, and closing a difference with a note. */
import { Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { readReport, rowOf } from "./support/Reports.ts"
import { everywhere, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { type World, world } from "./support/World.ts"

let here: World
beforeEach(() => {
  here = world()
})
afterEach(() => here.close())

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
  here.run(
    Effect.flatMap(Pointsman, ({ reconciliation }) =>
      Effect.map(reconciliation.differences({ differences: "open", limit: 10 }), (found) =>
        found.map(({ connectionId, rowId }) => `${connectionId}/${rowId}`)
      )
    )
  )

describe("reports", () => {
  it("given no report, then the page says how one is read, and that nothing is unexplained", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const text = await pageAt(here, at, cookie)
    assert.include(text, "No report was read.")
    assert.include(text, 'Oldest unexplained difference</dt><dd><span class="good">None</span>')
  })

  it("given a report, then the pages show its state, its rows by result, its sums and its differences", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { other, run } = await reported()
    const list = await pageAt(here, at, cookie)
    assert.include(list, `<a href="/console${at}/reports/${run.id}">november.csv</a>`)
    assert.include(list, `<a href="/console${at}/differences?result=amount_differs">Another amount</a>: 1`)
    assert.include(list, `<a href="/console${at}/differences?result=missing_here">Not recorded here</a>: 1`)
    assert.notInclude(list, '<span class="good">None</span>')
    const text = await pageAt(here, `${at}/reports/${run.id}`, cookie)
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
    await pageAt(here, `${at}/reports/rec_0`, cookie, 404)
    for (const elsewhere of ["acme/production", "globex/sandbox"]) {
      await pageAt(here, `/reconciliation/${elsewhere}/reports/${run.id}`, cookie, 404)
      assert.include(await pageAt(here, `/reconciliation/${elsewhere}`, cookie), "No report was read.")
    }
  })

  it("given the page of a payment, then it shows the rows of reports to those who may read them", async () => {
    const { same } = await reported()
    const path = `/payments/acme/sandbox/${same.id}`
    assert.include(await pageAt(here, path, await here.signIn("jo", everywhere("operations"))), "<code>po_1</code>")
    assert.notInclude(await pageAt(here, path, await here.signIn("kim", everywhere("support"))), "<code>po_1</code>")
  })
})

describe("differences", () => {
  it("given an open difference, when it is closed with a note, then it is closed once, under the operator's login", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    await reported()
    const path = `${at}/differences`
    const text = await pageAt(here, path, cookie)
    assert.strictEqual([...text.matchAll(/<summary>Close…/gu)].length, 2)
    assert.include(text, "no payment found")
    assert.include(await pageAt(here, `${path}?result=amount_differs`, cookie), "txn_2")
    assert.notInclude(await pageAt(here, `${path}?result=amount_differs`, cookie), "txn_&lt;3&gt;")
    const form = { connection: "acme-sandbox", row: "txn_<3>", note: "A sale <at> the terminal\r\n" }
    assert.strictEqual(leadsTo(await here.send(path, { cookie, form })), `${path}?notice=closed`)
    assert.deepStrictEqual(await openRows(), ["acme-sandbox/txn_2"])
    assert.notInclude(await pageAt(here, path, cookie), "txn_&lt;3&gt;")
    const closed = await pageAt(here, `${path}?state=all`, cookie)
    assert.include(closed, "Closed: A sale &lt;at&gt; the terminal")
    const again = await pageOf(await here.send(path, { cookie, form }), 404)
    assert.include(again, "This connection has no open difference of this row.")
    const { items } = await here.run(Effect.flatMap(Pointsman, ({ auditEntries }) => auditEntries({ limit: 10 })))
    const entry = items.findLast(({ action }) => action === "difference.closing")
    assert.deepStrictEqual([entry?.actor, entry?.subject], ["jo", "acme-sandbox/txn_<3>"])
  })

  it("given no note, a note that may be a card number, another tenant or another role, then nothing is closed", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    await reported()
    const before = await openRows()
    const form = { connection: "acme-sandbox", row: "txn_2", note: "explained" }
    const path = `${at}/differences`
    const noted = (note: string) => here.send(path, { cookie, form: { ...form, note } })
    for (const note of ["", " \r\n", "a\0b", "x".repeat(2_001), "4242 4242 4242 4242"]) {
      await pageOf(await noted(note), 422)
    }
    for (const elsewhere of ["acme/production", "globex/sandbox"]) {
      await pageOf(await here.send(`/reconciliation/${elsewhere}/differences`, { cookie, form }), 404)
    }
    for (const role of ["viewer", "support"] as const) {
      const other = await here.signIn(role, everywhere(role))
      for (const one of [at, path, `${at}/payouts`]) await pageAt(here, one, other, 403)
      await pageOf(await here.send(path, { cookie: other, form }), 403)
    }
    await pageAt(here, `${path}?after=x`, cookie, 422)
    assert.deepStrictEqual(await openRows(), before)
  })

  it("given more differences than a page shows, then the next page goes on after the last one", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const rows = Array.from({ length: 60 }, (_, nth) =>
      rowOf(`row_${nth}`, { kind: "charge", ref: `x${nth}`, gross: eur(1) })
    )
    await readReport(here.run, report, rows)
    const shown: Array<string> = []
    let next: string | undefined = `${at}/differences`
    while (next !== undefined) {
      const text: string = await pageAt(here, next, cookie)
      shown.push(...[...text.matchAll(/<code>(row_\d+)<\/code>/gu)].map(([, row = ""]) => row))
      next = /href="\/console([^"]+after=[^"]+)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&")
    }
    assert.deepStrictEqual(shown.toSorted(), rows.map(({ id }) => id).toSorted())
  })
})

describe("payouts", () => {
  it("given a report, then the page adds up what moved by connection, day and currency", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    await reported()
    const text = await pageAt(here, `${at}/payouts`, cookie)
    for (const shown of ["€41.99", "€1.50", "-€20.00"]) assert.include(text, shown)
    assert.include(await pageAt(here, `${at}/payouts?from=2020-01-01&until=2020-02-01`, cookie), "No report has rows")
    assert.include(await pageAt(here, `${at}/payouts?connection=other`, cookie), "No report has rows")
    await pageAt(here, `${at}/payouts?from=2020-01-01&until=2022-02-01`, cookie, 422)
    await pageAt(here, `${at}/payouts?from=yesterday`, cookie, 422)
  })
})
