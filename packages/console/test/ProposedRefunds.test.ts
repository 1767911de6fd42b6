/** Refunds above the limit of the console: on the pages and through the API. */
import { assert, describe, it } from "vitest"
import { actionOf, dataOf, errorOf, everywhere, keyedForm, leadsTo, pageAt } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

// Payments are of 19.99 EUR.
const here = usedWorld({ refundLimits: { EUR: 1000 } })

const api = "/api/workspaces/acme/sandbox"
const payments = "/payments/acme/sandbox"
const reviews = "/reviews/acme/sandbox"

const refund = (id: string, amount: number | undefined, cookie: string, key = "a-key-of-this-refund") =>
  here.send(`${api}/payments/${id}/refunds`, {
    cookie,
    headers: { "idempotency-key": key },
    body: { reason: "returned <b>", ...(amount === undefined ? {} : { amount }) }
  })

const decide = (id: string, correction: string, act: string, cookie: string, body?: unknown) =>
  here.send(`${api}/reviews/${id}/corrections/${correction}/${act}`, { method: "POST", cookie, body })

const people = async () => ({
  sam: await here.signIn("sam", everywhere("support")),
  ann: await here.signIn("ann", everywhere("operations"))
})

const trailOf = async (id: string) => {
  const root = await here.signIn("root", everywhere("admin"))
  const entries: ReadonlyArray<{ readonly subject: string; readonly actor: string; readonly action: string }> =
    await dataOf(await here.send("/api/audit", { cookie: root }))
  return entries.filter(({ subject }) => subject === id).map(({ action, actor }) => `${actor} ${action}`)
}

describe("the API", () => {
  it("a refund at the limit is sent; one above waits for another operator", async () => {
    const { ann, sam } = await people()
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const small = await bodyOf(await refund(id, 1000, sam, "a-key-of-the-first"))
    assert.deepStrictEqual([small.data.refunded_amount, small.correction], [1000, null])
    const { correction, data } = await bodyOf(await refund(id, undefined, sam))
    assert.deepStrictEqual([data.refunded_amount, data.refund_pending_amount], [1000, 0])
    assert.deepStrictEqual(correction.statement, { about: "new_refund", amount: 999, reason: "returned <b>" })
    assert.deepStrictEqual([correction.state, correction.proposed_by, correction.evidence], ["proposed", "sam", ""])
    assert.lengthOf(here.provider.refunds, 1)
    assert.deepStrictEqual(await bodyOf(await refund(id, undefined, sam)), { data, correction })
    assert.deepStrictEqual(await dataOf(await here.send(`${api}/corrections`, { cookie: ann })), [
      { payment_id: id, correction }
    ])
    const approved = await bodyOf(await decide(id, correction.id, "approve", ann))
    assert.deepStrictEqual(
      [approved.data.status, approved.data.refunded_amount, approved.correction.decided_by],
      ["REFUNDED", 1999, "ann"]
    )
    assert.deepStrictEqual(await bodyOf(await decide(id, correction.id, "approve", ann)), approved)
    assert.lengthOf(here.provider.refunds, 2)
    assert.includeMembers(await trailOf(id), [
      "sam refund.proposing",
      "ann correction.approving",
      "ann payment.refunding"
    ])
  })

  it("a refund is not sent by its proposer, or by one without the role", async () => {
    const { sam } = await people()
    const jo = await here.signIn("jo", everywhere("operations"))
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const { correction } = await bodyOf(await refund(id, undefined, jo))
    for (const [cookie, status] of [
      [jo, 409],
      [sam, 403]
    ] as const) {
      assert.strictEqual((await decide(id, correction.id, "approve", cookie)).status, status)
    }
    const [status, code, message] = await errorOf(await refund(id, 1500, sam, "a-key-of-another"))
    assert.deepStrictEqual([status, code], [409, "correction_refused"])
    assert.include(message, "Nothing was sent: a correction or a refund of the payment is proposed")
    assert.lengthOf(here.provider.refunds, 0)
  })

  it("a rejected refund is not sent, nor proposed again by the same request", async () => {
    const { ann, sam } = await people()
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const { correction } = await bodyOf(await refund(id, undefined, sam))
    await decide(id, correction.id, "reject", ann, { reason: "it was exchanged" })
    const again = await bodyOf(await refund(id, undefined, sam))
    assert.deepStrictEqual([again.correction.state, again.correction.reason], ["rejected", "it was exchanged"])
    const anew = await bodyOf(await refund(id, undefined, sam, "a-key-of-another"))
    assert.strictEqual(anew.correction.state, "proposed")
    assert.lengthOf(here.provider.refunds, 0)
  })
})

