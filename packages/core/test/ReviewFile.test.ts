/** What an operator can state of a payment, as the review shows it, and statements that are sent twice or too late. */
import { assert, describe } from "@effect/vitest"
import { Pointsman, type PossibleStatement, type ReadRecord } from "@pointsman/core"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { chargeSays, operate } from "./support/Operations.ts"
import { created, refundedBy, unanswered } from "./support/Statements.ts"
import { caller, type World, world } from "./support/World.ts"

const noAnswer = (own: World) => Effect.map(created(unanswered)(own), ({ id }) => id)

const fileOf = (paymentId: string) =>
  Effect.flatMap(Pointsman, ({ reviewFile }) => reviewFile(caller.tenant, paymentId))

const recordOf = Effect.fnUntraced(function* (paymentId: string) {
  const { payment, timeline } = yield* fileOf(paymentId)
  return { version: payment.version, lastEventId: timeline.at(-1)?.id ?? "" } satisfies ReadRecord
})

const providerRef = "ref"
const captured = chargeSays("captured", { amountMinor: 1999, providerRef })

const state = Effect.fnUntraced(function* (
  paymentId: string,
  basedOn: ReadRecord,
  stated = captured,
  evidence = "dashboard"
) {
  const order = { tenant: caller.tenant, paymentId, stated, evidence, by: "Jo", basedOn }
  return yield* Effect.result((yield* Pointsman).resolveReview(order))
})

const reasonOf = (result: Result.Result<unknown, unknown>) =>
  Result.isFailure(result) ? (result.failure as { readonly reason: string }).reason : undefined

const evidenceOf = (paymentId: string) =>
  Effect.map(fileOf(paymentId), ({ timeline }) => timeline.filter(({ type }) => type === "payment.reviewed"))

/** `captured*`: it has to name a reference. */
const rendered = ({ needsReference, outcome, stated }: PossibleStatement) => [
  `${stated._tag === "NothingToChange" ? "nothing" : `${stated._tag} ${stated.says}`}${needsReference ? "*" : ""}`,
  Result.match(outcome, { onFailure: () => null, onSuccess: (payment) => payment.state })
]

describe("what can be stated", () => {
  itIn("an unanswered charge may be each state, and never received only once old", world(), function* (own) {
    const id = yield* noAnswer(own)
    const { attempts, statements } = yield* fileOf(id)
    assert.deepStrictEqual(statements.map(rendered), [
      ["Charge captured*", "Captured"],
      ["Charge authorized*", "Authorized"],
      ["Charge declined*", "Declined"],
      ["Charge canceled*", "Cancelled"],
      ["Charge never_received", null],
      ["Charge capture_failed", null],
      ["Charge void_failed", null],
      ["nothing", null]
    ])
    assert.deepInclude(statements[0]?.stated, { attemptId: attempts[0]?.id ?? null })
    assert.match(
      Result.match(statements[4]?.outcome ?? Result.succeed(""), { onFailure: String, onSuccess: String }),
      /^the request may still arrive: never_received is accepted from \d{4}-/u
    )
    yield* TestClock.adjust(5_000 + 2 * 30_000)
    assert.deepStrictEqual((yield* fileOf(id)).statements.map(rendered)[4], ["Charge never_received", "Failed"])
    assert.deepStrictEqual((yield* fileOf(id)).statements.length, statements.length)
  })

  itIn("the states of an unanswered refund come first, with what they leave", world(), function* (own) {
    const { statements } = yield* fileOf((yield* refundedBy(unanswered, 500)(own)).id)
    assert.deepStrictEqual(statements.slice(0, 3).map(rendered), [
      ["Refund succeeded*", "PartiallyRefunded"],
      ["Refund failed", "Captured"],
      ["Refund never_received", null]
    ])
  })

  itIn("another tenant does not find the payment", world(), function* (own) {
    const id = yield* noAnswer(own)
    const { reviewFile } = yield* Pointsman
    const found = yield* Effect.result(reviewFile({ ...caller.tenant, environment: "production" }, id))
    assert.isTrue(Result.isFailure(found) && found.failure._tag === "pointsman/PaymentNotFound")
  })
})

describe("a statement on a record that was read", () => {
  itIn("a statement sent twice, at once and later, is written once, and answered alike", world(), function* (own) {
    const id = yield* noAnswer(own)
    const record = yield* recordOf(id)
    const both = yield* Effect.all([state(id, record), state(id, record)], { concurrency: 2 })
    const third = yield* state(id, record)
    for (const result of [...both, third]) assert.strictEqual(Result.getOrThrow(result).state, "Captured")
    assert.lengthOf(yield* evidenceOf(id), 1)
  })

  itIn("a statement is refused once the payment moved, and so is another statement", world(), function* (own) {
    const id = yield* noAnswer(own)
    const record = yield* recordOf(id)
    Result.getOrThrow(yield* state(id, record))
    for (const refused of [
      yield* state(id, record, chargeSays("declined", { providerRef })),
      yield* state(id, record, captured, "a support case")
    ]) {
      assert.match(reasonOf(refused) ?? "", /^the payment has changed since its record was read/u)
    }
    assert.lengthOf(yield* evidenceOf(id), 1)
  })

  itIn("a statement is no repeat of the same about an earlier record", world(), function* (own) {
    const id = yield* noAnswer(own)
    Result.getOrThrow(yield* state(id, yield* recordOf(id)))
    const later = yield* recordOf(id)
    yield* operate("refund", id, { amountMinor: 500 })
    assert.match(reasonOf(yield* state(id, later)) ?? "", /^the payment has changed/u)
  })
})
