/** Unsigned messages that name an object of the provider: each is the reason for one lookup, and changes nothing itself. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { type HintedMessage, Ledger, MessageUnreadable, NotSent, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import { itIn } from "./support/ItIn.ts"
import { providerWith, receive } from "./support/Messages.ts"
import { created } from "./support/Operations.ts"
import { attemptIdOf, stored } from "./support/Pages.ts"
import { runOut, tenant, world } from "./support/World.ts"

type ChargeName = { readonly attemptId: string } | { readonly providerRef: string }

const text = (body: Uint8Array) => new TextDecoder().decode(body)

type Answer = Effect.Effect<ReadonlyArray<HintedMessage>, NotSent | Unanswered>

/** A provider whose hints are `look <reference>`, and that answers a lookup as the test tells it. */
const hintWorld = () => {
  const looked: Array<string> = []
  const script: { answer: (reference: string) => Answer } = { answer: () => Effect.succeed([]) }
  const provider = providerWith({
    readStored: ({ body }) => Effect.sync(() => storedMessage(text(body))),
    hints: {
      read: ({ body }) => {
        const reference = /^look (\w+)$/u.exec(text(body))?.[1]
        return reference === undefined
          ? Effect.fail(new MessageUnreadable({ reason: "no hint" }))
          : Effect.succeed(reference)
      },
      lookUp: (reference) =>
        Effect.suspend(() => {
          looked.push(reference)
          return script.answer(reference)
        })
    }
  })
  return { ...world({ provider }), looked, script }
}

/** As `readStored` reads it. */
const storedMessage = (body: string): HintedMessage["message"] => {
  const { charge, id } = JSON.parse(body) as { readonly charge: ChargeName; readonly id: string }
  return { id, at: 1, about: { _tag: "Charge", charge, state: () => ({ _tag: "Captured", providerRef: "ref" }) } }
}

const capturedOf = (charge: ChargeName, id: string): HintedMessage => {
  const body = JSON.stringify({ id, charge })
  return { body, message: storedMessage(body) }
}

const captured = (attemptId: string, id = "ref paid"): HintedMessage => capturedOf({ attemptId }, id)

/** A charge that was not answered. */
const unanswered = Effect.fnUntraced(function* (own: ReturnType<typeof hintWorld>) {
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "silence" }))
  const payment = yield* created()
  return { payment, attemptId: attemptIdOf(payment) }
})

const messageNamed = (id: string) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.message(tenant, "main", id), Option.getOrUndefined))

describe("a hint", () => {
  itIn("each hint of an unanswered charge causes a lookup, and both one capture", hintWorld(), function* (own) {
    const { attemptId, payment } = yield* unanswered(own)
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    own.script.answer = () => Effect.succeed([captured(attemptId)])
    yield* receive("look ref")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    assert.deepInclude(yield* messageNamed("hint:ref paid"), { outcome: "applied", paymentId: payment.id })
    yield* receive("look ref")
    assert.deepStrictEqual(own.looked, ["ref", "ref"])
    const { items } = yield* (yield* Pointsman).messages({ limit: 10 })
    assert.lengthOf(items, 1)
  })

  itIn("a statement without a webhook secret is applied again once its charge is known", hintWorld(), function* (own) {
    const { attemptId, payment } = yield* unanswered(own)
    own.script.answer = () => Effect.succeed([capturedOf({ providerRef: "ref" }, "early")])
    yield* receive("look ref")
    assert.deepInclude(yield* messageNamed("hint:early"), { outcome: "unmatched", paymentId: null })
    own.script.answer = () => Effect.succeed([captured(attemptId)])
    yield* receive("look ref")
    yield* (yield* Pointsman).applyMessage("main", "hint:early")
    assert.deepInclude(yield* messageNamed("hint:early"), { outcome: "confirmed", paymentId: payment.id })
  })

  itIn("a reference of no record is accepted, and nothing is stored", hintWorld(), function* (own) {
    yield* receive("look anything")
    assert.deepStrictEqual(own.looked, ["anything"])
    assert.isEmpty((yield* (yield* Pointsman).messages({ limit: 10 })).items)
  })

  itIn("a malformed hint or an unknown connection is refused, and nothing is looked up", hintWorld(), function* (own) {
    for (const [body, connectionId] of [
      ["", "main"],
      ["look", "main"],
      ["look ref", "absent"]
    ] as const) {
      const receiving = yield* Effect.forkScoped(Effect.flip(receive(body, connectionId)))
      assert.strictEqual((yield* runOut(receiving))._tag, "pointsman/MessageRefused")
    }
    assert.isEmpty(own.looked)
  })

  for (const failure of [new NotSent({ reason: "refused" }), new Unanswered({ reason: "silence" })]) {
    itIn(`a lookup that ends in ${failure._tag} is not accepted, and is repeated`, hintWorld(), function* (own) {
      const { attemptId, payment } = yield* unanswered(own)
      own.script.answer = () => Effect.fail(failure)
      assert.strictEqual((yield* Effect.flip(receive("look ref")))._tag, "pointsman/HintNotLookedUp")
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
      own.script.answer = () => Effect.succeed([captured(attemptId)])
      yield* receive("look ref")
      assert.strictEqual((yield* stored(payment)).state, "Captured")
    })
  }

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    itIn(`a hint's statement is applied once after a commit that ends ${fault}`, hintWorld(), function* (own) {
      const { attemptId, payment } = yield* unanswered(own)
      own.script.answer = () => Effect.succeed([captured(attemptId)])
      const before = own.ledger.calls.commit
      own.ledger.onCommit = (number) => (number === before + 1 ? fault : undefined)
      assert.strictEqual(Result.isFailure(yield* Effect.result(receive("look ref"))), fault === "unwritten")
      yield* receive("look ref")
      const { capturedMinor, state } = yield* stored(payment)
      assert.deepStrictEqual([state, capturedMinor], ["Captured", payment.money.minorUnits])
    })
  }

  itIn("a lookup is recorded although its sender left before it ended", hintWorld(), function* (own) {
    const { attemptId, payment } = yield* unanswered(own)
    const gate = yield* Deferred.make<void>()
    own.script.answer = () => Effect.as(Deferred.await(gate), [captured(attemptId)])
    const receiving = yield* Effect.forkScoped(receive("look ref"), { startImmediately: true })
    yield* Effect.yieldNow
    yield* Fiber.interrupt(receiving)
    yield* Deferred.succeed(gate, undefined)
    for (let turn = 0; turn < 100 && (yield* stored(payment)).state !== "Captured"; turn++) yield* Effect.yieldNow
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })
})

