/**
 * Sample payments: each way in which a payment comes into each state, as it is then stored with its attempts, captures,
 * voids and refunds. The test of the page brings a payment into every one of them over HTTP and compares what is stored
 * (`packages/http/test/Evidence.test.ts`).
 */
import type { Attempt, Operation, Payment, PaymentState, Refund, ReviewReason } from "@pointsman/core"
import { endAttempt, openAttempt } from "@pointsman/core/internal"
import type { PaymentBook } from "@pointsman/core/ports"
import { Unanswered } from "@pointsman/core/ports"
import { payment as scripted } from "../../packages/http/test/support/Scripted.ts"
import { newOperation, newRefund } from "../../packages/storage/sql/test/Given.ts"

/** What a statement of a provider is about, by `MessageAbout`. */
export type Subject =
  | "Charge"
  | "CaptureFailed"
  | "Operation"
  | "Refund"
  | "UnnamedRefund"
  | "Settled"
  | "Dispute"
  | "Changed"

export interface Sample {
  /** How a payment comes here. */
  readonly way: string
  readonly book: PaymentBook
  /** The attempt that statements name, counted from 0; the last one unless set. */
  readonly attempt?: number
  /** Statements about other subjects are left out: they mean what they mean for another sample of the state. */
  readonly only?: ReadonlyArray<Subject>
}

/** When everything in the samples is recorded, in epoch milliseconds. */
export const recordedAt = Date.UTC(2026, 10, 21, 12)

export const asked = 1000
export const partlyCaptured = 600
export const partlyRefunded = 400

const referenceOf = (id: string) => `ref_${id}`

const payment: Payment = {
  ...scripted,
  id: "pay_1",
  version: 1,
  state: "Charging",
  money: { minorUnits: asked, currency: "EUR" },
  reference: null,
  authorizedMinor: 0,
  capturedMinor: 0,
  connectionId: null,
  providerRef: null,
  routing: null,
  createdAt: recordedAt,
  updatedAt: recordedAt,
  settledAt: null
}

const attempt: Attempt = {
  ...openAttempt,
  id: "att_1",
  claimedBy: null,
  paymentId: payment.id,
  number: 1,
  connectionId: "main",
  money: payment.money,
  timeoutMillis: 30_000,
  sentAt: recordedAt,
  account: null
}

const providerRef = referenceOf(attempt.id)
const ended = (end: Parameters<typeof endAttempt>[1], of: Attempt = attempt) => endAttempt(of, end, recordedAt)
const silence = new Unanswered({ reason: "timed out" })

/** A review's reasons, as of the time of the record. */
const review = (...reasons: ReadonlyArray<ReviewReason>): Pick<Payment, "review"> => ({
  review: { since: recordedAt, reasons }
})

const book = (changes: Partial<Payment>, parts: Partial<Omit<PaymentBook, "payment">> = {}): PaymentBook => ({
  payment: { ...payment, ...changes },
  attempts: [attempt],
  operations: [],
  refunds: [],
  ...parts
})

/** The same payment, moved on. */
const then = (
  before: PaymentBook,
  changes: Partial<Payment>,
  parts: Partial<Omit<PaymentBook, "payment">> = {}
): PaymentBook => ({ ...before, ...parts, payment: { ...before.payment, ...changes } })

const manual = { captureMethod: "manual" } as const
const atMain = { connectionId: "main", providerRef } as const

// Charges.

const authorized = book(
  { ...manual, ...atMain, authorizedMinor: asked },
  { attempts: [ended({ _tag: "Authorized", providerRef })] }
)
const captured = book(
  { ...atMain, authorizedMinor: asked, capturedMinor: asked },
  { attempts: [ended({ _tag: "Captured", providerRef })] }
)
const declined = {
  _tag: "Declined",
  providerRef,
  category: "expired_card",
  code: "54",
  soft: false
} as const

// On a provider's page.

const page = { tokenHash: "hash", returnUrl: "https://shop.example", cancelUrl: null, expiresAt: recordedAt }
const hosted = book({ hosted: page }, { attempts: [] })
const checkout = { reference: "co_att_1", sealedUrl: "sealed", expiresAt: null }
const live = {
  tenant: { workspaceId: "acme", environment: "production" },
  hosted: page,
  ...review("open_checkout")
} as const
const onPage: Attempt = { ...attempt, connectionId: "live" }
const opened: Attempt = { ...onPage, outcome: "CheckoutOpened", answeredAt: recordedAt, checkout }

// Two attempts: the first one executed nothing, as far as is known.

const pounds = { minorUnits: asked, currency: "GBP" }
const first: Attempt = { ...attempt, connectionId: "first", money: pounds }
const notSent: Attempt = { ...first, outcome: "NotSent", reason: "refused", answeredAt: recordedAt }
const second: Attempt = { ...attempt, id: "att_2", number: 2, connectionId: "second", money: pounds }

