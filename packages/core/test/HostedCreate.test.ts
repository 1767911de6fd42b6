/** Creating with `returnUrl`: one commit, nobody asked, and a key that is answered at once. */
import { assert, describe } from "@effect/vitest"
import { type HostedAction, KeyReused, NothingSent, PaymentResultUnknown, Pointsman } from "@pointsman/core"
import { ApiKeyRevoked, Directory, Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
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
import { atOnce, endAfter, unknownFates } from "./support/Steps.ts"
import { apiKeyOf, caller, request, tenant, type World, world } from "./support/World.ts"

const key = "order-0001"
const keyed = hosted({ idempotencyKey: key })
const keyedWith = { ...caller, apiKeyHash: "hash-of-the-key" }

/** The API key of `keyedWith`. */
const writeApiKey = (revokedAt: number | null) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const apiKeys = [apiKeyOf("hash-of-the-key", { revokedAt })]
    yield* directory.write({ ...(yield* directory.contents), apiKeys })
  })

describe("a create with return_url", () => {
  itHere("a hosted payment takes one commit, asks no provider, and awaits its customer", function* (own, pointsman) {
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
    assert.strictEqual(own.ledger.calls.commit, 1)
    assert.lengthOf(own.provider.charges, 0)
    assert.lengthOf(own.provider.checkouts, 0)
  })

  const closed = world({ connections: [] })
  itIn("a hosted payment without any connection is created: nothing is routed yet", closed, function* () {
    const { payment } = yield* paged()
    assert.strictEqual(payment.state, "AwaitingCustomer")
  })

  const production = world({ connections: liveConnections })
  itIn("a live key creates in production, and neither environment sees the other's", production, function* () {
    const pointsman = yield* Pointsman
    const { payment } = yield* pointsman.create(liveCaller, keyed)
    const sandbox = yield* pointsman.create(caller, keyed)
    assert.deepStrictEqual(payment.tenant, live)
    assert.isFalse(sandbox.isReplay)
    assert.strictEqual((yield* Effect.flip(pointsman.payment(tenant, payment.id)))._tag, "pointsman/PaymentNotFound")
  })

  itHere("every request without a key is a page of its own", function* () {
    const [one, two] = [yield* paged(), yield* paged()]
    assert.notStrictEqual(one.token, two.token)
    assert.strictEqual((yield* (yield* Pointsman).hostedPage(two.token)).payment.id, two.payment.id)
  })
})

describe("its key", () => {
  itHere("a repeated request gets the same answer, also once the page is over", function* (_, pointsman) {
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(hour)
    assert.strictEqual((yield* pointsman.payment(tenant, first.payment.id)).state, "Cancelled")
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { payment: first.payment, isReplay: true })
    assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
  })

  for (const change of [{ returnUrl: "https://shop.example/other" }, { returnUrl: null }, { cancelUrl: null }]) {
    itHere(`another ${JSON.stringify(change)} is KeyReused`, function* (_, pointsman) {
      yield* pointsman.create(caller, keyed)
      const failure = yield* Effect.flip(pointsman.create(caller, { ...keyed, ...change }))
      assert.instanceOf(failure, KeyReused)
    })
  }

  itHere("a key that a direct charge used is KeyReused, and its fingerprint is unchanged", function* (_, pointsman) {
    yield* pointsman.create(caller, request({ idempotencyKey: key, cancelUrl }))
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), KeyReused)
    const claim = Option.getOrThrow(yield* (yield* Ledger).claim(tenant, key))
    assert.strictEqual(
      claim.fingerprint,
      JSON.stringify([
        "create",
        {
          ...{ money: [1999, "EUR"], country: "NL", method: "card", cardBrand: null, initiator: "cit" },
          ...{ captureMethod: "automatic", reference: null, simulation: null }
        },
        null,
        cancelUrl,
        false
      ])
    )
  })

  for (let round = 1; round <= 20; round++) {
    const { layer } = world({ yieldBetween: true })
    itIn(`one payment answers 32 requests at once under one key (round ${round})`, { layer }, function* (_, pointsman) {
      const answers = yield* atOnce(32, () => pointsman.create(caller, keyed))
      for (const { payment } of answers) assert.deepStrictEqual(payment, answers[0]?.payment)
      assert.strictEqual(answers.filter(({ isReplay }) => !isReplay).length, 1)
      assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
    })
  }
})

