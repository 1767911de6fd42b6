/**
 * What a lookup says against the record (decisions, section 3: "No word about money is dropped"), and when a lookup
 * decides what a message states.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChargeState,
  type Found,
  type Ledger,
  type Payment,
  type PaymentState,
  Pointsman,
  type ReviewReason,
  Unanswered
} from "@pointsman/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { operate } from "./support/Operations.ts"
import { attemptsOf, stored, typesOf } from "./support/Pages.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const providerRef = "ref"
const captured: ChargeState = { _tag: "Captured", providerRef }
const authorized: ChargeState = { _tag: "Authorized", providerRef }
const declined: ChargeState = { _tag: "Declined", providerRef, category: "other", code: "05", soft: false }
const never = { _tag: "NotFound", conclusive: true } as const
const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })

const sweep = Effect.gen(function* () {
  yield* Effect.repeat((yield* Pointsman).sweep, { while: (count) => count > 0 })
})

const test = (name: string, run: (own: World) => Effect.Effect<void, unknown, Pointsman | Ledger>) => {
  const own = world()
  it.effect(name, () => Effect.provide(run(own), own.layer))
}

const given = {
  "an authorization": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.succeed(authorized)
      return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod: "manual" } }))).payment
    }),
  "an accepted charge": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
      return (yield* (yield* Pointsman).create(caller, request())).payment
    }),
  "an unanswered charge": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "no answer" }))
      return (yield* (yield* Pointsman).create(caller, request())).payment
    }),
  "an accepted capture": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given["an authorization"](own)
      own.provider.onCapture = () => Effect.succeed({ _tag: "Pending", providerRef })
      yield* operate("capture", payment.id)
      return payment
    })
}

interface Case {
  readonly given: keyof typeof given
  readonly says: string
  readonly record: Found<ChargeState>
  readonly becomes: PaymentState
  readonly reasons: ReadonlyArray<ReviewReason>
}

describe("a lookup that says something else than the record", () => {
  const cases: ReadonlyArray<Case> = [
    {
      given: "an authorization",
      says: "declined",
      record: found(declined),
      becomes: "Authorized",
      reasons: ["conflict"]
    },
    {
      given: "an authorization",
      says: "pending",
      record: found({ ...captured, _tag: "Pending" }),
      becomes: "Authorized",
      reasons: ["conflict"]
    },
    { given: "an authorization", says: "never received", record: never, becomes: "Authorized", reasons: ["conflict"] },
    {
      given: "an authorization",
      says: "captured, more than was authorized",
      record: found({ ...captured, stated: { minorUnits: 2000, currency: "EUR" } }),
      becomes: "Authorized",
      reasons: ["conflict"]
    },
    {
      given: "an authorization",
      says: "captured under another reference",
      record: found({ ...captured, providerRef: "other" }),
      becomes: "Authorized",
      reasons: ["double_charge"]
    },
    {
      given: "an authorization",
      says: "authorized (control)",
      record: found(authorized),
      becomes: "Authorized",
      reasons: []
    },
    {
      given: "an accepted charge",
      says: "never received",
      record: never,
      becomes: "ChargePending",
      reasons: ["conflict"]
    },
    {
      given: "an accepted capture",
      says: "declined",
      record: found(declined),
      becomes: "CapturePending",
      reasons: ["conflict"]
    },
    {
      given: "an accepted capture",
      says: "never received",
      record: never,
      becomes: "CapturePending",
      reasons: ["conflict"]
    },
    {
      given: "an accepted capture",
      says: "authorized (control)",
      record: found(authorized),
      becomes: "CapturePending",
      reasons: []
    }
  ]
  for (const one of cases) {
    test(`given ${one.given}, when the record says ${one.says}, then ${one.reasons.length === 0 ? "nobody reviews it" : "operators review it once"}`, (own) =>
      Effect.gen(function* () {
        const payment = yield* given[one.given](own)
        own.provider.onLookUpCharge = () => Effect.succeed(one.record)
        for (let days = 0; days < 3; days++) {
          yield* TestClock.adjust("1 day")
          yield* sweep
        }
        const after = yield* stored(payment)
        assert.deepStrictEqual([after.state, after.review?.reasons ?? []], [one.becomes, one.reasons])
        const conflicts = (yield* typesOf(payment)).filter((type) => type === "payment.conflict")
        assert.lengthOf(conflicts, one.reasons.length)
      }))
  }
})

describe("a message that says that nothing was received", () => {
  /** As a connector could that is not type-checked. */
  const state = () => JSON.parse(JSON.stringify(never))
  const say = (payment: Payment) =>
    Effect.gen(function* () {
      const [attempt] = yield* attemptsOf(payment)
      const about = { _tag: "Charge", charge: { attemptId: attempt?.id ?? "" }, state } as const
      const message = { id: "msg_1", at: 0, about }
      const pointsman = yield* Pointsman
      yield* pointsman.recordMessage({ connectionId: "main", tenant, receivedAt: 0, body: "{}", reason: null, message })
      return (yield* pointsman.messages({ limit: 1 })).items[0]?.outcome
    })

  test("given an unknown charge, when it is old enough, then the message is not believed", (own) =>
    Effect.gen(function* () {
      const payment = yield* given["an unanswered charge"](own)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* say(payment), "unreadable")
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    }))
})
