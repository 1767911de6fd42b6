/** A store that lost its records, and providers that list what they have (decisions, section 12). */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman, type Recovery, statusOf } from "@pointsman/core"
import { Ledger, NotSent } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { type ListingOptions, listingProvider } from "./support/ListingProvider.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const day = 24 * 60 * 60_000
/** Noon of some day, so that no test crosses midnight unless it says so. */
const noon = 100.5 * day

/** Stores one after the other at one provider: each has lost what the one before held. */
const losing = (options: ListingOptions = {}) => {
  const provider = listingProvider(options)
  const inNewStore = <A, E>(work: Effect.Effect<A, E, Pointsman | Ledger>, at = noon) =>
    Effect.andThen(TestClock.setTime(at), work).pipe(Effect.provide(world({ provider }).layer))
  return { provider, inNewStore }
}

const recoverAll = Effect.gen(function* () {
  return yield* (yield* Pointsman).recover({ since: noon - day, connectionId: null, isDryRun: false })
})

const dryRun = Effect.gen(function* () {
  return yield* (yield* Pointsman).recover({ since: noon - day, connectionId: null, isDryRun: true })
})

const at = ({ connections }: Recovery, id = "main") => {
  const one = connections.find(({ connectionId }) => connectionId === id)
  assert.isDefined(one)
  return one
}

const eur = (count: number, amountMinor: number) => [{ currency: "EUR", count, amountMinor }]

const stored = (id: string) =>
  Effect.gen(function* () {
    return Option.getOrThrow(yield* (yield* Ledger).book(tenant, id))
  })

const createOne = (overrides: Parameters<typeof request>[0] = {}) =>
  Effect.gen(function* () {
    return (yield* (yield* Pointsman).create(caller, request(overrides))).payment
  })

describe("charges that the store lost", () => {
  it.effect("given captured, authorized and voided charges, when they are recovered, then each is as it was", () =>
    Effect.gen(function* () {
      const { inNewStore } = losing()
      const before = yield* inNewStore(
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          const captured = yield* createOne()
          const held = yield* createOne({ details: { captureMethod: "manual" } })
          const toVoid = yield* createOne({ details: { captureMethod: "manual" } })
          const toCapture = yield* createOne({ details: { captureMethod: "manual" } })
          const order = { paymentId: toVoid.id, idempotencyKey: null }
          const { payment: voided } = yield* pointsman.void(caller, order)
          const part = { paymentId: toCapture.id, idempotencyKey: null, amountMinor: 700 }
          const { payment: inPart } = yield* pointsman.capture(caller, part)
          return [captured, held, voided, inPart]
        })
      )
      yield* inNewStore(
        Effect.gen(function* () {
          const recovery = yield* recoverAll
          assert.deepInclude(at(recovery), { end: { _tag: "Complete" }, listed: 4, kept: 0, reviewed: [], changed: [] })
          assert.deepStrictEqual(at(recovery).payments, eur(4, 4 * 1999))
          for (const lost of before) {
            const { attempts, payment } = yield* stored(lost.id)
            assert.deepInclude(payment, {
              money: lost.money,
              country: lost.country,
              captureMethod: lost.captureMethod,
              reference: lost.reference,
              capturedMinor: lost.capturedMinor,
              createdAt: noon,
              review: null
            })
            assert.strictEqual(statusOf[payment.state], statusOf[lost.state])
            assert.isTrue(payment.reported?.isRecovered)
            assert.deepStrictEqual(
              attempts.map(({ id }) => id),
              lost.routing?.attempts.map(({ attemptId }) => attemptId)
            )
          }
        })
      )
    })
  )

  it.effect("given a repeated recovery, then it adopts nothing and writes nothing", () =>
    Effect.gen(function* () {
      const { inNewStore } = losing()
      const { id } = yield* inNewStore(createOne())
      yield* inNewStore(
        Effect.gen(function* () {
          yield* recoverAll
          const once = yield* stored(id)
          assert.deepInclude(at(yield* recoverAll), { listed: 1, payments: [], changed: [], reviewed: [] })
          assert.deepStrictEqual(yield* stored(id), once)
        })
      )
    })
  )

  it.effect("given a dry run, then it reports the same, and stores nothing", () =>
    Effect.gen(function* () {
      const { inNewStore } = losing()
      const { id } = yield* inNewStore(
        Effect.gen(function* () {
          const payment = yield* createOne()
          yield* (yield* Pointsman).refund(caller, {
            paymentId: payment.id,
            idempotencyKey: null,
            amountMinor: 500,
            reason: null
          })
          return payment
        })
      )
      yield* inNewStore(
        Effect.gen(function* () {
          const shown = yield* dryRun
          assert.deepInclude(at(shown), { payments: eur(1, 1999), refunds: eur(1, 500) })
          assert.isNull(shown.loss)
          assert.isTrue(Option.isNone(yield* (yield* Ledger).payment(tenant, id)))
          assert.deepStrictEqual(at(yield* recoverAll), at(shown))
        })
      )
    })
  )

  it.effect("given a provider that was not told payment ids, then two recoveries at once store one payment", () =>
    Effect.gen(function* () {
      const { inNewStore } = losing({ knowsPayments: false })
      yield* inNewStore(createOne())
      yield* inNewStore(
        Effect.gen(function* () {
          yield* Effect.all([recoverAll, recoverAll], { concurrency: "unbounded" })
          const all = yield* (yield* Ledger).payments(tenant, { limit: 10 })
          assert.lengthOf(all, 1)
          assert.deepInclude(all[0], { state: "Captured", capturedMinor: 1999, version: 1 })
        })
      )
    })
  )
})

