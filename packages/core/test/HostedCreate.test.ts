/** Creating with `returnUrl`: one commit, nobody asked, and a key that is answered at once. */
import { assert, describe, it } from "@effect/vitest"
import { KeyReused, NothingSent, PaymentResultUnknown, Pointsman } from "@pointsman/core"
import { ApiKeyRevoked, Directory, Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import {
  cancelUrl,
  comeBack,
  hosted,
  hour,
  live,
  liveCaller,
  liveConnections,
  minute,
  paged,
  pageMillis,
  returnUrl,
  stored,
  typesOf
} from "./support/Pages.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const key = "order-0001"
const keyed = hosted({ idempotencyKey: key })
const keyedWith = { ...caller, apiKeyHash: "hash-of-the-key" }

/** The API key of `keyedWith`. */
const writeApiKey = (revokedAt: number | null) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const apiKeys = [
      {
        hash: "hash-of-the-key",
        ...tenant,
        scopes: null,
        name: null,
        expiresAt: null,
        networks: null,
        revokedAt,
        source: "operator" as const,
        createdAt: 0
      }
    ]
    yield* directory.write({ ...(yield* directory.contents), apiKeys })
  })

describe("a create with return_url", () => {
  const plain = world()
  it.effect("a hosted payment takes one commit, asks no provider, and awaits its customer", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      yield* TestClock.adjust(hour)
      const { isReplay, payment } = yield* pointsman.create(caller, keyed)
      assert.isFalse(isReplay)
      assert.deepInclude(payment, { state: "AwaitingCustomer", version: 1, routing: null, settledAt: null })
      assert.deepStrictEqual(payment.hosted, {
        tokenHash: yield* pointsman.pageToken(payment.id),
        returnUrl,
        cancelUrl,
        expiresAt: hour + pageMillis
      })
      assert.deepStrictEqual(yield* stored(payment), payment)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action"])
      const claim = Option.getOrThrow(yield* (yield* Ledger).claim(tenant, key))
      assert.deepInclude(claim, { state: "Answered", version: 1, paymentId: payment.id, answeredAt: hour })
      assert.deepStrictEqual(claim.answer, payment)
      assert.strictEqual(plain.ledger.calls.commit, 1)
      assert.lengthOf(plain.provider.charges, 0)
      assert.lengthOf(plain.provider.checkouts, 0)
    }).pipe(Effect.provide(plain.layer))
  )

  const closed = world({ connections: [] })
  it.effect("a hosted payment without any connection is created: nothing is routed yet", () =>
    Effect.gen(function* () {
      const { payment } = yield* paged()
      assert.strictEqual(payment.state, "AwaitingCustomer")
    }).pipe(Effect.provide(closed.layer))
  )

  const production = world({ connections: liveConnections })
  it.effect("a live key creates in production, and neither environment sees the other's", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment } = yield* pointsman.create(liveCaller, keyed)
      const sandbox = yield* pointsman.create(caller, keyed)
      assert.deepStrictEqual(payment.tenant, live)
      assert.isFalse(sandbox.isReplay)
      assert.strictEqual((yield* Effect.flip(pointsman.payment(tenant, payment.id)))._tag, "pointsman/PaymentNotFound")
    }).pipe(Effect.provide(production.layer))
  )

  const keyless = world()
  it.effect("every request without a key is a page of its own", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* paged(), yield* paged()]
      assert.notStrictEqual(one.token, two.token)
      assert.strictEqual((yield* (yield* Pointsman).hostedPage(two.token)).payment.id, two.payment.id)
    }).pipe(Effect.provide(keyless.layer))
  )
})

describe("its key", () => {
  const replayed = world()
  it.effect("a repeated request gets the same answer, also once the page is over", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const first = yield* pointsman.create(caller, keyed)
      yield* TestClock.adjust(hour)
      assert.strictEqual((yield* pointsman.payment(tenant, first.payment.id)).state, "Cancelled")
      assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { payment: first.payment, isReplay: true })
      assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
    }).pipe(Effect.provide(replayed.layer))
  )

  for (const change of [{ returnUrl: "https://shop.example/other" }, { returnUrl: null }, { cancelUrl: null }]) {
    const { layer } = world()
    it.effect(`another ${JSON.stringify(change)} is KeyReused`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        yield* pointsman.create(caller, keyed)
        const failure = yield* Effect.flip(pointsman.create(caller, { ...keyed, ...change }))
        assert.instanceOf(failure, KeyReused)
      }).pipe(Effect.provide(layer))
    )
  }

  const direct = world()
  it.effect("a key that a direct charge used is KeyReused, and its fingerprint is unchanged", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      yield* pointsman.create(caller, request({ idempotencyKey: key, cancelUrl }))
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), KeyReused)
      const claim = Option.getOrThrow(yield* (yield* Ledger).claim(tenant, key))
      assert.strictEqual(
        claim.fingerprint,
        JSON.stringify([
          "create",
          {
            money: [1999, "EUR"],
            country: "NL",
            method: "card",
            cardBrand: null,
            initiator: "cit",
            captureMethod: "automatic",
            reference: null,
            simulation: null
          },
          null,
          cancelUrl,
          false
        ])
      )
    }).pipe(Effect.provide(direct.layer))
  )

  for (let round = 1; round <= 20; round++) {
    const { layer } = world({ yieldBetween: true })
    it.effect(`one payment answers 32 requests at once under one key (round ${round})`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const answers = yield* Effect.all(
          Array.from({ length: 32 }, () => pointsman.create(caller, keyed)),
          { concurrency: "unbounded" }
        )
        for (const { payment } of answers) assert.deepStrictEqual(payment, answers[0]?.payment)
        assert.lengthOf(
          answers.filter(({ isReplay }) => !isReplay),
          1
        )
        assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
      }).pipe(Effect.provide(layer))
    )
  }
})

