/** The personal data of the payments with a reference is erased wherever it is stored, and nothing else changes. */
import { assert } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { itHere } from "./support/ItIn.ts"
import { rowOf } from "./support/Messages.ts"
import { cancelUrl, hosted, paged, returnUrl } from "./support/Pages.ts"
import { assertFields, endAfter } from "./support/Steps.ts"
import { caller, request, tenant } from "./support/World.ts"

const reference = "order of Ada Lovelace"
const reason = "Ada changed her mind"
const key = "key-0001"
const order = { tenant, reference, by: "Jo", isDryRun: false }

const referring = (text: string, idempotencyKey: string | null = null) => {
  const plain = request({ idempotencyKey })
  const metadata = { customer: text }
  const purchase = { description: `For ${text}`, locale: null, lines: [{ name: text, quantity: 1, amountMinor: 1999 }] }
  return { ...plain, details: { ...plain.details, reference: text, metadata, purchase } }
}

const storeMessage = (paymentId: string, eventId: string) =>
  Effect.flatMap(Ledger, ({ storeMessage }) =>
    storeMessage(tenant, rowOf({ eventId, paymentId, outcome: "confirmed", body: `{"name":"${reference}"}` }))
  )

const refunded = (payment: Payment, idempotencyKey: string) =>
  Effect.flatMap(Pointsman, (pointsman) =>
    pointsman.refund(caller, { paymentId: payment.id, idempotencyKey, amountMinor: 10, reason })
  )

/** A captured payment with a key, a refund and a message. */
const paid = Effect.fnUntraced(function* (text = reference, idempotencyKey = key) {
  const { payment } = yield* (yield* Pointsman).create(caller, referring(text, idempotencyKey))
  yield* refunded(payment, `refund-${idempotencyKey}`)
  yield* storeMessage(payment.id, `msg-${idempotencyKey}`)
  return payment
})

/** All that is stored of a payment. */
const recordOf = Effect.fnUntraced(function* ({ id, idempotencyKey }: Payment) {
  const ledger = yield* Ledger
  return {
    book: Option.getOrThrow(yield* ledger.book(tenant, id)),
    events: yield* ledger.timeline(tenant, id, { limit: 100 }),
    claim: idempotencyKey === null ? null : Option.getOrThrow(yield* ledger.claim(tenant, idempotencyKey)),
    message: Option.getOrNull(yield* ledger.message(tenant, "main", `msg-${idempotencyKey}`))
  }
})

const personal = [reference, reason, returnUrl, cancelUrl]
/** The fingerprint of these tests is readable; a real one is an HMAC. */
const shown = ({ claim, ...record }: Effect.Success<ReturnType<typeof recordOf>>) => {
  const text = JSON.stringify({ ...record, claim: claim && { ...claim, fingerprint: "" } })
  return personal.filter((one) => text.includes(one))
}

const all = { refundReasons: 1, returnUrls: 0, messages: 1, answers: 2 }

itHere("an erased payment keeps its money and ids, and no text", function* (_, pointsman) {
  const payment = yield* paid()
  const before = yield* recordOf(payment)
  assert.deepStrictEqual(shown(before), [reference, reason])
  const { erased, inUse } = yield* pointsman.erasePayments(order)
  assert.deepStrictEqual(inUse, [])
  assert.deepStrictEqual(erased, [{ ...all, paymentId: payment.id, events: before.events.length }])
  const after = yield* recordOf(payment)
  assert.deepStrictEqual(shown(after), [])
  const { version, ...kept } = before.book.payment
  assert.deepStrictEqual(after.book.payment, {
    ...kept,
    version: version + 1,
    reference: null,
    metadata: null,
    purchase: null
  })
  assert.deepStrictEqual(after.book.attempts, before.book.attempts)
  assert.deepStrictEqual(
    after.book.refunds.map(({ reason: _, reply: __, ...refund }) => refund),
    before.book.refunds.map(({ reason: _, reply: __, ...refund }) => refund)
  )
  assert.deepStrictEqual(
    after.events,
    before.events.map(({ data: { metadata: _, ...data }, ...event }) => ({
      ...event,
      data: { ...data, reference: null }
    }))
  )
  assert.strictEqual(after.message?.body, "")
  const failure = yield* Effect.flip(pointsman.applyMessage("main", `msg-${key}`))
  assert.notStrictEqual(failure._tag, "pointsman/SealBroken")
  // Again: nothing is left to be found.
  assert.deepStrictEqual(yield* pointsman.erasePayments(order), { erased: [], inUse: [] })
  assert.deepStrictEqual(yield* recordOf(payment), after)
})

itHere("erasing one reference leaves payments with other references as they are", function* (_, pointsman) {
  const others = yield* Effect.forEach([`${reference} 2`, reference.toUpperCase(), reference.slice(1)], (text, at) =>
    paid(text, `other-key-${at}`)
  )
  const unnamed = (yield* pointsman.create(caller, request())).payment
  const before = yield* Effect.forEach([...others, unnamed], recordOf)
  const mine = [yield* paid(), yield* paid(reference, "key-0002")]
  const { erased } = yield* pointsman.erasePayments(order)
  assert.deepStrictEqual(erased.map(({ paymentId }) => paymentId).toSorted(), mine.map(({ id }) => id).toSorted())
  assert.deepStrictEqual(yield* Effect.forEach([...others, unnamed], recordOf), before)
  const elsewhere = { ...order, tenant: { ...tenant, environment: "production" } as const }
  yield* pointsman.create(caller, referring(reference))
  assert.deepStrictEqual(yield* pointsman.erasePayments(elsewhere), { erased: [], inUse: [] })
})

