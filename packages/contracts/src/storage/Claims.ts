/**
 * Each row of the claim table is a test, and so is what a key says while it is taken. Expired keys of all tenants are found by
 * their age, and are deleted unchanged since they were read, or not at all.
 */
import { expect } from "@effect/vitest"
import type { Claim } from "@pointsman/core"
import {
  ClaimMachine,
  type ClaimRow,
  Machine,
  moveClaim,
  newClaim,
  PaymentMachine,
  type PaymentRow
} from "@pointsman/core/internal"
import { Ledger, type OldClaim } from "@pointsman/core/ports"
import { Clock, Effect, Option, Result } from "effect"
import { firstChange, moveAlong, newTenant, reach, rowOf, traceOf, type Walked, written } from "./Given.ts"
import { nextOf } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { pagesOf, timesFrom } from "./Unguarded.ts"

/** Where a claim and its payment are on their way through the tables. */
interface Position {
  readonly walked: Walked
  /** `undefined` before the first claim. */
  readonly claim: Claim | undefined
}

const key = "key-of-this-test"

export const claims = chapter("claims", (it) => {
  for (const row of ClaimMachine.rows) {
    it(`${row.on} takes ${row.from} to ${row.to}`, function* ({ ledger, tenant }) {
      const { walked } = yield* reach(tenant, "Charging")
      let position: Position = { walked, claim: undefined }
      for (const step of Machine.walk(ClaimMachine).get(row.from) ?? []) {
        const next = yield* moveKey(position, step)
        yield* ledger.commit(next.change)
        position = next.after
      }
      const { after, change } = yield* moveKey(position, row)

      yield* ledger.commit(change)

      const stored = yield* traceOf(change)
      expect(Option.getOrThrow(stored.claim)).toStrictEqual(after.claim)
      expect(Option.getOrThrow(stored.claim).state).toBe(row.to)

      // Decided on the claim before this move, with a payment that is fresh: the key alone is stale.
      const again = yield* moveAlong(after.walked, rowOf("Charging", "AttemptFollowed"))
      const stale = { ...again.change, claim: change.claim }
      const refusal = row.from === Machine.Start ? "pointsman/KeyTaken" : "pointsman/Stale"
      expect(yield* Effect.result(ledger.commit(stale))).toMatchObject(Result.fail({ _tag: refusal }))
      expect(yield* traceOf(stale)).toStrictEqual(stored)
    })
  }

  it("KeyTaken carries the stored claim when a taken key is claimed anew", function* ({ ledger, tenant }) {
    const first = yield* written(firstChange(tenant, { key }))
    const answered = moveClaim(first.claim, "RequestAnswered", { answeredAt: 7, answer: first.after.payment })
    const { change } = yield* moveAlong(first.after, rowOf("Charging", "ChargeAuthorized"))
    yield* ledger.commit({ ...change, claim: { expected: 1, after: answered } })

    const second = yield* firstChange(tenant, { key })
    const taken = yield* Effect.flip(ledger.commit(second.change))

    expect(taken._tag).toBe("pointsman/KeyTaken")
    expect(taken).toHaveProperty("claim", answered)
    expect(yield* ledger.payment(tenant, second.after.payment.id)).toEqual(Option.none())
  })

  for (const state of ["Captured", "Authorized", "Declined", "ChargeUnknown"] as const) {
    it(`an answer with a payment in ${state} stays when the payment moves on`, function* ({ ledger, tenant }) {
      const first = yield* written(firstChange(tenant, { key }))
      const row = PaymentMachine.rows.find(({ from, to }) => from === "Charging" && to === state) as PaymentRow
      const { after, change } = yield* moveAlong(first.after, row)
      const answered = moveClaim(first.claim, "RequestAnswered", { answeredAt: 7, answer: after.payment })
      yield* ledger.commit({ ...change, claim: { expected: 1, after: answered } })
      expect(Option.getOrThrow(yield* ledger.claim(tenant, key))).toStrictEqual(answered)

      const review = { since: 9, reasons: ["conflict"] as const }
      const move = nextOf(after.payment, { review, updatedAt: after.payment.updatedAt + 1_000 })
      yield* ledger.commit(move)
      expect(yield* ledger.payment(tenant, after.payment.id)).toStrictEqual(Option.some(move.payment.after))
      expect(Option.getOrThrow(yield* ledger.claim(tenant, key))).toStrictEqual(answered)
    })
  }

  it("KeyTaken is reported before a stale payment when both are written", function* ({ ledger, tenant }) {
    const { change } = yield* written(firstChange(tenant, { key }))
    const refused = yield* Effect.flip(ledger.commit(change))
    expect(refused._tag).toBe("pointsman/KeyTaken")
  })
})