describe("a flood of hints", () => {
  const sends = (count: number, hintOf: (number: number) => string) =>
    Effect.tap(
      Effect.forEach(Array(count).keys(), (number) =>
        Effect.forkScoped(Effect.result(receive(hintOf(number))), { startImmediately: true })
      ),
      () => Effect.repeat(Effect.yieldNow, { times: 100 })
    )
  const refusedOf = (sent: Effect.Success<ReturnType<typeof sends>>) =>
    Effect.map(Fiber.joinAll(sent), (ends) => ends.filter(Result.isFailure).map(({ failure }) => failure._tag))

  itIn("one of 1,000 hints of one object is looked up, 64 wait, the others are refused", hintWorld(), function* (own) {
    const gate = yield* Deferred.make<void>()
    own.script.answer = () => Effect.as(Deferred.await(gate), [])
    const first = yield* Effect.forkScoped(receive("look ref"), { startImmediately: true })
    while (own.looked.length === 0) yield* Effect.yieldNow
    const others = yield* sends(999, () => "look ref")
    assert.deepStrictEqual(own.looked, ["ref"])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    const refused = yield* refusedOf(others)
    assert.deepStrictEqual([refused.length, new Set(refused)], [935, new Set(["pointsman/HintNotLookedUp"])])
    assert.deepStrictEqual(own.looked, ["ref", "ref"])
    yield* receive("look ref")
    assert.lengthOf(own.looked, 3)
  })

  itIn("64 hints of two objects in lookup wait together, and again once they end", hintWorld(), function* (own) {
    for (const _ of [1, 2]) {
      const gate = yield* Deferred.make<void>()
      own.script.answer = () => Effect.as(Deferred.await(gate), [])
      const sent = yield* sends(82, (number) => (number % 2 === 0 ? "look even" : "look odd"))
      yield* Deferred.succeed(gate, undefined)
      assert.lengthOf(yield* refusedOf(sent), 16)
    }
  })

  itIn("four of 1,000 hints of other objects are looked up, and the excess is refused", hintWorld(), function* (own) {
    const gate = yield* Deferred.make<void>()
    let atOnce = 0
    let most = 0
    own.script.answer = () =>
      Effect.suspend(() => {
        most = Math.max(most, ++atOnce)
        return Effect.ensuring(
          Effect.as(Deferred.await(gate), []),
          Effect.sync(() => atOnce--)
        )
      })
    const sent = yield* sends(1_000, (number) => `look ref${number}`)
    assert.strictEqual(atOnce, 4)
    yield* Deferred.succeed(gate, undefined)
    const refused = yield* refusedOf(sent)
    assert.deepStrictEqual([...new Set(refused)], ["pointsman/HintNotLookedUp"])
    assert.deepStrictEqual([own.looked.length, refused.length, most], [64, 936, 4])
  })
})
