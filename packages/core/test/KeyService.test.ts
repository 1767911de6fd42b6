/** Keys of a service that does not answer for a time: nothing is refused for good, and no provider is asked twice. */
import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { KeyUnavailable, Ledger, Secrets } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Context, Effect, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { messageOf, ofAttempt } from "./support/Messages.ts"
import { comeBack, live, liveCaller, liveConnections, paged, stored } from "./support/Pages.ts"
import { caller, request, tenant, world } from "./support/World.ts"

/** Secrets that can be switched off. */
const switchable = () => {
  const state = { isUp: true }
  const unlessDown = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | KeyUnavailable> =>
    Effect.suspend(
      (): Effect.Effect<A, E | KeyUnavailable> =>
        state.isUp ? effect : Effect.fail(new KeyUnavailable({ reason: "the key service does not answer" }))
    )
  const layer = Layer.effect(
    Secrets,
    Effect.map(Layer.build(openSecretsLayer), (built) => {
      const secrets = Context.get(built, Secrets)
      return Secrets.of({
        ...secrets,
        seal: (plaintext, context) => unlessDown(secrets.seal(plaintext, context)),
        open: (sealed, context) => unlessDown(secrets.open(sealed, context))
      })
    })
  )
  return { state, layer }
}

const charge = ofAttempt({ id: "att_nobody" }, { _tag: "Captured", providerRef: "ch_1" })
const message = messageOf(charge, { id: "msg_1" })

const receiving = switchable()
const receiver = world({ secrets: receiving.layer })
itIn("a provider's message is refused unstored, and taken when it comes again", receiver, function* (_, pointsman) {
  const ledger = yield* Ledger
  receiving.state.isUp = false
  const refused = yield* Effect.result(pointsman.recordMessage(message))
  assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "pointsman/StorageError")
  assert.isTrue(Option.isNone(yield* ledger.message(tenant, "main", "msg_1")))
  receiving.state.isUp = true
  yield* pointsman.recordMessage(message)
  assert.isTrue(Option.isSome(yield* ledger.message(tenant, "main", "msg_1")))
})

const charging = switchable()
itIn("a payment asks no provider, and a later payment succeeds", world({ secrets: charging.layer }), function* (own) {
  const pointsman = yield* Pointsman
  charging.state.isUp = false
  const { payment } = yield* pointsman.create(caller, request())
  assert.strictEqual(payment.state, "Failed")
  assert.lengthOf(own.provider.charges, 0)
  charging.state.isUp = true
  const later = yield* pointsman.create(caller, request())
  assert.strictEqual(later.payment.state, "Captured")
})

const opening = switchable()
const opener = world({ connections: liveConnections, secrets: opening.layer })
itIn("a checkout that the provider opened is unknown, and no second one is opened", opener, function* (_, pointsman) {
  const { payment, token } = yield* paged(liveCaller)
  opener.provider.onOpenCheckout = () =>
    Effect.sync(() => {
      opening.state.isUp = false
      return { _tag: "CheckoutOpened", reference: "co_1", url: "https://provider.example/pay/1", expiresAt: null }
    })
  const unknown = yield* Effect.result(pointsman.openCheckout(token, comeBack))
  assert.strictEqual(Result.isFailure(unknown) && unknown.failure._tag, "pointsman/PaymentResultUnknown")
  assert.strictEqual((yield* pointsman.payment(live, payment.id)).state, "Charging")
  opening.state.isUp = true
  assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Wait")
  assert.lengthOf(opener.provider.checkouts, 1)

  opener.provider.onLookUpCharge = () =>
    Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef: "ch_1" } })
  // The request counts as dead, and then its charge is looked up.
  for (const _ of ["dead", "unknown"]) {
    yield* TestClock.adjust("2 days")
    yield* pointsman.checkDue
  }
  assert.strictEqual((yield* stored(payment)).state, "Captured")
})
