/** Where a payment would go, how connections fare, and how they fared: nothing of it asks a provider or writes. */
import { assert, describe } from "@effect/vitest"
import { Pointsman, type RoutingSettings, type SuccessSeries } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { onMain } from "./support/Operations.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, workspace, world } from "./support/World.ts"

const { details } = request()
const query = { tenant, workspace, details }

const routesOf = (settings: RoutingSettings, connections?: Parameters<typeof world>[0]) =>
  Effect.gen(function* () {
    return yield* (yield* Pointsman).previewRouting(query)
  }).pipe(Effect.provide(world({ routing: settings, ...connections }).layer))

const orders = (preview: Effect.Success<ReturnType<typeof routesOf>>) =>
  preview.routes.map(({ decision }) => decision.candidates.map(({ connectionId }) => connectionId).join(" "))

describe("where a payment would go", () => {
  itRuns("all payments take one route if nothing is drawn, with each exclusion and reason", function* () {
    const connections = [{ id: "main" }, { id: "dollars", supports: { currencies: ["USD"] } }, { id: "backup" }]
    const preview = yield* routesOf({ mode: "failover" }, { connections })
    assert.deepStrictEqual(orders(preview), ["main backup"])
    const [route] = preview.routes
    assert.strictEqual(route?.payments, preview.payments)
    assertFields(route?.decision.excluded, ["connectionId", "code"], ["dollars", "CURRENCY_NOT_SUPPORTED"])
  })

  itRuns("each route of a split and a control group has its share, the most frequent first", function* () {
    const rules = [{ name: "split", when: {}, use: { mode: "failover", split: { main: 1, backup: 3 } } }] as const
    const split = yield* routesOf({ mode: "failover", rules })
    assert.deepStrictEqual(orders(split), ["backup main", "main backup"])
    assert.closeTo((split.routes[0]?.payments ?? 0) / split.payments, 0.75, 0.06)
    const control = yield* routesOf({ mode: "failover", control: { share: 0.2, order: ["backup"] } })
    assert.deepStrictEqual(orders(control), ["main backup", "backup"])
    assert.deepStrictEqual(
      control.routes.map(({ decision }) => decision.path),
      ["engine", "control"]
    )
    assert.closeTo((control.routes[1]?.payments ?? 0) / control.payments, 0.2, 0.06)
    assert.deepStrictEqual(yield* routesOf({ mode: "failover", rules }), split)
  })

  itRuns("the routes have no candidates, and say why, if no connection can take it", function* () {
    const preview = yield* routesOf({ mode: "failover" }, { connections: [{ id: "main", supports: { methods: [] } }] })
    assert.deepStrictEqual(orders(preview), [""])
    assert.strictEqual(preview.routes[0]?.decision.excluded[0]?.code, "METHOD_NOT_SUPPORTED")
  })

  const fragile = world({
    connections: [{ id: "main", circuitBreaker: { failures: 1, openMillis: 1_000 } }, { id: "backup" }]
  })
  itIn("the next payment is the probe of a circuit that waits for one", fragile, function* (own, pointsman) {
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* Effect.ignore(pointsman.create(caller, request()))
    const open = yield* pointsman.previewRouting(query)
    assert.deepStrictEqual(orders(open), ["backup"])
    assert.strictEqual(open.routes[0]?.decision.excluded[0]?.code, "CIRCUIT_OPEN")
    yield* TestClock.adjust(1_000)
    const before = own.ledger.changes.length
    assert.deepStrictEqual(orders(yield* pointsman.previewRouting(query)), ["main backup"])
    assert.deepStrictEqual(orders(yield* pointsman.previewRouting(query)), ["main backup"])
    assert.deepStrictEqual([own.provider.charges.length, own.ledger.changes.length], [1, before])
    yield* Effect.ignore(pointsman.create(caller, request()))
    assertFields(own.provider.charges, "connectionId", "main", "main")
  })
})

