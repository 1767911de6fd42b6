/** Exports of payments as CSV, by the page and by the API. */
import { csvField } from "@pointsman/core/internal"
import { assert, describe, it } from "vitest"
import { assertFields } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()

const at = "/payments/acme/sandbox/export.csv"
const api = "/api/workspaces/acme/sandbox/payments/export.csv"

/** The fields of each line, read by a parser of its own. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/gu)].map(([, quoted, plain]) =>
        quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"')
      )
    )

const recordsOf = (text: string) => {
  const [names = [], ...rows] = rowsOf(text)
  return rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]])))
}

const auditOf = () => here.audited(/^payments\.exporting$/u)

describe("fields", () => {
  it("text that a spreadsheet would run or quote is harmless and one field", () => {
    for (const [text, field] of [
      ["=1+1", "'=1+1"],
      [" =1+1", "' =1+1"],
      ["a;=1+1", `"a;'=1+1"`],
      ['a;"=1', `"a;'""=1"`],
      ["a; @b", `"a;' @b"`],
      ["a\n-1", `"a\n'-1"`],
      ["a;b", '"a;b"'],
      ["+1", "'+1"],
      ["-1", "'-1"],
      ["@x", "'@x"],
      ["\tx", "'\tx"],
      ["\rx", `"'\rx"`],
      ["\nx", `"'\nx"`],
      ["＝1", "'＝1"],
      ['=HYPERLINK("a","b")', `"'=HYPERLINK(""a"",""b"")"`],
      ["a,b", '"a,b"'],
      ['say "x"', '"say ""x"""'],
      ["a=b", "a=b"],
      ["", ""]
    ] as const) {
      assert.strictEqual(csvField(text), field)
    }
  })
})

describe("exports", () => {
  it("the export has each payment with decimal amounts, times and status", async () => {
    const cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
    const first = await here.pay("acme", "sandbox", "automatic", "=SUM(A1)")
    const second = await here.pay("acme", "sandbox", "manual", 'a "quoted", one')
    await here.pay("acme", "production", "manual", "another environment")
    const response = await here.send(at, { cookie })
    assert.deepStrictEqual(
      ["content-type", "content-disposition", "cache-control"].map((name) => response.headers.get(name)),
      ["text/csv; charset=utf-8; header=present", 'attachment; filename="payments-acme-sandbox.csv"', "no-store"]
    )
    const text = await response.text()
    const records = recordsOf(text)
    assertFields(records, "payment_id", second.id, first.id)
    assert.deepInclude(records[1], {
      created: new Date(first.createdAt).toISOString(),
      status: "CAPTURED",
      amount: "19.99",
      currency: "EUR",
      authorized_amount: "19.99",
      captured_amount: "19.99",
      refunded_amount: "0.00",
      reference: "'=SUM(A1)",
      connection: "acme-sandbox",
      metadata: '{"kind":"automatic"}'
    })
    assert.deepInclude(records[0], { status: "AUTHORIZED", captured_amount: "0.00", reference: 'a "quoted", one' })
    assert.strictEqual(await (await here.send(api, { cookie })).text(), text)
  })

  it("the export has what the list's filters show, and the trail names them", async () => {
    const cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
    const captured = await here.pay("acme", "sandbox", "automatic", "order-1")
    const authorized = await here.pay("acme", "sandbox", "manual", "order-2")
    const ids = async (path: string) =>
      recordsOf(await (await here.send(path, { cookie })).text()).map(({ payment_id }) => payment_id)
    assert.deepStrictEqual(await ids(`${at}?status=authorized`), [authorized.id])
    assert.deepStrictEqual(await ids(`${at}?search=order-1`), [captured.id])
    assert.deepStrictEqual(await ids(`${at}?search=nothing`), [])
    assert.deepStrictEqual(await ids(`${at}?currency=JPY`), [])
    assert.deepStrictEqual(await ids(`${api}?status=CAPTURED`), [captured.id])
    const entries = await auditOf()
    assert.deepStrictEqual(
      entries.map(({ actor, details, subject }) => [actor, subject, JSON.parse(details).filter]),
      [
        ["ann", "acme", { states: ["Authorized"] }],
        ["ann", "acme", { searched: ["reference"] }],
        ["ann", "acme", { searched: ["reference"] }],
        ["ann", "acme", { currency: "JPY" }],
        ["ann", "acme", { states: ["Captured"] }]
      ].map(([actor, subject, filter]) => [actor, subject, filter])
    )
  })

  it("an invalid filter, no session and another workspace export nothing", async () => {
    const cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
    const invalid = await here.send(`${at}?currency=euros`, { cookie })
    assert.strictEqual(invalid.status, 422)
    assert.include(await invalid.text(), "`currency` must be an ISO 4217 currency code")
    const refused = await here.send(`${api}?currency=euros`, { cookie })
    assert.deepStrictEqual([refused.status, (await bodyOf(refused)).error.code], [422, "validation_error"])
    assert.strictEqual((await here.send(at.replace("acme", "globex"), { cookie })).status, 403)
    assert.strictEqual((await here.send(api.replace("acme", "globex"), { cookie })).status, 403)
    assert.strictEqual((await here.send(at)).status, 303)
    assert.strictEqual((await here.send(api)).status, 401)
    assert.deepStrictEqual(await auditOf(), [])
  })

  it("a third export is refused until one of two that are not read ends", async () => {
    const cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
    const [one, two] = [await here.send(at, { cookie }), await here.send(api, { cookie })]
    const third = await here.send(at, { cookie })
    assert.strictEqual(third.status, 429)
    assert.include(await third.text(), "Two of your exports are running.")
    const refused = await here.send(api, { cookie })
    assert.deepStrictEqual([refused.status, (await bodyOf(refused)).error.code], [429, "too_many_requests"])
    await one.body?.cancel()
    const fourth = await here.send(at, { cookie })
    assert.strictEqual(fourth.status, 200)
    await Promise.all([two.text(), fourth.text()])
    for (let ended = 0; ended < 3; ended++) {
      const next = await here.send(api, { cookie })
      assert.strictEqual(next.status, 200)
      await next.text()
    }
  })
})
