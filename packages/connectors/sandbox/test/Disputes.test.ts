/** Disputes that the reference of a payment asks for: opened, answered once, and decided. */
import { assert, describe } from "@effect/vitest"
import { paymentRequests } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Connector, money } from "@pointsman/core/connector"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { disputedReference, messagesOf, SandboxRecords, withDispute } from "../src/index.ts"
import { connected, newFile } from "./support/Records.ts"

const begin = Date.UTC(2026, 10, 1)
const second = 1_000
const deadline = begin + 7 * 24 * 3_600 * second + 10 * second

const { charge } = paymentRequests({ providerRef: "sbx_att_1", instrument: "", money: money(1999, "EUR") })

const request = (operationId: string) => ({
  operationId,
  disputeId: "sbx_att_1_dispute",
  providerRef: "sbx_att_1",
  simulation: null
})

const given = (records: SandboxRecords["Service"]) => {
  const connector = connected(records) as Required<
    Pick<Connector, "charge" | "listDisputes" | "submitDispute" | "acceptDispute" | "lookUpDispute">
  >
  /** The statuses that messages have stated by now. */
  const stated = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [found] = yield* Effect.orDie(records.chargesByReference(disputedReference))
    if (found === undefined) return []
    const record = yield* Effect.orDie(
      records.playCharge("sandbox-a", found.attemptId, (stored) => withDispute(stored, now))
    )
    if (record === null) return []
    return messagesOf(record, now).map(({ about }) => (about._tag === "Dispute" ? about.status : undefined))
  })
  return { connector, stated }
}

const inMemory = () => given(SandboxRecords.memory())
const stores = { memory: Effect.sync(inMemory), file: Effect.map(newFile, given) }

describe("a dispute of the simulated provider", () => {
  for (const [store, opened] of Object.entries(stores)) {
    for (const end of ["won", "lost"] as const) {
      itRuns(`evidence for a reference's dispute, in ${store}, is taken once and ${end}`, function* () {
        const { connector, stated } = yield* opened
        yield* TestClock.setTime(begin)
        yield* connector.charge({ ...charge, reference: `${disputedReference}${end}-1001` })
        assert.deepStrictEqual(yield* stated, ["needs_response"])
        yield* TestClock.adjust("1 minute")
        const evidence = { texts: { summary: "It arrived." }, files: [] }
        const lookUp = connector.lookUpDispute({ ...request("op_1"), kind: "submit", sentAt: begin })
        assert.deepStrictEqual(yield* lookUp, { _tag: "NotFound", conclusive: true })
        for (let time = 0; time < 2; time++) {
          const answer = yield* connector.submitDispute({ ...request("op_1"), ...evidence })
          assert.deepStrictEqual(answer, { _tag: "SubmissionDone" })
        }
        const second = yield* connector.acceptDispute(request("op_2"))
        assert.deepInclude(second, { _tag: "Rejected", code: "dispute_closed" })
        assert.deepStrictEqual(yield* lookUp, { _tag: "Found", state: { _tag: "SubmissionDone" } })
        assert.deepStrictEqual(yield* stated, ["needs_response", "under_review"])
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* stated, ["needs_response", "under_review", end])
      })
    }
  }

  itRuns("a dispute without an answer is lost at its deadline, and takes none any more", function* () {
    const { connector, stated } = inMemory()
    yield* TestClock.setTime(begin)
    yield* connector.charge({ ...charge, reference: `${disputedReference}won` })
    assert.deepStrictEqual(yield* stated, ["needs_response"])
    yield* TestClock.setTime(deadline - 1)
    assert.deepStrictEqual(yield* stated, ["needs_response"])
    yield* TestClock.setTime(deadline)
    assert.deepStrictEqual(yield* stated, ["needs_response", "lost"])
    const late = yield* connector.submitDispute({ ...request("op_1"), texts: {}, files: [] })
    assert.deepInclude(late, { _tag: "Rejected", code: "dispute_closed" })
  })

  itRuns("an accepted dispute is listed as accepted", function* () {
    const { connector, stated } = inMemory()
    yield* TestClock.setTime(begin)
    yield* connector.charge({ ...charge, reference: `${disputedReference}won` })
    yield* stated
    assert.deepStrictEqual(yield* connector.acceptDispute(request("op_1")), { _tag: "SubmissionDone" })
    assert.deepStrictEqual(yield* stated, ["needs_response", "accepted"])
    const list = (createdFrom: number) =>
      connector.listDisputes({ createdFrom, createdBefore: begin + second, cursor: null })
    assert.deepStrictEqual(yield* list(begin), {
      items: [
        {
          ...{ at: begin, charge: { attemptId: "att_1" }, disputeId: "sbx_att_1_dispute" },
          ...{ verdict: "lost", status: "accepted", money: money(1999, "EUR"), dueBy: deadline },
          ...{ reason: "not_received", providerReason: "simulated" }
        }
      ],
      unreadable: [],
      nextCursor: null
    })
    assert.deepStrictEqual((yield* list(begin + 1)).items, [])
  })

  for (const [title, reference, change] of [
    ["another reference", "order-1001", {}],
    ["no reference", null, {}],
    ["a reference that names no end", disputedReference, {}],
    ["money that is not captured", `${disputedReference}won`, { capture: false }]
  ] as const) {
    itRuns(`${title} disputes nothing`, function* () {
      const { connector, stated } = inMemory()
      yield* connector.charge({ ...charge, reference, ...change })
      assert.deepStrictEqual(yield* stated, [])
      const answer = yield* connector.submitDispute({ ...request("op_1"), texts: {}, files: [] })
      assert.deepInclude(answer, { _tag: "Rejected", code: "dispute_not_found" })
    })
  }
})
