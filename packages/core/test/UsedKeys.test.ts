/**
 * An idempotency key that the provider had before: an answer that names another attempt of ours is evidence for that
 * one, and "never received" settles nothing for the one that was asked for.
 */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { type ChargeState, type Directory, type Secrets, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, changeCredentials, ours, theirs } from "./support/Accounts.ts"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptsOf, stored } from "./support/Pages.ts"
import { caller, request, type World, world } from "./support/World.ts"

const never = { _tag: "NotFound", conclusive: true } as const
const captured: ChargeState = { _tag: "Captured", providerRef: "ref_first" }
const oneConnection = { connections: [{ id: "main" }] }

const unanswered = Effect.fail(new Unanswered({ reason: "no answer" }))
const keyUsed = Effect.fail(new Unanswered({ reason: "the key was used before", isKeyUsed: true }))
const naming = (attemptId: string) =>
  Effect.fail(new Unanswered({ reason: "another attempt", ofAnother: { attemptId, state: captured } }))

const create = Effect.fnUntraced(function* (details: Parameters<typeof request>[0] = {}) {
  return (yield* (yield* Pointsman).create(caller, request(details))).payment
})

const attemptOf = (payment: Payment) => Effect.map(attemptsOf(payment), (attempts) => attempts[0]?.id ?? "")

const checkForDays = Effect.gen(function* () {
  for (let day = 0; day < 3; day++) {
    yield* TestClock.adjust("1 day")
    yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
  }
})

/** A payment with an unknown result, at a provider that never received anything. */
const unknown = Effect.fnUntraced(function* (own: World) {
  own.provider.onLookUpCharge = () => Effect.succeed(never)
  own.provider.onCharge = () => unanswered
  return yield* create()
})

describe("an answer that names another attempt", () => {
  itIn(
    "a charge of ours settles its own attempt, and the other asked stays unknown",
    world(oneConnection),
    function* (own) {
      const first = yield* unknown(own)
      const attemptId = yield* attemptOf(first)
      own.provider.onCharge = () => naming(attemptId)
      const second = yield* create()
      assert.strictEqual(second.state, "ChargeUnknown")
      const settled = yield* stored(first)
      assert.deepStrictEqual([settled.state, settled.providerRef], ["Captured", "ref_first"])
      yield* checkForDays
      const left = yield* stored(second)
      assert.deepStrictEqual([left.state, left.review?.reasons], ["ChargeUnknown", ["unknown"]])
      assert.isNotEmpty(own.provider.lookUps.filter(({ attemptId: asked }) => asked !== attemptId))
      assert.strictEqual((yield* stored(first)).state, "Captured")
    }
  )

  itIn(
    "a lookup settles the named attempt, and nothing by what is not found later",
    world(oneConnection),
    function* (own) {
      const first = yield* unknown(own)
      const attemptId = yield* attemptOf(first)
      const second = yield* create()
      const other = yield* attemptOf(second)
      own.provider.onLookUpCharge = (asked) =>
        asked.attemptId === other ? naming(attemptId) : Effect.succeed({ ...never, conclusive: false })
      yield* TestClock.adjust("2 hours")
      yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
      assert.strictEqual((yield* stored(first)).state, "Captured")
      own.provider.onLookUpCharge = () => Effect.succeed(never)
      yield* checkForDays
      assert.strictEqual((yield* stored(second)).state, "ChargeUnknown")
    }
  )

  itIn(
    "an attempt of another connection stays as it is",
    world({ routing: { mode: "priority", order: ["main", "backup"] } }),
    function* (own) {
      const first = yield* unknown(own)
      const attemptId = yield* attemptOf(first)
      own.provider.onLookUpCharge = () => Effect.succeed({ ...never, conclusive: false })
      own.provider.onCharge = ({ connectionId }) =>
        connectionId === "backup"
          ? naming(attemptId)
          : Effect.succeed({ _tag: "Rejected", code: "down", message: "The provider is down." })
      assert.strictEqual((yield* create()).state, "ChargeUnknown")
      assert.strictEqual((yield* stored(first)).state, "ChargeUnknown")
    }
  )

  itIn("an attempt in another account by now stays as it is, and is reviewed", world(oneConnection), function* (own) {
    at(own, ours)

    const pointsman = yield* Pointsman
    yield* pointsman.askAccounts
    const first = yield* unknown(own)
    const attemptId = yield* attemptOf(first)
    const context = yield* Effect.context<Directory | Secrets>()
    own.provider.onCharge = () =>
      Effect.gen(function* () {
        at(own, theirs)
        yield* Effect.orDie(Effect.provideContext(changeCredentials("main", '{"key":"theirs"}'), context))
        yield* Effect.orDie(pointsman.askAccounts)
        return yield* naming(attemptId)
      })
    assert.strictEqual((yield* create()).state, "ChargeUnknown")
    const left = yield* stored(first)
    assert.deepStrictEqual([left.state, left.review?.reasons], ["ChargeUnknown", ["unknown", "conflict"]])
  })

  itIn("an attempt of no record writes nothing but the unknown result", world(oneConnection), function* (own) {
    own.provider.onCharge = () => naming("att_of_nobody")

    assert.strictEqual((yield* create()).state, "ChargeUnknown")
  })
})

describe("a key that was used before, with other parameters", () => {
  itIn("a charge is unknown, and what is not found later settles nothing", world(), function* (own) {
    own.provider.onCharge = () => keyUsed
    own.provider.onLookUpCharge = () => Effect.succeed(never)

    const payment = yield* create()
    assert.strictEqual(payment.state, "ChargeUnknown")
    assert.lengthOf(own.provider.charges, 1)
    yield* checkForDays
    assert.isAbove(own.provider.lookUps.length, 2)
    const left = yield* stored(payment)
    assert.deepStrictEqual([left.state, left.review?.reasons], ["ChargeUnknown", ["unknown"]])
    // A found record is the provider's word as always.
    own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: captured })
    yield* checkForDays
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  for (const kind of ["capture", "void"] as const) {
    itIn(`a ${kind} is not settled by what is not found later`, world(oneConnection), function* (own) {
      own.provider.onLookUpOperation = () => Effect.succeed(never)
      own.provider.onCapture = () => keyUsed
      own.provider.onVoid = () => keyUsed

      const payment = yield* create({ details: { captureMethod: "manual" } })
      yield* operate(kind, payment.id)
      yield* checkForDays
      assert.isAbove(own.provider.operationLookUps.length, 2)
      const left = yield* stored(payment)
      assert.strictEqual(left.state, kind === "capture" ? "CaptureUnknown" : "VoidUnknown")
      assert.deepStrictEqual(left.review?.reasons, ["unknown"])
    })
  }

  itIn("a refund is not given back by what is not found later", world(oneConnection), function* (own) {
    own.provider.onLookUpRefund = () => Effect.succeed(never)
    own.provider.onRefund = () => keyUsed

    const payment = yield* create()
    yield* operate("refund", payment.id)
    yield* checkForDays
    assert.isAbove(own.provider.refundLookUps.length, 2)
    const left = yield* stored(payment)
    assert.strictEqual(left.refundPendingMinor, payment.capturedMinor)
    assert.deepStrictEqual(left.review?.reasons, ["refund_unknown"])
  })
})
