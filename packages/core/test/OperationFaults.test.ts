/** What if the process dies, or the store fails, at every step of a capture, a void and a refund? */
import { assert, describe } from "@effect/vitest"
import type { Payment, Pointsman } from "@pointsman/core"
import { type Change, type Ledger, Unanswered } from "@pointsman/core/ports"
import { type CommitFault, scriptedProvider } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { type Answer, authorized, operate, operationKinds, payable } from "./support/Operations.ts"
import { stored, typesOf } from "./support/Pages.ts"
import { runOut, type World, world } from "./support/World.ts"

const minute = 60_000
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

/** `Done`, `Replayed`, or the failure's tag. */
const endOf = (answer: Answer): string =>
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

const slow = { claimWindowMillis: 15 * minute, providerTimeoutMillis: 60 * minute }

for (const kind of operationKinds) {
  /** How it ends under its key, on a payment of which it can be asked. */
  const givenOf = (payment: Payment) => {
    const ask = operate(kind, payment.id, { idempotencyKey: "operation-1" })
    const asked = Effect.map(ask, endOf)
    const seen = Effect.map(stored(payment), ({ refundPendingMinor, state }) => [state, refundPendingMinor])
    return { payment, ask, asked, lateAsked: Effect.flatMap(Effect.forkChild(asked), runOut), seen }
  }
  const itAsks = (
    title: string,
    body: (own: World & ReturnType<typeof givenOf>) => Effect.fn.Return<unknown, unknown, Pointsman | Ledger>,
    options: Parameters<typeof world>[0] = {}
  ) =>
    itIn(title, world(options), function* (own) {
      const payment = yield* payable(kind)
      yield* Effect.gen(() => body({ ...own, ...givenOf(payment) }))
    })

  describe(`a ${kind}`, () => {
    itAsks(
      "a key whose process died is in progress for 15 minutes, then unknown; one call",
      function* (own) {
        yield* answerLate(own)
        yield* Effect.forkDetach(own.asked, { startImmediately: true })
        yield* TestClock.adjust(15 * minute - 1)
        assert.strictEqual(yield* own.asked, inProgress[kind])
        yield* TestClock.adjust(1)
        for (const _ of [1, 2]) assert.strictEqual(yield* own.asked, "pointsman/ResultUnknown")
        assert.deepStrictEqual(yield* own.seen, [unknownState[kind], kind === "refund" ? 1999 : 0])
        assert.strictEqual(calls(own), 1)
      },
      slow
    )
    itAsks(
      "a late commit after a retry's unknown is recorded; the key keeps its response",
      function* (own) {
        const gate = yield* answerLate(own)
        const first = yield* Effect.forkDetach(own.asked, { startImmediately: true })
        yield* TestClock.adjust(15 * minute)
        assert.strictEqual(yield* own.asked, "pointsman/ResultUnknown")
        yield* Deferred.succeed(gate, undefined)
        yield* runOut(first)
        assert.deepStrictEqual(yield* own.seen, [doneState[kind], 0])
        assert.strictEqual(yield* own.asked, "pointsman/ResultUnknown")
        assert.strictEqual(calls(own), 1)
      },
      slow
    )

    for (const [said, ...faults] of [
      ["fails", "unwritten"],
      ["is lost", "lost"],
      ["is written and unheard", "unheard"],
      ["lands a second later", { landsAfter: 1_000 }],
      ["lands late and its replacement is lost", { landsAfter: 1_000 }, "lost"]
    ] as ReadonlyArray<readonly [said: string, ...ReadonlyArray<CommitFault>]>) {
      itAsks(`a ${kind} whose first commit ${said} is unsent, and retried once`, function* (own) {
        own.ledger.onCommit = (number) => faults[number - claim]
        assert.strictEqual(yield* own.asked, "pointsman/NothingSent")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(calls(own), 0)
        assert.deepStrictEqual(yield* own.seen, [restState[kind], 0])
        assert.strictEqual(yield* own.asked, "Done")
        assert.deepStrictEqual(yield* own.seen, [doneState[kind], 0])
        assert.strictEqual(calls(own), 1)
      })
    }

    itAsks("a first commit without an answer is given back once the store is there again", function* (own) {
      own.ledger.onCommit = (number) => (number === claim ? "unheard" : "unwritten")
      assert.strictEqual(yield* own.lateAsked, "pointsman/NothingSent")
      own.ledger.onCommit = () => undefined
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* own.seen, [restState[kind], 0])
      assert.strictEqual(yield* own.asked, "Done")
      assert.strictEqual(calls(own), 1)
    })

    itAsks("a first commit that takes longer than the send window sends nothing", function* (own) {
      own.ledger.onCommit = (number) => (number === claim ? 5_001 : undefined)
      assert.strictEqual(yield* own.lateAsked, "pointsman/ProviderRefused")
      assert.deepStrictEqual(yield* own.seen, [restState[kind], 0])
      assert.strictEqual(calls(own), 0)
    })

    for (const fault of ["lost", "unheard"] as const) {
      itAsks(`an outcome whose commit is ${fault} is read again, written once, and answered`, function* (own) {
        own.ledger.onCommit = (number) => (number === outcome ? fault : undefined)
        assert.strictEqual(yield* own.asked, "Done")
        assert.deepStrictEqual(yield* own.seen, [doneState[kind], 0])
        assert.lengthOf(yield* typesOf(own.payment), 3)
        assert.strictEqual(yield* own.asked, "Replayed")
        assert.strictEqual(calls(own), 1)
      })
    }

    const unconfirmed = "pointsman/StateUnconfirmed"
    const refundUnknown = kind === "refund" ? "pointsman/ResultUnknown" : unconfirmed
    for (const [said, says, state] of [
      ["confirmed", unconfirmed, doneState],
      ["refused", refundUnknown, restState],
      ["silent", refundUnknown, unknownState]
    ] as const) {
      itAsks(`${said} is returned, recorded later, and returned again if no commit works`, function* (own) {
        if (said !== "confirmed") failWith(own, said)
        own.ledger.onCommit = (number) => (number >= outcome ? "unwritten" : undefined)
        const answer = yield* runOut(yield* Effect.forkChild(own.ask))
        assert.strictEqual(endOf(answer), says)
        if (Result.isFailure(answer) && "said" in answer.failure) {
          assert.strictEqual(answer.failure.said, said === "silent" ? "no answer" : said)
        }
        assert.strictEqual(yield* own.asked, inProgress[kind])
        own.ledger.onCommit = () => undefined
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual((yield* own.seen)[0], state[kind])
        assert.strictEqual(yield* own.asked, says)
        assert.strictEqual(calls(own), 1)
        // The request got an unknown result, so the timeline reports the failure.
        if (kind !== "refund" || said !== "refused") return
        assert.deepStrictEqual((yield* typesOf(own.payment)).slice(2), [
          "payment.refund_unknown",
          "payment.refund_failed"
        ])
      })
    }

    for (const said of ["confirmed", "refused"] as const) {
      itAsks(`a ${said} response is repeated if the store goes away after an unheard commit`, function* (own) {
        if (said === "refused") failWith(own, said)
        let isAway = false
        own.ledger.canRead = () => !isAway
        own.ledger.onCommit = (number) => {
          if (number !== outcome) return isAway ? "unwritten" : undefined
          isAway = true
          return "unheard"
        }
        const first = yield* own.lateAsked
        isAway = false
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual(yield* own.asked, first)
        const { commit } = own.ledger.calls
        // Background checks end.
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(own.ledger.calls.commit, commit)
        assert.strictEqual(calls(own), 1)
      })
    }

    itAsks(
      "a retry that found the result unknown does so again if it is recorded late",
      function* (own) {
        const replyIn = ({ operations, refunds }: Change) => [...(operations ?? []), ...(refunds ?? [])][0]?.reply
        own.ledger.onCommit = (number, change) =>
          number >= outcome && replyIn(change)?._tag !== "ResultUnknown" ? "unwritten" : undefined
        assert.strictEqual(yield* own.lateAsked, "pointsman/StateUnconfirmed")
        yield* TestClock.adjust(15 * minute)
        assert.strictEqual(yield* own.asked, "pointsman/ResultUnknown")
        own.ledger.onCommit = () => undefined
        yield* TestClock.adjust(2 * minute)
        assert.strictEqual((yield* own.seen)[0], doneState[kind])
        assert.strictEqual(yield* own.asked, "pointsman/ResultUnknown")
        assert.strictEqual(calls(own), 1)
      },
      { claimWindowMillis: 15 * minute }
    )

    itAsks("an operation whose caller goes away runs to its end", function* (own) {
      const gate = yield* answerLate(own)
      const fiber = yield* Effect.forkDetach(own.asked, { startImmediately: true })
      fiber.interruptUnsafe()
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* own.seen, [doneState[kind], 0])
    })

    const unable = { provider: scriptedProvider({ without: [kind] }) }
    itAsks(
      "a connection that cannot do it refuses before anything is written",
      function* (own) {
        const { commit } = own.ledger.calls
        assert.strictEqual(yield* own.asked, kind === "refund" ? "pointsman/NotRefundable" : "pointsman/Unsupported")
        assert.strictEqual(own.ledger.calls.commit, commit)
      },
      unable
    )
  })
}

itHere("a void waits two seconds for a capture's commit and continues", function* (own) {
  const { id } = yield* authorized
  own.ledger.onCommit = (number) => (number === claim ? 600_000 : undefined)
  const capture = yield* Effect.forkDetach(operate("capture", id), { startImmediately: true })
  const second = yield* Effect.forkDetach(operate("void", id), { startImmediately: true })
  yield* TestClock.adjust(1_999)
  assert.isUndefined(second.pollUnsafe())
  yield* TestClock.adjust(1)
  assert.strictEqual(endOf(yield* Fiber.join(second)), "pointsman/NotVoidable")
  capture.interruptUnsafe()
})
