/**
 * Payments at a provider behind a faulty network, from the door of Pointsman to the provider's books: whatever is lost, late,
 * repeated or executed without an answer, both end with the same amounts. The provider, with its wire and its faults, is the
 * test's; a seed is a world.
 */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { type Caller, credentialsContext, Pointsman, type Tenant, webhookSecretContext } from "@pointsman/core"
import {
  type ConnectorDefinition,
  NotSent,
  type TransportAnswer,
  type TransportRequest,
  type Transport as TransportService,
  Unanswered
} from "@pointsman/core/connector"
import { Connectors, Directory, Ids, Ledger, Secrets, Transport } from "@pointsman/core/ports"
import { openSecretsLayer, sampleRequest } from "@pointsman/core/testing"
import { Clock, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import type { Storage } from "../simulator/World.ts"
import type { SignedMessage } from "./ConnectorUnderTest.ts"

export type Random = () => number

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A charge in the provider's books, in minor units. */
export interface ChargeInBooks {
  readonly attemptId: string
  readonly taken: number
  readonly refunded: number
  readonly isChargedBack: boolean
}

/** A provider with its books, and the network before it. */
export interface FaultyProvider {
  readonly transport: TransportService["Service"]
  readonly books: () => ReadonlyArray<ChargeInBooks>
  /** What is due there happens: some of it while there are faults, then all of it. */
  readonly pass: () => void
  /** One of the customers on its page approves. Only of a provider whose `opensCheckouts` is set. */
  readonly approve?: () => void
  /** The customer's bank takes the money back. */
  readonly chargeBack: () => void
  /** The next of its messages, if one arrives; `now` in epoch milliseconds. */
  readonly takeMail: (now: number) => SignedMessage | undefined
  /** A message that was not accepted. */
  readonly sendAgain: (mail: SignedMessage) => void
  readonly hasMail: () => boolean
  /** From now on nothing fails. */
  readonly heal: () => void
}

/**
 * The network before a provider: requests that never arrive, that are executed and not answered, answered so that nothing is known,
 * or executed later. Messages come late, twice and in another order.
 */
export const faultyNetwork = (
  random: Random,
  execute: (request: TransportRequest, now: number, sentAt: number) => TransportAnswer,
  busy: TransportAnswer
) => {
  /** What happens at the provider when it gets to it. */
  const later: Array<(now: number) => void> = []
  const mail: Array<string> = []
  let isFaulty = true
  let clock = 0
  const answerTo = (request: TransportRequest): Effect.Effect<TransportAnswer, NotSent | Unanswered> => {
    const dated = (given: TransportAnswer) => ({
      ...given,
      headers: { ...given.headers, date: new Date(clock).toUTCString() }
    })
    const roll = isFaulty ? random() : 1
    if (roll < 0.05) return Effect.fail(new NotSent({ reason: "refused" }))
    if (roll < 0.1) return Effect.fail(new Unanswered({ reason: "reset before it was read" }))
    if (roll < 0.15) {
      const sentAt = clock
      if (request.method === "POST") later.push((now) => void execute(request, now, sentAt))
      return Effect.fail(new Unanswered({ reason: "it is executed later" }))
    }
    const given = execute(request, clock, clock)
    if (roll < 0.25) return Effect.fail(new Unanswered({ reason: "executed, and not answered" }))
    return Effect.succeed(dated(roll < 0.3 ? busy : given))
  }
  const transport: TransportService["Service"] = {
    send: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        clock = now
        return answerTo(request)
      })
  }
  return {
    ...{ later, mail, transport },
    isFaulty: () => isFaulty,
    /** When it was last asked, in epoch milliseconds. */
    now: () => clock,
    pass: () => {
      for (let left = later.length; left > 0; left--) {
        if (isFaulty && random() < 0.4) continue
        later.splice(Math.floor(random() * later.length), 1)[0]?.(clock)
      }
    },
    /** One of its messages, which may come again. */
    takeText: (now: number): string | undefined => {
      clock = now
      const [taken] = mail.splice(Math.floor(random() * mail.length), 1)
      if (taken !== undefined && isFaulty && random() < 0.3) mail.push(taken)
      return taken
    },
    sendAgain: ({ body }: SignedMessage): void => void mail.push(new TextDecoder().decode(body)),
    hasMail: () => mail.length > 0,
    heal: (): void => {
      isFaulty = false
    }
  }
}

