/**
 * A loss that an operator accepted, at providers without lists: what a key charged before the loss is not charged
 * again.
 */
import { assert, describe, it } from "@effect/vitest"
import { type AfterRestore, type Connection, NothingSent, Pointsman } from "@pointsman/core"
import { type Ledger, NotSent, RecordsMissing, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type ListingProvider, listingProvider } from "./support/ListingProvider.ts"
import { caller, request, world } from "./support/World.ts"

const day = 24 * 60 * 60_000
const hour = 60 * 60_000
const midnight = 101 * day
/** When the lost request was made. */
const before = midnight - hour
const key = "order-0001"

interface Options {
  readonly connections?: ReadonlyArray<Partial<Connection> & { readonly id: string }>
  readonly afterRestore?: AfterRestore
}

/** Stores one after the other at one provider without lists: each has lost what the one before held. */
const losing = ({ connections = [{ id: "main" }], ...options }: Options = {}) => {
  const provider = listingProvider()
  provider.onListCharges = undefined
  provider.onListRefunds = undefined
  const inNewStore = <A, E>(work: Effect.Effect<A, E, Pointsman | Ledger>, at: number) =>
    Effect.andThen(TestClock.setTime(at), work).pipe(Effect.provide(world({ ...options, connections, provider }).layer))
  return { provider, inNewStore }
}

const create = (change: Parameters<typeof request>[0] = {}) =>
  Effect.gen(function* () {
    return yield* (yield* Pointsman).create(caller, request({ idempotencyKey: key, ...change }))
  })

/** A loss of the last ten minutes, or since `since`, that an operator ends although no connection has a list. */
const accept = (since: number) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    yield* pointsman.recover({ since, connectionId: null, isDryRun: false })
    yield* pointsman.acceptLoss(null)
  })

/** As Adyen: it answers a repeated id with its first answer, and cannot look a charge up. */
const cannotSay = (provider: ListingProvider) => {
  provider.onLookUpCharge = () => Effect.succeed({ _tag: "NotFound", conclusive: false })
}

const refusal = (why: RecordsMissing["why"], connectionId = "main") =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(create())
    assert.instanceOf(failure, NothingSent)
    assert.instanceOf(failure.cause, RecordsMissing)
    assert.deepInclude({ ...failure.cause }, { why, connectionId, retryAfterMillis: 60_000 })
  })

describe("a provider that is asked for a lost charge", () => {
  it.effect("given no list and midnight, when the loss was accepted, then the charge that is found answers", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      const first = yield* inNewStore(create(), before)
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          yield* TestClock.setTime(midnight + hour)
          const stated = { minorUnits: 1999, currency: "EUR" }
          const captured = { _tag: "Captured", providerRef: first.payment.providerRef ?? "", stated } as const
          provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: captured })
          const other = create({ details: { money: { minorUnits: 1998, currency: "EUR" } } })
          assert.strictEqual((yield* Effect.flip(other))._tag, "pointsman/KeyReused")
          const found = yield* create()
          assert.isTrue(found.isReplay)
          const { createdAt, providerRef, reported, state } = found.payment
          assert.deepStrictEqual(
            { createdAt, providerRef, recovered: reported?.isRecovered, state },
            { createdAt: midnight + hour, providerRef: first.payment.providerRef, recovered: true, state: "Captured" }
          )
          assert.deepStrictEqual((yield* create()).payment, found.payment)
          assert.lengthOf(provider.charges, 1)
          assert.lengthOf(provider.lookUps, 2)
          assert.deepInclude(provider.lookUps[0], { sentAt: before - 1, sentBefore: before })
        }),
        before
      )
    })
  )

  it.effect("given an authorization that was captured since, then it is authorized, and captured", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      const manual = create({ details: { captureMethod: "manual" } })
      yield* inNewStore(
        Effect.gen(function* () {
          const { payment } = yield* manual
          const order = { paymentId: payment.id, idempotencyKey: null, amountMinor: 700 }
          yield* (yield* Pointsman).capture(caller, order)
        }),
        before
      )
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          const { payment } = yield* manual
          assert.deepInclude(payment, { state: "Captured", authorizedMinor: 1999, capturedMinor: 700, review: null })
          assert.lengthOf(provider.charges, 1)
        }),
        before
      )
    })
  )

  it.effect("given it denies every id, then the request is sent under the id of today", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing({ connections: [{ id: "main" }, { id: "backup" }] })
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - day)
          yield* TestClock.setTime(before + hour / 2)
          assert.isFalse((yield* create()).isReplay)
          // Both days at both connections.
          assert.lengthOf(provider.lookUps, 4)
          yield* create()
          assert.lengthOf(provider.lookUps, 4)
        }),
        before
      )
      const fresh = losing()
      yield* fresh.inNewStore(create(), before + hour / 2)
      assert.strictEqual(provider.charges[0]?.attemptId, fresh.provider.charges[0]?.attemptId)
    })
  )

  it.effect("given it does not answer, then nothing is sent, until it does", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      yield* inNewStore(create(), before)
      const { onLookUpCharge: answers } = provider
      provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "silent" }))
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          yield* refusal("unanswered")
          provider.onLookUpCharge = answers
          assert.isTrue((yield* create()).isReplay)
          assert.lengthOf(provider.charges, 1)
        }),
        before
      )
    })
  )

  it.effect("given a circuit that opened since, then the connection that charged is asked all the same", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing({ connections: [{ id: "main" }, { id: "backup" }] })
      yield* inNewStore(create(), before)
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          yield* TestClock.adjust("10 minutes")
          const approved = provider.onCharge
          provider.onCharge = (asked) =>
            asked.connectionId === "main" ? Effect.fail(new NotSent({ reason: "refused" })) : approved(asked)
          for (let tries = 0; tries < 5; tries++) yield* create({ idempotencyKey: `another-${tries}` })
          provider.onCharge = approved
          const sent = provider.charges.length
          const { isReplay, payment } = yield* create()
          assert.deepStrictEqual([isReplay, payment.state, payment.connectionId], [true, "Captured", "main"])
          assert.lengthOf(provider.charges, sent)
        }),
        before
      )
    })
  )

  it.effect("given a key that was answered on the same day before the loss, then it is a new payment", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      yield* inNewStore(
        Effect.gen(function* () {
          const first = yield* create()
          yield* TestClock.setTime(midnight + 10)
          yield* accept(before - 1)
          yield* TestClock.setTime(before + day + 1)
          const { isReplay, payment } = yield* create()
          assert.isFalse(isReplay)
          assert.notStrictEqual(payment.id, first.payment.id)
          assert.lengthOf(provider.charges, 2)
        }),
        before
      )
    })
  )
})