describe("how long its key is kept", () => {
  const isFresh = (isNew: boolean) =>
    Effect.gen(function* () {
      const { isReplay } = yield* (yield* Pointsman).create(caller, keyed)
      assert.strictEqual(!isReplay, isNew)
    })

  const acting = (token: string, action: HostedAction) =>
    Effect.flatMap(Pointsman, ({ actOnHostedPage }) => actOnHostedPage(token, action))
  const pressing = (_tag: "Cancel" | "Approve") => (token: string) => acting(token, { _tag })
  const reading = (_: string, id: string) => Effect.flatMap(Pointsman, ({ payment }) => payment(tenant, id))
  for (const [title, after, act, left] of [
    ["24 hours count from the answer without an act, end not read", 10, () => Effect.void, 14],
    ["24 hours count from the answer without an act, end read", 10, reading, 14],
    ["a key of a cancelled page is kept 24 hours from the answer", 1 / 6, pressing("Cancel"), 24 - 1 / 6],
    ["a key of a paid page is kept 24 hours from the settlement", 1 / 3, pressing("Approve"), 24]
  ] as const) {
    itIn(title, world(), function* () {
      const { payment, token } = yield* paged(caller, { idempotencyKey: key })
      yield* TestClock.adjust(after * hour)
      yield* act(token, payment.id)
      yield* TestClock.adjust(left * hour - 1)
      yield* isFresh(false)
      yield* TestClock.adjust(1)
      yield* isFresh(true)
    })
  }

  const endless: Readonly<Record<string, (own: World) => void>> = {
    "its charge is UNKNOWN": ({ provider }) => {
      provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    },
    "the process died while the provider was asked": ({ ledger }) => {
      ledger.beforeCommit = (number) => (number === 3 ? Effect.never : Effect.void)
    }
  }
  for (const [why, begin] of Object.entries(endless)) {
    itHere(`a key never ends by itself if ${why}`, function* (own) {
      begin(own)
      const { token } = yield* paged(caller, { idempotencyKey: key })
      yield* Effect.forkDetach(acting(token, { _tag: "Approve" }))
      yield* TestClock.adjust(30 * 24 * hour)
      yield* isFresh(false)
    })
  }

  const open = world({ connections: liveConnections })
  itIn("a key is kept during a checkout without an end, and free 24 hours after payment", open, function* () {
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
  })

  itHere("a page created under a key that is free again is the answer of the key", function* (_, pointsman) {
    yield* pointsman.create(caller, request({ idempotencyKey: key }))
    yield* TestClock.adjust(24 * hour)
    const created = yield* pointsman.create(caller, keyed)
    assert.isFalse(created.isReplay)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
  })
})

describe("its commit", () => {
  itHere("a failed commit is NothingSent, stores nothing, and the same request works", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? "unwritten" : undefined)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), NothingSent)
    assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 0)
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
  })

  for (const each of unknownFates) {
    for (const idempotencyKey of [key, null]) {
      const what = `${JSON.stringify(each)} ${idempotencyKey === null ? "without" : "under"} a key`
      itHere(`a commit of unknown fate, ${what}, gives one payment, announced once`, function* ({ ledger }, pointsman) {
        ledger.onCommit = (number) => each[number - 1]
        const created = yield* endAfter(minute, pointsman.create(caller, hosted({ idempotencyKey })))
        assert.isFalse(created.isReplay)
        const { items } = yield* pointsman.payments(tenant, { limit: 10 })
        assert.deepStrictEqual(items, [created.payment])
        assert.deepStrictEqual(yield* typesOf(created.payment), ["payment.requires_action"])
        ledger.onCommit = () => undefined
        if (idempotencyKey === null) return
        assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
      })
    }
  }

  itHere("no answer about a key is given while the store that knows it is down", function* (own, pointsman) {
    own.ledger.onCommit = () => "lost"
    own.ledger.canRead = () => false
    const run = Effect.fnUntraced(function* (idempotencyKey: string | null) {
      return yield* endAfter(minute, Effect.flip(pointsman.create(caller, hosted({ idempotencyKey }))))
    })
    assert.instanceOf(yield* run(key), PaymentResultUnknown)
    assert.instanceOf(yield* run(null), NothingSent)
  })

  itHere("the request that took the key is the answer to one of unknown fate", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? "lost" : undefined)
    own.ledger.beforeCommit = (number) =>
      number === 2 ? Effect.orDie(Effect.asVoid(pointsman.create(caller, keyed))) : Effect.void
    const created = yield* pointsman.create(caller, keyed)
    assert.isTrue(created.isReplay)
    assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
  })
})

describe("its API key", () => {
  itHere("a key that was revoked meanwhile is ApiKeyRevoked, and nothing is stored", function* (_, pointsman) {
    yield* writeApiKey(1)
    assert.instanceOf(yield* Effect.flip(pointsman.create(keyedWith, keyed)), ApiKeyRevoked)
    assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 0)
  })

  for (const [fault, isStored] of [
    ["lost", false],
    ["unheard", true]
  ] as const) {
    const { layer, ledger } = world()
    itIn(`what is stored decides of a key revoked during an unknown commit (${fault})`, { layer }, function* () {
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
    })
  }
})
