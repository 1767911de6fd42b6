/**
 * Sample payments: each way in which a payment comes into each state, as it is then stored with its attempts, captures,
 * voids and refunds. The test of the page brings a payment into every one of them over HTTP and compares what is stored
 * (`packages/http/test/Evidence.test.ts`).
 */
import type { Attempt, Operation, Payment, PaymentState, Refund, ReviewReason } from "@pointsman/core"
import { endAttempt, openAttempt } from "@pointsman/core/internal"
import type { PaymentBook } from "@pointsman/core/ports"
import { Unanswered } from "@pointsman/core/ports"

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
  id: "pay_1",
  tenant: { workspaceId: "acme", environment: "sandbox" },
  version: 1,
  state: "Charging",
  money: { minorUnits: asked, currency: "EUR" },
  country: "NL",
  method: "card",
  cardBrand: null,
  initiator: "cit",
  captureMethod: "automatic",
  reference: null,
  metadata: null,
  purchase: null,
  declineCategory: null,
  declineReason: null,
  authorizedMinor: 0,
  capturedMinor: 0,
  refundedMinor: 0,
  refundPendingMinor: 0,
  connectionId: null,
  providerRef: null,
  idempotencyKey: null,
  hosted: null,
  routing: null,
  simulation: null,
  reported: null,
  review: null,
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

