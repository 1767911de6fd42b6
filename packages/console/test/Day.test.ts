/** The start page and its endpoint: what is counted, what each role sees, and how often it is read. */

import type { Tenant } from "@pointsman/core"
import { Ledger, type PaymentQuery } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Effect, Layer } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { readReport, rowOf, stateDispute } from "./support/Reports.ts"
import { codeOf, dataOf, everywhere, leadsTo, pageAt } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { clockAt, silence } from "./support/World.ts"

const hour = 3_600_000
const day = 24 * hour
const midnight = Date.parse("2026-03-09T00:00:00Z")

let now: number
let reads: Array<PaymentQuery>

const storage = () =>
  Layer.provideMerge(
    Layer.effect(
      Ledger,
      Effect.map(Ledger, (ledger) => ({
        ...ledger,
        payments: (tenant: Tenant, query: PaymentQuery) => {
          reads.push(query)
          return ledger.payments(tenant, query)
        }
      }))
    ),
    MemoryStorage.layer()
  )

beforeEach(() => {
  now = midnight - 3 * day
  reads = []
})
const here = usedWorld({}, { clock: clockAt(() => now), storage: storage() })

const at = "/day/acme/sandbox"
const api = "/api/workspaces/acme/sandbox/day"
const recordOf = async (cookie: string) => dataOf(await here.send(api, { cookie }))

const pay = async (times = 1) => {
  for (let time = 0; time < times; time++) await here.pay("acme", "sandbox", "automatic")
}

const declining = (category: "insufficient_funds" | "expired_card") => () =>
  Effect.succeed({ _tag: "Declined", providerRef: null, category, code: "51", soft: false } as const)

