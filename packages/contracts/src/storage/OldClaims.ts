/**
 * Expired keys of all tenants are found by their age, and are deleted unchanged since they were read, or not at all.
 */
import { expect } from "@effect/vitest"
import { Ledger, type OldClaim } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { firstChange, newTenant } from "./Given.ts"
import { chapter } from "./StorageTest.ts"
import { pagesOf, timesFrom } from "./Unguarded.ts"

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
