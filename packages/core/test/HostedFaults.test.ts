/**
 * What if the store fails, or the process dies, at every step of an approval and of a checkout? Nothing is sent on what
 * may not be stored, nothing is sent twice, and what is not known is not called a failure.
 */
import { assert, describe } from "@effect/vitest"
import { type HostedAction, type HostedFailure, type Payment, PaymentResultUnknown, Pointsman } from "@pointsman/core"
import { type Directory, type Ledger, type Secrets, StorageError } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import {
  anotherBefore,
  comeBack,
  hour,
  liveCaller,
  liveConnections,
  minute,
  outcomesOf,
  paged,
  stored,
  typesOf
} from "./support/Pages.ts"
import { endAfter, unknownFates } from "./support/Steps.ts"
import { caller, runOut, type World, world } from "./support/World.ts"

/** Both ways to begin on a page: what begins, how often its provider was asked, and where it ends when all goes well. */
const beginnings = [
  {
    name: "an approval",
    make: (): World => world(),
    page: paged(caller, { idempotencyKey: "order-0001" }),
    begin: (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) =>
        Effect.map(pointsman.actOnHostedPage(token, { _tag: "Approve" }), ({ payment }) => payment)
      ),
    asked: ({ provider }: World) => provider.charges.length,
    silence: ({ provider }: World) => {
      provider.onCharge = () => Effect.never
    },
    goodEnd: "Captured",
    goodOutcome: "Captured",
    goodEvents: ["payment.requires_action", "payment.captured"]
  },
  {
    name: "a checkout",
    make: (): World => world({ connections: liveConnections }),
    page: paged(liveCaller, { idempotencyKey: "order-0001" }),
    begin: (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) =>
        Effect.gen(function* () {
          yield* pointsman.openCheckout(token, comeBack)
          return (yield* pointsman.hostedPage(token)).payment
        })
      ),
    asked: ({ provider }: World) => provider.checkouts.length,
    silence: ({ provider }: World) => {
      provider.onOpenCheckout = () => Effect.never
    },
    goodEnd: "CheckoutOpen",
    goodOutcome: "CheckoutOpened",
    goodEvents: ["payment.requires_action"]
  }
] as const