// Captures and voids.

const operated = (
  kind: Operation["kind"],
  outcome: Operation["outcome"],
  changes: Partial<Payment> = {},
  of: Partial<Operation> = {}
): PaymentBook => {
  const answeredAt = outcome === null || outcome === "Unanswered" ? null : recordedAt
  const fields = { id: "op_1", kind, idempotencyKey: null, ...atMain, sentAt: recordedAt, answeredAt, outcome, ...of }
  return then(authorized, changes, { operations: [newOperation(payment, fields)] })
}

const partial = { requestedMinor: partlyCaptured, money: { ...payment.money, minorUnits: partlyCaptured } }
const byCapture = operated("capture", "Confirmed", { capturedMinor: asked })
const byPartialCapture = operated("capture", "Confirmed", { capturedMinor: partlyCaptured }, partial)
const reported = (changes: Partial<Payment["reported"] & object>, of?: PaymentBook): Pick<Payment, "reported"> => ({
  reported: { ...(of?.payment.reported ?? { isPaidOut: false, disputes: [], contradictions: [] }), ...changes }
})
const captureFailed = reported({ captureFailedAt: recordedAt })
const chargeAndOperation = ["Charge", "Operation"] as const

// Refunds.

const refund = (stage: Refund["stage"], minorUnits: number, changes: Partial<Refund> = {}): Refund =>
  newRefund(payment, {
    ...{ id: "rf_1", stage, money: { ...payment.money, minorUnits }, requestedMinor: minorUnits, idempotencyKey: null },
    ...atMain,
    providerRefundId: stage === "Sending" || stage === "Unknown" || stage === "Refused" ? null : referenceOf("rf_1"),
    sentAt: recordedAt,
    answeredAt: recordedAt,
    settledAt: stage === "Sending" || stage === "Pending" || stage === "Unknown" ? null : recordedAt,
    ...changes
  })

const refunding = (of: PaymentBook, stage: Refund["stage"]): PaymentBook =>
  then(
    of,
    { refundPendingMinor: partlyRefunded, ...(stage === "Unknown" ? review("refund_unknown") : {}) },
    { refunds: [refund(stage, partlyRefunded)] }
  )

const refunded = (of: PaymentBook, minorUnits: number): PaymentBook =>
  then(of, { refundedMinor: minorUnits }, { refunds: [refund("Succeeded", minorUnits)] })

const inPart = refunded(captured, partlyRefunded)

// Payouts and disputes.

const dispute = (verdict: "opened" | "won" | "lost") => ({
  disputeId: null,
  attemptId: attempt.id,
  verdict,
  at: recordedAt
})
const disputed = (of: PaymentBook, verdict: "opened" | "lost" = "opened"): PaymentBook =>
  then(of, reported({ disputes: [dispute(verdict)] }, of))
const settled = (of: PaymentBook): PaymentBook =>
  then(of, reported({ isPaidOut: true, paidOutAt: of.payment.createdAt }))

const silent = (changes: Partial<Payment>, of: Attempt = attempt): PaymentBook =>
  book({ connectionId: "main", ...review("unknown"), ...changes }, { attempts: [ended(silence, of)] })
const pending = (changes: Partial<Payment>): PaymentBook =>
  book({ ...atMain, ...changes }, { attempts: [ended({ _tag: "Pending", providerRef })] })
const refundOf = (stage: Refund["stage"], changes: Partial<Refund>, payment: Partial<Payment> = {}): PaymentBook =>
  then(captured, payment, { refunds: [refund(stage, partlyRefunded, changes)] })
const saidToFail = { failureReason: "The provider says that the refund failed." }
const byAnother = { connectionId: "second", providerRef: referenceOf("att_2"), authorizedMinor: asked }
const inFlight = "The provider is being asked."

/**
 * How a payment comes there, what is stored then, but for its state, and subjects: of others, statements mean what they mean
 * for another sample of the state.
 */
type Row = readonly [way: string, book: PaymentBook, ...only: ReadonlyArray<Subject>]

