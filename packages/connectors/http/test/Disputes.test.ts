/** Evidence and acceptances in the provider protocol, and what became of them. */

import { assert, describe } from "@effect/vitest"
import { noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { DisputeLookup, DisputeSubmission } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { answer, apiKey, connect, neverReceived, refusal } from "./Provider.ts"

const submission: DisputeSubmission = {
  operationId: "op_1",
  disputeId: "du/1",
  providerRef: "ch_1",
  simulation: null,
  texts: { summary: "It arrived." },
  files: [{ name: "receipt", type: "application/pdf", bytes: new Uint8Array([1, 2, 255]) }]
}
const { files: _, texts: _t, ...acceptance } = submission
const lookup: DisputeLookup = { ...acceptance, kind: "submit", sentAt: 0 }

const dispute = (status: string, dispute_id = "du/1") => answer(200, { dispute_id, status })
const operation = (fields: object) =>
  answer(200, { operation_id: "op_1", kind: "dispute_submit", status: "confirmed", ...fields })

describe("evidence and acceptances", () => {
  itRuns("evidence is one request with our id, the texts and the files", function* () {
    const { connector, requests } = connect([dispute("under_review")])
    assert.deepStrictEqual(yield* connector.submitDispute?.(submission) ?? noMethod, { _tag: "SubmissionDone" })
    const [request] = requests
    assert.strictEqual(request?.url, "https://provider.example/v1/disputes/du%2F1/submit")
    assert.strictEqual(request?.headers["idempotency-key"], "op_1")
    assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
      operation_id: "op_1",
      texts: { summary: "It arrived." },
      files: [{ name: "receipt", type: "application/pdf", base64: "AQL/" }]
    })
  })

  itRuns("an acceptance is one request with our id", function* () {
    const { connector, requests } = connect([dispute("accepted")])
    assert.deepStrictEqual(yield* connector.acceptDispute?.(acceptance) ?? noMethod, { _tag: "SubmissionDone" })
    assert.deepStrictEqual(
      requests.map(({ body, url }) => [url, body]),
      [["https://provider.example/v1/disputes/du%2F1/accept", '{"operation_id":"op_1"}']]
    )
  })

  for (const [given, wanted] of [
    [dispute("needs_response"), "SubmissionPending"],
    [dispute("accepted"), "SubmissionPending"],
    [dispute("won"), "SubmissionDone"],
    [dispute("under_review", "du/2"), "pointsman/Unanswered"],
    [dispute("of_tomorrow"), "pointsman/Unanswered"],
    [refusal(422, "too_long", "It is too long."), "Rejected"],
    [answer(501, {}), "Rejected"],
    [answer(409, {}), "pointsman/Unanswered"],
    [answer(500, {}), "pointsman/Unanswered"]
  ] as const) {
    itRuns(`evidence with ${given.status} and ${given.body} is ${wanted}`, function* () {
      const { connector } = connect([given])
      const ended = yield* Effect.result(connector.submitDispute?.(submission) ?? noMethod)
      assert.strictEqual(Result.merge(ended)._tag, wanted)
    })
  }
})

describe("a lookup", () => {
  for (const [title, given, wanted] of [
    ["confirmed", operation({}), { _tag: "Found", state: { _tag: "SubmissionDone" } }],
    ["pending", operation({ status: "pending" }), { _tag: "Found", state: { _tag: "SubmissionPending" } }],
    [
      "failed",
      operation({ status: "failed", failure_reason: `too long ${apiKey}` }),
      { _tag: "Found", state: { _tag: "SubmissionFailed", reason: "too long ***" } }
    ],
    ["never received", neverReceived({ operation_id: "op_1" }), { _tag: "NotFound", conclusive: true }],
    ["another operation", operation({ operation_id: "op_2" }), "pointsman/Unanswered"],
    ["another kind", operation({ kind: "dispute_accept" }), "pointsman/Unanswered"],
    ["no lookup", answer(501, {}), "pointsman/Unanswered"]
  ] as const) {
    itRuns(`${title} is what is known`, function* () {
      const { connector } = connect([given])
      const found = yield* Effect.result(connector.lookUpDispute?.(lookup) ?? noMethod)
      assert.deepStrictEqual(Result.isFailure(found) ? found.failure._tag : found.success, wanted)
    })
  }
})