describe("keys that the store lost", () => {
  const key = "order-0001"
  const again = (change: Parameters<typeof request>[0] = {}) =>
    Effect.gen(function* () {
      return yield* (yield* Pointsman).create(caller, request({ idempotencyKey: key, ...change }))
    })
  const justBeforeMidnight = 101 * day - 1

  it.effect("given a recovered charge, when its key comes again, then its payment answers and nothing is charged", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      const first = yield* inNewStore(again())
      yield* inNewStore(
        Effect.gen(function* () {
          yield* recoverAll
          for (const _ of [1, 2]) {
            const { isReplay, payment } = yield* again()
            assert.isTrue(isReplay)
            assert.deepInclude(payment, { id: first.payment.id, state: "Captured", idempotencyKey: key })
          }
          const other = again({ details: { money: { minorUnits: 2000, currency: "EUR" } } })
          assert.strictEqual((yield* Effect.flip(other))._tag, "pointsman/KeyReused")
          assert.lengthOf(provider.charges, 1)
        })
      )
    })
  )

  it.effect("given midnight and an open circuit since, when the key comes again, then nothing is charged", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      const first = yield* inNewStore(again(), justBeforeMidnight)
      yield* inNewStore(
        Effect.gen(function* () {
          yield* recoverAll
          yield* TestClock.adjust("1 second")
          const approved = provider.onCharge
          provider.onCharge = () => Effect.fail(new NotSent({ reason: "refused" }))
          for (let tries = 0; tries < 5; tries++) yield* createOne()
          provider.onCharge = approved
          const sent = provider.charges.length
          const { isReplay, payment } = yield* again()
          assert.deepStrictEqual([isReplay, payment.id], [true, first.payment.id])
          assert.lengthOf(provider.charges, sent)
        }),
        justBeforeMidnight
      )
    })
  )

  it.effect("given two payments of one key at two connections, then the one that holds money answers", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing({ knowsPayments: false })
      const approved = provider.onCharge
      provider.onCharge = (asked) => (asked.connectionId === "main" ? provider.declineSoftly(asked) : approved(asked))
      yield* inNewStore(again())
      yield* inNewStore(
        Effect.gen(function* () {
          yield* recoverAll
          const { payment } = yield* again()
          assert.deepInclude(payment, { state: "Captured", connectionId: "backup" })
          assert.lengthOf(provider.charges, 2)
        })
      )
    })
  )

  it.effect("given a key whose 24 hours are over, then it is a new payment", () =>
    Effect.gen(function* () {
      const { inNewStore, provider } = losing()
      yield* inNewStore(again())
      yield* inNewStore(
        Effect.gen(function* () {
          yield* recoverAll
          yield* TestClock.adjust("24 hours")
          assert.isFalse((yield* again()).isReplay)
          assert.lengthOf(provider.charges, 2)
        })
      )
    })
  )

  it.effect("given no loss, then a create reads nothing besides what it read before", () =>
    Effect.gen(function* () {
      const { ledger, layer } = world({ provider: listingProvider() })
      yield* Effect.provide(again(), layer)
      const { bookOf, claim, commit } = ledger.calls
      assert.deepStrictEqual({ bookOf, claim, commit }, { bookOf: 0, claim: 0, commit: 2 })
    })
  )
})
