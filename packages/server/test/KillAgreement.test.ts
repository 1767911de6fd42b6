/** The judge of the kill rounds is judged: a record in which all agrees, and each way in which it could not. */
import { assert, describe, it } from "vitest"
import { disagreements } from "./support/kill/Agreement.ts"
import type { ChargeEntry } from "./support/kill/Books.ts"
import type { EventShown, Evidence, PaymentShown, Wish } from "./support/kill/Evidence.ts"

type Mutable<A> = { -readonly [Field in keyof A]: A[Field] }

const created = "2026-11-21T12:00:00.000Z"

const payment = (id: string, reference: string, change: Partial<PaymentShown>): Mutable<PaymentShown> => ({
  payment_id: id,
  reference,
  status: "CAPTURED",
  amount: 1999,
  currency: "EUR",
  capture_method: "automatic",
  captured_amount: 0,
  refunded_amount: 0,
  refund_pending_amount: 0,
  created,
  ...change
})

const charge = (paymentId: string, reference: string, change: Partial<ChargeEntry>): Mutable<ChargeEntry> => ({
  attemptId: `att_${paymentId}`,
  paymentId,
  connection: "main",
  reference,
  amount: 1999,
  currency: "EUR",
  status: "captured",
  capturedAmount: 0,
  ...change
})

const event = (
  id: string,
  type: string,
  paymentId: string,
  data: Readonly<Record<string, unknown>> = {}
): Mutable<EventShown> => ({ id, type, created, data: { payment_id: paymentId, ...data } })

const wish = (kind: Wish["kind"], name: string, change: Partial<Wish>): Mutable<Wish> => ({
  kind,
  name,
  paymentId: null,
  key: `key-${name}`,
  amount: null,
  answers: [],
  lost: 0,
  ...change
})

const done = (shown: PaymentShown, status = 200) => ({
  status,
  code: null,
  payment: { ...shown },
  text: `${status} ${JSON.stringify(shown)}`,
  duringOutage: false
})

const failed = (status: number, code: string, duringOutage = false) => ({
  status,
  code,
  payment: null,
  text: `${status} ${code}`,
  duringOutage
})

/**
 * One payment refunded in part, one captured in part after a refused void, one voided, one authorized, one declined, one
 * whose charge never arrived, and one that was charged although its answer was lost.
 */
