/** Findings about rules, against what routing does with every payment of a small world. */
import { assert, describe, it } from "@effect/vitest"
import type { Condition, Connection, RoutingRule, RoutingSettings, Supports } from "@pointsman/core"
import * as fc from "fast-check"
import { connection, decidedBy, everyPayment, findings, routeOf, values } from "./support/Routes.ts"

const some = <A>(items: ReadonlyArray<A>) => fc.subarray([...items], { minLength: 1 })
/** Left out so many times for each time that it is there. */
const seldom = <A>(absent: number, arbitrary: fc.Arbitrary<A>) =>
  fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const fields = <A extends object>(given: A) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const ranges = fc
  .record({ min: fc.constantFrom(0, 60, 99.5, 100, 2e8), max: fc.constantFrom(49, 59, 60, 99, 1e9) })
  .map((range) => fields(range.min === 0 ? { max: range.max } : range))

/** Few fields and wide lists, so that rules often lie within others. */
const conditions: fc.Arbitrary<Condition> = fc
  .record({
    currency: seldom(4, some(["EUR", "usd"])),
    amount: seldom(4, ranges),
    country: seldom(6, some(["NL", "DE"])),
    method: seldom(1, some(values.method)),
    cardBrand: seldom(9, fc.constant(["Visa"])),
    initiator: seldom(2, some(values.initiator)),
    captureMethod: seldom(4, some(values.captureMethod))
  })
  .map(fields)

const rulesOf = (
  whens: ReadonlyArray<Condition>,
  uses: ReadonlyArray<RoutingRule["use"]>
): ReadonlyArray<RoutingRule> =>
  whens.map((when, at) => ({ name: `r${at}`, when, use: uses[at % uses.length] ?? { mode: "failover" } }))

describe("findings about rules, against every payment", () => {
  it("a rule that no payment selects is contradictory or unreachable, and no other is", () => {
    const seen = { selected: 0, never: 0 }
    fc.assert(
      fc.property(fc.array(conditions, { minLength: 2, maxLength: 7 }), (whens) => {
        const settings: RoutingSettings = { mode: "failover", rules: rulesOf(whens, []) }
        const selected = new Set(everyPayment.map((payment) => decidedBy(settings, payment)))
        const reported = new Set(
          findings(settings, [connection("main")]).flatMap(({ kind, place }) =>
            place._tag === "Rule" && (kind === "contradictory" || kind === "unreachable") ? [place.name] : []
          )
        )
        for (const { name } of settings.rules ?? []) {
          assert.notStrictEqual(selected.has(name), reported.has(name), name)
          seen[selected.has(name) ? "selected" : "never"]++
        }
      }),
      { numRuns: 30, seed: 20_250_101 }
    )
    assert.isAbove(seen.selected, 30)
    assert.isAbove(seen.never, 30)
  })

  const supports: fc.Arbitrary<Supports> = fc
    .record({
      currencies: seldom(2, some(["EUR", "usd"])),
      payerCountries: seldom(3, some(["NL", "DE"])),
      methods: seldom(2, some(values.method)),
      cardBrands: seldom(3, fc.constant(["Visa"])),
      recurring: seldom(2, fc.boolean()),
      merchantCountries: seldom(9, fc.constantFrom(["NL"], ["DE"])),
      blockedCategories: seldom(9, fc.constantFrom(["retail"], ["gambling"])),
      amount: seldom(
        2,
        fc.constantFrom({ EUR: { min: 60 } }, { EUR: { max: 99 }, USD: { max: 40 } }, { eur: { max: 40 } })
      ),
      requiresAuthentication: seldom(3, some(["NL", "DE"]))
    })
    .map(fields)
  const connections = fc
    .tuple(
      ...["a", "b", "c"].map((id) =>
        fc
          .record({
            supports,
            active: fc.constantFrom(true, true, true, false),
            priority: fc.integer({ min: 1, max: 3 }),
            restrictions: seldom(3, fc.array(conditions, { minLength: 1, maxLength: 2 }))
          })
          .map(({ restrictions, ...change }) => connection(id, { ...change, restrictions: restrictions ?? [] }))
      )
    )
    .map((all): ReadonlyArray<Connection> => all)

  /** The connections that a rule names, or the settings where none decides. */
  const namedBy = (use: RoutingRule["use"] | undefined, order: ReadonlyArray<string>): ReadonlyArray<string> =>
    use === undefined ? order : (use.order ?? Object.keys(use.split ?? {}))

  const orders = fc.subarray(["a", "b", "c", "gone"], { minLength: 1 })
  const uses: fc.Arbitrary<RoutingRule["use"]> = fc.oneof(
    fc.record({ mode: fc.constantFrom("fixed", "priority", "failover"), order: orders }),
    fc.record({ mode: fc.constant("failover"), split: fc.constantFrom({ a: 1, b: 2 }, { c: 1 }) }),
    fc.record({ mode: fc.constant("fixed"), split: fc.constant({ b: 3, c: 1 }) }),
    fc.constant({ mode: "failover" as const })
  )

  it("a reported part of any settings never has a route, or asks that connection", () => {
    const seen = { alive: 0, dead: 0, asked: 0, unused: 0 }
    fc.assert(
      fc.property(
        connections,
        fc.array(conditions, { minLength: 0, maxLength: 4 }),
        fc.array(uses, { minLength: 4, maxLength: 4 }),
        orders,
        (all, whens, given, order) => {
          const settings: RoutingSettings = { mode: "failover", order, rules: rulesOf(whens, given) }
          const asked = new Map<string | null, Set<string>>()
          for (const payment of everyPayment) {
            const decider = decidedBy(settings, payment)
            const set = asked.get(decider) ?? new Set()
            asked.set(decider, set)
            const use = settings.rules?.find(({ name }) => name === decider)?.use
            // Once each that is there was asked, another route says nothing new.
            if (set.size > 0 && namedBy(use, order).every((id) => set.has(id) || id === "gone")) continue
            const isDrawn = use?.mode === "fixed" && use.split !== undefined
            // So many that a split draws each of its connections for one of them.
            for (const paymentId of Array.from({ length: isDrawn ? 24 : 1 }, (_, at) => `p${at}`)) {
              for (const id of routeOf(settings, all, payment, paymentId)) set.add(id)
            }
          }
          const found = findings(settings, all)
          for (const [decider, ids] of asked) {
            const here = found.filter(({ place }) => (place._tag === "Rule" ? place.name : null) === decider)
            const isDead = here.some(({ kind }) => kind === "dead")
            assert.strictEqual(isDead, ids.size === 0, JSON.stringify({ decider, here }))
            seen[isDead ? "dead" : "alive"]++
            if (isDead) continue
            const use = settings.rules?.find(({ name }) => name === decider)?.use
            for (const id of namedBy(use, order)) {
              const isUnused = here.some(({ reason }) => reason.startsWith(`${id} is never tried `))
              assert.strictEqual(isUnused, !ids.has(id), JSON.stringify({ decider, id, here }))
              seen[isUnused ? "unused" : "asked"]++
            }
          }
        }
      ),
      { numRuns: 20, seed: 20_250_102 }
    )
    for (const count of Object.values(seen)) assert.isAbove(count, 10, JSON.stringify(seen))
  })
})
