/**
 * Payments at a Mollie behind a faulty network, from the door to Mollie's books: whatever is lost, late, repeated or executed
 * without an answer, both end with the same amounts. A seed is a world; `POINTSMAN_MOLLIE_SEEDS` sets how many, and
 * `POINTSMAN_MOLLIE_SEED` runs one again.
 */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { MollieConnector } from "@pointsman/connector-mollie"
import { type Caller, credentialsContext, Pointsman } from "@pointsman/core"
import { Connectors, Directory, Ids, Ledger, Secrets, Transport } from "@pointsman/core/ports"
import { openSecretsLayer, sampleRequest } from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { apiKey } from "./Mollie.ts"
import { openMollie, randomFrom, refundedOf, takenOf } from "./World.ts"

const tenant = { workspaceId: "acme", environment: "sandbox" } as const
const workspace = { id: "acme", name: "Acme", country: "NL", category: null, suspended: false, partner: null }
const caller: Caller = { tenant, workspace }

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const secrets = yield* Secrets
    const credentials = JSON.stringify({ apiKey, webhookUrl: "https://shop.example/api/v1/psp-webhooks/mollie" })
    yield* (yield* Directory).write({
      workspaces: [workspace],
      apiKeys: [],
      connections: [
        {
          ...tenant,
          ...{ id: "mollie", name: "Mollie", connector: "mollie", active: true, priority: 1 },
          sealedCredentials: yield* secrets.seal(Redacted.make(credentials), credentialsContext("mollie")),
          ...{ sealedWebhookSecret: null, timeoutMillis: null, supports: {}, restrictions: [], circuitBreaker: null }
        }
      ],
      routing: [{ ...tenant, settings: { mode: "priority" } }],
      webhookEndpoints: []
    })
  })
)

/** A signature that leaves the thread would not be done when the test's clock is. */
const syncMac = Mac.layerWebCryptoWith({
  hmac: (_hash, key, data) => createHmac("sha256", key).update(data).digest()
}).pipe(Layer.provide(SecureRandom.layerWebCrypto))

const shopOver = (transport: Transport["Service"]) =>
  Pointsman.layer({}).pipe(
    Layer.provide([
      Ids.layer,
      Layer.succeed(Transport, transport),
      Connectors.layer([MollieConnector.definition]),
      syncMac
    ]),
    Layer.provideMerge(configured),
    Layer.provideMerge(MemoryStorage.layer().pipe(Layer.provide(Ids.layer))),
    Layer.provideMerge(openSecretsLayer),
    Layer.orDie
  )

/** Lets the test's clock run until a request has ended. */
const ended = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E, Pointsman | Ledger>) {
  const fiber = yield* Effect.forkChild(Effect.exit(work), { startImmediately: true })
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
  return yield* Fiber.join(fiber)
})

const hear = Effect.fnUntraced(function* (body: string) {
  const pointsman = yield* Pointsman
  const message = { connectionId: "mollie", headers: {}, body: new TextEncoder().encode(body) }
  yield* pointsman.recordMessage(yield* pointsman.verifyMessage(message))
})

const payments = Effect.gen(function* () {
  return (yield* (yield* Pointsman).payments(tenant, { limit: 100 })).items
})

const actsOfSeed = 40

const live = Effect.fnUntraced(function* (seed: number) {
  const random = randomFrom(seed)
  const mollie = openMollie(random)
  yield* Effect.gen(function* () {
    const pointsman = yield* Pointsman
    const ledger = yield* Ledger
    const pick = <Item>(items: ReadonlyArray<Item>): Item | undefined => items[Math.floor(random() * items.length)]
    yield* TestClock.setTime(Date.UTC(2026, 10, 21, 8, 0, 0))

    let keys = 0
    const create = () => {
      const isAgain = keys > 0 && random() < 0.2
      const idempotencyKey = `order-number-${isAgain ? Math.ceil(random() * keys) : ++keys}`
      // The same key is the same request.
      const draw = randomFrom(Number(idempotencyKey.slice(13)) + 1_000 * seed)
      return pointsman.create(caller, {
        ...sampleRequest({
          details: {
            money: { minorUnits: 500 + Math.floor(draw() * 5_000), currency: "EUR" },
            captureMethod: draw() < 0.5 ? "automatic" : "manual",
            initiator: "mit"
          }
        }),
        idempotencyKey,
        instruments: [{ connectionId: "mollie", token: Redacted.make("cst_1/mdt_1") }]
      })
    }
    for (let act = 0; act < actsOfSeed; act++) {
      yield* TestClock.adjust(`${Math.floor(random() * 400)} seconds`)
      const known = pick(yield* payments)
      const order = { paymentId: known?.id ?? "", idempotencyKey: random() < 0.5 ? null : `again-${act % 3}-of-it` }
      const part =
        known === undefined || random() < 0.5 ? null : Math.max(1, Math.floor(known.money.minorUnits * random()))
      const roll = random()
      if (known === undefined || roll < 0.2) yield* ended(create())
      else if (roll < 0.35) yield* ended(pointsman.capture(caller, { ...order, amountMinor: part }))
      else if (roll < 0.42) yield* ended(pointsman.void(caller, order))
      else if (roll < 0.57) yield* ended(pointsman.refund(caller, { ...order, amountMinor: part, reason: null }))
      else if (roll < 0.6) mollie.chargeBack()
      else if (roll < 0.75) mollie.pass()
      else if (roll < 0.9) {
        const body = mollie.takeMail()
        if (body !== undefined && Exit.isFailure(yield* ended(hear(body)))) mollie.sendAgain(body)
      } else yield* ended(pointsman.checkDue)
    }
    mollie.heal()
    for (let hour = 0; hour < 60; hour++) {
      mollie.pass()
      while (mollie.hasMail()) yield* ended(hear(mollie.takeMail() ?? ""))
      yield* ended(pointsman.checkDue)
      yield* TestClock.adjust("1 hour")
    }

    assert.isAbove(mollie.books.size, 0, "nothing was charged in this world")
    for (const { capturedMinor, id, refundedMinor, refundPendingMinor, state } of yield* payments) {
      const attempts = yield* ledger.attempts(tenant, id)
      const books = [...mollie.books.values()].filter(({ attemptId }) => attempts.some((one) => one.id === attemptId))
      const said = JSON.stringify({ seed, id, state, capturedMinor, refundedMinor, refundPendingMinor, books })
      assert.isAtMost(books.length, attempts.length, said)
      assert.notMatch(state, /Unknown|ing$|Pending/u, said)
      const taken = books.reduce((sum, book) => sum + takenOf(book), 0)
      const refunded = books.reduce((sum, book) => sum + refundedOf(book), 0)
      assert.deepStrictEqual([capturedMinor, refundedMinor, refundPendingMinor], [taken, refunded, 0], said)
      const isChargedBack = books.some(({ chargebacks }) => chargebacks.length > 0)
      assert.strictEqual(state === "ChargedBack", isChargedBack, said)
    }
    return undefined
  }).pipe(Effect.provide(shopOver(mollie.transport)))
})

const { POINTSMAN_MOLLIE_SEED: one, POINTSMAN_MOLLIE_SEEDS: count = "8" } = process.env
const seeds = one === undefined ? Array.from({ length: Number(count) }, (_, index) => index + 1) : [Number(one)]

describe("a world of faults", () => {
  it.effect.each(seeds)(
    "given the faults of seed %i, when all has been said, then the books of both sides agree",
    live,
    60_000
  )
})
