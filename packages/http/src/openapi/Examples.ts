/** Requests and answers that the document shows. A test holds them against the document's own schemas. */
import type { DisputeStatus, EventType, JsonObject, PaymentStatus } from "@pointsman/core"
import type { Event } from "../api/Events.ts"
import type { Payment, RoutingDecision, RoutingExclusion } from "../api/Payment.ts"
import type { Example } from "./Model.ts"

export const exampleIds = {
  payment: "01a1fe08-9226-7266-a33a-e3e7f1609a4e",
  attempt: "att_01a1fe08-9228-7603-b126-ec7b725f925d",
  event: "evt_01a1fe08-9231-7a0c-9d0f-5b1c7f0e2a61",
  refund: "rf_01a1fe0b-4c10-7d52-8f3e-2b6a9d1c0e77",
  dispute: "dp_01a1fe0c-51d3-7e0a-9b6f-3c7d8e9f0a1b",
  delivery: "dlv_01a1fe08-9300-7b11-a5c2-0f9e8d7c6b5a",
  request: "req_01a1fe08-9220-7f3a-8c4d-6e5f4a3b2c1d"
} as const

const created = "2026-11-21T12:15:37.000Z"

export const exclusionExample: RoutingExclusion = {
  providerId: "acquirer-us",
  name: "US acquirer",
  code: "CURRENCY_NOT_SUPPORTED",
  reason: "The connection does not accept EUR."
}

const routing: RoutingDecision = {
  path: "engine",
  strategy: "order",
  mode: "failover",
  rule: null,
  candidates: [{ connection_id: "acquirer-eu", name: "European acquirer", priority: 1 }],
  attempts: [{ attempt_id: exampleIds.attempt, connection_id: "acquirer-eu", outcome: "captured", code: null }]
}

const captured: Payment = {
  id: exampleIds.payment,
  payment_id: exampleIds.payment,
  reference: "order-1001",
  payment_status: "CAPTURED",
  status: "CAPTURED",
  environment: "sandbox",
  amount: 1999,
  currency: "EUR",
  country: "NL",
  method: "card",
  card_brand: null,
  initiator: "cit",
  capture_method: "automatic",
  decline_category: null,
  decline_reason: null,
  captured_amount: 1999,
  refunded_amount: 0,
  refund_pending_amount: 0,
  next_action: { type: "NONE" },
  created
}

const statusOf = (status: Payment["status"]) => ({ payment_status: status, status })

const authorized: Payment = {
  ...captured,
  ...statusOf("AUTHORIZED"),
  capture_method: "manual",
  captured_amount: 0
}

const outcome = (attempt: string): RoutingDecision => ({
  ...routing,
  attempts: [{ attempt_id: exampleIds.attempt, connection_id: "acquirer-eu", outcome: attempt, code: null }]
})

const decline = {
  category: "insufficient_funds",
  code: "insufficient_funds",
  provider_code: "51",
  advice: "use_another_method"
} as const

const declinedRouting: RoutingDecision = {
  ...routing,
  attempts: [{ attempt_id: exampleIds.attempt, connection_id: "acquirer-eu", outcome: "declined", code: "51", decline }]
}

/** What an event of each type may look like; the status is the one that most often goes with it. */
export const eventExample = (type: EventType): Event => {
  const [status, details] = eventDetails[type]
  return {
    id: exampleIds.event,
    type,
    created,
    data: {
      payment_id: exampleIds.payment,
      reference: "order-1001",
      payment_status: status,
      environment: "sandbox",
      amount: 1999,
      currency: "EUR",
      ...details
    }
  }
}

const refund = (refunded: number, pending: number) => ({
  refund_id: exampleIds.refund,
  origin: "api",
  refund_amount: 500,
  refunded_total: refunded,
  refund_pending_amount: pending
})

const disputed = (status: DisputeStatus) => ({
  dispute_id: exampleIds.dispute,
  dispute_status: status,
  dispute_amount: 1999,
  dispute_currency: "EUR",
  dispute_reason: "not_received",
  evidence_due_by: "2026-12-05T23:59:59.000Z"
})

