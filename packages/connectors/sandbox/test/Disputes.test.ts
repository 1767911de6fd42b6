/** Disputes that the reference of a payment asks for: opened, answered once, and decided. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type ChargeRequest, type Connector, money } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { disputedReference, messagesOf, SandboxConnector, SandboxRecords, withDispute } from "../src/index.ts"

const begin = Date.UTC(2026, 10, 1)
const second = 1_000
const deadline = begin + 7 * 24 * 3_600 * second + 10 * second

const charge = (reference: string | null, change: Partial<ChargeRequest> = {}): ChargeRequest => ({
  attemptId: "att_1",
  attemptNumber: 1,
  paymentId: "payment-1",
  money: money(1999, "EUR"),
  country: "NL",
  method: "card",
  cardBrand: null,
  initiator: "cit",
  capture: true,
  reference,
  instrument: null,
  simulation: null,
  ...change
})

const request = (operationId: string) => ({
  operationId,
  disputeId: "sbx_att_1_dispute",
  providerRef: "sbx_att_1",
  simulation: null
})

interface Given {
  readonly records: SandboxRecords["Service"]
  readonly connector: Required<
    Pick<Connector, "charge" | "listDisputes" | "submitDispute" | "acceptDispute" | "lookUpDispute">
  >
  /** The statuses that messages have stated by now. */
  readonly stated: Effect.Effect<ReadonlyArray<string | undefined>>
}

const given = (records: SandboxRecords["Service"]): Given => {
  const connector = Result.getOrThrow(
    SandboxConnector.make(records).connect(
      { connectionId: "main", environment: "sandbox", credentials: {}, timeoutMillis: 1000 },
      { send: () => Effect.die(new Error("the transport was used")) }
    )
  ) as Given["connector"]
  const stated = Effect.gen(function* () {
    const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
    const [found] = yield* Effect.orDie(records.chargesByReference(disputedReference))
    if (found === undefined) return []
    const record = yield* Effect.orDie(
      records.playCharge("main", found.attemptId, (stored) => withDispute(stored, now))
    )
    if (record === null) return []
    return messagesOf(record, now).map(({ about }) => (about._tag === "Dispute" ? about.status : undefined))
  })
  return { records, connector, stated }
}

/** A record in memory, or in a file. */
const stores = ["memory", "file"] as const
const opened = Effect.fnUntraced(function* (store: (typeof stores)[number]) {
  if (store === "memory") return given(SandboxRecords.memory())
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-sandbox-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  return given(yield* Effect.orDie(SandboxRecords.file(join(folder, "records.db"))))
})

describe("a dispute of the simulated provider", () => {
  for (const store of stores) {
    for (const end of ["won", "lost"] as const) {
      it.effect(`evidence for a reference's dispute, in ${store}, is taken once and ${end}`, () =>
        Effect.gen(function* () {
          const { connector, stated } = yield* opened(store)
          yield* TestClock.setTime(begin)
          yield* connector.charge(charge(`${disputedReference}${end}-1001`))
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
        }).pipe(Effect.scoped)
      )
    }
  }

  it.effect("a dispute without an answer is lost at its deadline, and takes none any more", () =>
    Effect.gen(function* () {
      const { connector, stated } = yield* opened("memory")
      yield* TestClock.setTime(begin)
      yield* connector.charge(charge(`${disputedReference}won`))
      assert.deepStrictEqual(yield* stated, ["needs_response"])
      yield* TestClock.setTime(deadline - 1)
      assert.deepStrictEqual(yield* stated, ["needs_response"])
      yield* TestClock.setTime(deadline)
      assert.deepStrictEqual(yield* stated, ["needs_response", "lost"])
      const late = yield* connector.submitDispute({ ...request("op_1"), texts: {}, files: [] })
      assert.deepInclude(late, { _tag: "Rejected", code: "dispute_closed" })
    }).pipe(Effect.scoped)
  )

  it.effect("an accepted dispute is listed as accepted", () =>
    Effect.gen(function* () {
      const { connector, stated } = yield* opened("memory")
      yield* TestClock.setTime(begin)
      yield* connector.charge(charge(`${disputedReference}won`))
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
    }).pipe(Effect.scoped)
  )

  for (const [title, reference, change] of [
    ["another reference", "order-1001", {}],
    ["no reference", null, {}],
    ["a reference that names no end", disputedReference, {}],
    ["money that is not captured", `${disputedReference}won`, { capture: false }]
  ] as const) {
    it.effect(`${title} disputes nothing`, () =>
      Effect.gen(function* () {
        const { connector, stated } = yield* opened("memory")
        yield* connector.charge(charge(reference, change))
        assert.deepStrictEqual(yield* stated, [])
        const answer = yield* connector.submitDispute({ ...request("op_1"), texts: {}, files: [] })
        assert.deepInclude(answer, { _tag: "Rejected", code: "dispute_not_found" })
      }).pipe(Effect.scoped)
    )
  }
})