/** A state that is not named here does not compile. */
const samples = {
  AwaitingCustomer: {
    "on the hosted page": ["Created with `return_url`; the customer has not acted.", hosted]
  },
  CheckoutOpen: {
    "on the provider's page": [
      "The customer was sent to a page of the provider that names no end.",
      book(live, { attempts: [opened] })
    ]
  },
  Charging: {
    "automatic capture": [inFlight, book({})],
    "manual capture": [inFlight, book(manual), "Charge"],
    "of the attempt before": [
      "The first attempt was not sent, and the second is in flight. The statement is about the first.",
      book({ money: pounds }, { attempts: [notSent, second] })
    ]
  },
  ChargePending: {
    "automatic capture": ["The provider accepted the charge.", pending({})],
    "manual capture": ["The provider accepted the charge.", pending(manual), "Charge"],
    "on the provider's page": [
      "The customer paid on a page of the provider, and the provider is at work.",
      book(
        { ...live, connectionId: "live", providerRef },
        { attempts: [{ ...ended({ _tag: "Pending", providerRef }, opened), checkout }] }
      ),
      "Charge"
    ]
  },
  ChargeUnknown: {
    "automatic capture": ["The charge went unanswered.", silent({})],
    "manual capture": ["The charge went unanswered.", silent(manual), "Charge"],
    "on the provider's page": [
      "The opening of the provider's page went unanswered.",
      silent({ ...live, connectionId: "live", ...review("unknown") }, onPage),
      "Charge"
    ]
  },
  ChargeMismatched: {
    "more than was asked": [
      "The provider states that it captured 50.00.",
      book(
        { ...atMain, ...reported({ contradictions: ["charged:5000 EUR"] }), ...review("unknown", "amount_mismatch") },
        { attempts: [{ ...ended({ _tag: "Captured", providerRef }), outcome: "Mismatched" }] }
      )
    ]
  },
  Authorized: {
    "not captured yet": ["The provider authorized the charge.", authorized],
    "a capture was refused": [
      "The provider declined a capture.",
      operated("capture", "Refused", {}, { code: "54", reason: "The provider declined it: 54." }),
      ...chargeAndOperation
    ],
    "a capture failed": [
      "The provider accepted a capture, and stated later that it failed for good.",
      operated("capture", "Failed", captureFailed),
      ...chargeAndOperation
    ],
    "a void failed": [
      "The provider accepted a void, and stated later that it failed for good.",
      operated("void", "Failed"),
      ...chargeAndOperation
    ]
  },
  Capturing: { "in flight": [inFlight, operated("capture", null)] },
  CapturePending: {
    accepted: ["The provider accepted the capture.", operated("capture", "Accepted")],
    "tried again after a failure": [
      "The provider confirmed the capture, stated then that it failed, and tries again.",
      operated("capture", "Accepted", captureFailed),
      ...chargeAndOperation
    ]
  },
  CaptureUnknown: {
    unanswered: ["The capture went unanswered.", operated("capture", "Unanswered", review("unknown"))],
    "more than was asked": [
      "The provider answered that it captured 50.00.",
      operated("capture", "Unanswered", review("unknown", "amount_mismatch"), {
        answeredAt: recordedAt,
        reason: "the provider stated 5000 minor units of EUR"
      }),
      ...chargeAndOperation
    ]
  },
  Voiding: { "in flight": [inFlight, operated("void", null)] },
  VoidPending: { accepted: ["The provider accepted the void.", operated("void", "Accepted")] },
  VoidUnknown: { unanswered: ["The void went unanswered.", operated("void", "Unanswered", review("unknown"))] },
  Captured: {
    "automatic capture": ["The provider captured the charge.", captured],
    "by a capture": ["The provider confirmed a capture of 10.00.", byCapture, "Operation"],
    "by a partial capture": [
      "The provider confirmed a capture of 6.00 of the 10.00 authorized.",
      byPartialCapture,
      ...chargeAndOperation
    ],
    "corrected to a greater amount": [
      "The provider confirmed a capture of 6.00, and stated later that 10.00 are captured.",
      then(byPartialCapture, {
        capturedMinor: asked,
        ...reported({ correctedAt: recordedAt, contradictions: [`captured:${asked}`] }),
        ...review("amount_mismatch")
      }),
      ...chargeAndOperation
    ],
    "instead of a void": [
      "A void was answered with the statement that the charge is captured.",
      operated("void", "Conflicted", { capturedMinor: asked }),
      "Operation"
    ],
    "of the attempt before": [
      "The first attempt was not sent, and the second captured. The statement is about the first.",
      book(
        { money: pounds, ...byAnother, capturedMinor: asked },
        { attempts: [notSent, ended({ _tag: "Captured", providerRef: referenceOf("att_2") }, second)] }
      )
    ],
    "a dispute was won": [
      "The provider reported a dispute, and then that it is won.",
      then(captured, reported({ disputes: [dispute("won")] })),
      "Dispute"
    ],
    "a refund in flight": [
      "The provider is being asked for a refund of 4.00.",
      refundOf("Sending", { answeredAt: null }, { refundPendingMinor: partlyRefunded }),
      "Refund"
    ],
    "a refund pending": ["The provider accepted a refund of 4.00.", refunding(captured, "Pending"), "Refund"],
    "by a capture, a refund pending": [
      "The provider confirmed a capture of 10.00 and accepted a refund of 4.00.",
      refunding(byCapture, "Pending"),
      "Operation"
    ],
    "a refund unknown": ["A refund of 4.00 went unanswered.", refunding(captured, "Unknown"), "Refund"],
    "a refund refused": [
      "The provider rejected a refund of 4.00.",
      refundOf("Refused", { code: "no", failureReason: "It was refused." }),
      "Refund"
    ],
    "a refund failed": [
      "The provider accepted a refund of 4.00, and stated later that it failed.",
      refundOf("Failed", saidToFail),
      "Refund"
    ],
    "a refund reversed": [
      "The provider confirmed a refund of 4.00, and stated later that it failed.",
      refundOf("Reversed", saidToFail, review("reversal")),
      "Refund"
    ]
  },
  PartiallyRefunded: {
    "automatic capture": ["The provider confirmed a refund of 4.00.", inPart],
    "by a capture": [
      "The provider confirmed a capture of 10.00 and a refund of 4.00.",
      refunded(byCapture, partlyRefunded),
      "Operation"
    ]
  },
  Refunded: {
    "automatic capture": ["The provider confirmed a refund of 10.00.", refunded(captured, asked)],
    "by a partial capture": [
      "The provider confirmed a capture of 6.00 and a refund of 6.00.",
      refunded(byPartialCapture, partlyCaptured),
      ...chargeAndOperation
    ]
  },
  Settled: {
    "automatic capture": ["The provider reported the payout.", settled(captured)],
    "by a capture": [
      "The provider confirmed a capture of 10.00 and reported the payout.",
      settled(byCapture),
      "Operation"
    ],
    "a refund pending": [
      "The provider reported the payout and accepted a refund of 4.00.",
      refunding(settled(captured), "Pending"),
      "Refund"
    ]
  },
  ChargedBack: {
    "a dispute was opened": ["The provider reported a dispute.", disputed(captured)],
    "a dispute was lost": ["The provider reported that a dispute is lost.", disputed(captured, "lost"), "Dispute"],
    "after the payout": [
      "The provider reported the payout and a dispute.",
      disputed(settled(captured)),
      ...["Settled", "Dispute"]
    ],
    "after a partial refund": [
      "The provider confirmed a refund of 4.00 and reported a dispute.",
      disputed(inPart),
      ...["Dispute", "Refund"]
    ],
    "by a capture": [
      "The provider confirmed a capture of 10.00 and reported a dispute.",
      disputed(byCapture),
      "Operation"
    ],
    "a refund pending": [
      "The provider accepted a refund of 4.00 and reported a dispute.",
      disputed(refunding(captured, "Pending")),
      "Refund"
    ]
  },
  Declined: {
    "by the provider": [
      "The provider declined the charge.",
      book({ declineCategory: "expired_card", declineReason: "54" }, { attempts: [ended(declined)] })
    ]
  },
  Failed: {
    "nothing was sent": [
      "The provider was not reached.",
      book(
        { declineReason: "provider_error" },
        { attempts: [{ ...attempt, outcome: "NotSent", reason: "refused", answeredAt: recordedAt }] }
      )
    ]
  },
  Cancelled: {
    "by the provider": [
      "The provider cancelled the charge.",
      book({}, { attempts: [ended({ _tag: "Canceled", providerRef })] })
    ],
    "by the customer": ["The customer cancelled on the hosted page.", hosted]
  },
  Voided: {
    "by a void": ["The provider confirmed a void.", operated("void", "Confirmed")],
    "the authorization lapsed": ["The provider stated that the authorization is cancelled.", authorized, "Charge"],
    "instead of a capture": [
      "A capture was answered with the statement that the charge is cancelled.",
      operated("capture", "Conflicted"),
      ...chargeAndOperation
    ]
  }
} as const satisfies Record<PaymentState, Readonly<Record<string, Row>>>

export type SampleName = {
  [State in PaymentState]: `${State}: ${Extract<keyof (typeof samples)[State], string>}`
}[PaymentState]

const byName: ReadonlyMap<SampleName, Sample> = new Map(
  (Object.keys(samples) as Array<PaymentState>).flatMap((state) =>
    Object.entries<Row>(samples[state]).map(([name, [way, book, ...only]]) => [
      `${state}: ${name}` as SampleName,
      {
        way,
        book: then(book, { state }),
        ...(only.length > 0 && { only }),
        ...(name === "of the attempt before" && { attempt: 0 })
      }
    ])
  )
)

export const sampleNames: ReadonlyArray<SampleName> = [...byName.keys()]

export const sampleOf = (name: SampleName): Sample => {
  const sample = byName.get(name)
  if (sample === undefined) throw new Error(`${name} is no sample`)
  return sample
}
