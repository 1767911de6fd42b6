/** Messages of the provider protocol about operations and disputes; the suite reads one of each other kind. */

import { createHmac } from "node:crypto"
import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { money, type ProviderMessage } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { apiKey, connect } from "./Provider.ts"

const secret = "whsec_0123456789abcdef"
const previousSecret = "whsec_fedcba9876543210"
/** While `secret` replaces the other. */
const secrets = { secret: Redacted.make(secret), otherSecret: Redacted.make(previousSecret) }
const receivedAt = Date.UTC(2026, 10, 21, 12, 0, 30)
const eur = money(1000, "EUR")

const { connector } = connect([])

const read = (type: string, data: object) => {
  const text = JSON.stringify({ id: "msg_1", type, created: "2026-11-21T12:00:10Z", data })
  const t = Math.floor(receivedAt / 1000)
  const tag = createHmac("sha256", secret).update(`${t}.${text}`).digest("hex")
  const raw = { headers: { "x-service-signature": `t=${t},v1=${tag}` }, body: Buffer.from(text) }
  return Effect.gen(function* () {
    if (connector.readMessage === undefined) return yield* Effect.die("it reads no messages")
    const whole = yield* Effect.result(connector.readMessage({ ...raw, ...secrets, receivedAt }))
    if (Result.isSuccess(whole)) assert.deepStrictEqual(stated(yield* readKept(text)), stated(whole.success))
    return whole
  })
}

/** As it is stored, with a field that no statement needs. */
const readKept = (text: string) => {
  const kept = connector.keptOfMessage?.(
    JSON.stringify({ ...JSON.parse(text), customer: { email: "ada@shop.example" } })
  )
  assert.notInclude(kept ?? "", "ada@shop.example")
  const reading = connector.readStored?.({ body: Buffer.from(kept ?? ""), ...secrets })
  return reading ?? Effect.die("it reads no stored messages")
}

const stated = ({ about, at, id }: ProviderMessage): unknown => [
  { at, id },
  "state" in about && about.state !== null ? { ...about, state: about.state(eur) } : about
]

const operation = { operation_id: "op_1", kind: "capture", status: "confirmed", updated: "2026-11-21T12:00:00Z" }

describe("operation.updated", () => {
  for (const [more, state] of [
    [{}, { _tag: "OperationConfirmed" }],
    [{ kind: "void" }, { _tag: "OperationConfirmed" }],
    [{ amount: 600 }, { _tag: "OperationConfirmed", stated: money(600, "EUR") }],
    [
      { amount: 600, currency: "USD" },
      { _tag: "OperationConfirmed", stated: money(600, "USD") }
    ],
    [{ status: "pending", failure_reason: "the scheme is away" }, { _tag: "OperationPending" }],
    [{ status: "failed" }, { _tag: "OperationFailed", isFinal: true, reason: null }],
    [
      { status: "failed", failure_reason: `refused: ${apiKey} ${secret} ${previousSecret}` },
      { _tag: "OperationFailed", isFinal: true, reason: "refused: *** *** ***" }
    ]
  ] as const) {
    itRuns(`${JSON.stringify(Object.keys(more))} is ${JSON.stringify(state)} of ours`, function* () {
      const { about } = Result.getOrThrow(yield* read("operation.updated", { ...operation, ...more }))
      if (about._tag !== "Operation") return assert.fail(`it is about ${about._tag}`)
      assert.strictEqual(about.operationId, "op_1")
      assert.deepStrictEqual<unknown>(about.state(eur), state)
    })
  }

  itRuns("an old state in a message written later has the time of the state", function* () {
    const { at } = Result.getOrThrow(yield* read("operation.updated", operation))
    assert.strictEqual(at, Date.UTC(2026, 10, 21, 12, 0, 0))
  })

  for (const [what, more, field] of [
    ["no id from Pointsman", { operation_id: undefined }, "data.operation_id"],
    ["a kind of tomorrow", { kind: "reversal" }, "data.kind"],
    ["a status of tomorrow", { status: "paused" }, "data.status"],
    ["no time of the state", { updated: undefined }, "data.updated"],
    ["half a unit", { amount: 0.5 }, "data.amount"]
  ] as const) {
    itRuns(`${what} is unreadable at ${field}`, function* () {
      const result = yield* read("operation.updated", { ...operation, ...more })
      if (Result.isSuccess(result)) return assert.fail(`it was read as ${JSON.stringify(result.success)}`)
      assert.strictEqual(result.failure._tag, "pointsman/MessageUnreadable")
      assert.strictEqual(result.failure.reason, `it is not as the protocol says at ${field}`)
    })
  }
})

