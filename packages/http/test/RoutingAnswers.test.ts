/**
 * What a merchant sees of routing, and where a payment goes. How the rules decide is tested in core; here they are seen
 * from outside.
 */
import type { Connection, ExclusionCode } from "@pointsman/core"
import { type ChargeAnswer, NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { answerOf, create, get, operate } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { own } from "./support/Workspaces.ts"
import { openWorld, type World } from "./support/World.ts"

const silence = Effect.fail(new Unanswered({ reason: "timed out" }))
const aSentence: unknown = expect.stringMatching(/^[A-Z].*\.$/u)

interface Exclusion {
  readonly code: ExclusionCode
  readonly given: string
  /** The connection that is excluded. */
  readonly change: Partial<Connection>
  readonly fields?: object
}

const exclusions: ReadonlyArray<Exclusion> = [
  { code: "CURRENCY_NOT_SUPPORTED", given: "another currency", change: { supports: { currencies: ["USD"] } } },
  { code: "PAYER_COUNTRY_NOT_SUPPORTED", given: "another country", change: { supports: { payerCountries: ["DE"] } } },
  { code: "METHOD_NOT_SUPPORTED", given: "another method", change: { supports: { methods: ["bank"] } } },
  {
    code: "METHOD_NOT_SUPPORTED",
    given: "another card brand",
    change: { supports: { cardBrands: ["visa"] } },
    fields: { card_brand: "amex" }
  },
  {
    code: "MERCHANT_COUNTRY_NOT_SUPPORTED",
    given: "merchants of another country",
    change: { supports: { merchantCountries: ["DE"] } }
  },
  {
    code: "VERTICAL_NOT_SUPPORTED",
    given: "no merchants of the category",
    change: { supports: { blockedCategories: ["retail"] } }
  },
  {
    code: "RECURRING_NOT_SUPPORTED",
    given: "nothing that the merchant initiates",
    change: { supports: { recurring: false } },
    fields: { initiator: "mit" }
  },
  { code: "AMOUNT_OUT_OF_RANGE", given: "more at least", change: { supports: { amount: { EUR: { min: 1001 } } } } },
  { code: "AMOUNT_OUT_OF_RANGE", given: "less at most", change: { supports: { amount: { EUR: { max: 999 } } } } },
  {
    code: "AUTHENTICATION_REQUIRED",
    given: "no customers of the country without authentication",
    change: { supports: { requiresAuthentication: ["NL"] } }
  },
  {
    code: "RESTRICTION_VIOLATED",
    given: "a restriction that matches",
    change: { restrictions: [{ amount: { min: 1000 } }] }
  },
  {
    code: "INSTRUMENT_NOT_AVAILABLE",
    given: "no token of its own",
    change: {},
    fields: { instruments: [] }
  }
]

type End = Effect.Effect<ChargeAnswer, NotSent | Unanswered>
const declines = (soft: boolean): End =>
  Effect.succeed({ _tag: "Declined", providerRef: "ch_1", category: "do_not_honor", code: "05", soft })

const ends: Readonly<Record<string, { readonly end: End; readonly status: string }>> = {
  "a soft decline": { end: declines(true), status: "DECLINED" },
  "a hard decline": { end: declines(false), status: "DECLINED" },
  "a rejection unprocessed": {
    end: Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." }),
    status: "FAILED"
  },
  "a refused connection": { end: Effect.fail(new NotSent({ reason: "the connection was refused" })), status: "FAILED" },
  "a time-out": { end: silence, status: "UNKNOWN" },
  "the customer being wanted": {
    end: Effect.succeed({ _tag: "NeedsCustomer", providerRef: "ch_1" }),
    status: "DECLINED"
  }
}
const followed: Readonly<Record<"fixed" | "priority" | "failover", ReadonlyArray<string>>> = {
  fixed: [],
  priority: ["a rejection unprocessed", "a refused connection"],
  failover: ["a rejection unprocessed", "a refused connection", "a soft decline"]
}

describe.each(stores)("over %s", (_name, store) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(store)
  })
  beforeEach(() => world.reset())
  afterAll(() => world.close())

  const two = [{ name: "first" }, { name: "second", priority: 2 }]
  const asked = () => world.provider.charges.map(({ connectionId }) => connectionId)

  for (const { change, code, fields = {}, given } of exclusions) {
    test(`a connection with ${given} is ${code} with debug`, async () => {
      const { connect, idOf, key } = await own(world, [{ name: "limited", ...change }, ...two], { category: "retail" })
      const isOfInstruments = code === "INSTRUMENT_NOT_AVAILABLE"
      const body = isOfInstruments ? { instruments: [{ connection: idOf("first"), token: "tok_1" }] } : fields
      const excluded = [
        { providerId: idOf("limited"), name: "limited", code, reason: aSentence },
        ...(isOfInstruments ? [{ providerId: idOf("second"), name: "second", code, reason: aSentence }] : [])
      ]

      const plain = await create(world, body, { key })
      expect([plain.status, plain.body.data.status]).toEqual([201, "CAPTURED"])
      expect(Object.keys(plain.body.data.routing).sort()).toEqual(
        ["attempts", "candidates", "mode", "path", "rule", "strategy"].sort()
      )
      const told = await create(world, { ...body, debug: true }, { key })
      expect(told.body.data.routing).toMatchObject({ excluded, eligibility_version: "1", degraded: false })
      expect(asked()).toEqual([idOf("first"), idOf("first")])
      expect((await get(world, `/payments/${told.body.data.id}`, key)).body.data).not.toHaveProperty("routing")

      await connect(...two.map((connection) => ({ ...connection, active: false })))
      const refused = await create(world, { ...body, debug: true }, { key })
      expect(answerOf(refused)).toBe("409 routing_failed")
      expect(refused.body.error.excluded).toEqual(excluded.slice(0, 1))
      const silent = await create(world, body, { key })
      expect([answerOf(silent), Object.keys(silent.body.error)]).toEqual(["409 routing_failed", ["code", "message"]])
      expect(asked()).toHaveLength(2)
      expect((await get(world, "/payments", key)).body.data).toHaveLength(2)
    })
  }

  for (const initiator of ["cit", "mit"] as const) {
    // A customer needs no recurring payment, and a merchant no authentication: each excludes by all codes but one.
    const other = initiator === "cit" ? "RECURRING_NOT_SUPPORTED" : "AUTHENTICATION_REQUIRED"
    const holding = exclusions.filter(
      ({ code }, at) => code !== other && exclusions.findIndex((exclusion) => exclusion.code === code) === at
    )

    test(`each connection excluded when ${initiator} is routed has its own reason`, async () => {
      const circuitBreaker = { failures: 1, openMillis: 3_600_000 }
      const limited = holding.map(({ change }, at) => ({ name: `limited-${10 + at}`, ...change }))
      const { connect, idOf, key, route } = await own(
        world,
        [{ name: "broken", circuitBreaker }, ...limited, { name: "well", priority: 2 }],
        { category: "retail" }
      )
      const withToken = [...limited.slice(0, -1), { name: "broken" }, { name: "well" }]
      const instruments = withToken.map(({ name }) => ({ connection: idOf(name), token: `tok_${name}` }))
      const body = { initiator, instruments, debug: true }
      const excluded = [
        ...holding.map(({ code }, at) => ({ name: `limited-${10 + at}`, code })),
        { name: "broken", code: "CIRCUIT_OPEN" as const }
      ].map(({ code, name }) => ({ providerId: idOf(name), name, code, reason: aSentence }))

      world.provider.onCharge = () => silence
      expect((await create(world, body, { key })).body.data.status).toBe("UNKNOWN")
      world.reset()
      const told = (await create(world, body, { key })).body.data
      expect([told.status, told.routing.degraded, told.routing.candidates.length]).toEqual(["CAPTURED", false, 1])
      expect(told.routing.excluded).toEqual(excluded)

      // The only one left has an open circuit: it is tried, and the others are listed.
      await connect({ name: "well", active: false })
      const degraded = (await create(world, body, { key })).body.data
      expect([degraded.status, degraded.routing.degraded]).toEqual(["CAPTURED", true])
      expect(degraded.routing.excluded).toEqual(excluded.slice(0, -1))

      await connect({ name: "broken", active: false })
      await route({ mode: "priority" })
      const refused = await create(world, body, { key })
      expect([answerOf(refused), refused.body.error.excluded]).toEqual(["409 routing_failed", excluded.slice(0, -1)])
      const { debug: _, ...plain } = body
      expect(Object.keys((await create(world, plain, { key })).body.error)).toEqual(["code", "message"])
      expect(asked()).toEqual([idOf("well"), idOf("broken")])
    })
  }

  test("the first of several reasons is returned, in the documented order", async () => {
    const { connect, key } = await own(world, [], { category: "retail" })
    let left = exclusions.filter(({ code }) => code !== "RECURRING_NOT_SUPPORTED")
    while (left.length > 0) {
      const changes = left.map(({ change }) => change)
      await connect({
        name: "limited",
        supports: Object.assign({}, ...changes.map(({ supports }) => supports ?? {})),
        restrictions: changes.flatMap(({ restrictions }) => restrictions ?? [])
      })
      const refused = await create(world, { card_brand: "amex", instruments: [], debug: true }, { key })
      const codes = refused.body.error.excluded.map(({ code }: { code: string }) => code)
      expect([answerOf(refused), codes]).toEqual(["409 routing_failed", [left[0]?.code]])
      // The two of the method, and those of the amount, are in one field or in two.
      left = left.filter(({ code }) => code !== codes[0])
    }
  })

  test("excluded is empty with debug if there is nothing to exclude", async () => {
    const { key } = await own(world, two)
    const { routing } = (await create(world, { debug: true }, { key })).body.data
    expect(routing).toMatchObject({ excluded: [], degraded: false })
  })

  test("an open circuit is CIRCUIT_OPEN; if all are open, they are tried and degraded", async () => {
    const circuitBreaker = { failures: 1, openMillis: 3_600_000 }
    const { idOf, key } = await own(
      world,
      two.map((connection) => ({ ...connection, circuitBreaker }))
    )
    world.provider.onCharge = () => silence
    expect((await create(world, {}, { key })).body.data.status).toBe("UNKNOWN")
    const second = (await create(world, { debug: true }, { key })).body.data
    expect(second.routing).toMatchObject({
      excluded: [{ providerId: idOf("first"), name: "first", code: "CIRCUIT_OPEN", reason: aSentence }],
      degraded: false
    })
    world.reset()
    const third = (await create(world, { debug: true }, { key })).body.data
    expect([third.status, third.routing.excluded, third.routing.degraded]).toEqual(["CAPTURED", [], true])
  })

  test("open circuits in the sandbox do not reach the routing of production", async () => {
    const circuitBreaker = { failures: 1, openMillis: 3_600_000 }
    const live = { name: "live", environment: "production", circuitBreaker } as const
    const { idOf, key, liveKey } = await own(world, [{ name: "test", circuitBreaker }, live])
    world.provider.onCharge = () => silence
    for (let count = 0; count < 3; count++) await create(world, {}, { key })
    world.reset()
    const sandbox = (await create(world, { debug: true }, { key })).body.data
    expect(sandbox.routing.degraded).toBe(true)
    const production = await create(world, { debug: true }, { key: liveKey, idempotencyKey: `of-${idOf("live")}` })
    expect(production.body.data).toMatchObject({ status: "CAPTURED", environment: "production" })
    expect(production.body.data.routing).toMatchObject({ excluded: [], degraded: false })
    expect(production.body.data.routing.candidates).toEqual([expect.objectContaining({ name: "live" })])
  })

  test("path and rule say what decided, and candidates in which order", async () => {
    const { idOf, key, route } = await own(world, two)
    const routed = async (amount: number) => {
      const { routing } = (await create(world, { amount }, { key })).body.data
      const { candidates, mode, path, rule, strategy } = routing
      expect(typeof strategy).toBe("string")
      return [path, mode, rule, candidates.map(({ name }: { name: string }) => name)]
    }
    expect(await routed(1000)).toEqual(["engine", "failover", null, ["first", "second"]])
    await route({
      mode: "priority",
      rules: [
        { name: "big tickets", when: { amount: { min: 5000 } }, use: { mode: "fixed", order: [idOf("second")] } },
        { name: "too late", when: { amount: { min: 6000 } }, use: { mode: "failover" } }
      ],
      control: { share: 1, order: [idOf("second"), idOf("first")] }
    })
    expect(await routed(6000)).toEqual(["rule", "fixed", "big tickets", ["second"]])
    expect(await routed(1000)).toEqual(["control", "priority", null, ["second", "first"]])
    await route({ mode: "priority", order: [idOf("second")] })
    expect(await routed(1000)).toEqual(["engine", "priority", null, ["second"]])
  })

  for (const mode of ["fixed", "priority", "failover"] as const) {
    for (const [what, { end, status }] of Object.entries(ends)) {
      const isFollowed = followed[mode].includes(what)
      test(`${mode} and ${what}: the second is ${isFollowed ? "" : "not "}asked`, async () => {
        const { idOf, key, route } = await own(world, two)
        await route({ mode })
        const { onCharge } = world.provider
        world.provider.onCharge = (charge) => (charge.connectionId === idOf("first") ? end : onCharge(charge))
        const payment = (await create(world, {}, { key })).body.data
        const expected = isFollowed ? ["first", "second"] : ["first"]
        expect(asked()).toEqual(expected.map(idOf))
        expect(payment.status).toBe(isFollowed ? "CAPTURED" : status)
        expect(payment.routing.mode).toBe(mode)
        expect(payment.routing.attempts.map((attempt: { connection_id: string }) => attempt.connection_id)).toEqual(
          expected.map(idOf)
        )
        // Nothing is taken back at a provider either.
        expect(world.provider.voids).toEqual([])
      })
    }
  }

  test("a third connection is asked after two refusals only if maxAttempts allows it", async () => {
    const { key, route } = await own(world, [...two, { name: "third", priority: 3 }])
    world.provider.onCharge = () => declines(true)
    await create(world, {}, { key })
    expect(asked()).toHaveLength(2)
    world.provider.charges.length = 0
    await route({ mode: "failover", maxAttempts: 3 })
    await create(world, {}, { key })
    expect(asked()).toHaveLength(3)
  })

  test("nothing goes to a connection until it is active", async () => {
    const { connect, idOf, liveKey } = await own(world, [])
    const pay = () => create(world, { debug: true }, { key: liveKey, idempotencyKey: `of-${idOf("live")}` })
    await connect({ name: "live", environment: "production", active: false })
    const before = await pay()
    expect([answerOf(before), before.body.error.excluded]).toEqual(["409 routing_failed", []])
    await connect({ name: "live", environment: "production", active: true })
    const after = await pay()
    // Nothing had been sent, so the same key is a new request.
    expect([after.status, after.headers.get("idempotent-replay")]).toEqual([201, null])
    expect(asked()).toEqual([idOf("live")])
  })

  test("payments of a connection switched off are still captured, voided and refunded", async () => {
    const { connect, idOf, key } = await own(world, [{ name: "old" }])
    const held = async () => (await create(world, { capture_method: "manual" }, { key })).body.data.id
    const [one, other] = [await held(), await held()]
    await connect({ name: "old", active: false }, { name: "new" })
    for (const reply of [
      await operate(world, "capture", one, { key }),
      await operate(world, "refund", one, { key, body: { amount: 400 } }),
      await operate(world, "void", other, { key })
    ]) {
      expect(answerOf(reply)).toBe("200")
    }
    const { captures, refunds, voids } = world.provider
    expect([...captures, ...refunds, ...voids].map(({ connectionId }) => connectionId)).toEqual(
      Array.from({ length: 3 }, () => idOf("old"))
    )
    await create(world, {}, { key })
    expect(asked().at(-1)).toBe(idOf("new"))
  })
})