const sound = () => {
  const refunded = payment("p1", "create-1", {
    status: "PARTIALLY_REFUNDED",
    captured_amount: 1999,
    refunded_amount: 500
  })
  const captured = payment("p2", "create-2", { capture_method: "manual", captured_amount: 1500 })
  const voided = payment("p3", "create-3", { capture_method: "manual", status: "CANCELLED" })
  const authorized = payment("p4", "create-4", { capture_method: "manual", status: "AUTHORIZED" })
  const declined = payment("p5", "create-5", { status: "DECLINED" })
  const never = payment("p6", "create-6", { status: "FAILED" })
  const lost = payment("p7", "create-7", { captured_amount: 1999 })
  const told: Readonly<Record<string, ReadonlyArray<string>>> = {
    p1: ["created", "captured", "refunded"],
    p2: ["created", "authorized", "captured"],
    p3: ["created", "authorized", "cancelled"],
    p4: ["created", "authorized"],
    p5: ["created", "declined"],
    p6: ["created", "unknown", "failed"],
    p7: ["created", "captured"]
  }
  const events = Object.entries(told)
    .flatMap(([id, types]) => types.map((type) => [id, type] as const))
    .map(([id, type], at) =>
      event(
        `e${String(at + 1).padStart(2, "0")}`,
        `payment.${type}`,
        id,
        type === "refunded" ? { refund_id: "rf_1", refund_amount: 500 } : {}
      )
    )
  const payments = [refunded, captured, voided, authorized, declined, never, lost]
  const create = (number: number, ...answers: Wish["answers"]) =>
    wish("create", `create-${number}`, { amount: 1999, answers })
  const wishes = {
    refunded: create(1, done({ ...refunded, status: "CAPTURED", refunded_amount: 0 }, 201)),
    captured: create(2, done({ ...captured, status: "AUTHORIZED", captured_amount: 0 }, 201)),
    voided: create(3, done({ ...voided, status: "AUTHORIZED" }, 201)),
    authorized: create(4, done(authorized, 201)),
    declined: create(5, done(declined, 201)),
    never: create(6, failed(409, "idempotency_in_progress"), done({ ...never, status: "UNKNOWN" }, 201)),
    lost: wish("create", "create-7", { amount: 1999, lost: 1 }),
    refund: wish("refund", "refund-1", { paymentId: "p1", amount: 500, answers: [done(refunded), done(refunded)] }),
    refusedRefund: wish("refund", "refund-2", { paymentId: "p1", answers: [failed(502, "psp_error")] }),
    refusedVoid: wish("void", "void-1", { paymentId: "p2", answers: [failed(502, "psp_error")] }),
    capture: wish("capture", "capture-1", { paymentId: "p2", amount: 1500, answers: [done(captured)] }),
    void: wish("void", "void-2", { paymentId: "p3", answers: [done(voided)] })
  }
  const charges = {
    refunded: charge("p1", "create-1", { capturedAmount: 1999 }),
    captured: charge("p2", "create-2", { capturedAmount: 1500 }),
    voided: charge("p3", "create-3", { status: "canceled" }),
    authorized: charge("p4", "create-4", { status: "authorized" }),
    declined: charge("p5", "create-5", { status: "declined" }),
    lost: charge("p7", "create-7", { capturedAmount: 1999 })
  }
  const refund = {
    refundId: "rf_1",
    paymentId: "p1",
    reason: "refund-1",
    amount: 500,
    currency: "EUR",
    status: "succeeded" as "pending" | "succeeded" | "failed"
  }
  const capture = { operationId: "op_1", paymentId: "p2", kind: "capture" as const, amount: 1500 }
  const release = { operationId: "op_2", paymentId: "p3", kind: "void" as const, amount: 1999 }
  const books = {
    charges: Object.values(charges),
    operations: [capture, release],
    refunds: [refund],
    asked: new Map(
      [...Object.values(charges).map(({ attemptId }) => attemptId), "op_1", "op_2", "rf_1"].map((id) => [id, 1])
    )
  }
  const heard = new Map(
    events.map((one) => [one.id, { bodies: new Set([JSON.stringify(one)]), deliveryIds: new Set([`dlv_${one.id}`]) }])
  )
  const evidence = {
    wishes: Object.values(wishes),
    seen: [{ ...captured }],
    payments,
    timelines: Map.groupBy(events, ({ data }) => data.payment_id),
    events,
    followed: structuredClone(events),
    endpoints: [{ name: "all", wants: () => true, heard }],
    books
  } satisfies Evidence
  return { evidence, refunded, captured, authorized, declined, never, wishes, charges, refund, capture, heard }
}

type Sound = ReturnType<typeof sound>

