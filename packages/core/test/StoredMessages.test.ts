/** A provider's message is stored before it is applied, and an operator can process it again after a fix. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { keptFields } from "@pointsman/core/connector"
import {
  Ledger,
  type MessageOutcome,
  MessageUnreadable,
  MessageUnverified,
  type ProviderMessage,
  StorageCondition,
  Unanswered
} from "@pointsman/core/ports"
import { Effect, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { hearing, providerWith, receive, rowOf } from "./support/Messages.ts"
import { created } from "./support/Operations.ts"
import { attemptIdOf, stored, typesOf } from "./support/Pages.ts"
import { tenant, world } from "./support/World.ts"

const providerRef = "ref"

/** A provider whose messages are `{"id", "attempt"}`, or `{"id", "disputed"}` with its own reference, and an arrangement in which nothing can be read until `mend`. */
const messaging = (readsStored = true, keptOfMessage?: (body: string) => string) => {
  let isMended = true
  const read = (body: Uint8Array): Effect.Effect<ProviderMessage, MessageUnreadable> => {
    if (!isMended) return Effect.fail(new MessageUnreadable({ reason: "at attempt" }))
    const { attempt, disputed, id } = JSON.parse(new TextDecoder().decode(body)) as Record<string, string>
    if (disputed !== undefined) {
      const charge = { providerRef: disputed }
      const about = { _tag: "Dispute", charge, disputeId: null, verdict: "opened" } as const
      return Effect.succeed({ id: id ?? "", at: 7, about })
    }
    const state = () => ({ _tag: "Captured", providerRef }) as const
    return Effect.succeed({
      id: id ?? "",
      at: 7,
      about: { _tag: "Charge", charge: { attemptId: attempt ?? "" }, state }
    })
  }
  const provider = providerWith({
    readMessage: ({ body, headers }) =>
      headers["signed"] === "yes" ? read(body) : Effect.fail(new MessageUnverified({ reason: "no" })),
    ...(readsStored ? { readStored: ({ body }) => read(body) } : {}),
    ...(keptOfMessage === undefined ? {} : { keptOfMessage })
  })
  const own = world({ provider, connections: hearing })
  own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
  return { ...own, breakReader: () => (isMended = false), mend: () => (isMended = true) }
}

const pending = Effect.gen(function* () {
  const payment = yield* created()
  return { payment, attemptId: attemptIdOf(payment) }
})

const deliver = (body: string, connectionId = "main") => receive(body, connectionId, { signed: "yes" })

const bodyOf = (attempt: string, id = "msg_1") => JSON.stringify({ id, attempt })

const outcomes = Effect.gen(function* () {
  const { items } = yield* (yield* Pointsman).messages({ limit: 10 })
  return items.map(({ eventId, outcome }): readonly [string, MessageOutcome] => [eventId, outcome])
})

