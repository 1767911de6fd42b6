/** What a provider states of one payment, step by step, and how the payment is stored after it. */
import { assert } from "@effect/vitest"
import { type CaptureMethod, type Event, type Payment, Pointsman } from "@pointsman/core"
import {
  type ChargeState,
  Ledger,
  type OperationState,
  type ProviderMessage,
  type RefundAnswer,
  type RefundState,
  Unanswered
} from "@pointsman/core/ports"
import { type Duration, Effect, type Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./ItIn.ts"
import { type Kind, operate } from "./Operations.ts"
import { attemptsOf, bookOf, stored, typesOf } from "./Pages.ts"
import { caller, request, type World, world } from "./World.ts"

export const providerRef = "ref"
export const captured = { _tag: "Captured", providerRef } as const
export const authorized = { _tag: "Authorized", providerRef } as const
export const pending = { _tag: "Pending", providerRef } as const
export const canceled = { _tag: "Canceled", providerRef } as const
export const declined = { _tag: "Declined", providerRef, category: "other", code: "05", soft: false } as const
export const rejected = { _tag: "Rejected", code: "no", message: "It was rejected." } as const
export const unanswered = new Unanswered({ reason: "no answer" })
export const stating = (minorUnits: number, currency = "EUR"): ChargeState => ({
  ...captured,
  stated: { minorUnits, currency }
})

export const confirmed = { _tag: "OperationConfirmed" } as const
export const failed: OperationState = { _tag: "OperationFailed", isFinal: true, reason: "no funds" }
export const retried: OperationState = { _tag: "OperationFailed", isFinal: false, reason: "technical" }
export const repaid: RefundState = { _tag: "Succeeded", providerRefundId: "re" }
export const repayFailed = { _tag: "RefundFailed", providerRefundId: "re", reason: "account closed" } as const

type Services = Layer.Success<World["layer"]>
export type Start = (own: World) => Effect.Effect<Payment, unknown, Services>
export type Step = (payment: Payment, own: World) => Effect.Effect<unknown, unknown, Services>
type Said = (payment: Payment) => ReturnType<typeof say>

/** `Captured 1999 -500 ~300 conflict`: its state, what is captured, refunded and held, and what is reviewed. */
export const seen = (of: Payment) =>
  Effect.map(stored(of), ({ capturedMinor, refundedMinor, refundPendingMinor, review, state }) =>
    [
      state,
      capturedMinor,
      ...(refundedMinor === 0 ? [] : [`-${refundedMinor}`]),
      ...(refundPendingMinor === 0 ? [] : [`~${refundPendingMinor}`]),
      ...(review?.reasons ?? [])
    ].join(" ")
  )

/** Each row: what happens, how the payment is seen after it, and what else holds then. */
export const itWalks = (
  title: string,
  start: Start,
  rows: ReadonlyArray<readonly [steps: Step | ReadonlyArray<Step>, then: string, ...checks: ReadonlyArray<Step>]>,
  own = world()
): void =>
  itIn(title, own, function* () {
    const payment = yield* start(own)
    for (const [index, [steps, then, ...checks]] of rows.entries()) {
      for (const step of typeof steps === "function" ? [steps] : steps) yield* step(payment, own)
      assert.strictEqual(yield* seen(payment), then, `row ${index + 1}`)
      for (const check of checks) yield* check(payment, own)
    }
  })

type Answer = ChargeState | typeof rejected | Unanswered
const given =
  <A>(answer: A | Unanswered) =>
  () =>
    answer instanceof Unanswered ? Effect.fail(answer) : Effect.succeed(answer)

/** A payment whose charge is answered so. */
export const created =
  (answer: Answer, captureMethod: CaptureMethod = "automatic"): Start =>
  (own) => {
    own.provider.onCharge = given(answer)
    return Effect.flatMap(Pointsman, ({ create }) =>
      Effect.map(create(caller, request({ details: { captureMethod } })), ({ payment }) => payment)
    )
  }

/** One that is captured, or voided, by an operation which the provider answers so. */
export const capturedBy =
  (answer: Answer = captured, amountMinor: number | null = null): Start =>
  (own) => {
    own.provider.onCapture = given(answer)
    const order = { amountMinor, idempotencyKey: "capture-key" }
    return Effect.tap(created(authorized, "manual")(own), ({ id }) => operate("capture", id, order))
  }

export const voidedBy =
  (answer: Answer): Start =>
  (own) => {
    own.provider.onVoid = given(answer)
    return Effect.tap(created(authorized, "manual")(own), ({ id }) => operate("void", id))
  }

/** A captured payment that is refunded by a request which the provider answers so. */
export const refundedBy =
  (answer: RefundAnswer | Unanswered = repaid, amountMinor: number | null = null): Start =>
  (own) => {
    own.provider.onRefund = given(answer)
    return Effect.tap(created(captured)(own), ({ id }) => operate("refund", id, { amountMinor }))
  }

/** One that its first connection declines softly, in a charge of that reference, and its second one answers so. */
export const followedBy =
  (answer: Answer, firstRef = providerRef): Start =>
  (own) => {
    const softly = { _tag: "Declined", category: "do_not_honor", code: "05", soft: true } as const
    own.provider.onCharge = ({ connectionId }) =>
      given(connectionId === "main" ? { ...softly, providerRef: firstRef } : answer)()
    return Effect.flatMap(Pointsman, ({ create }) => Effect.map(create(caller, request()), ({ payment }) => payment))
  }

let written = 0

/** A message, and what became of it. */
export const say = Effect.fnUntraced(function* (
  { tenant }: Pick<Payment, "tenant">,
  about: ProviderMessage["about"],
  at: number | null = 0,
  connectionId = "main"
) {
  const message = { id: `said_${++written}`, at, about }
  const { recordMessage } = yield* Pointsman
  yield* recordMessage({ connectionId, tenant, receivedAt: 0, body: "{}", reason: null, message })
  return Option.getOrThrow(yield* (yield* Ledger).message(tenant, connectionId, message.id)).outcome
})

const ofAttempt =
  (about: (charge: { readonly attemptId: string }) => ProviderMessage["about"], at?: number, index = 0): Said =>
  (payment) =>
    Effect.flatMap(attemptsOf(payment), (attempts) => {
      const attempt = attempts.at(index) ?? assert.fail("the payment has no such attempt")
      return say(payment, about({ attemptId: attempt.id }), at, attempt.connectionId)
    })

/** About its first attempt, unless told otherwise. */
export const charge = (state: ChargeState, at?: number, index?: number): Said =>
  ofAttempt((charge) => ({ _tag: "Charge", charge, state: () => state }), at, index)

export const dispute = (verdict: "opened" | "won" | "lost", at?: number, disputeId = "dp_1"): Said =>
  ofAttempt((charge) => ({ _tag: "Dispute", charge, disputeId, verdict }), at)

export const payout = (state: ChargeState | null = null, at?: number, index?: number): Said =>
  ofAttempt((charge) => ({ _tag: "Settled", charge, state: state && (() => state) }), at, index)

export const captureFailed: Said = ofAttempt((charge) => ({ _tag: "CaptureFailed", charge, reason: "technical" }))

/** About its newest operation, unless told otherwise. */
export const operation =
  (state: OperationState, at?: number | null, index = -1): Said =>
  (payment) =>
    Effect.flatMap(bookOf(payment), ({ operations }) => {
      const { id } = operations.at(index) ?? assert.fail("the payment has no such operation")
      return say(payment, { _tag: "Operation", operationId: id, state: () => state }, at)
    })

/** About its newest refund. */
export const refund =
  (state: RefundState | ((id: string) => RefundState), at?: number | null): Said =>
  (payment) =>
    Effect.flatMap(bookOf(payment), ({ refunds }) => {
      const { id } = refunds.at(-1) ?? assert.fail("the payment has no refund")
      return say(
        payment,
        { _tag: "Refund", refundId: id, state: () => (typeof state === "function" ? state(id) : state) },
        at
      )
    })

/** A request for it, which ends so: `done`, `replayed`, or with the tag of its failure. */
export const asks =
  (kind: Kind, how: string, order: Parameters<typeof operate>[2] = {}): Step =>
  ({ id }) =>
    Effect.map(operate(kind, id, order), (answer) => {
      const done = Result.map(answer, ({ isReplay }) => (isReplay ? "replayed" : "done"))
      assert.strictEqual(
        Result.getOrElse(done, ({ _tag }) => _tag.replace("pointsman/", "")),
        how
      )
    })

/** What the provider answers from then on. */
export const answering =
  (answers: Partial<World["provider"]>): Step =>
  (_, { provider }) =>
    Effect.sync(() => Object.assign(provider, answers))

export const passes =
  (time: Duration.Input): Step =>
  () =>
    TestClock.adjust(time)

/** So long, and what is due then is looked up: nothing is left undecided. */
export const checkedAfter =
  (time: Duration.Input): Step =>
  (payment) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(time)
      yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
      assert.deepStrictEqual((yield* stored(payment)).reported?.undecided ?? [], [])
    })