describe("a provider that cannot say whether it has a lost charge", () => {
  it.effect("given midnight, when the key comes again, then it is sent under the id of the lost day", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      cannotSay(provider)
      const first = yield* inNewStore(create(), before)
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          yield* TestClock.setTime(midnight + hour)
          const again = yield* create()
          assert.deepStrictEqual(
            [again.isReplay, again.payment.state, again.payment.providerRef],
            [false, "Captured", first.payment.providerRef]
          )
          assert.strictEqual(provider.books.charges.size, 1)
        }),
        before
      )
    })
  )

  it.effect("given another connection that the route asks first, then it is asked after this one", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing({ connections: [{ id: "main" }, { id: "backup" }] })
      const { onLookUpCharge: says } = provider
      provider.onLookUpCharge = (asked) =>
        asked.connectionId === "main" ? says(asked) : Effect.succeed({ _tag: "NotFound", conclusive: false })
      const approved = provider.onCharge
      const onlyBackup: typeof approved = (asked) =>
        asked.connectionId === "main" ? Effect.fail(new NotSent({ reason: "refused" })) : approved(asked)
      provider.onCharge = onlyBackup
      yield* inNewStore(create(), before)
      provider.onCharge = approved
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          yield* TestClock.setTime(midnight + hour)
          const { payment } = yield* create()
          assert.deepInclude(payment, { state: "Captured", connectionId: "backup" })
          assert.deepStrictEqual(
            [...provider.books.charges.values()].map(({ connectionId }) => connectionId),
            ["backup"]
          )
        }),
        before
      )
    })
  )

  it.effect("given two such connections, then nothing is sent for a day, unless servers serve all the same", () =>
    Effect.gen(function* () {
      for (const afterRestore of ["refuse", "serve"] as const) {
        const { inNewStore, provider } = losing({ connections: [{ id: "main" }, { id: "backup" }], afterRestore })
        cannotSay(provider)
        yield* inNewStore(create(), before)
        yield* inNewStore(
          Effect.gen(function* () {
            yield* accept(before - 1)
            yield* TestClock.setTime(midnight + hour)
            if (afterRestore === "refuse") {
              yield* refusal("ambiguous")
              assert.lengthOf(provider.charges, 1)
              yield* TestClock.setTime(before + day + hour)
            }
            assert.isFalse((yield* create()).isReplay)
            assert.strictEqual(provider.books.charges.size, afterRestore === "serve" ? 1 : 2)
          }),
          before
        )
      }
    })
  )

  it.effect("given a loss of two days, then nothing is sent until the keys of the first day have ended", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      cannotSay(provider)
      const declared = midnight + hour
      yield* inNewStore(create(), declared - 1)
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before)
          yield* refusal("ambiguous")
          yield* TestClock.setTime(midnight + day + hour / 2)
          assert.strictEqual((yield* create()).payment.state, "Captured")
          assert.strictEqual(provider.books.charges.size, 1)
          assert.lengthOf(provider.charges, 2)
        }),
        declared
      )
    })
  )

  it.effect("given it declined a lost charge that another may have made, then nothing is sent", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing({ connections: [{ id: "main" }, { id: "backup" }] })
      const { onCharge: approved, onLookUpCharge: says } = provider
      provider.onCharge = (asked) => (asked.connectionId === "main" ? provider.declineSoftly(asked) : approved(asked))
      yield* inNewStore(create(), before)
      yield* inNewStore(
        Effect.gen(function* () {
          yield* accept(before - 1)
          provider.onLookUpCharge = (asked) =>
            asked.connectionId === "main" ? says(asked) : Effect.succeed({ _tag: "NotFound", conclusive: false })
          yield* refusal("ambiguous", "backup")
          // What holds money answers, whatever the other one says.
          provider.onLookUpCharge = says
          assert.deepInclude((yield* create()).payment, { state: "Captured", connectionId: "backup" })
          assert.lengthOf(provider.charges, 2)
        }),
        before
      )
    })
  )
})

describe("a connection that was recovered", () => {
  it.effect("given its list was complete, then it is not asked for each request", () =>
    Effect.gen(function* () {
      const { provider, inNewStore } = losing({ connections: [{ id: "main" }, { id: "backup" }] })
      const { onListCharges, onListRefunds } = listingProvider()
      yield* inNewStore(
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          if (onListCharges !== undefined) provider.onListCharges = onListCharges
          if (onListRefunds !== undefined) provider.onListRefunds = onListRefunds
          yield* pointsman.recover({ since: before - 1, connectionId: "main", isDryRun: false })
          yield* pointsman.acceptLoss(null)
          yield* create()
          assert.deepStrictEqual(
            provider.lookUps.map(({ connectionId }) => connectionId),
            ["backup"]
          )
        }),
        before
      )
    })
  )
})
