/**
 * An idempotency key that the provider had before: an answer that names another attempt of ours is evidence for that
 * one, and "never received" settles nothing for the one that was asked for.
 */
import { assert, describe } from "@effect/vitest"
import type { Payment } from "@pointsman/core"
import { type Directory, type Secrets, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { at, changeCredentials, ours, theirs } from "./support/Accounts.ts"
import { itIn } from "./support/ItIn.ts"
import { creating, onMain, operate } from "./support/Operations.ts"
import { attemptIdOf, stored } from "./support/Pages.ts"
import {
  answering,
  authorized,
  captured,
  checkedAfter,
  created,
  itWalks,
  rejected,
  type Start,
  type Step,
  unanswered
} from "./support/Statements.ts"
import { type World, world } from "./support/World.ts"

const never = { _tag: "NotFound", conclusive: true } as const
const oneConnection = { connections: [{ id: "main" }] }
const keyUsed = new Unanswered({ reason: "the key was used before", isKeyUsed: true })
const naming = (attemptId: string) =>
  Effect.fail(new Unanswered({ reason: "another attempt", ofAnother: { attemptId, state: captured } }))

const days: ReadonlyArray<Step> = Array.from({ length: 3 }, () => checkedAfter("1 day"))
const checkForDays = (payment: Payment, own: World) => Effect.forEach(days, (day) => day(payment, own))

/** A payment with an unknown result, at a provider that never received anything, and its attempt. */
const unknown = Effect.fnUntraced(function* (own: World) {
  own.provider.onLookUpCharge = () => Effect.succeed(never)
  const first = yield* created(unanswered)(own)
  return { first, attemptId: attemptIdOf(first) }
})

describe("an answer that names another attempt", () => {
  const one = world(oneConnection)
  itIn("a charge of ours settles its own attempt, and the other asked stays unknown", one, function* (own) {
    const { attemptId, first } = yield* unknown(own)
    own.provider.onCharge = () => naming(attemptId)
    const second = yield* creating()
    assert.strictEqual(second.state, "ChargeUnknown")
    assert.deepInclude(yield* stored(first), { state: "Captured", providerRef: captured.providerRef })
    yield* checkForDays(second, own)
    const left = yield* stored(second)
    assert.deepStrictEqual([left.state, left.review?.reasons], ["ChargeUnknown", ["unknown"]])
    assert.isNotEmpty(own.provider.lookUps.filter(({ attemptId: asked }) => asked !== attemptId))
    assert.strictEqual((yield* stored(first)).state, "Captured")
  })

  const looking = world(oneConnection)
  itIn("a lookup settles the named attempt, and nothing by what is not found later", looking, function* (own) {
    const { attemptId, first } = yield* unknown(own)
    const second = yield* creating()
    const other = attemptIdOf(second)
    own.provider.onLookUpCharge = (asked) =>
      asked.attemptId === other ? naming(attemptId) : Effect.succeed({ ...never, conclusive: false })
    yield* checkedAfter("2 hours")(second, own)
    assert.strictEqual((yield* stored(first)).state, "Captured")
    own.provider.onLookUpCharge = () => Effect.succeed(never)
    yield* checkForDays(second, own)
    assert.strictEqual((yield* stored(second)).state, "ChargeUnknown")
  })

  const two = world({ routing: { mode: "priority", order: ["main", "backup"] } })
  itIn("an attempt of another connection stays as it is", two, function* (own) {
    const { attemptId, first } = yield* unknown(own)
    own.provider.onLookUpCharge = () => Effect.succeed({ ...never, conclusive: false })
    own.provider.onCharge = onMain(Effect.succeed(rejected), naming(attemptId))
    assert.strictEqual((yield* creating()).state, "ChargeUnknown")
    assert.strictEqual((yield* stored(first)).state, "ChargeUnknown")
  })

  const moved = world(oneConnection)
  itIn("an attempt in another account by now stays as it is, and is reviewed", moved, function* (own, pointsman) {
    at(own, ours)
    yield* pointsman.askAccounts
    const { attemptId, first } = yield* unknown(own)
    const context = yield* Effect.context<Directory | Secrets>()
    own.provider.onCharge = () =>
      Effect.gen(function* () {
        at(own, theirs)
        yield* Effect.orDie(Effect.provideContext(changeCredentials("main", '{"key":"theirs"}'), context))
        yield* Effect.orDie(pointsman.askAccounts)
        return yield* naming(attemptId)
      })
    assert.strictEqual((yield* creating()).state, "ChargeUnknown")
    const left = yield* stored(first)
    assert.deepStrictEqual([left.state, left.review?.reasons], ["ChargeUnknown", ["unknown", "conflict"]])
  })

  itIn("an attempt of no record writes nothing but the unknown result", world(oneConnection), function* (own) {
    own.provider.onCharge = () => naming("att_of_nobody")
    assert.strictEqual((yield* creating()).state, "ChargeUnknown")
  })
})

describe("a key that was used before, with other parameters", () => {
  type Lists = "lookUps" | "operationLookUps" | "refundLookUps"
  const asked =
    (list: Lists): Step =>
    (_, { provider }) =>
      Effect.sync(() => assert.isAbove(provider[list].length, 2))
  const finds = answering({ onLookUpCharge: () => Effect.succeed({ _tag: "Found", state: captured }) })
  const notFound = () => Effect.succeed(never)
  const charged: Start = (own) => {
    own.provider.onLookUpCharge = notFound
    return created(keyUsed)(own)
  }
  itWalks("a charge is unknown, and what is not found later settles nothing", charged, [
    [(_, { provider }) => Effect.sync(() => assert.lengthOf(provider.charges, 1)), "ChargeUnknown 0 unknown"],
    [days, "ChargeUnknown 0 unknown", asked("lookUps")],
    // A found record is the provider's word as always.
    [[finds, ...days], "Captured 1999"]
  ])
  for (const [kind, becomes, list] of [
    ["capture", "CaptureUnknown 0 unknown", "operationLookUps"],
    ["void", "VoidUnknown 0 unknown", "operationLookUps"],
    ["refund", "Captured 1999 ~1999 refund_unknown", "refundLookUps"]
  ] as const) {
    const refused = () => Effect.fail(keyUsed)
    const operated: Start = (own) => {
      Object.assign(own.provider, { onCapture: refused, onVoid: refused, onRefund: refused })
      Object.assign(own.provider, { onLookUpOperation: notFound, onLookUpRefund: notFound })
      const start = kind === "refund" ? created(captured) : created(authorized, "manual")
      return Effect.tap(start(own), ({ id }) => operate(kind, id))
    }
    itWalks(`a ${kind} is not settled by what is not found later`, operated, [[days, becomes, asked(list)]])
  }
})
