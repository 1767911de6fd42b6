/**
 * What if the store fails, or the process dies, at every step of an approval and of a checkout? Nothing is sent on what
 * may not be stored, nothing is sent twice, and what is not known is not called a failure.
 */
import { assert, describe, it } from "@effect/vitest"
import { type HostedFailure, type Payment, PaymentResultUnknown, Pointsman } from "@pointsman/core"
import { type Directory, Ledger, type Secrets, StorageError } from "@pointsman/core/ports"
import { approve, type CommitFault } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import {
  anotherWriter,
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
  describe(`the commit before ${name} is sent`, () => {
    const unwritten = make()
    it.effect("a failed first commit begins nothing, and the customer can try again", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        unwritten.ledger.onCommit = (number) => (number === 2 ? "unwritten" : undefined)
        assert.instanceOf(yield* Effect.flip(begin(token)), StorageError)
        assert.strictEqual(asked(unwritten), 0)
        assert.deepStrictEqual(yield* stored(payment), payment)
        assert.strictEqual((yield* begin(token)).state, goodEnd)
        assert.strictEqual(asked(unwritten), 1)
      }).pipe(Effect.provide(unwritten.layer))
    )

    const faults: ReadonlyArray<ReadonlyArray<CommitFault>> = [
      ["lost"],
      ["unheard"],
      ["lost", "lost"],
      ["lost", "unheard"],
      ["unheard", "lost"],
      ["unheard", "unheard"],
      ["unheard", "lost", "lost"],
      ["lost", "unwritten"],
      ["unheard", "unwritten", "unheard"],
      [{ landsAfter: 10 }],
      ["lost", { landsAfter: 10 }]
    ]
    for (const each of faults) {
      const at = make()
      it.effect(`a first commit, ${JSON.stringify(each)}, fails once, unsent`, () =>
        Effect.gen(function* () {
          const { payment, token } = yield* page
          at.ledger.onCommit = (number) => each[number - 2]
          const beginning = yield* Effect.forkChild(begin(token))
          yield* TestClock.adjust(minute)
          const ended = yield* Fiber.join(beginning)
          assert.deepInclude(ended, { state: "Failed", declineReason: "provider_error" })
          assert.deepStrictEqual(yield* stored(payment), ended)
          assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
          assert.deepStrictEqual(yield* outcomesOf(payment), ["Abandoned"])
          at.ledger.onCommit = () => undefined
          assert.strictEqual((yield* begin(token)).state, "Failed")
          assert.strictEqual(asked(at), 0)
        }).pipe(Effect.provide(at.layer))
      )
    }

    for (const fault of ["lost", "unheard"] as const) {
      const at = make()
      it.effect(`a commit of unknown fate (${fault}) is unknown while the store is down`, () =>
        Effect.gen(function* () {
          const { payment, token } = yield* page
          at.ledger.onCommit = (number) => (number === 2 ? fault : "unwritten")
          const beginning = yield* Effect.forkChild(Effect.flip(begin(token)))
          yield* TestClock.adjust(minute)
          assert.instanceOf(yield* Fiber.join(beginning), PaymentResultUnknown)
          assert.strictEqual(asked(at), 0)
          at.ledger.onCommit = () => undefined
          assert.strictEqual((yield* stored(payment)).state, fault === "lost" ? "AwaitingCustomer" : "Charging")
        }).pipe(Effect.provide(at.layer))
      )
    }

    const other = make()
    it.effect("only another tab that began after a lost commit continues, and is sent", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        const services = yield* Effect.context<Pointsman | Ledger | Directory | Secrets>()
        other.ledger.onCommit = (number) => (number === 2 ? "lost" : undefined)
        other.ledger.beforeCommit = (number) =>
          number === 3 ? Effect.orDie(Effect.asVoid(Effect.provideContext(begin(token), services))) : Effect.void
        assert.strictEqual((yield* begin(token)).state, goodEnd)
        assert.strictEqual(asked(other), 1)
        assert.deepStrictEqual(yield* outcomesOf(payment), [goodOutcome])
        assert.deepStrictEqual(yield* typesOf(payment), [...goodEvents])
      }).pipe(Effect.provide(other.layer))
    )

    const working = make()
    it.effect("the payment of another tab whose provider is at work stays after a lost commit", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        const services = yield* Effect.context<Pointsman | Ledger | Directory | Secrets>()
        silence(working)
        working.ledger.onCommit = (number) => (number === 2 ? "lost" : undefined)
        working.ledger.beforeCommit = (number) =>
          number === 3
            ? Effect.asVoid(
                Effect.forkDetach(Effect.provideContext(begin(token), services), { startImmediately: true })
              )
            : Effect.void
        assert.strictEqual((yield* begin(token)).state, "Charging")
        assert.strictEqual(asked(working), 1)
        assert.deepStrictEqual(yield* outcomesOf(payment), [null])
      }).pipe(Effect.provide(working.layer))
    )

    const slow = make()
    it.effect("nothing is sent on a commit that took more than 5 seconds: FAILED", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        slow.ledger.onCommit = (number) => (number === 2 ? 5_001 : undefined)
        const beginning = yield* Effect.forkChild(begin(token))
        yield* TestClock.adjust(5_001)
        assert.strictEqual((yield* Fiber.join(beginning)).state, "Failed")
        assert.strictEqual(asked(slow), 0)
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
        assert.deepStrictEqual(yield* outcomesOf(payment), ["Abandoned"])
      }).pipe(Effect.provide(slow.layer))
    )

    const quick = make()
    it.effect("a commit that took 5 seconds is sent", () =>
      Effect.gen(function* () {
        const { token } = yield* page
        quick.ledger.onCommit = (number) => (number === 2 ? 5_000 : undefined)
        const beginning = yield* Effect.forkChild(begin(token))
        yield* TestClock.adjust(5_000)
        assert.strictEqual((yield* Fiber.join(beginning)).state, goodEnd)
      }).pipe(Effect.provide(quick.layer))
    )
  })

  describe(`a process that dies in ${name}`, () => {
    const before = make()
    it.effect("another tab can begin when the process died before the first commit", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        before.ledger.beforeCommit = (number) => (number === 2 ? Effect.never : Effect.void)
        yield* Effect.forkDetach(begin(token), { startImmediately: true })
        assert.deepStrictEqual(yield* stored(payment), payment)
        assert.strictEqual((yield* begin(token)).state, goodEnd)
        assert.strictEqual(asked(before), 1)
      }).pipe(Effect.provide(before.layer))
    )

    const deaths: ReadonlyArray<readonly [string, number, (at: World) => void]> = [
      [
        "after its first commit, before it asks",
        0,
        (at) => (at.ledger.onCommit = (n) => (n === 2 ? 100 * hour : undefined))
      ],
      ["while it asks", 1, (at) => silence(at)],
      [
        "before its last commit",
        1,
        (at) => (at.ledger.beforeCommit = (number) => (number === 3 ? Effect.never : Effect.void))
      ]
    ]
    for (const [when, count, die] of deaths) {
      const at = make()
      it.effect(`a payment is at work after its process dies ${when}`, () =>
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          const { payment, token } = yield* page
          die(at)
          yield* Effect.forkDetach(begin(token), { startImmediately: true })
          yield* TestClock.adjust(1_000)
          const left = yield* stored(payment)
          assert.strictEqual(left.state, "Charging")
          assert.deepStrictEqual(yield* outcomesOf(payment), [null])
          assert.deepStrictEqual(yield* begin(token), left)
          assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, { _tag: "Cancel" }), {
            payment: left,
            acted: false
          })
          assert.deepStrictEqual((yield* pointsman.returnFromCheckout(token)).payment, left)
          assert.strictEqual(asked(at), count)
          assert.lengthOf(at.provider.lookUps, 0)
        }).pipe(Effect.provide(at.layer))
      )
    }

    const after = make()
    it.effect("what is stored is the answer of one that dies after its last commit", () =>
      Effect.gen(function* () {
        const { token } = yield* page
        after.ledger.onCommit = (number) => (number === 3 ? 100 * hour : undefined)
        yield* Effect.forkDetach(begin(token), { startImmediately: true })
        yield* TestClock.adjust(1_000)
        assert.strictEqual((yield* begin(token)).state, goodEnd)
        assert.strictEqual(asked(after), 1)
      }).pipe(Effect.provide(after.layer))
    )
  })

  describe(`the commit after ${name} was answered`, () => {
    const flaky = make()
    it.effect("a commit that fails twice is written the third time", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        flaky.ledger.onCommit = (number) => (number === 3 || number === 4 ? "unwritten" : undefined)
        const beginning = yield* Effect.forkChild(begin(token))
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* Fiber.join(beginning)).state, goodEnd)
        assert.deepStrictEqual(yield* typesOf(payment), [...goodEvents])
        assert.strictEqual(asked(flaky), 1)
      }).pipe(Effect.provide(flaky.layer))
    )

    const broken = make()
    it.effect("a commit that never works is PaymentResultUnknown, and nothing asks again", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        broken.ledger.onCommit = (number) => (number > 2 ? "unwritten" : undefined)
        const beginning = yield* Effect.forkChild(Effect.flip(begin(token)))
        yield* TestClock.adjust(minute)
        assert.instanceOf(yield* Fiber.join(beginning), PaymentResultUnknown)
        broken.ledger.onCommit = () => undefined
        assert.strictEqual((yield* begin(token)).state, "Charging")
        assert.strictEqual(asked(broken), 1)
        assert.deepStrictEqual(yield* outcomesOf(payment), [null])
      }).pipe(Effect.provide(broken.layer))
    )

    for (const fault of ["lost", "unheard"] as const) {
      const at = make()
      it.effect(`a commit with a lost answer (${fault}) is written once`, () =>
        Effect.gen(function* () {
          const { payment, token } = yield* page
          at.ledger.onCommit = (number) => (number === 3 ? fault : undefined)
          const ended = yield* begin(token)
          assert.strictEqual(ended.state, goodEnd)
          assert.deepStrictEqual(yield* stored(payment), ended)
          assert.deepStrictEqual(yield* typesOf(payment), [...goodEvents])
          assert.deepStrictEqual(yield* outcomesOf(payment), [goodOutcome])
          assert.strictEqual(asked(at), 1)
        }).pipe(Effect.provide(at.layer))
      )
    }

    const buggy = make()
    it.effect("a store that dies of a bug is PaymentResultUnknown", () =>
      Effect.gen(function* () {
        const { token } = yield* page
        buggy.ledger.beforeCommit = (number) => (number === 3 ? Effect.die(new Error("a bug")) : Effect.void)
        assert.instanceOf(yield* Effect.flip(begin(token)), PaymentResultUnknown)
        assert.strictEqual(asked(buggy), 1)
      }).pipe(Effect.provide(buggy.layer))
    )

    const told = make()
    it.effect("an end that another source reported first is kept", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        const ledger = yield* Ledger
        told.ledger.beforeCommit = (number) =>
          number === 3
            ? Effect.provideService(anotherWriter(payment, { on: "ChargeCancelled" }), Ledger, ledger)
            : Effect.void
        const ended = yield* begin(token)
        // Money that is captured after all is reported; an open checkout takes none.
        assert.strictEqual(ended.state, goodEnd === "Captured" ? "Captured" : "Cancelled")
        assert.deepStrictEqual(yield* outcomesOf(payment), [goodOutcome])
      }).pipe(Effect.provide(told.layer))
    )
  })

  describe(`the customer of ${name} goes away`, () => {
    const at = make()
    it.effect("an interruption while the provider is asked is recorded all the same", () =>
      Effect.gen(function* () {
        const { payment, token } = yield* page
        const { onOpenCheckout } = at.provider
        at.provider.onCharge = (charge) => Effect.andThen(Effect.sleep("2 seconds"), approve(charge))
        at.provider.onOpenCheckout = (checkout) => Effect.andThen(Effect.sleep("2 seconds"), onOpenCheckout(checkout))
        const beginning = yield* Effect.forkChild(begin(token))
        yield* TestClock.adjust("1 second")
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(beginning))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(interrupting)
        assert.strictEqual((yield* stored(payment)).state, goodEnd)
        assert.strictEqual(asked(at), 1)
      }).pipe(Effect.provide(at.layer))
    )
  })
}