export interface ProviderWorld {
  readonly definition: ConnectorDefinition
  readonly credentials: unknown
  readonly webhookSecret: string | null
  /** A stored credential that each payment is charged with. */
  readonly instrument: string
  /** Whether customers are led to its page too: then the world is a production environment. */
  readonly opensCheckouts?: boolean
  readonly open: (random: Random) => FaultyProvider
  readonly storage: Storage
  /** One seed, or how many from the first one on. */
  readonly seeds: { readonly one: string | undefined; readonly count: string }
  /** Whether a lookup that finds nothing is ever conclusive. Where not, a request that never arrived stays unknown. */
  readonly concludesAbsence: boolean
}

const tenantOf = ({ opensCheckouts = false }: ProviderWorld): Tenant => ({
  workspaceId: "acme",
  environment: opensCheckouts ? "production" : "sandbox"
})
const workspace = { id: "acme", name: "Acme", country: "NL", category: null, suspended: false, partner: null }
const callerOf = (world: ProviderWorld): Caller => ({ tenant: tenantOf(world), workspace })
const connectionId = "main"

const configured = (world: ProviderWorld) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { credentials, definition, webhookSecret } = world
      const tenant = tenantOf(world)
      const secrets = yield* Secrets
      const sealed = (text: string, context: string) => secrets.seal(Redacted.make(text), context)
      yield* (yield* Directory).write({
        workspaces: [workspace],
        apiKeys: [],
        connections: [
          {
            ...tenant,
            ...{ id: connectionId, name: "Main", connector: definition.name, active: true, priority: 1 },
            sealedCredentials: yield* sealed(JSON.stringify(credentials), credentialsContext(connectionId)),
            sealedWebhookSecret:
              webhookSecret === null ? null : yield* sealed(webhookSecret, webhookSecretContext(connectionId)),
            ...{ timeoutMillis: null, supports: {}, restrictions: [], circuitBreaker: null }
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

const shopOver = (world: ProviderWorld, transport: FaultyProvider["transport"]) =>
  Pointsman.layer({}).pipe(
    Layer.provide([Ids.layer, Layer.succeed(Transport, transport), Connectors.layer([world.definition]), syncMac]),
    Layer.provideMerge(configured(world)),
    Layer.provideMerge(world.storage.pipe(Layer.provide(Ids.layer))),
    Layer.provideMerge(openSecretsLayer),
    Layer.orDie
  )

/** Lets the test's clock run until a request has ended. */
const ended = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E, Pointsman | Ledger>) {
  const fiber = yield* Effect.forkChild(Effect.exit(work), { startImmediately: true })
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
  return yield* Fiber.join(fiber)
})

const hear = Effect.fnUntraced(function* (mail: SignedMessage) {
  const pointsman = yield* Pointsman
  yield* pointsman.recordMessage(yield* pointsman.verifyMessage({ connectionId, ...mail }))
})

const paymentsOf = Effect.fnUntraced(function* (world: ProviderWorld) {
  return (yield* (yield* Pointsman).payments(tenantOf(world), { limit: 100 })).items
})

const actsOfSeed = 40

const comeBack = "https://pay.example/hosted/token/return"

/** What a customer does on a page of ours, and on the provider's. */
const actOnPage = Effect.fnUntraced(function* (world: ProviderWorld, provider: FaultyProvider, random: Random) {
  const pointsman = yield* Pointsman
  const pages = (yield* paymentsOf(world)).filter(({ hosted }) => hosted !== null)
  const page = pages[Math.floor(random() * pages.length)]
  const roll = random()
  if (page === undefined || roll < 0.2) {
    return yield* ended(
      pointsman.create(callerOf(world), {
        ...sampleRequest({
          returnUrl: "https://shop.example/thanks",
          cancelUrl: "https://shop.example/cart",
          details: {
            money: { minorUnits: 500 + Math.floor(random() * 5_000), currency: "EUR" },
            captureMethod: random() < 0.5 ? "automatic" : "manual",
            method: "wallet"
          }
        }),
        idempotencyKey: null
      })
    )
  }
  if (roll < 0.5) provider.approve?.()
  const token = yield* pointsman.pageToken(page.id)
  return roll < 0.75
    ? yield* ended(pointsman.openCheckout(token, comeBack))
    : yield* ended(pointsman.returnFromCheckout(token))
})

/** A merchant's requests, the provider's messages, and the background, in the order that the seed gives. */
const act = Effect.fnUntraced(function* (world: ProviderWorld, provider: FaultyProvider, seed: number, random: Random) {
  const pointsman = yield* Pointsman
  const caller = callerOf(world)
  const pick = <Item>(items: ReadonlyArray<Item>): Item | undefined => items[Math.floor(random() * items.length)]
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
      instruments: [{ connectionId, token: Redacted.make(world.instrument) }]
    })
  }
  for (let at = 0; at < actsOfSeed; at++) {
    yield* TestClock.adjust(`${Math.floor(random() * 400)} seconds`)
    if (world.opensCheckouts === true && random() < 0.4) {
      yield* actOnPage(world, provider, random)
      continue
    }
    const known = pick(yield* paymentsOf(world))
    const order = { paymentId: known?.id ?? "", idempotencyKey: random() < 0.5 ? null : `again-${at % 3}-of-it` }
    const part =
      known === undefined || random() < 0.5 ? null : Math.max(1, Math.floor(known.money.minorUnits * random()))
    const roll = random()
    if (known === undefined || roll < 0.2) yield* ended(create())
    else if (roll < 0.35) yield* ended(pointsman.capture(caller, { ...order, amountMinor: part }))
    else if (roll < 0.42) yield* ended(pointsman.void(caller, order))
    else if (roll < 0.57) yield* ended(pointsman.refund(caller, { ...order, amountMinor: part, reason: null }))
    else if (roll < 0.6) provider.chargeBack()
    else if (roll < 0.75) provider.pass()
    else if (roll < 0.9) yield* hearNext(provider)
    else yield* ended(pointsman.checkDue)
  }
  // A world in which nothing was charged would show nothing.
  for (let left = 20; left > 0 && provider.books().length === 0; left--) yield* ended(create())
})

