/** Disputes: written with their payment or not at all, found by their id, payment and status, and due by their time. */
import { expect } from "@effect/vitest"
import type { Dispute, Tenant } from "@pointsman/core"
import { type Change, type DueDispute, Ids, Ledger, type SealedEvidence } from "@pointsman/core/ports"
import { Effect, Exit, Option } from "effect"
import { firstChange, newTenant } from "./Given.ts"
import { nextOf } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce, racers } from "./Unguarded.ts"

/** A dispute of the payment of a change, with evidence that is kept for it. */
export const disputeOf = (
  { attempts, payment: { after } }: Change,
  id: string,
  change: Partial<Dispute> = {}
): readonly [Dispute, SealedEvidence] => [
  {
    id,
    paymentId: after.id,
    attemptId: attempts[0]?.id ?? "",
    connectionId: "connection",
    providerRef: "charge \u0000\ud800",
    providerDisputeId: "dispute \u0000\ud800",
    status: "needs_response",
    money: { minorUnits: 900, currency: "USD" },
    reason: "not_received",
    providerReason: "13.1 \"'\u0001",
    evidenceDueBy: 1_000,
    evidenceSubmittedAt: null,
    remindedDays: 7,
    roundAt: 10,
    evidence: { texts: ["summary"], files: [{ name: "receipt", type: "application/pdf", bytes: 3 }], keptAt: 20 },
    submissions: [
      {
        operationId: "op_1",
        claimedBy: "clm_1",
        kind: "submit",
        stage: "Sending",
        idempotencyKey: "a key \u0000",
        timeoutMillis: 30_000,
        sentAt: 30,
        answeredAt: null,
        code: null,
        failureReason: null
      }
    ],
    createdAt: 5,
    updatedAt: 30,
    checkAt: null,
    ...change
  },
  { id, paymentId: after.id, sealed: `v2.evidence_${after.id}` }
]

/** A payment with a dispute and its evidence. */
const disputed = Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<Dispute> = {}) {
  const id = yield* (yield* Ids).dispute
  const { change } = yield* firstChange(tenant)
  const [dispute, evidence] = disputeOf(change, id, fields)
  const written: Change = { ...change, disputes: [dispute], evidence: [evidence] }
  yield* (yield* Ledger).commit(written)
  return { change: written, dispute, evidence }
})

/** The next version of the payment, with what is written beside it. */
const next = ({ payment }: Change, beside: Partial<Change>): Change => nextOf(payment.after, {}, beside)

/** Before all that other chapters write: due disputes are read across tenants. */
const long = -8_000_000_000_000

