/** A decision that is made again: under its own configuration the same, under another one what would move. */
import { assert, describe, it } from "@effect/vitest"
import {
  type Caller,
  type ChargeAnswer,
  type Connection,
  Directory,
  type NotSent,
  Pointsman,
  type Replayed,
  type RoutingSettings,
  type RoutingStrategy,
  Unanswered
} from "@pointsman/core"
import { Effect, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { chance } from "./support/Drift.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const live: Caller = { ...caller, tenant: { ...tenant, environment: "production" } }

/** Six connections with all that can be configured of one. */
const connections: ReadonlyArray<Partial<Connection> & { readonly id: string }> = [
  { id: "main", supports: { currencies: ["EUR", "USD", "GBP"], amount: { EUR: { max: 900_000 } } } },
  { id: "backup", supports: { payerCountries: ["NL", "DE", "US"], recurring: false }, priority: 2 },
  { id: "fragile", priority: 2, circuitBreaker: { failures: 2, openMillis: 4_000 } },
  { id: "strict", priority: 3, restrictions: [{ initiator: ["mit"], amount: { min: 5_000 } }] },
  { id: "cards", priority: 4, supports: { methods: ["card"], cardBrands: ["visa", "amex"] } },
  { id: "off", priority: 5, active: false }
]

const byDraw: RoutingStrategy = {
  name: "by draw",
  order: ({ candidates, draw }) => {
    const scores = Object.fromEntries(candidates.map(({ connectionId }) => [connectionId, draw(connectionId)]))
    return {
      order: candidates.map(({ connectionId }) => connectionId).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0)),
      scores
    }
  }
}

const settings: RoutingSettings = {
  mode: "auto",
  maxAttempts: 3,
  auto: { exploration: 0.1 },
  control: { share: 0.2, order: ["backup", "fragile", "main"] },
  rules: [
    { name: "big tickets", when: { amount: { min: 500_000 } }, use: { mode: "fixed", order: ["main"] } },
    { name: "split", when: { currency: ["USD"] }, use: { mode: "failover", split: { main: 2, fragile: 1, cards: 1 } } },
    { name: "drawn", when: { currency: ["GBP"] }, use: { mode: "failover", strategy: "by draw" } },
    { name: "banks", when: { method: ["bank"] }, use: { mode: "priority", order: ["strict", "backup", "fragile"] } },
    { name: "auto here", when: { country: ["DE"] }, use: { mode: "auto", order: ["fragile", "main", "backup"] } }
  ]
}

const pick = <A>(list: ReadonlyArray<A>, drawn: number): A => list[Math.floor(drawn * list.length)] as A

const silence = Effect.fail(new Unanswered({ reason: "time-out" }))

/** Stores so many payments of every kind, in simulated hours. */
const storePayments = (provider: ReturnType<typeof world>["provider"], count: number) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    const next = chance(7)
    const answers: ReadonlyArray<Effect.Effect<ChargeAnswer, NotSent | Unanswered>> = [
      Effect.succeed({ _tag: "Captured", providerRef: "ref" }),
      Effect.succeed({ _tag: "Declined", providerRef: "ref", category: "do_not_honor", code: "05", soft: true }),
      Effect.succeed({ _tag: "Rejected", code: "E1", message: "no" }),
      silence
    ]
    provider.onCharge = ({ connectionId }) =>
      connectionId === "fragile" && next() < 0.7 ? silence : pick(answers, next() ** 3)
    for (let number = 0; number < count; number++) {
      if (number % 20 === 0) yield* TestClock.adjust(Math.floor(next() * 60_000))
      const details = {
        money: {
          minorUnits: Math.floor(100 + next() ** 4 * 1_000_000),
          currency: pick(["EUR", "EUR", "USD", "GBP"], next())
        },
        country: pick(["NL", "NL", "DE", "US", "BR"], next()),
        method: pick(["card", "card", "bank", "wallet"] as const, next()),
        cardBrand: pick([null, "visa", "amex", "mastercard"], next()),
        initiator: pick(["cit", "cit", "mit"] as const, next())
      }
      const instruments =
        next() < 0.1 ? ["main", "cards"].map((connectionId) => ({ connectionId, token: Redacted.make("tok_1") })) : null
      yield* Effect.ignore(pointsman.create(live, request({ instruments, details })))
    }
  })