/** A claim moves in the commit of a payment's step; here the step that asks the next connection. */
const moveKey = Effect.fnUntraced(function* (position: Position, row: ClaimRow) {
  const now = yield* Clock.currentTimeMillis
  const { after: walked, change } = yield* moveAlong(position.walked, rowOf("Charging", "AttemptFollowed"))
  const fresh = newClaim({ key, fingerprint: "fp", paymentId: walked.payment.id, claimedAt: now })
  const moved = (before: Claim) => {
    if (row.on === "KeyClaimed") return { ...fresh, version: before.version }
    return row.on === "RequestAnswered" ? { answeredAt: now, answer: walked.payment } : { claimedAt: now }
  }
  const claim = position.claim === undefined ? fresh : moveClaim(position.claim, row.on, moved(position.claim))
  const expected = position.claim?.version ?? 0
  return { change: { ...change, claim: { expected, after: claim } }, after: { walked, claim } satisfies Position }
})

/** Before all that other chapters write: the store is shared, and claims are read across tenants. */
const someTime = timesFrom(-9_000_000_000_000, 1_000)

const claimed = Effect.fnUntraced(function* (claimedAt: number, key?: string) {
  const first = yield* firstChange(yield* newTenant(), key === undefined ? {} : { key })
  const claim = { ...first.claim, claimedAt }
  yield* (yield* Ledger).commit({ ...first.change, claim: { expected: 0, after: claim } })
  return { tenant: first.change.tenant, claim, payment: first.after.payment }
})

export const oldClaims = chapter("old claims", (it) => {
  it("old claims of several tenants come oldest first, with payments, and none too new", function* ({ ledger }) {
    const [one, other, young] = [someTime(), someTime(), someTime()]
    const second = yield* claimed(other)
    const first = yield* claimed(one)
    yield* claimed(young)
    const found = yield* ledger.oldClaims({ claimedBefore: young, limit: 1000 })
    expect(found.filter(({ claim }) => claim.claimedAt >= one)).toStrictEqual([first, second])
    yield* ledger.forgetClaims(found.map(({ claim: { key, version }, tenant }) => ({ tenant, key, version })))
  })

  it("each of several claims of one time is read once, one by one", function* ({ ledger }) {
    const at = someTime()
    const all = yield* Effect.all([claimed(at, "same-key"), claimed(at, "same-key"), claimed(at)])
    const from = { tenant: all[0].tenant, claimedAt: at - 1, key: "" }
    const seen = yield* pagesOf((last?: OldClaim) => {
      const after = last === undefined ? from : { ...last.claim, tenant: last.tenant }
      return ledger.oldClaims({ claimedBefore: at + 1, after, limit: 1 })
    })
    expect(seen.map(({ payment }) => payment.id).toSorted()).toEqual(all.map(({ payment }) => payment.id).toSorted())
  })

  it("forgetting an unchanged claim frees its key and leaves its payment", function* ({ ledger }) {
    const { claim, payment, tenant } = yield* claimed(someTime())
    expect(yield* ledger.forgetClaims([{ tenant, key: claim.key, version: 1 }])).toBe(1)
    expect(yield* ledger.claim(tenant, claim.key)).toEqual(Option.none())
    expect(yield* ledger.payment(tenant, payment.id)).toStrictEqual(Option.some(payment))
    expect(yield* ledger.forgetClaims([{ tenant, key: claim.key, version: 1 }])).toBe(0)
    const again = yield* firstChange(tenant, { key: claim.key })
    expect(Result.isSuccess(yield* Effect.result(ledger.commit(again.change)))).toBe(true)
  })

  it("a claim that moved meanwhile, or another tenant's, stays", function* ({ ledger }) {
    const { claim, tenant } = yield* claimed(someTime())
    const stranger = { ...tenant, environment: "production" } as const
    expect(
      yield* ledger.forgetClaims([
        { tenant, key: claim.key, version: 2 },
        { tenant: stranger, key: claim.key, version: 1 }
      ])
    ).toBe(0)
    expect(yield* ledger.claim(tenant, claim.key)).toStrictEqual(Option.some(claim))
    expect(yield* ledger.forgetClaims([])).toBe(0)
  })
})