describe("how long its key is kept", () => {
  const isFresh = (isNew: boolean) =>
    Effect.gen(function* () {
      const { isReplay } = yield* (yield* Pointsman).create(caller, keyed)
      assert.strictEqual(!isReplay, isNew)
    })

  for (const isRead of [true, false]) {
    const { layer } = world()
    it.effect(`24 hours count from the answer without an act, end ${isRead ? "" : "not "}read`, () =>
      Effect.gen(function* () {
        const { payment } = yield* paged(caller, { idempotencyKey: key })
        yield* TestClock.adjust(10 * hour)
        if (isRead) yield* (yield* Pointsman).payment(tenant, payment.id)
        yield* TestClock.adjust(14 * hour - 1)
        yield* isFresh(false)
        yield* TestClock.adjust(1)
        yield* isFresh(true)
      }).pipe(Effect.provide(layer))
    )
  }

  const cancelled = world()
  it.effect("a key of a cancelled page is kept 24 hours from the answer", () =>
    Effect.gen(function* () {
      const { token } = yield* paged(caller, { idempotencyKey: key })
      yield* TestClock.adjust(10 * minute)
      yield* (yield* Pointsman).actOnHostedPage(token, { _tag: "Cancel" })
      yield* TestClock.adjust(24 * hour - 10 * minute - 1)
      yield* isFresh(false)
      yield* TestClock.adjust(1)
      yield* isFresh(true)
    }).pipe(Effect.provide(cancelled.layer))
  )

  const paid = world()
  it.effect("a key of a paid page is kept 24 hours from the settlement", () =>
    Effect.gen(function* () {
      const { token } = yield* paged(caller, { idempotencyKey: key })
      yield* TestClock.adjust(20 * minute)
      yield* (yield* Pointsman).actOnHostedPage(token, { _tag: "Approve" })
      yield* TestClock.adjust(24 * hour - 1)
      yield* isFresh(false)
      yield* TestClock.adjust(1)
      yield* isFresh(true)
    }).pipe(Effect.provide(paid.layer))
  )

  const unknown = world()
  it.effect("a key of an UNKNOWN charge never ends", () =>
    Effect.gen(function* () {
      unknown.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      const { token } = yield* paged(caller, { idempotencyKey: key })
      yield* (yield* Pointsman).actOnHostedPage(token, { _tag: "Approve" })
      yield* TestClock.adjust(30 * 24 * hour)
      yield* isFresh(false)
    }).pipe(Effect.provide(unknown.layer))
  )

  const dead = world()
  it.effect("a key never ends by itself if the process died while the provider was asked", () =>
    Effect.gen(function* () {
      dead.ledger.beforeCommit = (number) => (number === 3 ? Effect.never : Effect.void)
      const { token } = yield* paged(caller, { idempotencyKey: key })
      yield* Effect.forkDetach((yield* Pointsman).actOnHostedPage(token, { _tag: "Approve" }))
      yield* TestClock.adjust(30 * 24 * hour)
      yield* isFresh(false)
    }).pipe(Effect.provide(dead.layer))
  )

  const open = world({ connections: liveConnections })
  it.effect("a key is kept during a checkout without an end, and free 24 hours after payment", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged(liveCaller, { idempotencyKey: key })
      yield* pointsman.openCheckout(token, comeBack)
      yield* TestClock.adjust(30 * 24 * hour)
      assert.isTrue((yield* pointsman.create(liveCaller, keyed)).isReplay)
      open.provider.onLookUpCharge = () =>
        Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef: "ch_1" } })
      assert.strictEqual((yield* pointsman.returnFromCheckout(token)).payment.state, "Captured")
      yield* TestClock.adjust(24 * hour - 1)
      assert.strictEqual((yield* pointsman.create(liveCaller, keyed)).payment.id, payment.id)
      yield* TestClock.adjust(1)
      assert.isFalse((yield* pointsman.create(liveCaller, keyed)).isReplay)
    }).pipe(Effect.provide(open.layer))
  )

  const again = world()
  it.effect("a page created under a key that is free again is the answer of the key", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      yield* pointsman.create(caller, request({ idempotencyKey: key }))
      yield* TestClock.adjust(24 * hour)
      const created = yield* pointsman.create(caller, keyed)
      assert.isFalse(created.isReplay)
      assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
    }).pipe(Effect.provide(again.layer))
  )
})

