/** Disputes through promises: what is asked and refused as the API does it. */
import { assert, it } from "vitest"
import { NotFoundError, ValidationError } from "../src/index.ts"
import { failureOf, open } from "./support/Shop.ts"

const nobody = "dp_01a1fe0c-51d3-7e0a-9b6f-3c7d8e9f0a1b"

it("a dispute that does not exist is not found, for reads, evidence and answers", async () => {
  const { pointsman } = await open()
  assert.deepStrictEqual(await pointsman.disputes({ status: "needs_response" }), {
    data: [],
    has_more: false,
    next_cursor: null
  })
  const texts = { summary: "It arrived." }
  for (const asked of [
    () => pointsman.dispute(nobody),
    () => pointsman.keepEvidence(nobody, { texts }),
    () => pointsman.submitDispute(nobody, { idempotencyKey: "dispute-1001" }),
    () => pointsman.acceptDispute(nobody)
  ]) {
    const error = await failureOf(asked())
    assert.instanceOf(error, NotFoundError)
    assert.strictEqual(error.message, "Dispute not found.")
  }
})

it("the error of an invalid query or invalid evidence names the field", async () => {
  const { pointsman } = await open()
  for (const [asked, field] of [
    [() => pointsman.disputes({ status: "open" as "won" }), "status"],
    [() => pointsman.disputes({ payment: "none" }), "payment"],
    [() => pointsman.keepEvidence(nobody, { texts: { summary: 5 as unknown as string } }), "texts"],
    [() => pointsman.keepEvidence(nobody, { files: { receipt: "a" as unknown as Uint8Array } }), "files"],
    [() => pointsman.keepEvidence(nobody, { files: { receipt: new Uint8Array([1]) } }), "receipt"],
    [() => pointsman.keepEvidence(nobody, {}), "evidence"],
    [() => pointsman.keepEvidence(nobody, { texts: { summary: "4242 4242 4242 4242" } }), "summary"]
  ] as const) {
    const error = await failureOf(asked())
    assert.instanceOf(error, ValidationError)
    assert.include(error.message, `\`${field}\``)
    assert.strictEqual(error.param, field)
  }
})
