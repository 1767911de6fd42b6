/** Core refuses card numbers in the texts of merchants and operators, for every client. */
import { assert, describe } from "@effect/vitest"
import { CardNumberFound } from "@pointsman/core"
import { Audit } from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import { Effect } from "effect"
import { itIn } from "./support/ItIn.ts"
import { chargeSays, jo } from "./support/Operations.ts"
import { caller, tenant, world } from "./support/World.ts"

const card = "paid by 4111 1111 1111 1111"
const paymentId = "01a1fe08-9226-7266-a33a-e3e7f1609a4e"
const stated = chargeSays("captured", { amountMinor: 1_000, providerRef: "ch_1" })

describe("texts that would be stored", () => {
  itIn("a field of a card number in a text is named, and nothing is written", world(), function* (_, pointsman) {
    const { create, keepEvidence, reconciliation, refund, rejectCorrection, resolveReview } = pointsman
    const operated = { ...caller, operator: "ada" }
    const details = { reference: card, metadata: { note: card } }
    const seen = { evidence: card, providerReference: card }
    const refused: ReadonlyArray<readonly [Effect.Effect<unknown, { readonly _tag: string }>, ...Array<string>]> = [
      [create(caller, sampleRequest({ details, returnUrl: card })), "reference", "return_url", "metadata"],
      [refund(operated, { paymentId, amountMinor: 1, idempotencyKey: "refund-1", reason: card }), "reason"],
      [keepEvidence(operated, { disputeId: "dp_1", texts: { summary: card, other: "" }, files: [] }), "summary"],
      [resolveReview({ tenant, paymentId, stated, by: "Jo", person: jo, ...seen }), "evidence", "provider_reference"],
      [rejectCorrection({ tenant, paymentId, correctionId: "cor_1", by: jo, reason: card }), "reason"],
      [reconciliation.close({ connectionId: "main", rowId: "txn_1", note: card }), "note"]
    ]
    for (const [act, ...fields] of refused) {
      assert.deepStrictEqual(yield* Effect.flip(act), new CardNumberFound({ fields }))
    }
    // The entries of the audit trail would hold the texts too.
    assert.deepStrictEqual(yield* (yield* Audit).list({ after: 0, limit: 10 }), [])
    assert.deepStrictEqual((yield* pointsman.payments(tenant, { limit: 1 })).items, [])
  })
})
