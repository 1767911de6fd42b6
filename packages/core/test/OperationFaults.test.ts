/** What if the process dies, or the store fails, at every step of a capture, a void and a refund? */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { type Change, Unanswered } from "@pointsman/core/ports"
import { type CommitFault, scriptedProvider } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { type Kind, operate, operationKinds } from "./support/Operations.ts"
import { caller, request, runOut, tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const key = "operation-1"
const unknownState = { capture: "CaptureUnknown", void: "VoidUnknown", refund: "Captured" } as const
const doneState = { capture: "Captured", void: "Voided", refund: "Refunded" } as const
const restState = { capture: "Authorized", void: "Authorized", refund: "Captured" } as const
const inProgress = {
  capture: "pointsman/RequestInProgress",
  void: "pointsman/RequestInProgress",
  refund: "pointsman/RefundPending"
} as const

/** The create takes two commits. */
const claim = 3
const outcome = 4

const given = Effect.fnUntraced(function* (kind: Kind) {
  const pointsman = yield* Pointsman
  const captureMethod = kind === "refund" ? "automatic" : "manual"
  return (yield* pointsman.create(caller, request({ details: { captureMethod } }))).payment
})

const ask = (kind: Kind, { id }: Payment) => operate(kind, id, { idempotencyKey: key })

/** `Done`, `Replayed`, or the failure's tag. */
const told = <E extends { readonly _tag: string }>(answer: Result.Result<{ readonly isReplay: boolean }, E>): string =>
  Result.isFailure(answer) ? answer.failure._tag : answer.success.isReplay ? "Replayed" : "Done"

const calls = ({ provider }: World): number =>
  provider.captures.length + provider.voids.length + provider.refunds.length

const answerLate = Effect.fnUntraced(function* ({ provider }: World) {
  const gate = yield* Deferred.make<void>()
  const { onCapture, onRefund, onVoid } = provider
  provider.onCapture = (asked) => Effect.andThen(Deferred.await(gate), onCapture(asked))
  provider.onVoid = (asked) => Effect.andThen(Deferred.await(gate), onVoid(asked))
  provider.onRefund = (asked) => Effect.andThen(Deferred.await(gate), onRefund(asked))
  return gate
})

const failWith = ({ provider }: World, refuse: "refused" | "silent") => {
  const answer = () =>
    refuse === "silent"
      ? Effect.fail(new Unanswered({ reason: "time-out" }))
      : Effect.succeed({ _tag: "Rejected", code: "no", message: "Not today." } as const)
  provider.onCapture = answer
  provider.onVoid = answer
  provider.onRefund = answer
}

for (const kind of operationKinds) {
  describe(`${kind}, when its process dies mid-call`, () => {
    const died = world({ claimWindowMillis: 15 * minute, providerTimeoutMillis: 60 * minute })
    itIn("then the key is in progress for 15 minutes, and unknown from then on; one call", died, function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      yield* answerLate(own)
      yield* Effect.forkDetach(ask(kind, payment), { startImmediately: true })
      yield* TestClock.adjust(15 * minute - 1)
      assert.strictEqual(told(yield* ask(kind, payment)), inProgress[kind])
      yield* TestClock.adjust(1)
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/ResultUnknown")
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/ResultUnknown")
      const after = yield* pointsman.payment(tenant, payment.id)
      assert.strictEqual(after.state, unknownState[kind])
      if (kind === "refund") assert.strictEqual(after.refundPendingMinor, 1999)
      assert.strictEqual(calls(own), 1)
    })
    const woke = world({ claimWindowMillis: 15 * minute, providerTimeoutMillis: 60 * minute })
    itIn("a late commit after a retry's unknown is recorded; the key keeps its response", woke, function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      const gate = yield* answerLate(own)
      const first = yield* Effect.forkDetach(ask(kind, payment), { startImmediately: true })
      yield* TestClock.adjust(15 * minute)
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/ResultUnknown")
      yield* Deferred.succeed(gate, undefined)
      yield* runOut(first)
      const after = yield* pointsman.payment(tenant, payment.id)
      assert.strictEqual(after.state, doneState[kind])
      assert.strictEqual(after.refundPendingMinor, 0)
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/ResultUnknown")
      assert.strictEqual(calls(own), 1)
    })
  })

  describe("the claim's commit", () => {
    const cases: ReadonlyArray<readonly [said: string, fault: CommitFault]> = [
      ["fails", "unwritten"],
      ["is lost", "lost"],
      ["is written and unheard", "unheard"],
      ["lands a second later", { landsAfter: 1_000 }]
    ]
    for (const [said, fault] of cases) {
      itIn(`a ${kind} whose first commit ${said} is unsent, and retried once`, world(), function* (own) {
        const pointsman = yield* Pointsman
        const payment = yield* given(kind)
        own.ledger.onCommit = (number) => (number === claim ? fault : undefined)
        assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/NothingSent")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(calls(own), 0)
        const between = yield* pointsman.payment(tenant, payment.id)
        assert.strictEqual(between.state, restState[kind])
        assert.strictEqual(between.refundPendingMinor, 0)
        assert.strictEqual(told(yield* ask(kind, payment)), "Done")
        assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, doneState[kind])
        assert.strictEqual(calls(own), 1)
      })
    }

    itIn(`nothing is left if a ${kind} lands late and its replacement is lost too`, world(), function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      own.ledger.onCommit = (number) =>
        number === claim ? { landsAfter: 1_000 } : number === claim + 1 ? "lost" : undefined
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/NothingSent")
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* pointsman.payment(tenant, payment.id), {
        state: restState[kind],
        refundPendingMinor: 0
      })
      assert.strictEqual(told(yield* ask(kind, payment)), "Done")
      assert.strictEqual(calls(own), 1)
    })

    itIn(`a ${kind} without an answer is given back once the store is there again`, world(), function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      own.ledger.onCommit = (number) => (number === claim ? "unheard" : "unwritten")
      const answer = yield* runOut(yield* Effect.forkChild(ask(kind, payment)))
      assert.strictEqual(told(answer), "pointsman/NothingSent")
      own.ledger.onCommit = () => undefined
      yield* TestClock.adjust("2 minutes")
      assert.deepInclude(yield* pointsman.payment(tenant, payment.id), {
        state: restState[kind],
        refundPendingMinor: 0
      })
      assert.strictEqual(told(yield* ask(kind, payment)), "Done")
      assert.strictEqual(calls(own), 1)
    })

    itIn(`of a ${kind} takes longer than the send window, then nothing is sent`, world(), function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      own.ledger.onCommit = (number) => (number === claim ? 5_001 : undefined)
      const answer = yield* runOut(yield* Effect.forkChild(ask(kind, payment)))
      assert.strictEqual(told(answer), "pointsman/ProviderRefused")
      assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, restState[kind])
      assert.strictEqual(calls(own), 0)
    })
  })

  describe(`${kind}, when the outcome's commit`, () => {
    for (const fault of ["lost", "unheard"] as const) {
      itIn(`is ${fault}, then it is read again: written once, answered as it is`, world(), function* (own) {
        const pointsman = yield* Pointsman
        const payment = yield* given(kind)
        own.ledger.onCommit = (number) => (number === outcome ? fault : undefined)
        assert.strictEqual(told(yield* ask(kind, payment)), "Done")
        assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, doneState[kind])
        assert.lengthOf((yield* pointsman.timeline(tenant, payment.id, { limit: 10 })).items, 3)
        assert.strictEqual(told(yield* ask(kind, payment)), "Replayed")
        assert.strictEqual(calls(own), 1)
      })
    }

    const says = {
      confirmed: { capture: "StateUnconfirmed", void: "StateUnconfirmed", refund: "StateUnconfirmed" },
      refused: { capture: "StateUnconfirmed", void: "StateUnconfirmed", refund: "ResultUnknown" },
      silent: { capture: "StateUnconfirmed", void: "StateUnconfirmed", refund: "ResultUnknown" }
    } as const
    for (const said of ["confirmed", "refused", "silent"] as const) {
      itIn(`${said} is returned, recorded later, and returned again if no commit works`, world(), function* (own) {
        const pointsman = yield* Pointsman
        const payment = yield* given(kind)
        if (said !== "confirmed") failWith(own, said)
        own.ledger.onCommit = (number) => (number >= outcome ? "unwritten" : undefined)
        const answer = yield* runOut(yield* Effect.forkChild(ask(kind, payment)))
        assert.strictEqual(told(answer), `pointsman/${says[said][kind]}`)
        if (Result.isFailure(answer) && "said" in answer.failure) {
          assert.strictEqual(answer.failure.said, said === "silent" ? "no answer" : said)
        }
        assert.strictEqual(told(yield* ask(kind, payment)), inProgress[kind])
        own.ledger.onCommit = () => undefined
        yield* TestClock.adjust("2 minutes")
        const state = said === "confirmed" ? doneState : said === "refused" ? restState : unknownState
        assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, state[kind])
        assert.strictEqual(told(yield* ask(kind, payment)), `pointsman/${says[said][kind]}`)
        assert.strictEqual(calls(own), 1)
      })
    }
  })

  describe(`${kind}, when the outcome's commit is written, unheard, and the store goes away`, () => {
    for (const said of ["confirmed", "refused"] as const) {
      itIn(`a response that the provider ${said} is repeated, and background checks end`, world(), function* (own) {
        const payment = yield* given(kind)
        if (said === "refused") failWith(own, said)
        let isAway = false
        own.ledger.canRead = () => !isAway
        own.ledger.onCommit = (number) => {
          if (number !== outcome) return isAway ? "unwritten" : undefined
          isAway = true
          return "unheard"
        }
        const first = told(yield* runOut(yield* Effect.forkChild(ask(kind, payment))))
        isAway = false
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual(told(yield* ask(kind, payment)), first)
        const { commit } = own.ledger.calls
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(own.ledger.calls.commit, commit)
        assert.strictEqual(calls(own), 1)
      })
    }
  })

  describe(`${kind}, when its outcome is recorded late`, () => {
    const late = world({ claimWindowMillis: 15 * minute })
    itIn("a retry that found the result unknown finds it unknown again", late, function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      const replyIn = ({ operations, refunds }: Change) => [...(operations ?? []), ...(refunds ?? [])][0]?.reply
      own.ledger.onCommit = (number, change) =>
        number >= outcome && replyIn(change)?._tag !== "ResultUnknown" ? "unwritten" : undefined
      assert.strictEqual(told(yield* runOut(yield* Effect.forkChild(ask(kind, payment)))), "pointsman/StateUnconfirmed")
      yield* TestClock.adjust(15 * minute)
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/ResultUnknown")
      own.ledger.onCommit = () => undefined
      yield* TestClock.adjust(2 * minute)
      assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, doneState[kind])
      assert.strictEqual(told(yield* ask(kind, payment)), "pointsman/ResultUnknown")
      assert.strictEqual(calls(own), 1)
    })
  })

  describe(`${kind}, when its caller goes away`, () => {
    itIn("then it runs to its end", world(), function* (own) {
      const pointsman = yield* Pointsman
      const payment = yield* given(kind)
      const gate = yield* answerLate(own)
      const fiber = yield* Effect.forkDetach(ask(kind, payment), { startImmediately: true })
      fiber.interruptUnsafe()
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, doneState[kind])
    })
  })
}