/** What is wrong, how it came about, and by which sentence it has to be found. */
const faults: Readonly<Record<string, readonly [tamper: (record: Sound) => unknown, found: RegExp]>> = {
  "a cent more captured at the provider": [
    ({ charges }) => charges.refunded.capturedAmount++,
    /1999 captured, by the books 2000/
  ],
  "a cent less refunded at the provider": [({ refund }) => refund.amount--, /500 refunded, by the books 499/],
  "a refund that the provider did not make": [
    ({ refund }) => (refund.status = "failed"),
    /500 refunded, by the books 0/
  ],
  "an authorization shown that was captured": [
    ({ charges }) => Object.assign(charges.authorized, { status: "captured", capturedAmount: 1999 }),
    /AUTHORIZED, and by the books CAPTURED/
  ],
  "a failure shown of a charge that was executed": [
    ({ evidence }) => evidence.books.charges.push(charge("p6", "create-6", { capturedAmount: 1999 })),
    /it is FAILED, and by the books CAPTURED/
  ],
  "a payment that is still unknown": [({ never }) => (never.status = "UNKNOWN"), /it is UNKNOWN/],
  "a refund that is still pending": [
    ({ refunded }) => (refunded.refund_pending_amount = 1),
    /1 of refunds still pending/
  ],
  "a charge of a foreign amount": [
    ({ charges }) => (charges.authorized.amount = 2000),
    /asked for 2000 EUR, not 1999 EUR/
  ],
  "a second charge at the other connection": [
    ({ evidence }) =>
      evidence.books.charges.push(
        charge("p1", "create-1", { attemptId: "att_x", connection: "spare", capturedAmount: 1999 })
      ),
    /2 charges hold its money/
  ],
  "a key charged twice, as two payments": [
    ({ evidence }) => evidence.books.charges.push(charge("p7", "create-1", { attemptId: "att_x", status: "canceled" })),
    /create-1 was charged 2 times/
  ],
  "an attempt sent twice": [({ evidence }) => evidence.books.asked.set("att_p1", 2), /asked 2 times for att_p1/],
  "a refund given twice": [
    ({ evidence, refund }) => evidence.books.refunds.push({ ...refund, refundId: "rf_2" }),
    /refund-1 was refunded 2 times/
  ],
  "a refund of another amount than asked": [
    ({ wishes }) => (wishes.refund.amount = 400),
    /500 refunded, 400 asked for/
  ],
  "a refund that was cut down although nothing held the rest": [
    ({ wishes }) =>
      Object.assign(wishes.refusedRefund, { amount: 10 }) && Object.assign(wishes.refund, { amount: 600 }),
    /500 refunded, 600 asked for/
  ],
  "a charge for a payment that is not there": [
    ({ evidence }) => evidence.payments.splice(6, 1),
    /charged for p7, which the API does not show/
  ],
  "a charge that nobody asked for": [
    ({ evidence }) => evidence.wishes.pop() && evidence.wishes.splice(0, 1),
    /nobody asked for create-1/
  ],
  "a capture whose client was told that nothing moved": [
    ({ wishes }) => (wishes.capture.answers = [failed(502, "psp_error")]),
    /a capture of 1500, and nobody asked for it/
  ],
  "a capture and a void of one authorization": [
    ({ evidence }) =>
      evidence.books.operations.push({ operationId: "op_3", paymentId: "p2", kind: "void", amount: 1999 }),
    /capture and void of one authorization/
  ],
  "a refund whose client was told that nothing moved": [
    ({ wishes }) => (wishes.refund.answers = [failed(502, "psp_error")]),
    /refund-1: it moved/
  ],
  "an answer that no merchant expects": [
    ({ wishes }) => (wishes.void.answers = [failed(500, "internal_error")]),
    /void-2: answered 500 internal_error/
  ],
  "a failure that no outage explains": [
    ({ wishes }) => (wishes.refusedVoid.answers = [failed(500, "state_unconfirmed")]),
    /void-1: answered 500 state_unconfirmed/
  ],
  "a refund whose client was told in an outage that nothing was sent": [
    ({ wishes }) => (wishes.refund.answers = [failed(500, "internal_error", true)]),
    /refund-1: it moved/
  ],
  "a success with the status of another": [
    ({ wishes, authorized }) => (wishes.authorized.answers = [done(authorized, 200)]),
    /create-4: answered 200 null/
  ],
  "a key with two answers": [
    ({ wishes, refunded }) => wishes.refund.answers.push(done({ ...refunded, refunded_amount: 400 })),
    /answered in 2 ways/
  ],
  "a key that answers another payment": [
    ({ wishes, captured }) => (wishes.refund.answers = [done(captured)]),
    /answered with another payment, p2/
  ],
  "an acknowledged payment that is gone": [
    ({ evidence, wishes }) =>
      Object.assign(wishes.lost, { answers: [done(payment("p8", "create-7", {}), 201)] }) && evidence,
    /p8 was shown, and is not there/
  ],
  "an acknowledged status that was taken back": [
    ({ wishes, declined }) => (wishes.declined.answers = [done({ ...declined, status: "CAPTURED" }, 201)]),
    /was CAPTURED, and is DECLINED/
  ],
  "an acknowledged amount that was taken back": [
    ({ wishes, captured }) => (wishes.capture.answers = [done({ ...captured, captured_amount: 1600 })]),
    /1600 were captured, and 1500 are/
  ],
  "a refund that was shown and taken back": [
    ({ evidence, refunded }) => evidence.seen.push({ ...refunded, refunded_amount: 600 }),
    /600 were refunded, and 500 are/
  ],
  "an acknowledged status without its event": [
    ({ evidence }) => evidence.timelines.get("p3")?.splice(2, 1),
    /was CANCELLED, of which its timeline tells nothing/
  ],
  "an acknowledged capture of another amount": [
    ({ wishes }) => (wishes.capture.amount = 1400),
    /acknowledged a capture of 1400, and 1500 is captured/
  ],
  "an acknowledged void of what is held": [
    ({ wishes }) => (wishes.void.paymentId = "p4"),
    /acknowledged a void, and the payment is AUTHORIZED/
  ],
  "an acknowledged refund that nobody gave": [
    ({ evidence }) => evidence.books.refunds.pop(),
    /acknowledged, and the provider gave nothing back/
  ],
  "a refund without its event": [
    ({ evidence }) => evidence.timelines.get("p1")?.pop(),
    /rf_1: given back, and the timeline does not show/
  ],
  "an event told twice, under two ids": [
    ({ evidence }) => evidence.timelines.get("p2")?.push(event("e19", "payment.captured", "p2")),
    /p2: told twice/
  ],
  "a timeline without its beginning": [
    ({ evidence }) => evidence.timelines.get("p4")?.shift(),
    /its timeline begins with payment.authorized/
  ],
  "an event that is in no list": [
    ({ evidence }) => evidence.events.splice(4, 1),
    /e05: its timeline and the list of events differ/
  ],
  "an event that reports a double charge": [
    ({ evidence }) => evidence.timelines.get("p2")?.push(event("e19", "payment.conflict", "p2")),
    /p2: payment.conflict/
  ],
  "an event that a follower did not see": [
    ({ evidence }) => evidence.followed.splice(7, 1),
    /the follower saw e09 instead of e08/
  ],
  "an event that a follower saw twice": [
    ({ evidence }) => evidence.followed.push(event("e18", "payment.captured", "p7")),
    /the follower saw 19 of 18 events/
  ],
  "an event that never arrived": [({ heard }) => heard.delete("e06"), /all never heard of e06, payment.captured/],
  "an event that arrived with other data": [
    ({ heard }) => heard.get("e06")?.bodies.add(JSON.stringify(event("e06", "payment.captured", "p1"))),
    /heard of e06 what the API does not show/
  ],
  "an event that arrived as two deliveries": [
    ({ heard }) => heard.get("e06")?.deliveryIds.add("dlv_x"),
    /heard of e06 under 2 delivery ids/
  ],
  "an event that arrived and is in no list": [
    ({ heard }) => heard.set("e99", { bodies: new Set(), deliveryIds: new Set() }),
    /heard of e99, which is not for it/
  ]
}

describe("the judge of the kill rounds", () => {
  it("a record in which all agrees has no finding", () => {
    assert.deepStrictEqual(disagreements(sound().evidence), [])
  })

  it("answers of a server whose database was away have no finding", () => {
    const { evidence, wishes } = sound()
    wishes.refusedVoid.answers = [failed(500, "internal_error", true)]
    wishes.lost.answers = [failed(500, "payment_result_unknown", true), failed(409, "idempotency_in_progress")]
    wishes.lost.lost = 0
    // It is stored under its key when the database is back.
    wishes.capture.answers = [failed(500, "state_unconfirmed", true), failed(500, "state_unconfirmed")]
    assert.deepStrictEqual(disagreements(evidence), [])
  })

  it.each(Object.entries(faults))("%s is found", (_, [tamper, found]) => {
    const record = sound()
    tamper(record)
    const told = disagreements(record.evidence)
    assert.isTrue(
      told.some((sentence) => found.test(sentence)),
      `it told: ${told.join("; ")}`
    )
  })
})