const eventDetails: Readonly<Record<EventType, readonly [PaymentStatus, JsonObject]>> = {
  "payment.created": ["PENDING", {}],
  "payment.requires_action": ["REQUIRES_ACTION", {}],
  "payment.pending": ["PENDING", {}],
  "payment.authorized": ["AUTHORIZED", {}],
  "payment.captured": ["CAPTURED", {}],
  "payment.declined": ["DECLINED", { decline_category: "insufficient_funds", decline_code: "51", decline }],
  "payment.failed": ["FAILED", {}],
  "payment.unknown": ["UNKNOWN", {}],
  "payment.cancelled": ["CANCELLED", {}],
  "payment.capture_failed": [
    "AUTHORIZED",
    {
      operation_id: "op_01a1fe0b-4c10-7d52-8f3e-2b6a9d1c0e78",
      failure_reason: "insufficient balance",
      captured_amount: 0
    }
  ],
  "payment.void_failed": [
    "AUTHORIZED",
    { operation_id: "op_01a1fe0b-4c10-7d52-8f3e-2b6a9d1c0e78", failure_reason: "already captured" }
  ],
  "payment.capture_unknown": ["UNKNOWN", {}],
  "payment.void_unknown": ["UNKNOWN", {}],
  "payment.refund_pending": ["CAPTURED", refund(0, 500)],
  "payment.refund_unknown": ["CAPTURED", refund(0, 500)],
  "payment.refunded": ["PARTIALLY_REFUNDED", refund(500, 0)],
  "payment.refund_failed": ["CAPTURED", { ...refund(0, 0), failure_reason: "account_closed" }],
  "payment.settled": ["SETTLED", {}],
  "payment.chargeback": ["CHARGEBACK", {}],
  "payment.chargeback_reversed": ["CAPTURED", {}],
  "payment.conflict": [
    "CAPTURED",
    { attempt_id: exampleIds.attempt, connection_id: "acquirer-eu", provider_reference: "ch_2" }
  ],
  "payment.amount_mismatch": ["UNKNOWN", { stated_amount: 2000, stated_currency: "EUR" }],
  "payment.reviewed": [
    "CAPTURED",
    {
      reviewed_by: "Jo",
      evidence: "Dashboard of the acquirer, charge ch_1: captured",
      finding: { charge: "captured", attempt_id: null, amount: 1999, provider_reference: "ch_1" }
    }
  ],
  "dispute.opened": ["CHARGEBACK", disputed("needs_response")],
  "dispute.updated": ["CHARGEBACK", disputed("needs_response")],
  "dispute.evidence_due": ["CHARGEBACK", { ...disputed("needs_response"), days: 3 }],
  "dispute.submitted": ["CHARGEBACK", disputed("under_review")],
  "dispute.won": ["CAPTURED", disputed("won")],
  "dispute.lost": ["CHARGEBACK", disputed("lost")],
  "dispute.accepted": ["CHARGEBACK", disputed("accepted")]
}

const merchant = {
  id: "corner-bakery",
  name: "Corner Bakery",
  email: "owner@bakery.test",
  country: "NL",
  category: "food",
  status: "invited",
  created
}

const dispute = {
  id: exampleIds.dispute,
  payment_id: exampleIds.payment,
  status: "needs_response",
  amount: 1999,
  currency: "EUR",
  reason: "not_received",
  provider_reason: "product_not_received",
  evidence_due_by: "2026-12-05T23:59:59.000Z",
  evidence_submitted_at: null,
  evidence: null,
  created
}

const page = (rows: ReadonlyArray<unknown>) => ({ data: rows, has_more: false, next_cursor: null })

type Examples = Readonly<Record<string, Example>>

