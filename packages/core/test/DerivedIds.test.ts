/** Ids of calls under a merchant's key (decision 30): a store that forgot asks again under the same ones. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { type ChargeAnswer, Ledger, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itRuns } from "./support/ItIn.ts"
import { type Kind, operate, operationKinds, payable } from "./support/Operations.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const day = 24 * 60 * 60_000
const keyed = request({ idempotencyKey: "order-0001" })

const softDecline = Effect.succeed<ChargeAnswer>({
  _tag: "Declined",
  providerRef: "ref",
  category: "do_not_honor",
  code: "05",
  soft: true
})

/** The attempts of a create in a new store, in the order in which they were sent. */
const attemptsIn = (
  { layer, provider }: ReturnType<typeof world>,
  { at = 0, asked = keyed }: { readonly at?: number; readonly asked?: typeof keyed } = {}
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    yield* (yield* Pointsman).create(caller, asked)
    return provider.charges.map(({ attemptId, connectionId }) => ({ attemptId, connectionId }))
  }).pipe(Effect.provide(layer))

describe("attempts", () => {
  itRuns("another store gives the same id to the same key on the same day", function* () {
    const [one] = yield* attemptsIn(world(), { at: day })
    const [same] = yield* attemptsIn(world(), { at: 2 * day - 1 })
    assert.deepStrictEqual(same, one)
    assert.strictEqual(timeOf(one?.attemptId), day)
  })

  itRuns("another day, key or workspace's environment gives another id", function* () {
    const [one] = yield* attemptsIn(world(), { at: day })
    const [later] = yield* attemptsIn(world(), { at: 2 * day })
    const [other] = yield* attemptsIn(world(), { at: day, asked: request({ idempotencyKey: "order-0002" }) })
    assert.lengthOf(new Set([one, later, other].map((found) => found?.attemptId)), 3)
  })

  itRuns("each request without a key has an id of its own", function* () {
    const [one] = yield* attemptsIn(world(), { asked: request() })
    const [other] = yield* attemptsIn(world(), { asked: request() })
    assert.notStrictEqual(other?.attemptId, one?.attemptId)
  })

  itRuns("each has the id that it had with the connections in another order", function* () {
    const idsFor = (order: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const made = world({ routing: { mode: "failover", order } })
        made.provider.onCharge = (asked) => (asked.connectionId === order[0] ? softDecline : approve(asked))
        const attempts = yield* attemptsIn(made)
        assertFields(attempts, "connectionId", ...order)
        return new Map(attempts.map(({ attemptId, connectionId }) => [connectionId, attemptId]))
      })
    const found = yield* idsFor(["main", "backup"])
    const turned = yield* idsFor(["backup", "main"])
    assert.deepStrictEqual(turned.get("main"), found.get("main"))
    assert.deepStrictEqual(turned.get("backup"), found.get("backup"))
  })
})

const startOfDay = (at: number) => at - (at % day)

/** What an id of ours begins with, in epoch milliseconds. */
const timeOf = (id: string | undefined): number =>
  Number.parseInt(id?.split("_")[1]?.replaceAll("-", "").slice(0, 12) ?? "", 16)

itRuns("another store routes the same key of a split to the same connection", function* () {
  const split = { name: "split", when: {}, use: { mode: "fixed" as const, split: { main: 50, backup: 50 } } }
  const routing = { mode: "failover" as const, rules: [split] }
  const firstOf = (number: number) =>
    Effect.map(
      attemptsIn(world({ routing }), { asked: request({ idempotencyKey: `order-${1000 + number}` }) }),
      ([attempt]) => attempt?.connectionId
    )
  const numbers = Array.from({ length: 20 }, (_, number) => number)
  const drawn = yield* Effect.forEach(numbers, firstOf)
  assert.deepStrictEqual(yield* Effect.forEach(numbers, firstOf), drawn)
  assert.lengthOf(new Set(drawn), 2)
})

const key = "operation-0001"

const payableId = (kind: Kind) => Effect.map(payable(kind), ({ id }) => id)

const sentIn = ({ provider }: ReturnType<typeof world>, kind: Kind): ReadonlyArray<string> =>
  kind === "refund"
    ? provider.refunds.map(({ refundId }) => refundId)
    : (kind === "capture" ? provider.captures : provider.voids).map(({ operationId }) => operationId)

const refuse = Effect.succeed({ _tag: "Rejected" as const, code: "no", message: "No." })

