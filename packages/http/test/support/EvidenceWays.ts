/**
 * How payments are brought, over HTTP, into each of the sample payments that the page of evidence is generated from
 * (`scripts/evidence/Books.ts`).
 */
import { type Tenant, webhookSecretContext } from "@pointsman/core"
import {
  type ChargeAnswer,
  type ChargeState,
  Directory,
  Ledger,
  NotSent,
  type OperationAnswer,
  type ProviderMessage,
  type RefundAnswer,
  Secrets,
  Unanswered
} from "@pointsman/core/ports"
import { Deferred, Effect, Option, Redacted } from "effect"
import { expect } from "vitest"
import type { SampleName } from "../../../../scripts/evidence/Books.ts"
import { type Names, namesIn } from "../../../../scripts/evidence/Words.ts"
import { charge, deliver, type Message } from "./Messages.ts"
import { answerOf, create, operate } from "./Payments.ts"
import { nothing } from "./Workspaces.ts"
import { acme, connectionOf, keys, type World, webhookSecretOf } from "./World.ts"

/** Where the payments are, and who asks. */
export interface Place {
  readonly tenant: Tenant
  readonly key: string
}

const sandbox: Place = { tenant: acme, key: keys.acme }
const production: Place = { tenant: { ...acme, environment: "production" }, key: keys.acmeLive }

export interface Brought {
  readonly place: Place
  readonly ids: ReadonlyArray<string>
  /** Lets the calls that are in flight end, unanswered; absent where there are none. */
  readonly end?: () => Promise<void>
}

type Way = (world: World, count: number) => Promise<Brought>

const each = <A>(count: number, make: (at: number) => Promise<A>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))

export const bookOf = (world: World, { tenant }: Place, id: string) =>
  world.run(Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.book(tenant, id), Option.getOrThrow)))

const silence = Effect.fail(new Unanswered({ reason: "timed out" }))
const refused = Effect.fail(new NotSent({ reason: "refused" }))
const ref = (attemptId: string) => `ref_${attemptId}`

type OnCharge = World["provider"]["onCharge"]

const charged =
  (fields: object = {}, onCharge?: OnCharge): Way =>
  async (world, count) => {
    if (onCharge !== undefined) world.provider.onCharge = onCharge
    const replies = await each(count, () => create(world, fields))
    return { place: sandbox, ids: replies.map(({ body }) => body.data.id) }
  }

/** Charges that the provider answers so. */
const charges = (answer: (providerRef: string) => ChargeAnswer, fields: object = {}): Way =>
  charged(fields, ({ attemptId }) => Effect.succeed(answer(ref(attemptId))))

const manual = { capture_method: "manual" }
const authorized = charged(manual)
const captured = charged()

/** Calls that begin, and are unanswered once they are let go. */
const inFlight = (count: number) => {
  const begun = Deferred.makeUnsafe<void>()
  const answered = Deferred.makeUnsafe<void>()
  let calls = 0
  const call = Effect.suspend(() => {
    calls += 1
    if (calls === count) Deferred.doneUnsafe(begun, Effect.void)
    return Effect.andThen(Deferred.await(answered), silence)
  })
  return {
    call,
    begun: Effect.runPromise(Deferred.await(begun)),
    end: async (replies: Promise<unknown>) => {
      await Effect.runPromise(Deferred.succeed(answered, undefined))
      await replies
    }
  }
}

const charging =
  (fields: object = {}, isHeld = (_connectionId: string) => true): Way =>
  async (world, count) => {
    const { begun, call, end } = inFlight(count)
    world.provider.onCharge = ({ connectionId }) => (isHeld(connectionId) ? call : refused)
    const replies = each(count, () => create(world, fields))
    await begun
    const ids = [...new Set(world.provider.charges.map(({ paymentId }) => paymentId))]
    return { place: sandbox, ids, end: () => end(replies) }
  }

type Operation = "capture" | "void" | "refund"

const operating =
  (before: Way, name: Operation, amount?: number): Way =>
  async (world, count) => {
    const brought = await before(world, count)
    const { begun, call, end } = inFlight(count)
    Object.assign(world.provider, { onCapture: () => call, onVoid: () => call, onRefund: () => call })
    const replies = Promise.all(brought.ids.map((id) => operate(world, name, id, { body: { amount } })))
    await begun
    return { ...brought, end: () => end(replies) }
  }

type Called = Parameters<World["provider"]["onCapture"]>[0] & Partial<Parameters<World["provider"]["onRefund"]>[0]>
type Answer = (called: Called) => Effect.Effect<OperationAnswer | RefundAnswer, Unanswered>

/** Without an answer, the provider does what it is asked. */
const operated =
  (before: Way, name: Operation, amount?: number, answer?: Answer): Way =>
  async (world, count) => {
    const brought = await before(world, count)
    if (answer !== undefined) Object.assign(world.provider, { onCapture: answer, onVoid: answer, onRefund: answer })
    await Promise.all(brought.ids.map((id) => operate(world, name, id, { body: { amount } })))
    return brought
  }

const said = new Map<string, ProviderMessage["about"]>()