/** Steps after which the payment is stored as it was before them. */
export const unchanged =
  (...steps: ReadonlyArray<Step>): Step =>
  (payment, own) =>
    Effect.gen(function* () {
      const before = yield* stored(payment)
      for (const step of steps) yield* step(payment, own)
      assert.deepStrictEqual(yield* stored(payment), before)
    })

/** The last types of its timeline. */
export const ends =
  (...types: ReadonlyArray<Event["type"]>): Step =>
  (payment) =>
    Effect.map(typesOf(payment), (all) => assert.deepStrictEqual(all.slice(-types.length), types))

/** What the events of a type say on its timeline. */
export const tells =
  (
    type: Event["type"],
    of: (data: Event["data"], payment: Payment) => unknown,
    ...expected: ReadonlyArray<unknown>
  ): Step =>
  (payment) =>
    Effect.map(
      Effect.flatMap(Ledger, (ledger) => ledger.timeline(payment.tenant, payment.id, { limit: 200 })),
      (events) =>
        assert.deepStrictEqual(
          events.filter((event) => event.type === type).map(({ data }) => of(data, payment)),
          [...expected]
        )
    )

export const times = (type: Event["type"], count: number): Step =>
  tells(type, () => type, ...Array.from({ length: count }, () => type))

/** The dispute and what is stated, of each conflict on its timeline. */
export const conflicts = (
  ...expected: ReadonlyArray<readonly [disputeId: string | null, stated: string | null]>
): Step => tells("payment.conflict", (data) => [data["dispute_id"] ?? null, data["stated"] ?? null], ...expected)

/** What is read of the payment as it is stored then. */
export const keeps =
  (of: (payment: Payment) => unknown, expected: unknown): Step =>
  (payment) =>
    Effect.map(stored(payment), (now) => assert.deepStrictEqual(of(now), expected))
