/** Payments under review: the list, what is known of one, and evidence of what the provider's record says. */
import type { Environment } from "@pointsman/core"
import { assert, beforeEach, describe, it } from "vitest"
import { everywhere, hiddenIn, pageAt } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, silence } from "./support/World.ts"

const here = usedWorld()
let cookie: string
beforeEach(async () => {
  cookie = await here.signIn("jo", everywhere("operations"))
})

const at = "/reviews/acme/sandbox"
const api = "/api/workspaces/acme/sandbox/reviews"

/** A payment whose provider did not respond. */
const unknown = async (
  minorUnits = 1999,
  currency: "EUR" | "JPY" = "EUR",
  workspaceId = "acme",
  environment: Environment = "sandbox"
) => {
  here.provider.onCharge = () => silence
  const money = { minorUnits, currency }
  return (await here.pay(workspaceId, environment, "automatic", `order <${minorUnits}>`, { money })).id
}

const pageOf = (path: string, status = 200) => pageAt(here, path, cookie, status)

const recordOf = async (id: string) => (await bodyOf(await here.send(`${api}/${id}`, { cookie }))).data

/** What the form of the address would send. */
const formOf = async (path: string) => hiddenIn(await pageOf(path))

const linkOf = (text: string, name: string) =>
  (new RegExp(`href="/console([^"]+)">${name}…<`, "u").exec(text)?.[1] ?? "").replaceAll("&amp;", "&")