const hearNext = Effect.fnUntraced(function* (provider: FaultyProvider) {
  const mail = provider.takeMail(yield* Clock.currentTimeMillis)
  if (mail !== undefined && Exit.isFailure(yield* ended(hear(mail)))) provider.sendAgain(mail)
})

const rest = Effect.fnUntraced(function* (provider: FaultyProvider) {
  const pointsman = yield* Pointsman
  provider.heal()
  for (let hour = 0; hour < 60; hour++) {
    provider.pass()
    // Bounded: what is refused although nothing fails any more is refused each time.
    for (let left = 1_000; left > 0 && provider.hasMail(); left--) yield* hearNext(provider)
    yield* ended(pointsman.checkDue)
    yield* TestClock.adjust("1 hour")
  }
})

/** Of the provider's books of one payment: nothing of a request that is still unknown here is in them. */
const isUnknownForGood = ({ state }: { readonly state: string }, books: ReadonlyArray<ChargeInBooks>): boolean => {
  if (state === "ChargeUnknown") return books.length === 0
  return (state === "CaptureUnknown" || state === "VoidUnknown") && books.every(({ taken }) => taken === 0)
}

const compare = Effect.fnUntraced(function* (world: ProviderWorld, provider: FaultyProvider, seed: number) {
  const ledger = yield* Ledger
  const all = provider.books()
  assert.isAbove(all.length, 0, "nothing was charged in this world")
  const tenant = tenantOf(world)
  for (const payment of yield* paymentsOf(world)) {
    const { capturedMinor, id, refundedMinor, refundPendingMinor, state } = payment
    const attempts = yield* ledger.attempts(tenant, id)
    const books = all.filter(({ attemptId }) => attempts.some((one) => one.id === attemptId))
    const said = JSON.stringify({ seed, id, state, capturedMinor, refundedMinor, refundPendingMinor, books })
    assert.isAtMost(books.length, attempts.length, said)
    if (world.concludesAbsence || !isUnknownForGood(payment, books)) {
      assert.notMatch(state, /Unknown|ing$|Pending/u, said)
    }
    const taken = books.reduce((sum, one) => sum + one.taken, 0)
    const refunded = books.reduce((sum, one) => sum + one.refunded, 0)
    assert.deepStrictEqual([capturedMinor, refundedMinor], [taken, refunded], said)
    if (world.concludesAbsence) assert.strictEqual(refundPendingMinor, 0, said)
    assert.strictEqual(
      state === "ChargedBack",
      books.some(({ isChargedBack }) => isChargedBack),
      said
    )
  }
})

export const worldSuite = (world: ProviderWorld): void => {
  describe("a world of faults", () => {
    const { count, one } = world.seeds
    const seeds = one === undefined ? Array.from({ length: Number(count) }, (_, index) => index + 1) : [Number(one)]
    it.effect.each(seeds)(
      "the books of both sides agree after the faults of seed %i",
      (seed) => {
        const random = randomFrom(seed)
        const provider = world.open(random)
        return Effect.gen(function* () {
          yield* TestClock.setTime(Date.UTC(2026, 10, 21, 8, 0, 0))
          yield* act(world, provider, seed, random)
          yield* rest(provider)
          yield* compare(world, provider, seed)
        }).pipe(Effect.provide(shopOver(world, provider.transport)))
      },
      60_000
    )
  })
}
