/** Requests that come at once: of two tabs, and of a form that was sent twice by two operators. */
import { assert, describe, it } from "vitest"
import { everywhere } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { addEndpoint } from "./support/Webhooks.ts"
import { bodyOf, silence } from "./support/World.ts"

const here = usedWorld()

const at = "/api/workspaces/acme/sandbox"

const statuses = (responses: ReadonlyArray<Response>) => responses.map(({ status }) => status).toSorted()

const rounds = [1, 2, 3, 4, 5]

describe("keys and secrets", () => {
  it("a key created many times at once from one draft is shown once", async () => {
    const cookie = await here.signIn("ann", everywhere("admin"))
    const { draft } = (await bodyOf(await here.send(`${at}/key-draft`, { cookie }))).data
    const responses = await Promise.all(
      rounds.map(() => here.send(`${at}/keys`, { cookie, body: { draft, scopes: null } }))
    )
    assert.deepStrictEqual(statuses(responses), [200, 409, 409, 409, 409])
    assert.lengthOf((await bodyOf(await here.send(`${at}/keys`, { cookie }))).data, 1)
  })

  it("one of several tabs that replace a secret at once does, and others are refused", async () => {
    const { id } = await addEndpoint(here)
    const cookie = await here.signIn("ann", everywhere("admin"))
    const rotate = (key: string) =>
      here.send(`${at}/webhook-endpoints/${id}/secret`, {
        cookie,
        headers: { "idempotency-key": key },
        body: { overlap_seconds: 60, secret_rotated: null }
      })
    const responses = await Promise.all(rounds.map((round) => rotate(`key-of-tab-${round}`)))
    assert.deepStrictEqual(statuses(responses), [200, 409, 409, 409, 409])
  })
})

describe("money", () => {
  it("one of two opposite statements of two tabs at once is recorded", async () => {
    const cookie = await here.signIn("ann", everywhere("operations"))
    here.provider.onCharge = () => silence
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const { revision } = (await bodyOf(await here.send(`${at}/reviews/${id}`, { cookie }))).data
    const state = (statement: object) =>
      here.send(`${at}/reviews/${id}/evidence`, { cookie, body: { statement, evidence: "seen", revision } })
    const responses = await Promise.all([
      state({ about: "charge", says: "captured", amount: 1, provider_reference: "ref" }),
      state({ about: "charge", says: "declined", provider_reference: "ref" })
    ])
    assert.deepStrictEqual(statuses(responses), [200, 409])
  })

  it("one form's key refunds each payment once, whichever operator sends it", async () => {
    const cookies = [await here.signIn("ann", everywhere("support")), await here.signIn("jo", everywhere("support"))]
    const payments = [await here.pay("acme", "sandbox", "automatic"), await here.pay("acme", "sandbox", "automatic")]
    const refund = (payment: string, cookie = "", amount = 5) =>
      here.send(`${at}/payments/${payment}/refunds`, {
        cookie,
        headers: { "idempotency-key": "key-of-one-form" },
        body: { amount }
      })
    const [first = "", second = ""] = payments.map(({ id }) => id)
    assert.strictEqual((await refund(first, cookies[0])).status, 200)
    // A key counts within its payment.
    assert.strictEqual((await refund(second, cookies[0])).status, 200)
    assert.strictEqual((await refund(first, cookies[1], 6)).status, 422)
    assert.strictEqual((await refund(first, cookies[1])).status, 200)
    assert.deepStrictEqual(
      here.provider.refunds.map(({ money }) => money.minorUnits),
      [5, 5]
    )
  })
})