describe("a commit that hangs", () => {
  itIn("a void waits two seconds for a capture's commit and continues", world(), function* (own) {
    const payment = yield* given("capture")
    own.ledger.onCommit = (number) => (number === claim ? 600_000 : undefined)
    const capture = yield* Effect.forkDetach(ask("capture", payment), { startImmediately: true })
    const second = yield* Effect.forkDetach(ask("void", payment), { startImmediately: true })
    yield* TestClock.adjust(1_999)
    assert.isUndefined(second.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.strictEqual(told(yield* Fiber.join(second)), "pointsman/NotVoidable")
    capture.interruptUnsafe()
  })
})

describe("a refund that is refused while the store is away", () => {
  itIn("the timeline reports a failure after the request got an unknown result", world(), function* (own) {
    const pointsman = yield* Pointsman
    const payment = yield* given("refund")
    failWith(own, "refused")
    own.ledger.onCommit = (number) => (number >= outcome ? "unwritten" : undefined)
    const first = yield* runOut(yield* Effect.forkChild(ask("refund", payment)))
    assert.strictEqual(told(first), "pointsman/ResultUnknown")
    own.ledger.onCommit = () => undefined
    yield* TestClock.adjust("2 minutes")
    const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 10 })
    assert.deepStrictEqual(
      items.slice(2).map(({ type }) => type),
      ["payment.refund_unknown", "payment.refund_failed"]
    )
    assert.strictEqual(told(yield* ask("refund", payment)), "pointsman/ResultUnknown")
  })
})

