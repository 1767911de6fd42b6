import { assert, describe, it } from "vitest"
import { type PointsmanSettings, StateError } from "../src/index.ts"
import { merchantSuite } from "./support/MerchantCases.ts"
import { folder, inFiles, open, order, shop } from "./support/Shop.ts"

const storages: Readonly<Record<string, () => Partial<PointsmanSettings>>> = {
  memory: () => ({}),
  "a SQLite file": () => inFiles(folder())
}

for (const [name, settings] of Object.entries(storages)) {
  merchantSuite(name, async () => (await open(settings())).pointsman)
}

it("each chapter of a payment's explained routing says why in sentences", async () => {
  const { pointsman } = await open()
  const { payment } = await pointsman.create({ ...order, simulate: { charge: ["technical_error", "approve"] } })
  const explained = await pointsman.explainRouting(payment.id)
  assert.deepStrictEqual(
    explained.attempts.map(({ connection_id, outcome }) => [connection_id, outcome]),
    [
      ["first", "rejected"],
      ["second", "captured"]
    ]
  )
  assert.include(
    explained.chapters.map(({ title }) => title),
    "What happened"
  )
})

it("an operator's report of the provider's record settles an unknown result", async () => {
  const { pointsman } = await open({ background: false, claimWindowMillis: 2, providerTimeoutMillis: 1 })
  const { payment } = await pointsman.create({ ...order, simulate: { charge: "no_answer" } })
  assert.strictEqual(payment.status, "UNKNOWN")
  const [waiting] = (await pointsman.reviews()).data
  assert.strictEqual(waiting?.id, payment.id)
  assert.deepStrictEqual(waiting?.review?.reasons, ["unknown"])
  assert.strictEqual((await pointsman.reviewOf(payment.id)).attempts[0]?.outcome, "unanswered")
  const settled = await pointsman.resolveReview(
    payment.id,
    { about: "charge", says: "captured", provider_reference: "seen-in-the-dashboard" },
    { evidence: "It stands in the provider's dashboard.", by: "Ada" }
  )
  assert.strictEqual(settled.status, "CAPTURED")
  assert.deepStrictEqual((await pointsman.reviews()).data, [])
})

describe("corrections", () => {
  const charge = { about: "charge", says: "captured", provider_reference: "seen-in-the-dashboard" } as const
  const proposed = async () => {
    const workspaces = [{ ...shop, fourEyes: { EUR: 1999 } }]
    const { pointsman } = await open({ workspaces, background: false, claimWindowMillis: 2, providerTimeoutMillis: 1 })
    const { payment } = await pointsman.create({ ...order, simulate: { charge: "no_answer" } })
    const evidence = {
      evidence: "The dashboard.",
      by: "Ada",
      file_sha256: "0".repeat(64),
      provider_reference: "case 17"
    }
    const resolved = await pointsman.resolveReview(payment.id, charge, evidence)
    return { pointsman, payment, resolved, id: resolved.proposed_correction?.id ?? "" }
  }
  const refused = (message: RegExp) => (error: unknown) => {
    assert.instanceOf(error, StateError)
    assert.deepStrictEqual([error.code, error.moneyMayHaveMoved], ["correction_refused", false])
    assert.match(error.message, message)
  }

  it("an amount at the limit is written once another person approves the statement", async () => {
    const { id, payment, pointsman, resolved } = await proposed()
    assert.strictEqual(resolved.status, "UNKNOWN")
    assert.deepInclude(resolved.proposed_correction, {
      state: "proposed",
      proposed_by: "Ada",
      file_sha256: "0".repeat(64),
      evidence_reference: "case 17"
    })
    const [waiting] = await pointsman.corrections.list()
    assert.deepStrictEqual([waiting?.payment.id, waiting?.correction], [payment.id, resolved.proposed_correction])
    for (const by of ["Ada", "ADA ", "a d a"]) {
      await pointsman.corrections
        .approve(payment.id, id, { by })
        .then(() => assert.fail("it was approved"), refused(/nobody approves their own correction/u))
    }
    const { correction, payment: after } = await pointsman.corrections.approve(payment.id, id, { by: "Grace" })
    assert.deepStrictEqual([correction.state, correction.decided_by, after.status], ["approved", "Grace", "CAPTURED"])
    assert.deepStrictEqual(await pointsman.corrections.list(), [])
  })

  it("the field of a missing person is named", async () => {
    const { pointsman, payment, id } = await proposed()
    for (const by of ["", " ", "x".repeat(121), 7, undefined]) {
      await pointsman.corrections.withdraw(payment.id, id, { by } as never).then(
        () => assert.fail("it was withdrawn"),
        (error) => assert.match(error.message, /^`by` must be the name of a person/u)
      )
    }
    assert.strictEqual(
      (await pointsman.corrections.withdraw(payment.id, id, { by: "ada" })).correction.state,
      "withdrawn"
    )
  })
})

it("the API refuses a key that was made and revoked", async () => {
  const { pointsman } = await open()
  const key = await pointsman.createApiKey({ scopes: ["payments:read"] })
  const ask = async () =>
    (
      await pointsman.handler(
        new Request("http://shop.example/api/v1/payments", { headers: { authorization: `Bearer ${key.secret}` } })
      )
    ).status
  assert.strictEqual(await ask(), 200)
  await pointsman.revokeApiKey(key.hash)
  assert.strictEqual(await ask(), 401)
})

it("payments of two environments are counted and read without each other's", async () => {
  const { pointsman } = await open({ environment: "production", allowVolatileStorage: true })
  await pointsman.create(order, { environment: "sandbox" })
  assert.deepStrictEqual((await pointsman.payments()).data, [])
  assert.strictEqual((await pointsman.payments({}, { environment: "sandbox" })).data.length, 1)
  const used = await pointsman.usage({ from: new Date(0), until: new Date("2100-01-01") })
  assert.strictEqual(used, 0)
  assert.deepStrictEqual(await pointsman.successRates(), [])
  assert.deepStrictEqual(await pointsman.circuits(), [])
})