const replayed = (under?: Parameters<Pointsman["Service"]["replayRouting"]>[1]["under"], from = 0) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    return yield* Stream.runCollect(pointsman.replayRouting(live.tenant, { from, under }))
  })

const verdicts = (all: ReadonlyArray<Replayed>) => {
  const counts = { same: 0, reordered: 0, moved: 0, nowhere: 0 }
  for (const { verdict } of all) counts[verdict]++
  return counts
}

describe("10,000 stored payments", () => {
  const stored = world({ environment: "production", routing: settings, connections, strategies: [byDraw] })
  it.effect(
    "given their own configuration, when they are replayed, then every decision is the same",
    () =>
      Effect.gen(function* () {
        const directory = yield* Directory
        yield* storePayments(stored.provider, 10_400)
        const asked = stored.provider.charges.length
        const { changes } = stored.ledger
        const written = changes.length
        const all = yield* replayed()
        assert.isAtLeast(all.length, 10_000)
        assert.deepStrictEqual(verdicts(all), { same: all.length, reordered: 0, moved: 0, nowhere: 0 })
        for (const { after, before } of all) assert.deepStrictEqual(after?.order, before.order)
        // Nothing of it was a matter of course: every path, mode, open circuits, draws and scores are among them.
        const decisions = all.map(({ payment }) => payment.routing)
        const seen = (what: (decision: (typeof decisions)[number]) => unknown) => new Set(decisions.map(what))
        assert.sameMembers([...seen(({ path }) => path)], ["engine", "rule", "control"])
        assert.sameMembers([...seen(({ rule }) => rule)], [null, ...(settings.rules ?? []).map(({ name }) => name)])
        assert.sameMembers([...seen(({ mode }) => mode)], ["auto", "fixed", "failover", "priority"])
        assert.sameMembers([...seen(({ strategy }) => strategy)], ["auto", "order", "split", "by draw"])
        assert.isAbove(decisions.filter(({ given }) => given.circuits.some(({ isOpen }) => isOpen)).length, 200)
        assert.isAbove(decisions.filter(({ note }) => note?.includes("explores")).length, 200)
        assert.isAbove(decisions.filter(({ given }) => given.instruments !== null).length, 500)
        const oldestFirst = all.map(({ payment }) => payment.id)
        assert.deepStrictEqual(oldestFirst, oldestFirst.toSorted())
        assert.deepStrictEqual([stored.provider.charges.length, changes.length], [asked, written])

        // Another configuration: what it names alone differs.
        const other = yield* replayed({
          settings: { mode: "failover", order: ["cards"] },
          connections: yield* directory.connections(live.tenant),
          providerSupports: () => ({}),
          strategies: []
        })
        const counts = verdicts(other)
        assert.strictEqual(counts.same, 0)
        for (const one of other) {
          const takesIt = one.payment.method === "card" && ["visa", "amex", null].includes(one.payment.cardBrand)
          assert.strictEqual(one.verdict === "nowhere", !takesIt)
          if (takesIt) assert.deepStrictEqual(one.after?.order, ["cards"])
          else
            assert.include(
              one.excluded.map(({ code }) => code),
              "METHOD_NOT_SUPPORTED"
            )
        }

        // From a time on: those before it are left alone.
        const half = all[5_000]?.payment.createdAt ?? 0
        const later = yield* replayed(undefined, half)
        assert.deepStrictEqual(
          later.map(({ payment }) => payment.id),
          all.filter(({ payment }) => payment.createdAt >= half).map(({ payment }) => payment.id)
        )
      }).pipe(Effect.provide(stored.layer)),
    120_000
  )
})