describe("the pages", () => {
  const propose = async (id: string, cookie: string, amount = "19.99") => {
    const { fields, page } = await keyedForm(here, `${payments}/${id}/refund`, cookie)
    const send = () =>
      here.send(`${payments}/${id}/refund`, { cookie, form: { ...fields, amount, reason: "returned <b>" } })
    return { form: page, send }
  }
  it("a form sent twice proposes one refund, sent once another person approves", async () => {
    const { ann, sam } = await people()
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const { form, send } = await propose(id, sam)
    assert.include(form, "Above €10.00 in all, another operator has to approve it.")
    for (const response of await Promise.all([send(), send()])) {
      assert.strictEqual(leadsTo(response), `${payments}/${id}?notice=proposed`)
    }
    const shown = await pageAt(here, `${payments}/${id}?notice=proposed`, sam)
    assert.include(shown, "Nothing was sent yet: another operator has to approve the refund.")
    assert.include(shown, "A refund of €19.99 waits for a second person. sam proposed it")
    assert.include(await pageAt(here, reviews, ann), "Waits for a second person")
    const review = await pageAt(here, `${reviews}/${id}`, ann)
    assert.include(review, "Refund €19.99.")
    assert.include(review, "returned &lt;b&gt;")
    const approve = actionOf(review, "approve")
    assert.lengthOf(here.provider.refunds, 0)
    for (const response of await Promise.all([1, 2].map(() => here.send(approve, { cookie: ann, form: {} })))) {
      assert.strictEqual(leadsTo(response), `${payments}/${id}?notice=refunded`)
    }
    assert.lengthOf(here.provider.refunds, 1)
    assert.include(await pageAt(here, `${reviews}/${id}`, ann), "Approved by ann")
    assert.strictEqual(leadsTo(await send()), `${payments}/${id}?notice=refunded`)
    assert.notInclude(await pageAt(here, `${payments}/${id}`, sam), "waits for a second person")
  })

  it("the page says that less is left than proposed, and the approval sends nothing", async () => {
    const { ann, sam } = await people()
    const { id } = await here.pay("acme", "sandbox", "automatic")
    await (await propose(id, sam)).send()
    await refund(id, 500, sam, "a-key-of-a-small-one")
    const review = await pageAt(here, `${reviews}/${id}`, ann)
    assert.include(review, "Only €14.99 is left to refund")
    const approved = await here.send(actionOf(review, "approve"), { cookie: ann, form: {} })
    assert.strictEqual(leadsTo(approved), `${reviews}/${id}?notice=overtaken`)
    assert.lengthOf(here.provider.refunds, 1)
  })

  it("the operator's form says that nothing was sent of a rejected refund", async () => {
    const { ann, sam } = await people()
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const { send } = await propose(id, sam)
    await send()
    const reject = actionOf(await pageAt(here, `${reviews}/${id}`, ann), "reject")
    const rejected = await here.send(reject, { cookie: ann, form: { reason: "it was exchanged" } })
    assert.strictEqual(leadsTo(rejected), `${reviews}/${id}?notice=rejected`)
    const again = leadsTo(await send())
    assert.strictEqual(again, `${payments}/${id}?notice=closed`)
    assert.include(await pageAt(here, again, sam), "was not approved. Nothing was sent.")
  })
})