itHere("requests of an erased payment that come again ask no provider", function* (own, pointsman) {
  const payment = yield* paid()
  yield* pointsman.erasePayments(order)
  const again = yield* pointsman.create(caller, referring(reference, key))
  assert.isTrue(again.isReplay)
  assert.deepInclude(again.payment, { id: payment.id, state: payment.state, reference: null })
  const refundedAgain = yield* refunded(payment, `refund-${key}`)
  assert.isTrue(refundedAgain.isReplay)
  assert.deepInclude(refundedAgain.payment, { id: payment.id, reference: null, refundedMinor: 10 })
  assert.lengthOf(own.provider.charges, 1)
  assert.lengthOf(own.provider.refunds, 1)
  // Another request under the key is refused as before.
  const other = yield* Effect.flip(pointsman.create(caller, referring("another", key)))
  assert.strictEqual(other._tag, "pointsman/KeyReused")
})

itHere("a dry run reports the same, and writes nothing", function* (own, pointsman) {
  const payment = yield* paid()
  const before = yield* recordOf(payment)
  const planned = yield* pointsman.erasePayments({ ...order, isDryRun: true })
  assert.deepStrictEqual(yield* recordOf(payment), before)
  assert.strictEqual(own.ledger.calls.eraseTexts, 0)
  assert.deepStrictEqual(yield* pointsman.erasePayments(order), planned)
})

const faults: ReadonlyArray<readonly [name: string, fault: CommitFault, doneAtOnce: boolean]> = [
  ["a commit that surely wrote nothing", "unwritten", false],
  ["a commit whose answer was lost and that wrote nothing", "lost", true],
  ["a commit whose answer was lost and that wrote", "unheard", true]
]
for (const [name, fault, doneAtOnce] of faults) {
  itHere(`${name}: the payment is erased once when the erasure runs twice`, function* (own, pointsman) {
    const payment = yield* paid()
    const { version } = (yield* recordOf(payment)).book.payment
    const first = own.ledger.calls.commit + 1
    own.ledger.onCommit = (number) => (number === first ? fault : undefined)
    const exit = yield* endAfter(10_000, Effect.exit(pointsman.erasePayments(order)))
    assert.strictEqual(exit._tag, doneAtOnce ? "Success" : "Failure")
    if (exit._tag === "Success") assert.deepInclude(exit.value.erased[0], all)
    const { erased } = yield* pointsman.erasePayments(order)
    assert.lengthOf(erased, doneAtOnce ? 0 : 1)
    const after = yield* recordOf(payment)
    assert.deepStrictEqual(shown(after), [])
    assert.strictEqual(after.book.payment.version, version + 1)
  })
}

itHere("the texts of a refund written during the erasure of its payment are erased too", function* (own, pointsman) {
  const payment = yield* paid()
  const first = own.ledger.calls.commit + 1
  const meanwhile = { paymentId: payment.id, idempotencyKey: "meanwhile", amountMinor: 5, reason }
  const another = Effect.orDie(Effect.asVoid(pointsman.refund(caller, meanwhile)))
  own.ledger.beforeCommit = (number) => (number === first ? another : Effect.void)
  const { erased } = yield* pointsman.erasePayments(order)
  assert.deepInclude(erased[0], { ...all, refundReasons: 2, answers: 3 })
  const after = yield* recordOf(payment)
  assert.deepStrictEqual(shown(after), [])
  assert.strictEqual(after.book.payment.refundedMinor, 15)
})

itHere("a page whose customer has not acted is erased only once it is over", function* (_, pointsman) {
  const { details } = referring(reference)
  const { payment, token } = yield* paged(caller, { ...hosted(), details })
  const before = yield* recordOf(payment)
  assert.deepStrictEqual(yield* pointsman.erasePayments(order), { erased: [], inUse: [payment.id] })
  assert.deepStrictEqual(yield* recordOf(payment), before)
  yield* TestClock.adjust(31 * 60_000)
  yield* pointsman.hostedPage(token)
  const { erased } = yield* pointsman.erasePayments(order)
  assert.deepInclude(erased[0], { paymentId: payment.id, returnUrls: 2 })
  assert.deepStrictEqual(shown(yield* recordOf(payment)), [])
  assert.strictEqual((yield* pointsman.hostedPage(token)).payment.hosted?.returnUrl, null)
})

itHere("an unknown charge is erased and still settled; one in flight is left", function* (own, pointsman) {
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  const { payment } = yield* pointsman.create(caller, referring(reference))
  assert.strictEqual(payment.state, "ChargeUnknown")
  own.provider.onCharge = () => Effect.never
  yield* Effect.forkDetach(pointsman.create(caller, referring(reference)), { startImmediately: true })
  yield* TestClock.adjust(1)
  const { erased, inUse } = yield* pointsman.erasePayments(order)
  assertFields(erased, "paymentId", payment.id)
  assert.lengthOf(inUse, 1)
  own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef: "ref" } })
  yield* TestClock.adjust(10 * 60_000)
  yield* pointsman.checkDue
  assert.deepInclude(yield* pointsman.payment(tenant, payment.id), { state: "Captured", reference: null })
})

itHere("an order without a reference or a name is refused", function* (_, pointsman) {
  for (const [wrong, field] of [
    [{ reference: "" }, "reference"],
    [{ by: " " }, "by"],
    [{ by: "x".repeat(121) }, "by"]
  ] as const) {
    const failure = yield* Effect.flip(pointsman.erasePayments({ ...order, ...wrong }))
    assert.deepInclude(failure, { _tag: "pointsman/ErasureRefused", field })
  }
})