describe("the start page", () => {
  it("the console begins with the day of the operator's first workspace", async () => {
    const cookie = await here.signIn("ann", everywhere("viewer"))
    assert.strictEqual(leadsTo(await here.send("/", { cookie })), "/day")
    assert.strictEqual(leadsTo(await here.send("/day", { cookie })), at)
    assert.deepStrictEqual(await codeOf(await here.send("/api/workspaces/none/sandbox/day", { cookie })), [
      404,
      "not_found"
    ])
  })

  it("the volume, rates, reasons and hours of payments of today and before are counted", async () => {
    const approve = here.provider.onCharge
    await pay(20)
    now = midnight + 9 * hour
    await pay(4)
    here.provider.onCharge = declining("insufficient_funds")
    await pay(3)
    here.provider.onCharge = declining("expired_card")
    now += hour
    await pay(2)
    here.provider.onCharge = approve
    const cookie = await here.signIn("ann", everywhere("viewer"))
    const { approval, today } = await recordOf(cookie)
    assert.deepInclude(today, { payments: 9, since: new Date(midnight).toISOString(), is_cut: false })
    assert.deepStrictEqual(today.volume, [
      { currency: "EUR", payments: 9, amount: 9 * 1999, captured_amount: 4 * 1999 }
    ])
    assert.deepStrictEqual(today.declines, [
      { category: "insufficient_funds", payments: 3 },
      { category: "expired_card", payments: 2 }
    ])
    assert.deepStrictEqual(today.hours.slice(9, 11), [
      { from: "2026-03-09T09:00:00.000Z", succeeded: 4, failed: 3, open: 0 },
      { from: "2026-03-09T10:00:00.000Z", succeeded: 0, failed: 2, open: 0 }
    ])
    assert.lengthOf(today.hours, 24)
    assert.deepStrictEqual(
      [approval.today, approval.before],
      [
        { succeeded: 4, failed: 5 },
        { succeeded: 20, failed: 0 }
      ]
    )
    // Three days ago at midnight is before this time of that day.
    assert.deepStrictEqual(
      approval.days.map(({ succeeded }: { readonly succeeded: number }) => succeeded),
      [0, 0, 0, 0, 20, 0, 0]
    )
    const text = await pageAt(here, at, cookie)
    for (const expected of [
      `action="/console/payments/acme/sandbox"`,
      "€179.91",
      "€79.96",
      "Insufficient funds",
      "44.4 %",
      "Payments by hour: 7 at most"
    ]) {
      assert.include(text, expected)
    }
    assert.include(text, "44.4 % of today’s payments were authorized, and 100 % in the days before")
  })

  it("a day of too many payments says since when, and reads no more", {
    timeout: 30_000
  }, async () => {
    now = midnight + 9 * hour
    await pay(1)
    now += hour
    await pay(1_000)
    reads.length = 0
    const cookie = await here.signIn("ann", everywhere("viewer"))
    const { today } = await recordOf(cookie)
    assert.deepInclude(today, { payments: 1_000, since: new Date(now).toISOString(), is_cut: true })
    assert.include(await pageAt(here, at, cookie), "Counted are the newest 1000 of today, since")
    assert.isAtMost(
      reads.reduce((sum, { limit }) => sum + limit, 0),
      1_500
    )
  })

  it("the day is read once in ten seconds for each role, for many operators", async () => {
    await pay(1)
    const viewers = [await here.signIn("ann", everywhere("viewer")), await here.signIn("jo", everywhere("support"))]
    const admin = await here.signIn("kim", everywhere("admin"))
    reads.length = 0
    for (let time = 0; time < 3; time++) await Promise.all(viewers.map(recordOf))
    const once = reads.length
    assert.isAtMost(once, 9)
    await pageAt(here, at, viewers[0] ?? "")
    assert.lengthOf(reads, once)
    await recordOf(admin)
    assert.isAbove(reads.length, once)
    const before = reads.length
    now += 10_001
    await recordOf(viewers[1] ?? "")
    assert.lengthOf(reads, before + once)
  })

  it("a role sees what it may read, and links to nothing else", async () => {
    const hidden = { viewer: ["reviews", "connections", "agreement"], operations: ["connections"], admin: [] } as const
    for (const [role, without] of Object.entries(hidden)) {
      const cookie = await here.signIn(role, everywhere(role as keyof typeof hidden))
      const record = await recordOf(cookie)
      assert.deepStrictEqual(
        Object.keys(record).filter((name) => record[name] === null),
        [...without],
        role
      )
      const text = await pageAt(here, at, cookie)
      const [, main = ""] = /<main.*?>(.*)<\/main>/su.exec(text) ?? []
      assert.strictEqual(main.includes("/console/reviews/"), role !== "viewer")
      assert.strictEqual(main.includes("Agreement with providers"), role !== "viewer")
      assert.strictEqual(main.includes("/console/connections/"), role === "admin")
      assert.include(text, "Nothing waits for you.")
    }
  })

  it("payments in doubt, a deadline and differences are each a line that leads there", async () => {
    const approve = here.provider.onCharge
    here.provider.onCharge = () => silence
    await pay(2)
    now += 2 * day + 90 * 60_000
    await pay(1)
    here.provider.onCharge = approve
    const { providerRef } = await here.pay("acme", "sandbox", "automatic", "disputed")
    now += 30 * 60_000
    const tenant = { workspaceId: "acme", environment: "sandbox" } as const
    await stateDispute(here.run, "acme-sandbox", tenant, { at: now, providerRef, dueBy: now + 2 * day })
    await readReport(here.run, { connectionId: "acme-sandbox" }, [
      rowOf("row_1", { kind: "charge", ref: "nowhere", occurredAt: now })
    ])
    const ann = await here.signIn("ann", everywhere("operations"))
    const record = await recordOf(ann)
    assert.deepStrictEqual(record.unknown, { hour: 1, day: 0, older: 2, is_cut: false })
    assert.deepStrictEqual(record.reviews, record.unknown)
    assert.deepInclude(record.disputes, { passed: 0, in_3_days: 1, in_7_days: 0, is_cut: false })
    assert.deepStrictEqual(record.agreement.differences, [{ result: "missing_here", count: 1 }])
    assert.deepInclude(record.agreement.reports[0], {
      connection_id: "acme-sandbox",
      name: "The acme-sandbox acquirer"
    })
    const line = (words: string, path: string, act: string) => `<li>${words}: <a href="/console${path}">${act}</a></li>`
    const text = await pageAt(here, at, ann)
    for (const one of [
      line("2 payments in doubt for more than a day", "/reviews/acme/sandbox", "review them"),
      line("1 dispute with a deadline within 3 days", "/disputes/acme/sandbox", "answer them"),
      line("1 difference between reports and records", "/reconciliation/acme/sandbox/differences", "explain them")
    ]) {
      assert.include(text, one)
    }
    const viewer = await here.signIn("jo", everywhere("viewer"))
    const unknown = line(
      "2 payments in doubt for more than a day",
      "/payments/acme/sandbox?status=UNKNOWN",
      "see which"
    )
    assert.include(await pageAt(here, at, viewer), unknown)
  })
})