describe("operations", () => {
  for (const kind of operationKinds) {
    itHere(`a ${kind} of which nothing was sent takes its id again with its key`, function* (own) {
      yield* TestClock.setTime(day)
      const id = yield* payableId(kind)
      yield* TestClock.adjust("1 minute")
      own.ledger.onCommit = (number) => (number === 3 ? "unheard" : undefined)
      yield* operate(kind, id, { idempotencyKey: key })
      assert.lengthOf(sentIn(own, kind), 0)
      const claimed = own.ledger.changes[2]
      assert.strictEqual((yield* operate(kind, id, { idempotencyKey: key }))._tag, "Success")
      const [entry] = [...(claimed?.operations ?? []), ...(claimed?.refunds ?? [])]
      assert.deepStrictEqual(sentIn(own, kind), [entry?.id ?? ""])
      // The day of the charge: an index of such ids grows at its end.
      assert.strictEqual(startOfDay(timeOf(entry?.id)), day)
    })

    itHere(`a ${kind} of another process at work under its key is left after a lost claim`, function* (own) {
      const id = yield* payableId(kind)
      const other = yield* own.another
      const order = { idempotencyKey: key, paymentId: id, amountMinor: null, reason: null }
      const held = yield* Deferred.make<never, Unanswered>()
      own.provider.onCapture = own.provider.onVoid = own.provider.onRefund = () => Deferred.await(held)
      own.ledger.onCommit = (number) => (number === 3 ? "lost" : undefined)
      let working: Fiber.Fiber<unknown, unknown> | undefined
      own.ledger.beforeCommit = (number) =>
        number === 4
          ? Effect.gen(function* () {
              const asked: Effect.Effect<unknown, unknown> = other[kind](caller, order)
              working = yield* Effect.forkDetach(Effect.exit(asked), { startImmediately: true })
            })
          : Effect.void
      yield* operate(kind, id, { idempotencyKey: key })
      assert.lengthOf(sentIn(own, kind), 1)
      const book = Option.getOrThrow(yield* (yield* Ledger).book(tenant, id))
      const entries = [...book.operations.map(({ outcome }) => outcome), ...book.refunds.map(({ stage }) => stage)]
      assert.deepStrictEqual(entries, [kind === "refund" ? "Sending" : null])
      yield* Deferred.fail(held, new Unanswered({ reason: "time-out" }))
      if (working !== undefined) yield* Fiber.join(working)
    })
  }

  for (const kind of operationKinds) {
    itRuns(`a ${kind} has the same id in another store that lost the payment`, function* () {
      const captureMethod = kind === "refund" ? ("automatic" as const) : ("manual" as const)
      const asked = request({ idempotencyKey: "order-0001", details: { captureMethod } })
      const sentAt = (at: number) => {
        const made = world()
        return Effect.gen(function* () {
          yield* TestClock.setTime(at)
          const { payment } = yield* (yield* Pointsman).create(caller, asked)
          assert.strictEqual((yield* operate(kind, payment.id, { idempotencyKey: key }))._tag, "Success")
          return { paymentId: payment.id, sent: sentIn(made, kind) }
        }).pipe(Effect.provide(made.layer))
      }
      const one = yield* sentAt(day)
      const other = yield* sentAt(day + 60_000)
      assert.notStrictEqual(other.paymentId, one.paymentId)
      assert.deepStrictEqual(other.sent, one.sent)
    })
  }

  itRuns("ids of calls under one key differ, and each ends with the tag of tenant and key", function* () {
    const own = world()
    const other = world({ environment: "production" })
    const asked = request({ idempotencyKey: key })
    const created = (at: number) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(at)
        own.provider.onCharge = (charge) => (charge.connectionId === "main" ? softDecline : approve(charge))
        yield* (yield* Pointsman).create(caller, asked)
      })
    yield* Effect.gen(function* () {
      for (const at of [day, 3 * day]) yield* created(at)
      own.provider.onCharge = approve
      for (const _ of [1, 2]) yield* operate("refund", yield* payableId("refund"), { idempotencyKey: key })
    }).pipe(Effect.provide(own.layer))
    const ids = [...own.provider.charges.slice(0, 4).map(({ attemptId }) => attemptId), ...sentIn(own, "refund")]
    assert.lengthOf(new Set(ids), 6)
    const tags = new Set(ids.map((id) => id.slice(-12)))
    assert.lengthOf(tags, 1)
    const [elsewhere] = yield* Effect.gen(function* () {
      yield* TestClock.setTime(day)
      yield* (yield* Pointsman).create({ ...caller, tenant: { ...tenant, environment: "production" } }, asked)
      return other.provider.charges.map(({ attemptId }) => attemptId)
    }).pipe(Effect.provide(other.layer))
    assert.isFalse(tags.has(elsewhere?.slice(-12) ?? ""))
  })

  itHere("a capture that the provider refused is another call when its key comes again", function* (own) {
    const id = yield* payableId("capture")
    const capture = own.provider.onCapture
    own.provider.onCapture = () => refuse
    yield* operate("capture", id, { idempotencyKey: key })
    own.provider.onCapture = capture
    assert.strictEqual((yield* operate("capture", id, { idempotencyKey: key }))._tag, "Success")
    assert.lengthOf(new Set(sentIn(own, "capture")), 2)
  })
})