describe("its commit", () => {
  const unwritten = world()
  it.effect("a failed commit is NothingSent, stores nothing, and the same request works", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      unwritten.ledger.onCommit = (number) => (number === 1 ? "unwritten" : undefined)
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), NothingSent)
      assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 0)
      assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
    }).pipe(Effect.provide(unwritten.layer))
  )

  const faults = [
    ["lost"],
    ["unheard"],
    ["lost", "lost"],
    ["lost", "unheard"],
    ["unheard", "lost"],
    ["lost", "unwritten"],
    ["unheard", "unwritten", "unwritten"],
    [{ landsAfter: 10 }],
    ["lost", { landsAfter: 10 }]
  ] as const
  for (const each of faults) {
    for (const idempotencyKey of [key, null]) {
      const { layer, ledger } = world()
      const what = `${JSON.stringify(each)} ${idempotencyKey === null ? "without" : "under"} a key`
      it.effect(`a commit of unknown fate, ${what}, gives one payment, announced once`, () =>
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          ledger.onCommit = (number) => each[number - 1]
          const creating = yield* Effect.forkChild(pointsman.create(caller, hosted({ idempotencyKey })))
          yield* TestClock.adjust(minute)
          const created = yield* Fiber.join(creating)
          assert.isFalse(created.isReplay)
          const { items } = yield* pointsman.payments(tenant, { limit: 10 })
          assert.deepStrictEqual(items, [created.payment])
          assert.deepStrictEqual(yield* typesOf(created.payment), ["payment.requires_action"])
          ledger.onCommit = () => undefined
          if (idempotencyKey === null) return
          assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
        }).pipe(Effect.provide(layer))
      )
    }
  }

  const down = world()
  it.effect("no answer about a key is given while the store that knows it is down", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      down.ledger.onCommit = () => "lost"
      down.ledger.canRead = () => false
      const run = Effect.fnUntraced(function* (idempotencyKey: string | null) {
        const creating = yield* Effect.forkChild(Effect.flip(pointsman.create(caller, hosted({ idempotencyKey }))))
        yield* TestClock.adjust(minute)
        return yield* Fiber.join(creating)
      })
      assert.instanceOf(yield* run(key), PaymentResultUnknown)
      assert.instanceOf(yield* run(null), NothingSent)
    }).pipe(Effect.provide(down.layer))
  )

  const taken = world()
  it.effect("the request that took the key is the answer to one of unknown fate", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      taken.ledger.onCommit = (number) => (number === 1 ? "lost" : undefined)
      taken.ledger.beforeCommit = (number) =>
        number === 2 ? Effect.orDie(Effect.asVoid(pointsman.create(caller, keyed))) : Effect.void
      const created = yield* pointsman.create(caller, keyed)
      assert.isTrue(created.isReplay)
      assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
    }).pipe(Effect.provide(taken.layer))
  )
})

describe("its API key", () => {
  const revoked = world()
  it.effect("a key that was revoked meanwhile is ApiKeyRevoked, and nothing is stored", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      yield* writeApiKey(1)
      assert.instanceOf(yield* Effect.flip(pointsman.create(keyedWith, keyed)), ApiKeyRevoked)
      assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 0)
    }).pipe(Effect.provide(revoked.layer))
  )

  for (const [fault, isStored] of [
    ["lost", false],
    ["unheard", true]
  ] as const) {
    const { layer, ledger } = world()
    it.effect(`what is stored decides of a key revoked during an unknown commit (${fault})`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const directory = yield* Directory
        yield* writeApiKey(null)
        ledger.onCommit = (number) => (number === 1 ? fault : undefined)
        ledger.beforeCommit = (number) =>
          number === 2 ? Effect.orDie(Effect.provideService(writeApiKey(1), Directory, directory)) : Effect.void
        const created = yield* Effect.exit(pointsman.create(keyedWith, keyed))
        assert.strictEqual(created._tag === "Success", isStored)
        if (created._tag === "Failure") {
          assert.instanceOf(yield* Effect.flip(created), ApiKeyRevoked)
        }
        assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, isStored ? 1 : 0)
      }).pipe(Effect.provide(layer))
    )
  }
})