export const disputes = chapter("disputes", (it) => {
  it("a dispute and its evidence are read as they were written", function* ({ ledger, tenant }) {
    const { dispute, evidence } = yield* disputed(tenant)
    expect(yield* ledger.dispute(tenant, dispute.id)).toStrictEqual(Option.some(dispute))
    const sealed = ledger.evidence(tenant, dispute.paymentId, dispute.id)
    expect(yield* sealed).toStrictEqual(Option.some(evidence.sealed))
    expect(yield* ledger.dispute(yield* newTenant(), dispute.id)).toStrictEqual(Option.none())
    expect(yield* ledger.evidence(yield* newTenant(), dispute.paymentId, dispute.id)).toStrictEqual(Option.none())
    expect(yield* ledger.evidence(tenant, "another", dispute.id)).toStrictEqual(Option.none())
  })

  it("nothing is left of a replaced dispute and its dropped evidence", function* ({ ledger, tenant }) {
    const { change, dispute, evidence } = yield* disputed(tenant)
    const won: Dispute = { ...dispute, status: "won", evidence: null, submissions: [] }
    yield* ledger.commit(next(change, { disputes: [won], evidence: [{ ...evidence, sealed: "" }] }))
    expect(yield* ledger.disputes(tenant, { paymentId: dispute.paymentId, limit: 9 })).toStrictEqual([won])
    expect(yield* ledger.evidence(tenant, dispute.paymentId, dispute.id)).toStrictEqual(Option.none())
  })

  it("disputes of two payments are listed newest first, by payment, status and page", function* ({ ledger, tenant }) {
    const first = yield* disputed(tenant)
    const lost = yield* disputed(tenant, { status: "lost" })
    const last = yield* disputed(tenant)
    yield* disputed(yield* newTenant())
    const idsOf = (query: Partial<Parameters<typeof ledger.disputes>[1]>) =>
      Effect.map(ledger.disputes(tenant, { limit: 10, ...query }), (found) => found.map(({ id }) => id))
    expect(yield* idsOf({})).toStrictEqual([last.dispute.id, lost.dispute.id, first.dispute.id])
    expect(yield* idsOf({ limit: 1, before: last.dispute.id })).toStrictEqual([lost.dispute.id])
    expect(yield* idsOf({ status: "lost" })).toStrictEqual([lost.dispute.id])
    expect(yield* idsOf({ status: "needs_response", before: last.dispute.id })).toStrictEqual([first.dispute.id])
    expect(yield* idsOf({ paymentId: lost.dispute.paymentId })).toStrictEqual([lost.dispute.id])
    expect(yield* idsOf({ paymentId: lost.dispute.paymentId, status: "won" })).toStrictEqual([])
  })

  it("due disputes of several tenants are read in the order of their times", function* ({ ledger }) {
    const [one, other] = [yield* newTenant(), yield* newTenant("production")]
    const late = yield* disputed(one, { checkAt: long + 20 })
    const same = yield* disputed(other, { checkAt: long + 20 })
    const early = yield* disputed(other, { checkAt: long + 10 })
    yield* disputed(one, { checkAt: long + 21 })
    yield* disputed(one)
    const wanted = [early, late, same].map(
      ({ change: { tenant }, dispute: { checkAt, id: disputeId, paymentId } }): DueDispute => {
        return { tenant, paymentId, disputeId, checkAt: checkAt ?? 0 }
      }
    )
    expect(yield* ledger.dueDisputes({ now: long + 20, limit: 10 })).toStrictEqual(wanted)
    expect(yield* ledger.dueDisputes({ now: long + 20, limit: 1 })).toStrictEqual(wanted.slice(0, 1))
    for (const [at, after] of wanted.entries()) {
      expect(yield* ledger.dueDisputes({ now: long + 20, after, limit: 10 })).toStrictEqual(wanted.slice(at + 1))
    }
    for (const { change, dispute } of [late, same, early]) {
      yield* ledger.commit(next(change, { disputes: [{ ...dispute, checkAt: null }] }))
    }
    expect(yield* ledger.dueDisputes({ now: long + 20, limit: 10 })).toStrictEqual([])
  })

  it(`one of ${racers} writers of one dispute that decide on one version is written`, function* ({ ledger, tenant }) {
    const { change, dispute } = yield* disputed(tenant)
    const writers = Array.from({ length: racers }, (_, at) => ({ ...dispute, providerReason: `writer ${at}` }))
    const exits = yield* atOnce(writers, (written) => Effect.exit(ledger.commit(next(change, { disputes: [written] }))))
    const winners = writers.filter((_, at) => exits[at] !== undefined && Exit.isSuccess(exits[at]))
    expect(winners).toHaveLength(1)
    expect(yield* ledger.dispute(tenant, dispute.id)).toStrictEqual(Option.some(winners[0]))
  })

  it("a broken dispute dies in its commit and nothing is written", function* ({ ledger, tenant }) {
    const { change, dispute, evidence } = yield* disputed(tenant)
    const [sending] = dispute.submissions
    const broken: ReadonlyArray<Partial<Change>> = [
      { disputes: [{ ...dispute, paymentId: "another" }] },
      { disputes: [{ ...dispute, money: { minorUnits: 0.5, currency: "EUR" } }] },
      { disputes: [{ ...dispute, submissions: [...dispute.submissions, ...dispute.submissions] }] },
      { evidence: [evidence] },
      { disputes: [{ ...dispute, evidence: null }], evidence: [evidence] },
      { disputes: [dispute], evidence: [{ ...evidence, sealed: "" }] }
    ]
    expect(sending?.stage).toBe("Sending")
    for (const beside of broken) {
      expect(Exit.hasDies(yield* Effect.exit(ledger.commit(next(change, beside))))).toBe(true)
    }
    expect(yield* ledger.dispute(tenant, dispute.id)).toStrictEqual(Option.some(dispute))
  })

  it("disputes and their evidence leave the store with their payment", function* ({ ledger, retention, tenant }) {
    const { change, dispute } = yield* disputed(tenant)
    const { id: paymentId, version } = change.payment.after
    // Its event may have deliveries in a store that other chapters share: it has no endpoint.
    expect(yield* retention.remove([{ tenant, paymentId, version }])).toStrictEqual([paymentId])
    expect(yield* ledger.dispute(tenant, dispute.id)).toStrictEqual(Option.none())
    expect(yield* ledger.disputes(tenant, { limit: 10 })).toStrictEqual([])
    expect(yield* ledger.evidence(tenant, paymentId, dispute.id)).toStrictEqual(Option.none())
  })
})
