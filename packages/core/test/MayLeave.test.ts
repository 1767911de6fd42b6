/** Why an old payment stays in the store, reason by reason. */
import { assert, it } from "@effect/vitest"
import { keptReasons, type Payment } from "@pointsman/core"
import { whyKept } from "../src/decide/MayLeave.ts"
import type { OldPayment } from "../src/model/PaymentBook.ts"

const day = 24 * 60 * 60_000
const now = 10_000 * day
const retentionMillis = 1_000 * day

/** Of what is decided by; the rest of a payment plays no part. */
const old = (
  payment: Partial<Payment> = {},
  more: Partial<OldPayment> & Partial<OldPayment["book"]> = {}
): OldPayment => {
  const { attempts = [], events = [], openDeliveries = 0, openMessages = 0, operations = [], refunds = [] } = more
  const whole = {
    state: "Captured",
    refundPendingMinor: 0,
    reported: null,
    review: null,
    updatedAt: now - retentionMillis,
    ...payment
  } as Payment
  return { book: { payment: whole, attempts, operations, refunds }, events, openDeliveries, openMessages }
}

const why = (...of: Parameters<typeof old>) => whyKept(old(...of), retentionMillis, now)

const dispute = (verdict: "opened" | "won" | "lost") => ({
  isPaidOut: false,
  disputes: [{ disputeId: "dp_1", attemptId: "att_1", verdict, at: 1 }],
  contradictions: []
})

it("a closed payment may leave once its time is over, not a millisecond before", () => {
  assert.isUndefined(why())
  assert.strictEqual(whyKept(old(), retentionMillis + 1, now), "young")
})

it("each reason by itself keeps the payment", () => {
  const open = { outcome: null } as never
  const undecided = { about: "refund", id: "rf_1", state: { _tag: "RefundPending" }, at: null } as never
  const cases = {
    off: [whyKept(old(), null, now)],
    open: [
      why({ state: "Authorized" }),
      why({ refundPendingMinor: 1 }),
      why({}, { attempts: [open] }),
      why({}, { attempts: [{ outcome: "Unanswered" } as never] }),
      why({}, { operations: [open] }),
      why({}, { refunds: [{ stage: "Unknown" } as never] })
    ],
    disputed: [
      why({ reported: dispute("opened") }),
      why({ state: "ChargedBack", reported: dispute("opened") }),
      why({ state: "ChargedBack" })
    ],
    review: [why({ review: { since: 1, reasons: ["conflict"] } })],
    message: [why({}, { openMessages: 1 }), why({ reported: { ...dispute("won"), undecided: [undecided] } })],
    delivery: [why({}, { openDeliveries: 1 })],
    dispute_window: [whyKept(old({ updatedAt: now - 540 * day + 1 }), 90 * day, now)],
    young: [whyKept(old({ state: "Declined", updatedAt: now - 90 * day + 1 }), 90 * day, now)]
  } satisfies Record<(typeof keptReasons)[number], ReadonlyArray<unknown>>
  for (const reason of keptReasons) {
    assert.isNotEmpty(cases[reason])
    for (const why of cases[reason]) assert.strictEqual(why, reason)
  }
})

it("a dispute that is over, or one that no money can have, keeps nothing", () => {
  assert.isUndefined(why({ reported: dispute("won") }))
  assert.isUndefined(why({ state: "ChargedBack", reported: dispute("lost") }))
  assert.isUndefined(whyKept(old({ state: "Failed", updatedAt: now - 90 * day }), 90 * day, now))
})