describe("the list of reviews", () => {
  it("the tenant's reviews are listed by age and by amount, in pages", async () => {
    const ids = [await unknown(900), await unknown(50_000), await unknown(700, "JPY"), await unknown(900)]
    const others = [await unknown(1, "EUR", "acme", "production"), await unknown(2, "EUR", "globex", "sandbox")]
    const byAge = await pageOf(at)
    const byAmount = await pageOf(`${at}?order=amount`)
    const order = (text: string) =>
      [...text.matchAll(/\/reviews\/acme\/sandbox\/([0-9a-f-]{36})"/gu)].map(([, id]) => id)
    assert.deepStrictEqual(order(byAge), ids)
    assert.deepStrictEqual(order(byAmount), [ids[1], ids[0], ids[3], ids[2]])
    for (const id of others) assert.notInclude(byAge, id)
    assert.include(byAge, "order &lt;50000&gt;")
    assert.include(byAge, "Unknown result")
    assert.include(byAge, "€500.00")
    assert.include(byAge, "¥700")
    for (const [query, expected] of [
      ["order=age", ids],
      ["order=amount", [ids[1], ids[0], ids[3], ids[2]]]
    ] as const) {
      const seen: Array<string> = []
      let after = ""
      do {
        const page = await bodyOf(await here.send(`${api}?${query}&limit=3${after}`, { cookie }))
        seen.push(...page.data.map((one: { payment: { id: string } }) => one.payment.id))
        after = page.next_cursor === null ? "" : `&after=${page.next_cursor}`
      } while (after !== "")
      assert.deepStrictEqual(seen, expected)
    }
    const { data } = await bodyOf(await here.send(`${api}?limit=1`, { cookie }))
    assert.deepStrictEqual(data[0].reasons, ["unknown"])
  })

  it("a page says that nothing needs review, and names a wrong order or cursor", async () => {
    assert.include(await pageOf(at), "No payments are under review.")
    assert.include(await pageOf(`${at}?after=1_x`, 422), "`after` must be")
    for (const [query, field] of [
      ["order=name", "`order` must be age or amount"],
      ["limit=0", "`limit` must be"],
      ["after=x", "`after` must be"],
      ["order=amount&after=1_01a1fe08-9226-7266-a33a-e3e7f1609a4e", "`after` must be"]
    ] as const) {
      const response = await here.send(`${api}?${query}`, { cookie })
      assert.strictEqual(response.status, 422)
      assert.include((await bodyOf(response)).error.message, field)
    }
  })
})

describe("one review", () => {
  it("evidence settles an unknown charge once, by the links from its payment", async () => {
    const id = await unknown()
    const payment = await pageOf(`/payments/acme/sandbox/${id}`)
    assert.strictEqual(linkOf(payment, "Settle this review"), `${at}/${id}`)
    const review = await pageOf(`${at}/${id}`)
    assert.include(review, "The provider’s result is unknown.")
    assert.include(review, "timeout &lt;b&gt;")
    assert.include(review, "Captured, €19.99 captured")
    assert.include(review, "Never received cannot be stated now: the request may still arrive")
    const path = linkOf(review, "Captured")
    const form = {
      ...(await formOf(path)),
      amount: "19.99",
      reference: "ch_1",
      evidence: "dashboard\r\nline 2"
    }
    const post = () => here.send(`${at}/${id}/evidence`, { cookie, form })
    const both = await Promise.all([post(), post()])
    for (const response of [...both, await post()]) {
      assert.strictEqual(response.status, 303)
      assert.strictEqual(response.headers.get("location"), `/console/payments/acme/sandbox/${id}?notice=settled`)
    }
    const { payment: settled, timeline } = await here.fileOf(id)
    assert.deepInclude(settled, { state: "Captured", capturedMinor: 1999, providerRef: "ch_1", review: null })
    const [note, ...more] = timeline.filter(({ type }) => type === "payment.reviewed")
    assert.lengthOf(more, 0)
    assert.deepInclude(note?.data, { reviewed_by: "jo", evidence: "dashboard\nline 2" })
    assert.lengthOf(here.provider.charges, 1)
    assert.include(await pageOf(`${at}/${id}`), "This payment is not under review.")
  })

  it("wrong input is named by the form, which keeps what was typed, unrecorded", async () => {
    const id = await unknown()
    const path = linkOf(await pageOf(`${at}/${id}`), "Captured")
    const form = { ...(await formOf(path)), amount: "19.99", reference: "ch_1", evidence: "dashboard" }
    for (const [wrong, status, words] of [
      [{ amount: "" }, 422, "Amount: expected an amount in EUR"],
      [{ amount: "19.999" }, 422, "Amount: expected an amount in EUR"],
      [{ amount: "20.00" }, 409, "it exceeds the requested amount"],
      [{ reference: "" }, 409, "the provider&#39;s reference of the charge is required"],
      [{ evidence: " " }, 422, "`evidence`"],
      [{ evidence: "card 4111 1111 1111 1111" }, 422, "`evidence` must not contain a card number"],
      [{ revision: "x" }, 422, "`revision`"]
    ] as const) {
      const response = await here.send(`${at}/${id}/evidence`, { cookie, form: { ...form, ...wrong } })
      const text = await response.text()
      assert.strictEqual(response.status, status, text)
      assert.include(text, words)
      assert.include(text, `value="${"reference" in wrong ? "" : "ch_1"}"`)
    }
    const nothing = await here.send(`${at}/${id}/evidence`, {
      cookie,
      form: { ...form, says: "never_received", reference: "" }
    })
    assert.include(await nothing.text(), "Nothing was recorded: the request may still arrive")
    await pageOf(`${at}/${id}/evidence?about=charge&says=lost`, 404)
    assert.include(await pageOf(`${at}/${id}/evidence?about=nothing`, 409), "the payment has an unknown result")
    assert.strictEqual((await here.fileOf(id)).payment.state, "ChargeUnknown")
  })

  it("the states of an unknown refund are offered, and settle it", async () => {
    const { id } = await here.pay("acme", "sandbox", "automatic")
    here.provider.onRefund = () => silence
    const refund = { key: "key-of-a-form", amount: "5.00", reason: "" }
    await here.send(`/payments/acme/sandbox/${id}/refund`, { cookie, form: refund })
    const review = await pageOf(`${at}/${id}`)
    assert.include(review, "Refund of €5.00")
    assert.include(review, "Partially refunded, €19.99 captured, €5.00 refunded")
    const path = linkOf(review, "Refunded")
    const form = { ...(await formOf(path)), reference: "re_1", evidence: "dashboard" }
    assert.strictEqual((await here.send(`${at}/${id}/evidence`, { cookie, form })).status, 303)
    assert.deepInclude((await here.fileOf(id)).payment, {
      state: "PartiallyRefunded",
      refundedMinor: 500,
      review: null
    })
  })
})

describe("evidence by the API", () => {
  it("evidence of a review sent twice is answered twice and recorded once", async () => {
    const id = await unknown()
    const { record, revision, statements } = await recordOf(id)
    assert.deepStrictEqual(record.review.reasons, ["unknown"])
    const [captured] = statements
    assert.deepInclude(captured, { takes_amount: true, reference: "required", becomes: "CAPTURED", refusal: null })
    const statement = { ...captured.statement, amount: 1500, provider_reference: "ch_1" }
    const body = { statement, evidence: "dashboard", revision }
    for (let turn = 0; turn < 2; turn++) {
      const response = await here.send(`${api}/${id}/evidence`, { cookie, body })
      assert.strictEqual(response.status, 200)
      assert.deepInclude((await bodyOf(response)).data, { status: "CAPTURED", captured_amount: 1500 })
    }
    assert.strictEqual((await here.fileOf(id)).timeline.filter(({ type }) => type === "payment.reviewed").length, 1)
    const other = { ...body, statement: { ...statement, amount: 1400 } }
    const refused = await here.send(`${api}/${id}/evidence`, { cookie, body: other })
    assert.deepStrictEqual([refused.status, (await bodyOf(refused)).error.code], [409, "statement_refused"])
  })

  it("the field of a wrong statement is named, and nothing is recorded", async () => {
    const id = await unknown()
    const { revision } = await recordOf(id)
    const charge = { about: "charge", says: "captured", amount: 1999, provider_reference: "ch_1" }
    for (const [change, field] of [
      [{ statement: { about: "charge", says: "lost" } }, "`statement"],
      [{ statement: { ...charge, amount: 1.5 } }, "`statement"],
      [{ statement: { ...charge, amount: null } }, "`statement.amount` must be the amount"],
      [{ statement: { ...charge, says: "declined" } }, "`statement.amount` must be left out"],
      [{ statement: { ...charge, amount: null, says: "never_received" } }, "`statement.provider_reference`"],
      [{ statement: { about: "refund", says: "failed" } }, "`statement"],
      [{ evidence: "" }, "`evidence`"],
      [{ evidence: "x".repeat(2001) }, "`evidence`"],
      [{ evidence: 1 }, "`evidence`"],
      [{ revision: "1" }, "`revision`"]
    ] as const) {
      const body = { statement: charge, evidence: "dashboard", revision, ...change }
      const response = await here.send(`${api}/${id}/evidence`, { cookie, body })
      assert.strictEqual(response.status, 422, JSON.stringify(change))
      assert.include((await bodyOf(response)).error.message, field)
    }
    const unknownPayment = "01a1fe08-9226-7266-a33a-e3e7f1609a4e"
    const body = { statement: charge, evidence: "dashboard", revision }
    assert.strictEqual((await here.send(`${api}/${unknownPayment}/evidence`, { cookie, body })).status, 404)
    const otherTenant = `/api/workspaces/acme/production/reviews/${id}`
    assert.strictEqual((await here.send(otherTenant, { cookie })).status, 404)
    assert.strictEqual((await here.send(`${otherTenant}/evidence`, { cookie, body })).status, 404)
    assert.strictEqual((await here.fileOf(id)).payment.state, "ChargeUnknown")
  })
})