const charging = book({})
const accepted = { state: "ChargePending", ...atMain } as const
const unanswered = { state: "ChargeUnknown", connectionId: "main", ...review("unknown") } as const
const authorized = book(
  { ...manual, ...atMain, state: "Authorized", authorizedMinor: asked },
  { attempts: [ended({ _tag: "Authorized", providerRef })] }
)
const captured = book(
  { ...atMain, state: "Captured", authorizedMinor: asked, capturedMinor: asked },
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
const hosted = book({ state: "AwaitingCustomer", hosted: page }, { attempts: [] })
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

const operation = (kind: Operation["kind"], changes: Partial<Operation> = {}): Operation => ({
  id: "op_1",
  claimedBy: null,
  paymentId: payment.id,
  kind,
  idempotencyKey: null,
  requestedMinor: null,
  money: payment.money,
  connectionId: "main",
  providerRef,
  timeoutMillis: 30_000,
  sentAt: recordedAt,
  answeredAt: null,
  outcome: null,
  code: null,
  reason: null,
  reply: null,
  ...changes
})

const operated = (
  kind: Operation["kind"],
  outcome: Operation["outcome"],
  changes: Partial<Payment>,
  of: Partial<Operation> = {}
): PaymentBook => {
  const answeredAt = outcome === null || outcome === "Unanswered" ? null : recordedAt
  return then(authorized, changes, { operations: [operation(kind, { outcome, answeredAt, ...of })] })
}

const partial = { requestedMinor: partlyCaptured, money: { ...payment.money, minorUnits: partlyCaptured } }
const byCapture = operated("capture", "Confirmed", { state: "Captured", capturedMinor: asked })
const byPartialCapture = operated("capture", "Confirmed", { state: "Captured", capturedMinor: partlyCaptured }, partial)
const nothingReported = { isPaidOut: false, disputes: [], contradictions: [] }
const captureFailed = { reported: { ...nothingReported, captureFailedAt: recordedAt } }

// Refunds.

const refund = (stage: Refund["stage"], minorUnits: number, changes: Partial<Refund> = {}): Refund => ({
  id: "rf_1",
  claimedBy: null,
  paymentId: payment.id,
  origin: "api",
  stage,
  money: { ...payment.money, minorUnits },
  requestedMinor: minorUnits,
  reason: null,
  idempotencyKey: null,
  connectionId: "main",
  providerRef,
  providerRefundId: stage === "Sending" || stage === "Unknown" || stage === "Refused" ? null : referenceOf("rf_1"),
  timeoutMillis: 30_000,
  sentAt: recordedAt,
  answeredAt: recordedAt,
  settledAt: stage === "Sending" || stage === "Pending" || stage === "Unknown" ? null : recordedAt,
  code: null,
  failureReason: null,
  reply: null,
  ...changes
})

const refunding = (of: PaymentBook, stage: Refund["stage"]): PaymentBook =>
  then(
    of,
    { refundPendingMinor: partlyRefunded, ...(stage === "Unknown" ? review("refund_unknown") : {}) },
    { refunds: [refund(stage, partlyRefunded)] }
  )

const refunded = (of: PaymentBook, minorUnits: number, state: PaymentState): PaymentBook =>
  then(of, { state, refundedMinor: minorUnits }, { refunds: [refund("Succeeded", minorUnits)] })

const inPart = refunded(captured, partlyRefunded, "PartiallyRefunded")

// Payouts and disputes.

const dispute = (verdict: "opened" | "won" | "lost") => ({
  disputeId: null,
  attemptId: attempt.id,
  verdict,
  at: recordedAt
})
const disputed = (of: PaymentBook, verdict: "opened" | "lost" = "opened"): PaymentBook =>
  then(of, {
    state: "ChargedBack",
    reported: { ...(of.payment.reported ?? nothingReported), disputes: [dispute(verdict)] }
  })
const settled = (of: PaymentBook): PaymentBook =>
  then(of, { state: "Settled", reported: { ...nothingReported, isPaidOut: true, paidOutAt: of.payment.createdAt } })

const ofCharge = ["Charge"] as const
const ofOperation = ["Operation"] as const
const ofChargeAndOperation = ["Charge", "Operation"] as const
const ofRefund = ["Refund"] as const

/** A state that is not named here does not compile. */
export const samples = {
  AwaitingCustomer: {
    "on the hosted page": { way: "Created with `return_url`; the customer has not acted.", book: hosted }
  },
  CheckoutOpen: {
    "on the provider's page": {
      way: "The customer was sent to a page of the provider that names no end.",
      book: book({ ...live, state: "CheckoutOpen" }, { attempts: [opened] })
    }
  },
  Charging: {
    "automatic capture": { way: "The provider is being asked.", book: charging },
    "manual capture": { only: ofCharge, way: "The provider is being asked.", book: book(manual) },
    "of the attempt before": {
      way: "The first attempt was not sent, and the second is in flight. The statement is about the first.",
      book: book({ money: pounds }, { attempts: [notSent, second] }),
      attempt: 0
    }
  },
  ChargePending: {
    "automatic capture": {
      way: "The provider accepted the charge.",
      book: book(accepted, { attempts: [ended({ _tag: "Pending", providerRef })] })
    },
    "manual capture": {
      only: ofCharge,
      way: "The provider accepted the charge.",
      book: book({ ...accepted, ...manual }, { attempts: [ended({ _tag: "Pending", providerRef })] })
    },
    "on the provider's page": {
      only: ofCharge,
      way: "The customer paid on a page of the provider, and the provider is at work.",
      book: book(
        { ...live, state: "ChargePending", connectionId: "live", providerRef },
        { attempts: [{ ...ended({ _tag: "Pending", providerRef }, opened), checkout }] }
      )
    }
  },
  ChargeUnknown: {
    "automatic capture": {
      way: "The charge went unanswered.",
      book: book(unanswered, { attempts: [ended(silence)] })
    },
    "manual capture": {
      only: ofCharge,
      way: "The charge went unanswered.",
      book: book({ ...unanswered, ...manual }, { attempts: [ended(silence)] })
    },
    "on the provider's page": {
      only: ofCharge,
      way: "The opening of the provider's page went unanswered.",
      book: book(
        { ...live, state: "ChargeUnknown", connectionId: "live", ...review("unknown") },
        { attempts: [ended(silence, onPage)] }
      )
    }
  },
  ChargeMismatched: {
    "more than was asked": {
      way: "The provider states that it captured 50.00.",
      book: book(
        {
          ...atMain,
          state: "ChargeMismatched",
          reported: { ...nothingReported, contradictions: ["charged:5000 EUR"] },
          ...review("unknown", "amount_mismatch")
        },
        { attempts: [{ ...ended({ _tag: "Captured", providerRef }), outcome: "Mismatched" }] }
      )
    }
  },
  Authorized: {
    "not captured yet": { way: "The provider authorized the charge.", book: authorized },
    "a capture was refused": {
      only: ofChargeAndOperation,
      way: "The provider declined a capture.",
      book: operated("capture", "Refused", {}, { code: "54", reason: "The provider declined it: 54." })
    },
    "a capture failed": {
      only: ofChargeAndOperation,
      way: "The provider accepted a capture, and stated later that it failed for good.",
      book: operated("capture", "Failed", captureFailed)
    },
    "a void failed": {
      only: ofChargeAndOperation,
      way: "The provider accepted a void, and stated later that it failed for good.",
      book: operated("void", "Failed", {})
    }
  },
  Capturing: {
    "in flight": { way: "The provider is being asked.", book: operated("capture", null, { state: "Capturing" }) }
  },
  CapturePending: {
    accepted: {
      way: "The provider accepted the capture.",
      book: operated("capture", "Accepted", { state: "CapturePending" })
    },
    "tried again after a failure": {
      only: ofChargeAndOperation,
      way: "The provider confirmed the capture, stated then that it failed, and tries again.",
      book: operated("capture", "Accepted", { state: "CapturePending", ...captureFailed })
    }
  },
  CaptureUnknown: {
    unanswered: {
      way: "The capture went unanswered.",
      book: operated("capture", "Unanswered", { state: "CaptureUnknown", ...review("unknown") })
    },
    "more than was asked": {
      only: ofChargeAndOperation,
      way: "The provider answered that it captured 50.00.",
      book: operated(
        "capture",
        "Unanswered",
        { state: "CaptureUnknown", ...review("unknown", "amount_mismatch") },
        { answeredAt: recordedAt, reason: "the provider stated 5000 minor units of EUR" }
      )
    }
  },
  Voiding: {
    "in flight": { way: "The provider is being asked.", book: operated("void", null, { state: "Voiding" }) }
  },
  VoidPending: {
    accepted: {
      way: "The provider accepted the void.",
      book: operated("void", "Accepted", { state: "VoidPending" })
    }
  },
  VoidUnknown: {
    unanswered: {
      way: "The void went unanswered.",
      book: operated("void", "Unanswered", { state: "VoidUnknown", ...review("unknown") })
    }
  },
  Captured: {
    "automatic capture": { way: "The provider captured the charge.", book: captured },
    "by a capture": { only: ofOperation, way: "The provider confirmed a capture of 10.00.", book: byCapture },
    "by a partial capture": {
      only: ofChargeAndOperation,
      way: "The provider confirmed a capture of 6.00 of the 10.00 authorized.",
      book: byPartialCapture
    },
    "corrected to a greater amount": {
      only: ofChargeAndOperation,
      way: "The provider confirmed a capture of 6.00, and stated later that 10.00 are captured.",
      book: then(byPartialCapture, {
        capturedMinor: asked,
        reported: { ...nothingReported, correctedAt: recordedAt, contradictions: [`captured:${asked}`] },
        ...review("amount_mismatch")
      })
    },
    "instead of a void": {
      only: ofOperation,
      way: "A void was answered with the statement that the charge is captured.",
      book: operated("void", "Conflicted", { state: "Captured", capturedMinor: asked })
    },
    "of the attempt before": {
      way: "The first attempt was not sent, and the second captured. The statement is about the first.",
      book: book(
        {
          money: pounds,
          state: "Captured",
          connectionId: "second",
          providerRef: referenceOf("att_2"),
          authorizedMinor: asked,
          capturedMinor: asked
        },
        { attempts: [notSent, ended({ _tag: "Captured", providerRef: referenceOf("att_2") }, second)] }
      ),
      attempt: 0
    },
    "a dispute was won": {
      only: ["Dispute"],
      way: "The provider reported a dispute, and then that it is won.",
      book: then(captured, { reported: { ...nothingReported, disputes: [dispute("won")] } })
    },
    "a refund in flight": {
      way: "The provider is being asked for a refund of 4.00.",
      book: then(
        refunding(captured, "Sending"),
        {},
        { refunds: [refund("Sending", partlyRefunded, { answeredAt: null })] }
      ),
      only: ofRefund
    },
    "a refund pending": {
      way: "The provider accepted a refund of 4.00.",
      book: refunding(captured, "Pending"),
      only: ofRefund
    },
    "by a capture, a refund pending": {
      way: "The provider confirmed a capture of 10.00 and accepted a refund of 4.00.",
      book: refunding(byCapture, "Pending"),
      only: ofOperation
    },
    "a refund unknown": {
      way: "A refund of 4.00 went unanswered.",
      book: refunding(captured, "Unknown"),
      only: ofRefund
    },
    "a refund refused": {
      way: "The provider rejected a refund of 4.00.",
      book: then(
        captured,
        {},
        { refunds: [refund("Refused", partlyRefunded, { code: "no", failureReason: "It was refused." })] }
      ),
      only: ofRefund
    },
    "a refund failed": {
      way: "The provider accepted a refund of 4.00, and stated later that it failed.",
      book: then(
        captured,
        {},
        { refunds: [refund("Failed", partlyRefunded, { failureReason: "The provider says that the refund failed." })] }
      ),
      only: ofRefund
    },
    "a refund reversed": {
      way: "The provider confirmed a refund of 4.00, and stated later that it failed.",
      book: then(captured, review("reversal"), {
        refunds: [refund("Reversed", partlyRefunded, { failureReason: "The provider says that the refund failed." })]
      }),
      only: ofRefund
    }
  },
  PartiallyRefunded: {
    "automatic capture": { way: "The provider confirmed a refund of 4.00.", book: inPart },
    "by a capture": {
      only: ofOperation,
      way: "The provider confirmed a capture of 10.00 and a refund of 4.00.",
      book: refunded(byCapture, partlyRefunded, "PartiallyRefunded")
    }
  },
  Refunded: {
    "automatic capture": {
      way: "The provider confirmed a refund of 10.00.",
      book: refunded(captured, asked, "Refunded")
    },
    "by a partial capture": {
      only: ofChargeAndOperation,
      way: "The provider confirmed a capture of 6.00 and a refund of 6.00.",
      book: refunded(byPartialCapture, partlyCaptured, "Refunded")
    }
  },
  Settled: {
    "automatic capture": { way: "The provider reported the payout.", book: settled(captured) },
    "by a capture": {
      only: ofOperation,
      way: "The provider confirmed a capture of 10.00 and reported the payout.",
      book: settled(byCapture)
    },
    "a refund pending": {
      way: "The provider reported the payout and accepted a refund of 4.00.",
      book: refunding(settled(captured), "Pending"),
      only: ofRefund
    }
  },
  ChargedBack: {
    "a dispute was opened": { way: "The provider reported a dispute.", book: disputed(captured) },
    "a dispute was lost": {
      only: ["Dispute"],
      way: "The provider reported that a dispute is lost.",
      book: disputed(captured, "lost")
    },
    "after the payout": {
      only: ["Settled", "Dispute"],
      way: "The provider reported the payout and a dispute.",
      book: disputed(settled(captured))
    },
    "after a partial refund": {
      only: ["Dispute", "Refund"],
      way: "The provider confirmed a refund of 4.00 and reported a dispute.",
      book: disputed(inPart)
    },
    "by a capture": {
      only: ofOperation,
      way: "The provider confirmed a capture of 10.00 and reported a dispute.",
      book: disputed(byCapture)
    },
    "a refund pending": {
      way: "The provider accepted a refund of 4.00 and reported a dispute.",
      book: disputed(refunding(captured, "Pending")),
      only: ofRefund
    }
  },
  Declined: {
    "by the provider": {
      way: "The provider declined the charge.",
      book: book(
        { state: "Declined", declineCategory: "expired_card", declineReason: "54" },
        { attempts: [ended(declined)] }
      )
    }
  },
  Failed: {
    "nothing was sent": {
      way: "The provider was not reached.",
      book: book(
        { state: "Failed", declineReason: "provider_error" },
        { attempts: [{ ...attempt, outcome: "NotSent", reason: "refused", answeredAt: recordedAt }] }
      )
    }
  },
  Cancelled: {
    "by the provider": {
      way: "The provider cancelled the charge.",
      book: book({ state: "Cancelled" }, { attempts: [ended({ _tag: "Canceled", providerRef })] })
    },
    "by the customer": { way: "The customer cancelled on the hosted page.", book: then(hosted, { state: "Cancelled" }) }
  },
  Voided: {
    "by a void": { way: "The provider confirmed a void.", book: operated("void", "Confirmed", { state: "Voided" }) },
    "the authorization lapsed": {
      only: ofCharge,
      way: "The provider stated that the authorization is cancelled.",
      book: then(authorized, { state: "Voided" })
    },
    "instead of a capture": {
      only: ofChargeAndOperation,
      way: "A capture was answered with the statement that the charge is cancelled.",
      book: operated("capture", "Conflicted", { state: "Voided" })
    }
  }
} as const satisfies Record<PaymentState, Readonly<Record<string, Sample>>>

export type SampleName = {
  [State in PaymentState]: `${State}: ${Extract<keyof (typeof samples)[State], string>}`
}[PaymentState]

export const sampleNames: ReadonlyArray<SampleName> = Object.entries(samples).flatMap(([state, ways]) =>
  Object.keys(ways).map((way) => `${state}: ${way}` as SampleName)
)

const byName: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(samples).flatMap(([state, ways]) =>
    Object.entries(ways).map(([way, sample]: readonly [string, Sample]) => [`${state}: ${way}`, sample])
  )
)

export const sampleOf = (name: SampleName): Sample => {
  const sample = byName[name]
  if (sample === undefined) throw new Error(`${name} is no sample`)
  return sample
}
