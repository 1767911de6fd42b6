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

/** Sentences that have to be told, each with what makes them true. */
const faults: ReadonlyArray<readonly [told: RegExp, ...tamper: ReadonlyArray<(record: Sound) => unknown>]> = [
  [/1999 captured, by the books 2000/, ({ charges }) => charges.refunded.capturedAmount++],
  [/500 refunded, by the books 499/, ({ refund }) => refund.amount--],
  [/500 refunded, by the books 0/, ({ refund }) => (refund.status = "failed")],
  [
    /AUTHORIZED, and by the books CAPTURED/,
    ({ charges }) => Object.assign(charges.authorized, { status: "captured", capturedAmount: 1999 })
  ],
  [
    /it is FAILED, and by the books CAPTURED/,
    ({ evidence }) => evidence.books.charges.push(charge("p6", "create-6", { capturedAmount: 1999 }))
  ],
  [/it is UNKNOWN/, ({ never }) => (never.status = "UNKNOWN")],
  [/1 of refunds still pending/, ({ refunded }) => (refunded.refund_pending_amount = 1)],
  [/asked for 2000 EUR, not 1999 EUR/, ({ charges }) => (charges.authorized.amount = 2000)],
  [
    /2 charges hold its money/,
    ({ evidence }) =>
      evidence.books.charges.push(
        charge("p1", "create-1", { attemptId: "att_x", connection: "spare", capturedAmount: 1999 })
      )
  ],
  [
    /create-1 was charged 2 times/,
    ({ evidence }) => evidence.books.charges.push(charge("p7", "create-1", { attemptId: "att_x", status: "canceled" }))
  ],
  [/asked 2 times for att_p1/, ({ evidence }) => evidence.books.asked.set("att_p1", 2)],
  [
    /refund-1 was refunded 2 times/,
    ({ evidence, refund }) => evidence.books.refunds.push({ ...refund, refundId: "rf_2" })
  ],
  [/500 refunded, 400 asked for/, ({ wishes }) => (wishes.refund.amount = 400)],
  [
    /500 refunded, 600 asked for/,
    ({ wishes }) => Object.assign(wishes.refusedRefund, { amount: 10 }) && Object.assign(wishes.refund, { amount: 600 })
  ],
  [/charged for p7, which the API does not show/, ({ evidence }) => evidence.payments.splice(6, 1)],
  [/nobody asked for create-1/, ({ evidence }) => evidence.wishes.pop() && evidence.wishes.splice(0, 1)],
  [/a capture of 1500, and nobody asked for it/, ({ wishes }) => (wishes.capture.answers = [failed(502, "psp_error")])],
  [
    /capture and void of one authorization/,
    ({ evidence }) =>
      evidence.books.operations.push({ operationId: "op_3", paymentId: "p2", kind: "void", amount: 1999 })
  ],
  [
    /refund-1: it moved/,
    ({ wishes }) => (wishes.refund.answers = [failed(502, "psp_error")]),
    ({ wishes }) => (wishes.refund.answers = [failed(500, "internal_error", true)])
  ],
  [/void-2: answered 500 internal_error/, ({ wishes }) => (wishes.void.answers = [failed(500, "internal_error")])],
  [
    /void-1: answered 500 state_unconfirmed/,
    ({ wishes }) => (wishes.refusedVoid.answers = [failed(500, "state_unconfirmed")])
  ],
  [/create-4: answered 200 null/, ({ wishes, authorized }) => (wishes.authorized.answers = [done(authorized, 200)])],
  [
    /answered in 2 ways/,
    ({ wishes, refunded }) => wishes.refund.answers.push(done({ ...refunded, refunded_amount: 400 }))
  ],
  [/answered with another payment, p2/, ({ wishes, captured }) => (wishes.refund.answers = [done(captured)])],
  [
    /p8 was shown, and is not there/,
    ({ evidence, wishes }) =>
      Object.assign(wishes.lost, { answers: [done(payment("p8", "create-7", {}), 201)] }) && evidence
  ],
  [
    /was CAPTURED, and is DECLINED/,
    ({ wishes, declined }) => (wishes.declined.answers = [done({ ...declined, status: "CAPTURED" }, 201)])
  ],
  [
    /1600 were captured, and 1500 are/,
    ({ wishes, captured }) => (wishes.capture.answers = [done({ ...captured, captured_amount: 1600 })])
  ],
  [
    /600 were refunded, and 500 are/,
    ({ evidence, refunded }) => evidence.seen.push({ ...refunded, refunded_amount: 600 })
  ],
  [/was CANCELLED, of which its timeline tells nothing/, ({ evidence }) => evidence.timelines.get("p3")?.splice(2, 1)],
  [/acknowledged a capture of 1400, and 1500 is captured/, ({ wishes }) => (wishes.capture.amount = 1400)],
  [/acknowledged a void, and the payment is AUTHORIZED/, ({ wishes }) => (wishes.void.paymentId = "p4")],
  [/acknowledged, and the provider gave nothing back/, ({ evidence }) => evidence.books.refunds.pop()],
  [/rf_1: given back, and the timeline does not show/, ({ evidence }) => evidence.timelines.get("p1")?.pop()],
  [/p2: told twice/, ({ evidence }) => evidence.timelines.get("p2")?.push(event("e19", "payment.captured", "p2"))],
  [/its timeline begins with payment.authorized/, ({ evidence }) => evidence.timelines.get("p4")?.shift()],
  [/e05: its timeline and the list of events differ/, ({ evidence }) => evidence.events.splice(4, 1)],
  [
    /p2: payment.conflict/,
    ({ evidence }) => evidence.timelines.get("p2")?.push(event("e19", "payment.conflict", "p2"))
  ],
  [/the follower saw e09 instead of e08/, ({ evidence }) => evidence.followed.splice(7, 1)],
  [
    /the follower saw 19 of 18 events/,
    ({ evidence }) => evidence.followed.push(event("e18", "payment.captured", "p7"))
  ],
  [/all never heard of e06, payment.captured/, ({ heard }) => heard.delete("e06")],
  [
    /heard of e06 what the API does not show/,
    ({ heard }) => heard.get("e06")?.bodies.add(JSON.stringify(event("e06", "payment.captured", "p1")))
  ],
  [/heard of e06 under 2 delivery ids/, ({ heard }) => heard.get("e06")?.deliveryIds.add("dlv_x")],
  [/heard of e99, which is not for it/, ({ heard }) => heard.set("e99", { bodies: new Set(), deliveryIds: new Set() })]
]

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

  for (const [found, ...tampers] of faults) {
    it(`${found} is found`, () => {
      for (const tamper of tampers) {
        const record = sound()
        tamper(record)
        const told = disagreements(record.evidence)
        assert.isTrue(
          told.some((sentence) => found.test(sentence)),
          `it told: ${told.join("; ")}`
        )
      }
    })
  }
})