describe("disputes", () => {
  const terms = { amount: 600, currency: "EUR", reason: "fraud", evidence_due_by: "2026-12-01T00:00:00Z" }
  const withTerms = {
    ...{ disputeId: "dp_1", money: { minorUnits: 600, currency: "EUR" }, dueBy: Date.UTC(2026, 11, 1) },
    ...{ reason: "other", providerReason: "fraud" }
  }
  const inquiry = { verdict: null, status: "warning", reason: "not_received", providerReason: "13.1" }
  for (const [what, type, fields, said] of [
    ["its terms", "dispute.lost", { dispute_id: "dp_1", ...terms }, { verdict: "lost", ...withTerms }],
    [
      "our reason, and the provider's own code",
      "dispute.opened",
      { status: "warning", reason: "not_received", provider_reason: "13.1" },
      inquiry
    ],
    [
      "fields of the charge in their place",
      "dispute.opened",
      { status: "captured", amount: -1, currency: "eur", evidence_due_by: "soon", reason: 5 },
      { verdict: "opened" }
    ],
    ["no status", "dispute.updated", {}, { verdict: "opened", isContinued: true }],
    ["a warning", "dispute.updated", { status: "warning" }, { verdict: null, status: "warning" }],
    ["a review", "dispute.updated", { status: "under_review" }, { verdict: "opened", status: "under_review" }],
    ["won", "dispute.updated", { status: "won" }, { verdict: "won", status: "won" }],
    ["lost", "dispute.updated", { status: "lost" }, { verdict: "lost", status: "lost" }],
    ["accepted", "dispute.updated", { status: "accepted" }, { verdict: "lost", status: "accepted" }],
    ["a warning", "dispute.opened", { status: "warning" }, { verdict: null, status: "warning" }],
    // Contradictions, which core finds.
    ["won", "dispute.opened", { status: "won" }, { verdict: "opened", status: "won" }],
    ["won", "dispute.lost", { status: "won" }, { verdict: "lost", status: "won" }],
    ["a warning", "dispute.won", { status: "warning" }, { verdict: "won", status: "warning" }]
  ] as const) {
    itRuns(`${type} with ${what} says ${JSON.stringify(said)}`, function* () {
      const { about, at } = Result.getOrThrow(yield* read(type, { attempt_id: "att_1", ...fields }))
      const charge = { attemptId: "att_1" }
      assert.deepStrictEqual<unknown>(about, { _tag: "Dispute", charge, disputeId: null, ...said })
      assert.strictEqual(at, Date.UTC(2026, 10, 21, 12, 0, 10))
    })
  }

  itRuns("a type outside of the protocol is hidden, and the charge that it names looked up", function* () {
    const named = Result.getOrThrow(yield* read("charge.hunter2", { attempt_id: "att_1" }))
    assert.deepStrictEqual(named.about, {
      _tag: "Changed",
      charge: { attemptId: "att_1" },
      reason: "unknown message type"
    })
    const result = yield* read("charge.hunter2", {})
    if (Result.isSuccess(result)) return assert.fail(`it was read as ${JSON.stringify(result.success)}`)
    assert.strictEqual(result.failure.reason, "unknown message type")
  })
})
