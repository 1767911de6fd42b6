/**
 * What a merchant sees of routing, and where a payment goes. How the rules decide is tested in core; here they are seen
 * from outside.
 */
import type { Connection, ExclusionCode } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { answerOf, create, get, operate } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { own } from "./support/Workspaces.ts"

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
  {
    code: "INSTRUMENT_NOT_AVAILABLE",
    given: "no token of its own",
    change: {},
    fields: { instruments: [] }
  }
]

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

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
