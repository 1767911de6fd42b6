/** Corrections that a second operator approves: on the pages and through the API. */
import { assert, beforeEach, describe, it } from "vitest"
import { actionOf, assertFields, everywhere, hiddenIn, pageAt } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, silence } from "./support/World.ts"

const here = usedWorld()
let jo: string
let ann: string
beforeEach(async () => {
  jo = await here.signIn("jo", everywhere("operations"))
  ann = await here.signIn("ann", everywhere("operations"))
  // From 20 EUR on.
  const { workspaces } = await here.contents()
  await here.write({ workspaces: workspaces.map((one) => ({ ...one, fourEyes: { EUR: 2000 } })) })
})

const at = "/reviews/acme/sandbox"
const api = "/api/workspaces/acme/sandbox"
const hash = "ab".repeat(32)

const unknown = async (minorUnits = 2000) => {
  here.provider.onCharge = () => silence
  const money = { minorUnits, currency: "EUR" } as const
  return (await here.pay("acme", "sandbox", "automatic", "order", { money })).id
}

const recordOf = async (id: string, cookie: string) =>
  (await bodyOf(await here.send(`${api}/reviews/${id}`, { cookie }))).data

const propose = async (id: string, cookie: string, amount = 2000) => {
  const { revision } = await recordOf(id, cookie)
  const statement = { about: "charge", says: "captured", amount, provider_reference: `ch_${id}` }
  const body = { statement, evidence: "dashboard", revision, file_sha256: hash, evidence_reference: "case 17" }
  return bodyOf(await here.send(`${api}/reviews/${id}/evidence`, { cookie, body }))
}

const decide = (id: string, correction: string, act: string, cookie: string, body: unknown = undefined) =>
  here.send(`${api}/reviews/${id}/corrections/${correction}/${act}`, { method: "POST", cookie, body })

describe("the API", () => {
  it("an amount at the limit is recorded once another person approves it", async () => {
    const id = await unknown()
    const proposed = await propose(id, jo)
    assert.strictEqual(proposed.data.status, "UNKNOWN")
    const { id: correction, ...shown } = proposed.correction
    const { proposed: since, ...same } = shown
    assert.match(since, /^\d{4}-.*Z$/u)
    assert.deepStrictEqual(same, {
      state: "proposed",
      statement: { about: "charge", says: "captured", attempt_id: null, amount: 2000, provider_reference: `ch_${id}` },
      evidence: "dashboard",
      file_sha256: hash,
      evidence_reference: "case 17",
      proposed_by: "jo",
      decided_by: null,
      decided: null,
      reason: null
    })
    const { data: waiting } = await bodyOf(await here.send(`${api}/corrections`, { cookie: ann }))
    assert.deepStrictEqual(waiting, [{ payment_id: id, correction: proposed.correction }])
    const own = await decide(id, correction, "approve", jo)
    assert.strictEqual(own.status, 409)
    const { error } = await bodyOf(own)
    assert.deepStrictEqual(
      [error.code, error.message],
      ["correction_refused", "Nothing was changed: nobody approves their own correction: another person has to."]
    )
    const approved = await bodyOf(await decide(id, correction, "approve", ann))
    assert.deepStrictEqual(
      [approved.data.status, approved.correction.state, approved.correction.decided_by],
      ["CAPTURED", "approved", "ann"]
    )
    assert.deepStrictEqual(await bodyOf(await decide(id, correction, "approve", ann)), approved)
    assert.deepStrictEqual((await bodyOf(await here.send(`${api}/corrections`, { cookie: ann }))).data, [])
  })

  it("a rejection, a withdrawal and a wrong order are answered as documented", async () => {
    const support = await here.signIn("sam", everywhere("support"))
    const id = await unknown()
    const first = (await propose(id, jo)).correction.id
    for (const [act, cookie, body, status] of [
      ["approve", support, undefined, 403],
      ["reject", jo, { reason: "no" }, 409],
      ["reject", ann, { reason: " " }, 422],
      ["reject", ann, {}, 422],
      ["withdraw", ann, undefined, 409],
      ["withdraw", jo, undefined, 200],
      ["approve", ann, undefined, 409]
    ] as const) {
      assert.strictEqual((await decide(id, first, act, cookie, body)).status, status, act)
    }
    assert.strictEqual((await decide(id, "cor_0", "approve", ann)).status, 404)
    const second = (await propose(id, jo)).correction.id
    const { correction } = await bodyOf(await decide(id, second, "reject", ann, { reason: "another amount" }))
    assert.deepStrictEqual([correction.state, correction.reason], ["rejected", "another amount"])
    const { corrections } = await recordOf(id, ann)
    assertFields(corrections, "state", "withdrawn", "rejected")
  })
})

describe("the pages", () => {
  const form = async (id: string, cookie: string) => {
    const [attempt] = (await here.fileOf(id)).attempts
    const path = `${at}/${id}/evidence?about=charge&says=captured&subject=${attempt?.id}`
    const text = await pageAt(here, path, cookie)
    return {
      ...hiddenIn(text),
      amount: "20",
      reference: "ch_1",
      evidence: "dashboard <b>",
      file: hash.toUpperCase(),
      case: "case 17"
    }
  }

  it("a proposal's operator sees no button to approve, and another approves it once", async () => {
    const id = await unknown()
    const sent = await here.send(`${at}/${id}/evidence`, { cookie: jo, form: await form(id, jo) })
    assert.deepStrictEqual([sent.status, sent.headers.get("location")], [303, `/console${at}/${id}?notice=proposed`])
    const own = await pageAt(here, `${at}/${id}?notice=proposed`, jo)
    assert.include(own, "Another operator has to approve it.")
    assert.deepStrictEqual([actionOf(own, "approve"), actionOf(own, "reject")], ["", ""])
    assert.notStrictEqual(actionOf(own, "withdraw"), "")
    const theirs = await pageAt(here, `${at}/${id}`, ann)
    assert.include(theirs, "dashboard &lt;b&gt;")
    assert.include(theirs, hash)
    assert.include(theirs, "€20.00")
    assert.strictEqual(actionOf(theirs, "withdraw"), "")
    assert.include(await pageAt(here, at, ann), "Waits for a second person")
    const approve = actionOf(theirs, "approve")
    const refused = await here.send(approve, { cookie: jo, form: {} })
    assert.strictEqual(refused.status, 409)
    assert.include(await refused.text(), "nobody approves their own correction")
    const both = await Promise.all([
      here.send(approve, { cookie: ann, form: {} }),
      here.send(approve, { cookie: ann, form: {} })
    ])
    for (const response of both) {
      assert.strictEqual(response.headers.get("location"), `/console${at}/${id}?notice=approved`)
    }
    const after = await pageAt(here, `${at}/${id}?notice=approved`, ann)
    assert.include(after, "Approved by ann")
    assert.include(after, "approved by: ann")
  })

  it("a rejection is shown with its reason, and a missing reason is named", async () => {
    const id = await unknown()
    await here.send(`${at}/${id}/evidence`, { cookie: jo, form: await form(id, jo) })
    const reject = actionOf(await pageAt(here, `${at}/${id}`, ann), "reject")
    const empty = await here.send(reject, { cookie: ann, form: { reason: "" } })
    assert.strictEqual(empty.status, 422)
    const rejected = await here.send(reject, { cookie: ann, form: { reason: "another amount" } })
    assert.strictEqual(rejected.headers.get("location"), `/console${at}/${id}?notice=rejected`)
    assert.include(await pageAt(here, `${at}/${id}`, jo), "another amount")
  })
})