/** A message that `reads` makes this statement of: the provider protocol has no words for some of them. */
export const messageOf = (about: ProviderMessage["about"], at: number): Message & { readonly id: string } => {
  const id = `msg_said_${said.size}`
  said.set(id, about)
  return { ...charge("att_said", "captured"), id, created: new Date(at).toISOString() }
}

/** For the worlds in which payments are brought into these states. */
export const reads = (message: ProviderMessage): ProviderMessage => ({
  ...message,
  about: said.get(message.id) ?? message.about
})

/** Then the provider reports something, and is believed. */
const told =
  (before: Way, about: (names: Names) => ProviderMessage["about"]): Way =>
  async (world, count) => {
    const brought = await before(world, count)
    await Promise.all(
      brought.ids.map(async (id) => {
        const book = await bookOf(world, brought.place, id)
        const connectionId = book.attempts.at(-1)?.connectionId ?? ""
        const message = messageOf(about(namesIn(book, { way: "", book })), Date.now())
        expect(answerOf(await deliver(world, message, { connectionId }))).toBe("200")
      })
    )
    return brought
  }

const ofAttempt = ({ attemptId }: Names) => ({ attemptId })
const settled = (before: Way) => told(before, (names) => ({ _tag: "Settled", charge: ofAttempt(names), state: null }))
const disputed = (before: Way, verdict: "opened" | "won" | "lost" = "opened") =>
  told(before, (names) => ({ _tag: "Dispute", charge: ofAttempt(names), disputeId: null, verdict }))
const operationFailed = (before: Way, isFinal: boolean) =>
  told(before, ({ operationId }) => ({
    _tag: "Operation",
    operationId,
    state: () => ({ _tag: "OperationFailed", isFinal, reason: "No funds." })
  }))
const refundFailed = (before: Way) =>
  told(before, ({ refundId, refundReference }) => ({
    _tag: "Refund",
    refundId,
    state: () => ({ _tag: "RefundFailed", providerRefundId: refundReference, reason: null })
  }))

// On a page.

const toPage = { return_url: "https://shop.example" }