/** `main EUR NL card -: 1/2 0/0`: succeeded of all, step by step. */
const text = ({ connectionId, segment, steps }: SuccessSeries) =>
  `${connectionId} ${segment}: ${steps.map(({ failed, succeeded }) => `${succeeded}/${succeeded + failed}`).join(" ")}`

const hour = 3_600_000

describe("success over time", () => {
  itIn("payments of several hours each count in their hour, by connection and segment", world(), function* (own) {
    const pointsman = yield* Pointsman
    const history = pointsman.successHistory(tenant, { stepMillis: hour, steps: 3 })
    assert.deepStrictEqual((yield* history).series, [])
    yield* pointsman.create(caller, request())
    yield* TestClock.adjust(hour)
    own.provider.onCharge = onMain(Effect.succeed({ _tag: "Rejected", code: "E1", message: "no" }))
    yield* pointsman.create(caller, request())
    yield* pointsman.create(caller, request({ details: { country: "DE", cardBrand: "Visa" } }))
    yield* TestClock.adjust(hour)
    const found = yield* history
    assert.deepStrictEqual([found.payments, found.isSampled], [3, false])
    assert.deepStrictEqual(found.series.map(text), [
      "backup : 0/0 2/2 0/0",
      "backup EUR DE card visa: 0/0 1/1 0/0",
      "backup EUR NL card -: 0/0 1/1 0/0",
      "main : 1/1 0/2 0/0",
      "main EUR DE card visa: 0/0 0/1 0/0",
      "main EUR NL card -: 1/1 0/1 0/0"
    ])
    assert.deepStrictEqual(
      (yield* pointsman.successHistory({ ...tenant, workspaceId: "other" }, { stepMillis: hour, steps: 3 })).series,
      []
    )
    yield* TestClock.adjust(hour)
    assert.deepStrictEqual((yield* history).payments, 2)
    yield* TestClock.adjust(3 * hour)
    assert.deepStrictEqual((yield* history).series, [])
  })

  itIn("every hour has a sample, and the answer says so, if there are too many to count", world(), function* () {
    const pointsman = yield* Pointsman
    for (const count of [30, 460, 50]) {
      for (let number = 0; number < count; number++) yield* pointsman.create(caller, request())
      yield* TestClock.adjust(hour)
    }
    yield* TestClock.adjust(-1)
    const found = yield* pointsman.successHistory(tenant, { stepMillis: hour, steps: 3 })
    assert.isTrue(found.isSampled)
    const [main] = found.series.map(text)
    assert.strictEqual(main, "main : 30/30 150/150 50/50")
  })
})

describe("health of connections", () => {
  const here = world({
    connections: [{ id: "main" }, { id: "backup" }, { id: "gone", connector: "unknown", active: false }]
  })
  itIn("outcomes of the newest payments and a connector not installed are each named", here, function* (own) {
    const pointsman = yield* Pointsman
    const { payment: first } = yield* pointsman.create(caller, request())
    yield* TestClock.adjust(1_000)
    own.provider.onCharge = onMain(Effect.succeed({ _tag: "Rejected", code: "E1", message: "no" }))
    const { payment: second } = yield* pointsman.create(caller, request())
    const seen = (paymentId: string, at: number, outcome: string, code: string | null) => ({
      paymentId,
      at,
      outcome,
      code
    })
    const nothing = { succeeded: 0, failed: 0, lastSuccess: null, lastFailure: null }
    assert.deepStrictEqual<unknown>(yield* pointsman.connectionHealth(tenant), [
      {
        connectionId: "backup",
        fault: null,
        succeeded: 1,
        failed: 0,
        lastSuccess: seen(second.id, 1_000, "Captured", null),
        lastFailure: null
      },
      { connectionId: "gone", fault: `connector "unknown" is not installed`, ...nothing },
      {
        connectionId: "main",
        fault: null,
        succeeded: 1,
        failed: 1,
        lastSuccess: seen(first.id, 0, "Captured", null),
        lastFailure: seen(second.id, 1_000, "Rejected", "E1")
      }
    ])
  })
})
