/** Success rates are read as they were written, and of writers that come at once none writes over what another added. */
import { expect } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import { type StoredRate, SuccessRates } from "@pointsman/core/ports"
import { Effect } from "effect"
import { newTenant } from "./Given.ts"
import { chapter } from "./StorageTest.ts"
import { awkward } from "./Text.ts"
import { atOnce, controlRacers } from "./Unguarded.ts"

/** After the times that are forgotten in this chapter: the store is shared, and rates are deleted across tenants. */
const later = 4_000_000_000_000

const rateOf = (tenant: Tenant, fields: Partial<StoredRate> = {}): StoredRate => ({
  tenant,
  connectionId: "first",
  segment: "EUR NL card visa",
  rate: { succeeded: 3, failed: 1, at: later },
  version: 1,
  ...fields
})

const write = (...rates: ReadonlyArray<StoredRate>) => Effect.flatMap(SuccessRates, (store) => store.write(rates))

const inOrder = (rates: ReadonlyArray<StoredRate>) => {
  const key = ({ connectionId, segment, tenant }: StoredRate) =>
    JSON.stringify([tenant.workspaceId, tenant.environment, connectionId, segment])
  return rates.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** All that is stored of the workspaces. */
const storedOf = Effect.fnUntraced(function* (tenants: ReadonlyArray<Tenant>, since = Number.MIN_SAFE_INTEGER) {
  const all = yield* (yield* SuccessRates).changedSince(since)
  return inOrder(all.filter(({ tenant }) => tenants.some(({ workspaceId }) => workspaceId === tenant.workspaceId)))
})

/** Adds one to each, to what is stored, until it is written. */
const addOne = Effect.fnUntraced(function* (seen: ReadonlyArray<StoredRate>) {
  let left = seen
  while (left.length > 0) {
    left = yield* write(
      ...left.map(({ rate, version, ...key }) => ({
        ...key,
        rate: { ...rate, succeeded: rate.succeeded + 1 },
        version: version + 1
      }))
    )
  }
})

/** Version 0 is stored nowhere. */
const nothingYet = (tenant: Tenant, segment: string): StoredRate =>
  rateOf(tenant, { segment, rate: { succeeded: 0, failed: 0, at: later }, version: 0 })

const writers = Array.from({ length: controlRacers }, (_, index) => index)

export const successRates = chapter("success rates", (it) => {
  it("weights of every size are read back to the last bit", function* ({ tenant }) {
    const weights = [0, 1, 100, 0.1 + 0.2, 1 / 3, 99.00000000000001, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308]
    const rates = weights.map((weight, index) =>
      rateOf(tenant, {
        segment: `segment ${index}`,
        rate: { succeeded: weight, failed: weights[weights.length - 1 - index] ?? 0, at: later + index }
      })
    )
    expect(yield* write(...rates)).toEqual([])
    expect(yield* storedOf([tenant])).toStrictEqual(rates)
  })

  it("rates with a memory and without are each read as they were", function* ({ tenant }) {
    const memory = {
      short: { succeeded: 0.1 + 0.2, failed: 1 / 3 },
      long: { succeeded: 399.99999999999994, failed: 5e-324 },
      worse: { succeeded: 0, failed: 2 ** 53 + 2 },
      better: { succeeded: 1.7976931348623157e308, failed: 0 }
    }
    const withMemory = rateOf(tenant, { rate: { succeeded: 3, failed: 1, at: later, memory } })
    const without = rateOf(tenant, { segment: "" })
    expect(yield* write(withMemory, without)).toEqual([])
    expect(yield* storedOf([tenant])).toStrictEqual(inOrder([withMemory, without]))
    // Also where it is given back in place of a stale one, and where the next write has it first.
    expect(yield* write(rateOf(tenant))).toStrictEqual([withMemory])
    const next = rateOf(tenant, { segment: "", rate: { ...withMemory.rate, succeeded: 4 }, version: 2 })
    expect(yield* write(next)).toEqual([])
    expect(yield* storedOf([tenant])).toStrictEqual(inOrder([withMemory, next]))
  })

  it("changes since a time are those of that time or later", function* ({ tenant }) {
    const [one, other] = [tenant, yield* newTenant("production")]
    const at = (time: number) => ({ rate: { succeeded: 1, failed: 0, at: time } })
    const before = rateOf(one, { segment: "before", ...at(later + 999) })
    const exactly = rateOf(one, { segment: "exactly", ...at(later + 1000) })
    const after = rateOf(other, { segment: "after", ...at(later + 1001) })
    yield* write(before, exactly, after)
    expect(yield* storedOf([one, other], later + 999)).toStrictEqual(inOrder([before, exactly, after]))
    expect(yield* storedOf([one, other], later + 1000)).toStrictEqual(inOrder([exactly, after]))
    expect(yield* storedOf([one, other], later + 1001)).toStrictEqual([after])
    expect(yield* storedOf([one, other], later + 1002)).toEqual([])
    // Written once more, it has changed.
    const again = { ...before, ...at(later + 1002), version: 2 }
    yield* write(again)
    expect(yield* storedOf([one, other], later + 1002)).toStrictEqual([again])
  })

  it("keys that differ in one part each have a rate of their own", function* () {
    const sandbox = yield* newTenant()
    const production: Tenant = { ...sandbox, environment: "production" }
    const other = yield* newTenant()
    const rates = [
      rateOf(sandbox),
      rateOf(production),
      rateOf(other),
      rateOf(sandbox, { connectionId: "second" }),
      rateOf(sandbox, { segment: "" }),
      rateOf(sandbox, { connectionId: "first EUR", segment: "NL card visa" })
    ].map((rate, index) => ({ ...rate, rate: { ...rate.rate, failed: index } }))
    expect(yield* write(...rates)).toEqual([])
    expect(yield* storedOf([sandbox, other])).toStrictEqual(inOrder(rates))
    const next = { ...rateOf(production), rate: { succeeded: 9, failed: 9, at: later }, version: 2 }
    expect(yield* write(next)).toEqual([])
    expect(yield* storedOf([sandbox, other])).toStrictEqual(inOrder([next, ...rates.filter((_, n) => n !== 1)]))
  })

  it("the others of one write are written when some are stale", function* () {
    const [one, other] = [yield* newTenant(), yield* newTenant()]
    const stored = [rateOf(one), rateOf(one, { segment: "" }), rateOf(other)] as const
    expect(yield* write()).toEqual([])
    yield* write(...stored)
    const rate = { succeeded: 10, failed: 20, at: later + 5 }
    const next = [
      rateOf(one, { rate, version: 2 }),
      rateOf(one, { segment: "", rate, version: 1 }),
      rateOf(one, { segment: "new", rate }),
      rateOf(other, { rate, version: 3 })
    ] as const
    expect(inOrder(yield* write(...next))).toStrictEqual(inOrder([stored[1], stored[2]]))
    expect(yield* storedOf([one, other])).toStrictEqual(inOrder([next[0], stored[1], next[2], stored[2]]))
  })

  it("a rate that was forgotten is written with its version", function* ({ tenant }) {
    const forgotten = rateOf(tenant, { version: 8 })
    expect(yield* write(forgotten)).toEqual([])
    expect(yield* storedOf([tenant])).toStrictEqual([forgotten])
    expect(yield* write(rateOf(tenant))).toStrictEqual([forgotten])
  })

  it(`one of ${controlRacers} writers of a new rate wins; others are given its rate`, function* ({ tenant }) {
    for (const version of [1, 2]) {
      const given = (index: number) =>
        rateOf(tenant, { rate: { succeeded: index, failed: version, at: later }, version })
      const refused = yield* atOnce(writers, (index) => write(given(index)))
      const won = refused.flatMap((rates, index) => (rates.length === 0 ? [index] : []))
      expect(won).toHaveLength(1)
      const [stored] = yield* storedOf([tenant])
      expect(stored).toStrictEqual(given(won[0] ?? -1))
      expect(refused.filter((rates) => rates.length > 0)).toStrictEqual(Array(controlRacers - 1).fill([stored]))
    }
  })

  it(`${controlRacers} writers that add to the same rates in any order lose nothing`, function* ({ tenant }) {
    const segments = ["a", "b", "c"]
    yield* atOnce(writers, (index) => {
      const turned = [...segments.slice(index % 3), ...segments.slice(0, index % 3)]
      return addOne(turned.map((segment) => nothingYet(tenant, segment)))
    })
    const all = { rate: { succeeded: controlRacers, failed: 0, at: later }, version: controlRacers }
    expect(yield* storedOf([tenant])).toStrictEqual(segments.map((segment) => rateOf(tenant, { segment, ...all })))
  })

  it("control: writers that write over what is stored by then lose what others added", function* ({ tenant }) {
    const one = { ...nothingYet(tenant, "a").rate, succeeded: 1 }
    const writeOver = Effect.fnUntraced(function* () {
      let version = 1
      while (true) {
        const [stored] = yield* write(rateOf(tenant, { segment: "a", rate: one, version }))
        if (stored === undefined) return
        version = stored.version + 1
      }
    })
    yield* atOnce(writers, writeOver)
    expect(yield* storedOf([tenant])).toStrictEqual([
      rateOf(tenant, { segment: "a", rate: one, version: controlRacers })
    ])
  })

  it("any text of a segment or a connection is read back, and has its own rate", function* ({ tenant }) {
    const alike = ["EUR", "eur", "EUR ", "EUR\u0000", "EUR\ud800", "\u0001EUR", "EU_"]
    const texts = [...Object.values(awkward), ...alike]
    const rates = texts.flatMap((segment, index) => [
      rateOf(tenant, { segment, rate: { succeeded: index, failed: 0, at: later } }),
      rateOf(tenant, { connectionId: segment.slice(0, 100), segment: "of it", version: 3 })
    ])
    expect(yield* write(...rates)).toEqual([])
    const next = rates.map((rate) => ({ ...rate, version: rate.version + 1 }))
    expect(inOrder(yield* write(...rates))).toStrictEqual(inOrder(rates))
    expect(yield* write(...next)).toEqual([])
    expect(yield* storedOf([tenant])).toStrictEqual(inOrder(next))
  })

  it("only rates before a time are forgotten, of several tenants, and counted", function* ({
    successRates: { forgetBefore },
    tenant
  }) {
    const [one, other] = [tenant, yield* newTenant("production")]
    const at = (time: number) => ({ rate: { succeeded: 1, failed: 1, at: time } })
    const old = [rateOf(one, at(-2000)), rateOf(other, at(-1500)), rateOf(other, { segment: "", ...at(-1001) })]
    const kept = [rateOf(one, { segment: "", ...at(-1000) }), rateOf(other, { segment: "new", ...at(-999) })]
    yield* write(...old, ...kept)
    expect(yield* forgetBefore(-1000)).toBe(3)
    expect(yield* storedOf([one, other])).toStrictEqual(inOrder(kept))
    expect(yield* forgetBefore(-1000)).toBe(0)
    // A new one begins anew.
    expect(yield* write(rateOf(one))).toEqual([])
    expect(yield* forgetBefore(0)).toBe(2)
  })
})