describe("a connection that cannot", () => {
  itRuns("capture, void or refund, then it is refused before anything is written", function* () {
    for (const kind of operationKinds) {
      const unable = world({ provider: scriptedProvider({ without: [kind] }) })
      yield* Effect.gen(function* () {
        const payment = yield* given(kind)
        const { commit } = unable.ledger.calls
        const expected = kind === "refund" ? "pointsman/NotRefundable" : "pointsman/Unsupported"
        assert.strictEqual(told(yield* ask(kind, payment)), expected)
        assert.strictEqual(unable.ledger.calls.commit, commit)
      }).pipe(Effect.provide(unable.layer))
    }
  })
})

describe("the round trips of an operation that goes well", () => {
  for (const kind of operationKinds) {
    itIn(`${kind}: two commits, and one read where another process wrote the payment`, world(), function* (own) {
      const payment = yield* given(kind)
      const foreign = yield* Effect.provideService(given(kind), Pointsman, yield* own.another)
      for (const [asked, book] of [
        [payment, 0],
        [foreign, 1]
      ] as const) {
        const before = { ...own.ledger.calls }
        yield* ask(kind, asked)
        const after = own.ledger.calls
        assert.deepStrictEqual(
          { commit: after.commit - before.commit, book: after.book - before.book, payment: after.payment },
          { commit: 2, book, payment: before.payment }
        )
      }
    })
  }
})