for (const { asked, begin, goodEnd, goodEvents, goodOutcome, make, name, page, silence } of beginnings) {
  const begins = Effect.fnUntraced(function* (own: World, token: string, state: string, times: number) {
    assert.deepStrictEqual([(yield* begin(token)).state, asked(own)], [state, times])
  })

  describe(`the commit before ${name} is sent`, () => {
    itIn("a failed first commit begins nothing, and the customer can try again", make(), function* (own) {
      const { payment, token } = yield* page
      own.ledger.onCommit = (number) => (number === 2 ? "unwritten" : undefined)
      assert.instanceOf(yield* Effect.flip(begin(token)), StorageError)
      assert.strictEqual(asked(own), 0)
      assert.deepStrictEqual(yield* stored(payment), payment)
      yield* begins(own, token, goodEnd, 1)
    })

    for (const each of unknownFates) {
      itIn(`a first commit, ${JSON.stringify(each)}, fails once, unsent`, make(), function* (own) {
        const { payment, token } = yield* page
        own.ledger.onCommit = (number) => each[number - 2]
        const ended = yield* endAfter(minute, begin(token))
        assert.deepInclude(ended, { state: "Failed", declineReason: "provider_error" })
        assert.deepStrictEqual(yield* stored(payment), ended)
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
        assert.deepStrictEqual(yield* outcomesOf(payment), ["Abandoned"])
        own.ledger.onCommit = () => undefined
        yield* begins(own, token, "Failed", 0)
      })
    }

    for (const fault of ["lost", "unheard"] as const) {
      itIn(`a commit of unknown fate (${fault}) is unknown while the store is down`, make(), function* (own) {
        const { payment, token } = yield* page
        own.ledger.onCommit = (number) => (number === 2 ? fault : "unwritten")
        assert.instanceOf(yield* endAfter(minute, Effect.flip(begin(token))), PaymentResultUnknown)
        assert.strictEqual(asked(own), 0)
        own.ledger.onCommit = () => undefined
        assert.strictEqual((yield* stored(payment)).state, fault === "lost" ? "AwaitingCustomer" : "Charging")
      })
    }

    itIn("only another tab that began after a lost commit continues, and is sent", make(), function* (own) {
      const { payment, token } = yield* page
      const services = yield* Effect.context<Pointsman | Ledger | Directory | Secrets>()
      own.ledger.onCommit = (number) => (number === 2 ? "lost" : undefined)
      own.ledger.beforeCommit = (number) =>
        number === 3 ? Effect.orDie(Effect.asVoid(Effect.provideContext(begin(token), services))) : Effect.void
      yield* begins(own, token, goodEnd, 1)
      assert.deepStrictEqual(yield* outcomesOf(payment), [goodOutcome])
      assert.deepStrictEqual(yield* typesOf(payment), [...goodEvents])
    })

    itIn("the payment of another tab whose provider is at work stays after a lost commit", make(), function* (own) {
      const { payment, token } = yield* page
      const services = yield* Effect.context<Pointsman | Ledger | Directory | Secrets>()
      silence(own)
      own.ledger.onCommit = (number) => (number === 2 ? "lost" : undefined)
      own.ledger.beforeCommit = (number) =>
        number === 3
          ? Effect.asVoid(Effect.forkDetach(Effect.provideContext(begin(token), services), { startImmediately: true }))
          : Effect.void
      yield* begins(own, token, "Charging", 1)
      assert.deepStrictEqual(yield* outcomesOf(payment), [null])
    })

    for (const [millis, state, ...outcomes] of [
      [5_001, "Failed", "Abandoned"],
      [5_000, goodEnd, goodOutcome]
    ] as const) {
      itIn(`a commit of ${millis} milliseconds is ${state}: sent only within 5 seconds`, make(), function* (own) {
        const { payment, token } = yield* page
        own.ledger.onCommit = (number) => (number === 2 ? millis : undefined)
        assert.strictEqual((yield* endAfter(millis, begin(token))).state, state)
        assert.strictEqual(asked(own), state === "Failed" ? 0 : 1)
        const events = state === "Failed" ? ["payment.requires_action", "payment.failed"] : [...goodEvents]
        assert.deepStrictEqual(yield* typesOf(payment), events)
        assert.deepStrictEqual(yield* outcomesOf(payment), outcomes)
      })
    }
  })

  describe(`a process that dies in ${name}`, () => {
    const hangsFrom = (commit: number) => (at: World) => {
      at.ledger.beforeCommit = (number) => (number === commit ? Effect.never : Effect.void)
    }
    const hangsAfter = (commit: number) => (at: World) => {
      at.ledger.onCommit = (number) => (number === commit ? 100 * hour : undefined)
    }
    itIn("another tab can begin when the process died before the first commit", make(), function* (own) {
      const { payment, token } = yield* page
      hangsFrom(2)(own)
      yield* Effect.forkDetach(begin(token), { startImmediately: true })
      assert.deepStrictEqual(yield* stored(payment), payment)
      yield* begins(own, token, goodEnd, 1)
    })

    const deaths: ReadonlyArray<readonly [string, number, (at: World) => void]> = [
      ["after its first commit, before it asks", 0, hangsAfter(2)],
      ["while it asks", 1, silence],
      ["before its last commit", 1, hangsFrom(3)]
    ]
    for (const [when, count, die] of deaths) {
      itIn(`a payment is at work after its process dies ${when}`, make(), function* (own, pointsman) {
        const { payment, token } = yield* page
        die(own)
        yield* Effect.forkDetach(begin(token), { startImmediately: true })
        yield* TestClock.adjust(1_000)
        const left = yield* stored(payment)
        assert.strictEqual(left.state, "Charging")
        assert.deepStrictEqual(yield* outcomesOf(payment), [null])
        assert.deepStrictEqual(yield* begin(token), left)
        const unacted = { payment: left, acted: false }
        assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, { _tag: "Cancel" }), unacted)
        assert.deepStrictEqual((yield* pointsman.returnFromCheckout(token)).payment, left)
        assert.strictEqual(asked(own), count)
        assert.lengthOf(own.provider.lookUps, 0)
      })
    }

    itIn("what is stored is the answer of one that dies after its last commit", make(), function* (own) {
      const { token } = yield* page
      hangsAfter(3)(own)
      yield* Effect.forkDetach(begin(token), { startImmediately: true })
      yield* TestClock.adjust(1_000)
      yield* begins(own, token, goodEnd, 1)
    })
  })

  describe(`the commit after ${name} was answered`, () => {
    itIn("a commit that never works is PaymentResultUnknown, and nothing asks again", make(), function* (own) {
      const { payment, token } = yield* page
      own.ledger.onCommit = (number) => (number > 2 ? "unwritten" : undefined)
      assert.instanceOf(yield* endAfter(minute, Effect.flip(begin(token))), PaymentResultUnknown)
      own.ledger.onCommit = () => undefined
      yield* begins(own, token, "Charging", 1)
      assert.deepStrictEqual(yield* outcomesOf(payment), [null])
    })

    for (const each of [["lost"], ["unheard"], ["unwritten", "unwritten"]] as const) {
      itIn(`a commit that ends ${each.join(" and ")} is written once in the end`, make(), function* (own) {
        const { payment, token } = yield* page
        own.ledger.onCommit = (number) => each[number - 3]
        const ended = yield* endAfter(10_000, begin(token))
        assert.strictEqual(ended.state, goodEnd)
        assert.deepStrictEqual(yield* stored(payment), ended)
        assert.deepStrictEqual(yield* typesOf(payment), [...goodEvents])
        assert.deepStrictEqual(yield* outcomesOf(payment), [goodOutcome])
        assert.strictEqual(asked(own), 1)
      })
    }

    itIn("a store that dies of a bug is PaymentResultUnknown", make(), function* (own) {
      const { token } = yield* page
      own.ledger.beforeCommit = (number) => (number === 3 ? Effect.die(new Error("a bug")) : Effect.void)
      assert.instanceOf(yield* Effect.flip(begin(token)), PaymentResultUnknown)
      assert.strictEqual(asked(own), 1)
    })

    itIn("an end that another source reported first is kept", make(), function* (own) {
      const { payment, token } = yield* page
      yield* anotherBefore(own, 3, { on: "ChargeCancelled" })
      const ended = yield* begin(token)
      // Money that is captured after all is reported; an open checkout takes none.
      assert.strictEqual(ended.state, goodEnd === "Captured" ? "Captured" : "Cancelled")
      assert.deepStrictEqual(yield* outcomesOf(payment), [goodOutcome])
    })

    itIn("an interruption while the provider is asked is recorded all the same", make(), function* (own) {
      const { payment, token } = yield* page
      const { onOpenCheckout } = own.provider
      own.provider.onCharge = (charge) => Effect.andThen(Effect.sleep("2 seconds"), approve(charge))
      own.provider.onOpenCheckout = (checkout) => Effect.andThen(Effect.sleep("2 seconds"), onOpenCheckout(checkout))
      const beginning = yield* Effect.forkChild(begin(token))
      yield* TestClock.adjust("1 second")
      yield* endAfter(1_000, Fiber.interrupt(beginning))
      assert.strictEqual((yield* stored(payment)).state, goodEnd)
      assert.strictEqual(asked(own), 1)
    })
  })
}