const press = async (world: World, id: string, action: string) => {
  const response = await world.servers[0]?.fetch(
    new Request(`http://pointsman.test/hosted/token-${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ action }).toString()
    })
  )
  await response?.text()
}

const awaiting =
  (place: Place = sandbox): Way =>
  async (world, count) => {
    const replies = await each(count, (at) =>
      create(world, toPage, { key: place.key, idempotencyKey: `${Date.now()}-${at}` })
    )
    return { place, ids: replies.map(({ body }) => body.data.id) }
  }

const pressed =
  (before: Way, action: string, onOpenCheckout?: World["provider"]["onOpenCheckout"]): Way =>
  async (world, count) => {
    const brought = await before(world, count)
    if (onOpenCheckout !== undefined) world.provider.onOpenCheckout = onOpenCheckout
    await Promise.all(brought.ids.map((id) => press(world, id, action)))
    return brought
  }

const onCheckout = pressed(awaiting(production), "continue")

// Captures, voids and refunds.

const pending: Answer = ({ providerRef }) => Effect.succeed({ _tag: "Pending", providerRef })
const silent: Answer = () => silence
/** An authorized payment whose capture or void is answered so. */
const answered = (name: "capture" | "void", answer: (providerRef: string) => OperationAnswer): Way =>
  operated(authorized, name, undefined, ({ providerRef }) => Effect.succeed(answer(providerRef)))
const capturePending = operated(authorized, "capture", undefined, pending)
const voidPending = operated(authorized, "void", undefined, pending)
/** The provider reports such a state of the charge. */
const chargeTold = (before: Way, state: (names: Names) => ChargeState): Way =>
  told(before, (names) => ({ _tag: "Charge", charge: ofAttempt(names), state: () => state(names) }))
const byCapture = operated(authorized, "capture")
const byPartialCapture = operated(authorized, "capture", 600)
const refundPending = (before: Way) =>
  operated(before, "refund", 400, ({ refundId = "" }) =>
    Effect.succeed({ _tag: "RefundPending", providerRefundId: ref(refundId) })
  )
const partlyRefunded = (before: Way) => operated(before, "refund", 400)
const refundRefused: Answer = () => Effect.succeed({ _tag: "Rejected", code: "no", message: "It was refused." })

const pounds = { currency: "GBP" }
const capturedTooMuch = (providerRef: string) =>
  ({ _tag: "Captured", providerRef, stated: { minorUnits: 5000, currency: "EUR" } }) as const
const declined = (providerRef: string) =>
  ({ _tag: "Declined", providerRef, category: "expired_card", code: "54", soft: false }) as const

/** A sample without a way does not compile. */
export const ways: Readonly<Record<SampleName, Way>> = {
  "AwaitingCustomer: on the hosted page": awaiting(),
  "CheckoutOpen: on the provider's page": onCheckout,
  "Charging: automatic capture": charging(),
  "Charging: manual capture": charging(manual),
  "Charging: of the attempt before": charging(pounds, (connectionId) => connectionId === "second"),
  "ChargePending: automatic capture": charges((providerRef) => ({ _tag: "Pending", providerRef })),
  "ChargePending: manual capture": charges((providerRef) => ({ _tag: "Pending", providerRef }), manual),
  "ChargePending: on the provider's page": chargeTold(onCheckout, ({ reference }) => ({
    _tag: "Pending",
    providerRef: reference
  })),
  "ChargeUnknown: automatic capture": charged({}, () => silence),
  "ChargeUnknown: manual capture": charged(manual, () => silence),
  "ChargeUnknown: on the provider's page": pressed(awaiting(production), "continue", () => silence),
  "ChargeMismatched: more than was asked": charges(capturedTooMuch),
  "Authorized: not captured yet": authorized,
  "Authorized: a capture was refused": answered("capture", declined),
  "Authorized: a capture failed": operationFailed(capturePending, true),
  "Authorized: a void failed": operationFailed(voidPending, true),
  "Capturing: in flight": operating(authorized, "capture"),
  "CapturePending: accepted": capturePending,
  "CapturePending: tried again after a failure": operationFailed(byCapture, false),
  "CaptureUnknown: unanswered": operated(authorized, "capture", undefined, silent),
  "CaptureUnknown: more than was asked": answered("capture", capturedTooMuch),
  "Voiding: in flight": operating(authorized, "void"),
  "VoidPending: accepted": voidPending,
  "VoidUnknown: unanswered": operated(authorized, "void", undefined, silent),
  "Captured: automatic capture": captured,
  "Captured: by a capture": byCapture,
  "Captured: by a partial capture": byPartialCapture,
  "Captured: corrected to a greater amount": chargeTold(byPartialCapture, ({ currency, reference }) => ({
    _tag: "Captured",
    providerRef: reference,
    stated: { minorUnits: 1000, currency }
  })),
  "Captured: instead of a void": answered("void", (providerRef) => ({ _tag: "Captured", providerRef })),
  "Captured: of the attempt before": charged(pounds, ({ attemptId, connectionId }) =>
    connectionId === "first" ? refused : Effect.succeed({ _tag: "Captured", providerRef: ref(attemptId) })
  ),
  "Captured: a dispute was won": disputed(disputed(captured), "won"),
  "Captured: a refund in flight": operating(captured, "refund", 400),
  "Captured: a refund pending": refundPending(captured),
  "Captured: by a capture, a refund pending": refundPending(byCapture),
  "Captured: a refund unknown": operated(captured, "refund", 400, silent),
  "Captured: a refund refused": operated(captured, "refund", 400, refundRefused),
  "Captured: a refund failed": refundFailed(refundPending(captured)),
  "Captured: a refund reversed": refundFailed(partlyRefunded(captured)),
  "PartiallyRefunded: automatic capture": partlyRefunded(captured),
  "PartiallyRefunded: by a capture": partlyRefunded(byCapture),
  "Refunded: automatic capture": operated(captured, "refund"),
  "Refunded: by a partial capture": operated(byPartialCapture, "refund"),
  "Settled: automatic capture": settled(captured),
  "Settled: by a capture": settled(byCapture),
  "Settled: a refund pending": refundPending(settled(captured)),
  "ChargedBack: a dispute was opened": disputed(captured),
  "ChargedBack: a dispute was lost": disputed(captured, "lost"),
  "ChargedBack: after the payout": disputed(settled(captured)),
  "ChargedBack: after a partial refund": disputed(partlyRefunded(captured)),
  "ChargedBack: by a capture": disputed(byCapture),
  "ChargedBack: a refund pending": disputed(refundPending(captured)),
  "Declined: by the provider": charges(declined),
  "Failed: nothing was sent": charged({}, () => refused),
  "Cancelled: by the provider": charges((providerRef) => ({ _tag: "Canceled", providerRef })),
  "Cancelled: by the customer": pressed(awaiting(), "cancel"),
  "Voided: by a void": operated(authorized, "void"),
  "Voided: the authorization lapsed": chargeTold(authorized, ({ reference }) => ({
    _tag: "Canceled",
    providerRef: reference
  })),
  "Voided: instead of a capture": answered("capture", (providerRef) => ({ _tag: "Canceled", providerRef }))
}

/** Two connections for one currency, of which the second is asked where the first was not reached. */
export const withTwoConnections = (world: World) =>
  world.run(
    Effect.gen(function* () {
      const directory = yield* Directory
      const { circuitBreaker } = Option.getOrThrow(yield* directory.connection("main"))
      const taking = Effect.fnUntraced(function* (id: string, priority: number) {
        const sealedWebhookSecret = yield* (yield* Secrets).seal(
          Redacted.make(webhookSecretOf(id)),
          webhookSecretContext(id)
        )
        const supports = { currencies: ["GBP"] }
        return yield* connectionOf(id, { priority, supports, circuitBreaker, sealedWebhookSecret })
      })
      const connections = [yield* taking("first", 1), yield* taking("second", 2)]
      yield* directory.write({ ...nothing, connections })
    })
  )