describe("a stored message", () => {
  itIn("an applied message's body is sealed in the store and read back whole", messaging(), function* () {
    const { attemptId, payment } = yield* pending
    const body = bodyOf(attemptId)
    yield* deliver(body)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const row = Option.getOrThrow(yield* (yield* Ledger).message(tenant, "main", "msg_1"))
    assert.deepStrictEqual([row.body, row.isSealed], [`connection:main:message:msg_1|${body}`, true])
    const pointsman = yield* Pointsman
    const read = yield* pointsman.message("main", "msg_1")
    assert.deepInclude(read, { tenant, paymentId: payment.id, outcome: "applied", body, writtenAt: 7 })
    for (const [connectionId, eventId] of [
      ["backup", "msg_1"],
      ["none", "msg_1"],
      ["main", "msg_2"]
    ] as const) {
      const failure = yield* Effect.flip(pointsman.message(connectionId, eventId))
      assert.strictEqual(failure._tag, "pointsman/MessageNotFound")
    }
  })

  const sparing = messaging(true, keptFields(new Set(["id", "attempt"])))
  itIn("a connector that says what is kept stores only that, and all it cannot read", sparing, function* (own) {
    const { attemptId, payment } = yield* pending
    const text = (id: string) => JSON.stringify({ id, email: "ada@shop.example", attempt: attemptId })
    yield* deliver(text("msg_1"))
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const pointsman = yield* Pointsman
    assert.strictEqual(
      (yield* pointsman.message("main", "msg_1")).body,
      JSON.stringify({ id: "msg_1", attempt: attemptId })
    )
    yield* deliver(text("msg_1"))
    own.breakReader()
    yield* deliver(text("msg_2"))
    const { items } = yield* pointsman.messages({ limit: 10 })
    assert.lengthOf(items, 2)
    const unread = items.find(({ outcome }) => outcome === "unreadable")
    assert.strictEqual((yield* pointsman.message("main", unread?.eventId ?? "")).body, text("msg_2"))
  })

  itIn("a message of a version that did not seal is read and applied all the same", messaging(), function* () {
    const { attemptId, payment } = yield* pending
    const body = bodyOf(attemptId)
    yield* (yield* Ledger).storeMessage(tenant, rowOf({ subjectId: attemptId, outcome: "unmatched", body }))
    const pointsman = yield* Pointsman
    assert.strictEqual((yield* pointsman.message("main", "msg_1")).body, body)
    assert.strictEqual((yield* pointsman.applyMessage("main", "msg_1")).outcome, "applied")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itIn("a store that fails applies nothing, and the message applies when it repeats", messaging(), function* (own) {
    const { attemptId, payment } = yield* pending
    const { ledger } = own
    ledger.canRead = (method) => method !== "storeMessage"
    assert.isTrue(Result.isFailure(yield* Effect.result(deliver(bodyOf(attemptId)))))
    assert.deepStrictEqual(yield* outcomes, [])
    // Stored, and not decided: the server dies in between.
    ledger.canRead = (method) => method !== "bookOf"
    assert.isTrue(Result.isFailure(yield* Effect.result(deliver(bodyOf(attemptId)))))
    assert.deepStrictEqual(yield* outcomes, [["msg_1", "received"]])
    assert.strictEqual((yield* stored(payment)).state, "ChargePending")
    ledger.canRead = () => true
    for (let time = 0; time < 2; time++) {
      yield* deliver(bodyOf(attemptId))
      assert.deepStrictEqual(yield* outcomes, [["msg_1", "applied"]])
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.pending", "payment.captured"])
    }
  })
})

describe("a message that is applied again", () => {
  itIn("an unreadable message is applied once after its reader is corrected", messaging(), function* (own, pointsman) {
    const { attemptId, payment } = yield* pending
    own.breakReader()
    // The provider sends it until it is accepted: it is stored once.
    for (let time = 0; time < 2; time++) yield* deliver(bodyOf(attemptId))
    const [[eventId]] = (yield* outcomes) as [readonly [string, MessageOutcome]]
    assert.strictEqual(eventId, `sha256:${bodyOf(attemptId)}`)
    const [unread] = (yield* pointsman.messages({ outcome: "unreadable", limit: 10 })).items
    assert.deepInclude(unread, { about: "unreadable", reason: "at attempt", paymentId: null })
    const still = yield* Effect.flip(pointsman.applyMessage("main", eventId))
    assert.deepInclude(still, { _tag: "pointsman/MessageNotApplicable", reason: "it cannot be read: at attempt" })
    assert.deepStrictEqual(yield* outcomes, [[eventId, "unreadable"]])
    own.mend()
    const applied = yield* pointsman.applyMessage("main", eventId)
    assert.deepInclude(applied, { outcome: "applied", about: "charge", paymentId: payment.id, reason: null })
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const again = yield* Effect.flip(pointsman.applyMessage("main", eventId))
    assert.deepInclude(again, { _tag: "pointsman/MessageNotApplicable", reason: "it was applied already" })
    // The provider's own word of it comes once more, under its id.
    yield* deliver(bodyOf(attemptId))
    assert.strictEqual((yield* pointsman.message("main", "msg_1")).outcome, "confirmed")
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.pending", "payment.captured"])
  })

  itIn("a message about nothing stored here stays unmatched, and others are untouched", messaging(), function* () {
    const { attemptId, payment } = yield* pending
    yield* deliver(bodyOf(attemptId), "backup")
    const pointsman = yield* Pointsman
    for (let time = 0; time < 2; time++) {
      const after = yield* pointsman.applyMessage("backup", "msg_1")
      assert.deepInclude(after, { outcome: "unmatched", paymentId: null })
    }
    assert.strictEqual((yield* stored(payment)).state, "ChargePending")
  })

  const early = messaging()
  const refused = { refusal: null as string | null, warnings: [] }
  const refusable = Layer.succeed(StorageCondition, { read: Effect.succeed(refused), admit: Effect.void })
  it.effect("a check applies a dispute that names a charge which a lookup records later", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { provider } = early
      provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      const { payment } = yield* pending
      yield* deliver(JSON.stringify({ id: "msg_1", disputed: providerRef }))
      yield* deliver(JSON.stringify({ id: "msg_2", disputed: "elsewhere" }))
      const unmatched = [
        ["msg_1", "unmatched"],
        ["msg_2", "unmatched"]
      ] as const
      yield* TestClock.adjust("2 minutes")
      yield* pointsman.checkDue
      assert.deepStrictEqual((yield* outcomes).toSorted(), [...unmatched])
      provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef } })
      yield* TestClock.adjust("10 minutes")
      yield* pointsman.checkDue
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      // While the storage takes no new work, the message is left as it is.
      refused.refusal = "the schema is newer"
      yield* pointsman.checkDue
      assert.deepStrictEqual((yield* outcomes).toSorted(), [...unmatched])
      refused.refusal = null
      yield* pointsman.checkDue
      assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
      assert.deepStrictEqual((yield* outcomes).toSorted(), [["msg_1", "applied"], unmatched[1]])
    }).pipe(Effect.provide(Layer.provide(early.layer, refusable)))
  )

  itIn("operations review the payment of a dispute that names a declined charge", messaging(), function* (own) {
    own.provider.onCharge = () =>
      Effect.succeed({ _tag: "Declined", providerRef, category: "other", code: "no", soft: false })
    const payment = yield* created()
    yield* deliver(JSON.stringify({ id: "msg_1", disputed: providerRef }))
    assert.deepStrictEqual(yield* outcomes, [["msg_1", "contradicts"]])
    assert.deepStrictEqual((yield* stored(payment)).review?.reasons, ["conflict"])
  })

  itIn("a connector that reads no stored messages is refused and nothing changes", messaging(false), function* () {
    yield* deliver(bodyOf("att_none"))
    const failure = yield* Effect.flip((yield* Pointsman).applyMessage("main", "msg_1"))
    assert.deepInclude(failure, { reason: "its connector does not read stored messages" })
    assert.deepStrictEqual(yield* outcomes, [["msg_1", "unmatched"]])
  })
})
