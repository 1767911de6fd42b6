/** Evidence and acceptances at Stripe, request by request, and what became of them. */

import { assert, describe } from "@effect/vitest"
import { type Ask, noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { DisputeLookup, DisputeSubmission } from "@pointsman/core/connector"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connected, formOf, sentAt, tagOf, unanswers } from "./Calls.ts"
import { answer, dispute, failure, keyReused } from "./Stripe.ts"

const disputeId = dispute().id
const operationId = "op_of_the_test"
const bytes = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0x2d, 0x00, 0xff])
const submission: DisputeSubmission = {
  operationId,
  disputeId,
  providerRef: "pi_1",
  simulation: null,
  texts: { product_description: "A chair.", summary: "It arrived.", uncategorized_text: "See the file." },
  files: [{ name: "receipt", type: "application/pdf", bytes }]
}
const lookup: DisputeLookup = { operationId, disputeId, providerRef: "pi_1", simulation: null, kind: "submit", sentAt }
const uploaded = answer(200, { object: "file", id: "file_1", purpose: "dispute_evidence" })

describe("evidence", () => {
  itRuns("a file is uploaded, and one request submits it and all texts by Stripe's names", function* () {
    const { connector, requests } = connected([uploaded, answer(200, dispute({ status: "under_review" }))])
    const ended = yield* connector.submitDispute?.(submission) ?? noMethod
    assert.deepStrictEqual(ended, { _tag: "SubmissionDone" })
    const [upload, submit] = requests
    assert.strictEqual(upload?.url, "https://files.stripe.com/v1/files")
    assert.strictEqual(upload?.headers["idempotency-key"], `${operationId}-file-0`)
    const form = yield* Effect.promise(() =>
      new Response(upload?.bytes as Uint8Array<ArrayBuffer>, {
        headers: { "content-type": upload?.headers["content-type"] ?? "" }
      }).formData()
    )
    assert.strictEqual(form.get("purpose"), "dispute_evidence")
    const file = form.get("file") as File
    assert.deepStrictEqual(new Uint8Array(yield* Effect.promise(() => file.arrayBuffer())), bytes)
    assert.deepStrictEqual([file.type, file.name], ["application/pdf", "evidence.pdf"])
    assert.strictEqual(submit?.url, `https://api.stripe.com/v1/disputes/${disputeId}`)
    assert.strictEqual(submit?.headers["idempotency-key"], operationId)
    assert.deepStrictEqual(submit && Object.fromEntries(formOf(submit)), {
      "evidence[product_description]": "A chair.",
      "evidence[uncategorized_text]": "See the file.\n\nsummary: It arrived.",
      "evidence[receipt]": "file_1",
      "metadata[operation_id]": operationId,
      submit: "true"
    })
  })

  itRuns("a file that cannot be uploaded submits nothing, and is named", function* () {
    const ask: Ask = (connector) => connector.submitDispute?.(submission) ?? noMethod
    assert.strictEqual(yield* tagOf(ask, answer(500, {})), "Rejected")
  })

  itRuns("two files without own fields, or texts that are too long, send nothing", function* () {
    const two = ["one", "two"].map((name) => ({ name, type: "image/png", bytes }) as const)
    const long = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`text_${at}`, "x".repeat(20_000)]))
    for (const wrong of [{ files: two }, { texts: long }]) {
      const ask: Ask = (connector) => connector.submitDispute?.({ ...submission, ...wrong }) ?? noMethod
      assert.strictEqual(yield* tagOf(ask, []), "Rejected")
    }
  })

  for (const [title, given, wanted] of [
    ["an error of the request", failure(400, { code: "parameter_invalid" }), "Rejected"],
    ["an error of Stripe", answer(500, {}), "pointsman/Unanswered"],
    ["a key that had other parameters", keyReused(operationId)[0] ?? answer(500, {}), "pointsman/Unanswered"],
    ["another dispute", answer(200, dispute({ id: "du_other" })), "pointsman/Unanswered"]
  ] as const) {
    itRuns(`${title} is ${wanted}`, function* () {
      const ask: Ask = (connector) => connector.submitDispute?.({ ...submission, files: [] }) ?? noMethod
      assert.strictEqual(yield* tagOf(ask, given), wanted)
    })
  }
})

describe("an acceptance", () => {
  itRuns("a dispute is closed by one request under our id", function* () {
    const { connector, requests } = connected([answer(200, dispute({ status: "lost" }))])
    const { files: _, texts: _t, ...request } = submission
    assert.deepStrictEqual(yield* connector.acceptDispute?.(request) ?? noMethod, { _tag: "SubmissionDone" })
    const [close, ...others] = requests
    assert.strictEqual(close?.url, `https://api.stripe.com/v1/disputes/${disputeId}/close`)
    assert.deepStrictEqual([close?.headers["idempotency-key"], others], [operationId, []])
  })
})

describe("a lookup", () => {
  const day = 24 * 60 * 60 * 1000
  for (const [title, kind, given, after, wanted] of [
    ["our id on the dispute", "submit", dispute({ metadata: { operation_id: operationId } }), 0, "Found"],
    ["another id", "submit", dispute({ metadata: { operation_id: "op_other" } }), day - 1, [false]],
    ["no id, a day later", "submit", dispute(), day, [true]],
    ["a dispute that is lost", "accept", dispute({ status: "lost" }), 0, "Found"],
    ["a dispute that goes on", "accept", dispute(), day, [true]]
  ] as const) {
    itRuns(`${title} of "${kind}" is what it states`, function* () {
      yield* TestClock.setTime(sentAt + after)
      const { connector } = connected([answer(200, given)])
      const found = yield* connector.lookUpDispute?.({ ...lookup, kind }) ?? noMethod
      assert.deepStrictEqual<unknown>(found._tag === "Found" ? found._tag : [found.conclusive], wanted)
    })
  }

  itRuns("a dispute of a report is stated as its events state it", function* () {
    const due = { evidence_details: { due_by: 1_700_000_000 }, reason: "product_not_received" }
    const { connector, requests } = connected([answer(200, dispute({ ...due, status: "needs_response" }))])
    const question = { disputeId, providerRef: "pi_1", simulation: null }
    const found = yield* connector.readDispute?.(question) ?? noMethod
    assert(found._tag === "Found")
    const stated = { disputeId, status: "needs_response", reason: "not_received", dueBy: 1_700_000_000_000 } as const
    assert.deepInclude(found.state, { ...stated, verdict: "opened" })
    const [read, ...others] = requests
    assert.strictEqual(`${read?.method} ${read?.url}`, `GET https://api.stripe.com/v1/disputes/${disputeId}`)
    assert.isEmpty(others)
    for (const given of [answer(404, {}), answer(500, {}), answer(200, dispute({ id: "du_other" }))]) {
      yield* unanswers(({ readDispute }) => readDispute?.(question) ?? noMethod, given)
      yield* unanswers(({ lookUpDispute }) => lookUpDispute?.(lookup) ?? noMethod, given)
    }
  })
})