itHere("a page that cannot be read is a StorageError for all, and no provider is asked", function* (own, pointsman) {
  const { token } = yield* paged()
  own.ledger.canRead = (method) => method !== "paymentOfPage"
  assert.instanceOf(yield* Effect.flip(pointsman.hostedPage(token)), StorageError)
  assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, { _tag: "Approve" })), StorageError)
  assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(token, comeBack)), StorageError)
  assert.instanceOf(yield* Effect.flip(pointsman.returnFromCheckout(token)), StorageError)
  assert.lengthOf(own.provider.charges, 0)
})

type End = (
  token: string
) => Effect.Effect<{ readonly payment: Payment; readonly acted?: boolean }, HostedFailure, Pointsman>
const acting = (action: HostedAction) => (token: string) =>
  Effect.flatMap(Pointsman, (pointsman) => pointsman.actOnHostedPage(token, action))
const ends: Readonly<Record<string, End>> = {
  "a cancel": acting({ _tag: "Cancel" }),
  "a decline": acting({ _tag: "Decline", category: "other" }),
  "the end of the page": (token: string) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(31 * minute)
      return yield* (yield* Pointsman).hostedPage(token)
    })
}
for (const [name, end] of Object.entries(ends)) {
  itHere(`a failed commit of ${name} is a StorageError, and can be tried again`, function* (own) {
    const { payment, token } = yield* paged()
    own.ledger.onCommit = (number) => (number === 2 ? "unwritten" : undefined)
    assert.instanceOf(yield* Effect.flip(end(token)), StorageError)
    assert.strictEqual((yield* stored(payment)).state, "AwaitingCustomer")
    const ended = yield* end(token)
    assert.deepStrictEqual(yield* stored(payment), ended.payment)
    assert.lengthOf(yield* typesOf(payment), 2)
  })

  for (const each of [["lost"], ["unheard"], ["lost", "lost"], ["lost", "unheard"]] as const) {
    itHere(`${name} of unknown fate, ${JSON.stringify(each)}, is written once`, function* (own) {
      const { payment, token } = yield* paged()
      own.ledger.onCommit = (number) => each[number - 2]
      const ended = yield* runOut(yield* Effect.forkChild(end(token)))
      assert.notStrictEqual(ended.acted, false)
      assert.include(["Cancelled", "Declined"], ended.payment.state)
      assert.deepStrictEqual(yield* stored(payment), ended.payment)
      assert.lengthOf(yield* typesOf(payment), 2)
    })
  }
}