describe("what cannot be read before anything begins", () => {
  const blind = world()
  it.effect("a page that cannot be read is a StorageError for all, and no provider is asked", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { token } = yield* paged()
      blind.ledger.canRead = (method) => method !== "paymentOfPage"
      assert.instanceOf(yield* Effect.flip(pointsman.hostedPage(token)), StorageError)
      assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, { _tag: "Approve" })), StorageError)
      assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(token, comeBack)), StorageError)
      assert.instanceOf(yield* Effect.flip(pointsman.returnFromCheckout(token)), StorageError)
      assert.lengthOf(blind.provider.charges, 0)
    }).pipe(Effect.provide(blind.layer))
  )
})

describe("the commit of an end without a provider", () => {
  type End = (
    token: string
  ) => Effect.Effect<{ readonly payment: Payment; readonly acted?: boolean }, HostedFailure, Pointsman>
  const ends: Readonly<Record<string, End>> = {
    "a cancel": (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) => pointsman.actOnHostedPage(token, { _tag: "Cancel" })),
    "a decline": (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) =>
        pointsman.actOnHostedPage(token, { _tag: "Decline", category: "other" })
      ),
    "the end of the page": (token: string) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(31 * minute)
        return yield* (yield* Pointsman).hostedPage(token)
      })
  }
  for (const [name, end] of Object.entries(ends)) {
    const unwritten = world()
    it.effect(`a failed commit of ${name} is a StorageError, and can be tried again`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* paged()
        unwritten.ledger.onCommit = (number) => (number === 2 ? "unwritten" : undefined)
        assert.instanceOf(yield* Effect.flip(end(token)), StorageError)
        assert.strictEqual((yield* stored(payment)).state, "AwaitingCustomer")
        const ended = yield* end(token)
        assert.deepStrictEqual(yield* stored(payment), ended.payment)
        assert.lengthOf(yield* typesOf(payment), 2)
      }).pipe(Effect.provide(unwritten.layer))
    )

    for (const each of [["lost"], ["unheard"], ["lost", "lost"], ["lost", "unheard"]] as const) {
      const at = world()
      it.effect(`${name} of unknown fate, ${JSON.stringify(each)}, is written once`, () =>
        Effect.gen(function* () {
          const { payment, token } = yield* paged()
          at.ledger.onCommit = (number) => each[number - 2]
          const ended = yield* runOut(yield* Effect.forkChild(end(token)))
          assert.notStrictEqual(ended.acted, false)
          assert.include(["Cancelled", "Declined"], ended.payment.state)
          assert.deepStrictEqual(yield* stored(payment), ended.payment)
          assert.lengthOf(yield* typesOf(payment), 2)
        }).pipe(Effect.provide(at.layer))
      )
    }
  }
})