/** By operation. */
export const requestExamples: Readonly<Record<string, Examples>> = {
  createPayment: {
    minimal: { summary: "Minimal request", value: { amount: 1999, currency: "EUR", country: "NL" } },
    manual: {
      summary: "Authorize now, capture later",
      value: { amount: 1999, currency: "EUR", country: "NL", reference: "order-1001", capture_method: "manual" }
    },
    simulated: {
      summary: "Sandbox: a provider that does not respond",
      value: { amount: 1999, currency: "EUR", country: "NL", simulate: { charge: "no_answer" } }
    }
  },
  capturePayment: {
    part: { summary: "Part of the authorization", value: { amount: 1500 } },
    all: { summary: "Full amount", value: {} }
  },
  refundPayment: {
    part: { summary: "Partial amount", value: { amount: 500, reason: "One item came back." } },
    all: { summary: "Full balance", value: {} }
  },
  keepDisputeEvidence: {
    evidence: {
      summary: "A text and a file",
      value: {
        product_description: "A chair, delivered on 2 November.",
        receipt: "(the bytes of a PDF, JPEG or PNG file)"
      }
    }
  },
  createMerchant: {
    merchant: {
      summary: "A sub-merchant",
      value: { name: "Corner Bakery", email: "owner@bakery.test", country: "NL", category: "food" }
    }
  },
  receiveProviderWebhook: {
    captured: {
      summary: "A charge was captured",
      value: {
        id: "msg_1001",
        type: "charge.updated",
        created,
        data: {
          attempt_id: exampleIds.attempt,
          provider_reference: "ch_1001",
          status: "captured",
          captured_amount: 1999,
          currency: "EUR"
        }
      }
    },
    disputed: {
      summary: "A dispute was opened",
      value: {
        id: "msg_1002",
        type: "dispute.opened",
        created,
        data: { attempt_id: exampleIds.attempt, dispute_id: "dp_1", amount: 1999 }
      }
    }
  }
}

/** By operation: what its success answers. */
export const answerExamples: Readonly<Record<string, Examples>> = {
  createPayment: {
    captured: { summary: "Captured", value: { data: { ...captured, routing } } },
    authorized: { summary: "Authorized", value: { data: { ...authorized, routing: outcome("authorized") } } },
    declined: {
      summary: "Declined",
      value: {
        data: {
          ...captured,
          ...statusOf("DECLINED"),
          captured_amount: 0,
          decline_category: "insufficient_funds",
          decline_reason: "51",
          decline,
          routing: declinedRouting
        }
      }
    },
    unknown: {
      summary: "Unknown result: the provider may have charged",
      value: {
        data: { ...captured, ...statusOf("UNKNOWN"), captured_amount: 0, routing: outcome("unanswered") }
      }
    }
  },
  listPayments: { page: { summary: "A page", value: page([captured]) } },
  retrievePayment: { payment: { summary: "A payment", value: { data: captured } } },
  capturePayment: {
    captured: { summary: "Captured", value: { data: { ...captured, capture_method: "manual" } } }
  },
  voidPayment: {
    cancelled: { summary: "Voided", value: { data: { ...authorized, ...statusOf("CANCELLED") } } }
  },
  refundPayment: {
    refunded: {
      summary: "Partially refunded",
      value: { data: { ...captured, ...statusOf("PARTIALLY_REFUNDED"), refunded_amount: 500 } }
    }
  },
  listDisputes: { page: { summary: "A page", value: page([dispute]) } },
  retrieveDispute: { dispute: { summary: "A dispute", value: { data: dispute } } },
  keepDisputeEvidence: {
    kept: {
      summary: "Kept",
      value: {
        data: {
          ...dispute,
          evidence: {
            texts: ["product_description"],
            files: [{ name: "receipt", type: "application/pdf", bytes: 48_211 }]
          }
        }
      }
    }
  },
  submitDispute: {
    submitted: {
      summary: "Submitted",
      value: { data: { ...dispute, status: "under_review", evidence_submitted_at: "2026-11-24T09:30:00.000Z" } }
    }
  },
  acceptDispute: { accepted: { summary: "Accepted", value: { data: { ...dispute, status: "accepted" } } } },
  listPaymentEvents: { page: { summary: "A page", value: page([eventExample("payment.captured")]) } },
  listEvents: { page: { summary: "A page", value: page([eventExample("payment.captured")]) } },
  createMerchant: { merchant: { summary: "A sub-merchant", value: { data: merchant } } },
  listMerchants: { page: { summary: "A page", value: page([merchant]) } },
  receiveProviderWebhook: { accepted: { summary: "Accepted", value: { data: { accepted: true } } } }
}
