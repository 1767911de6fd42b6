/**
 * Mollie's objects as it writes them (the examples of https://github.com/mollie/openapi, of 21 August 2026, for ours in place
 * of theirs), its errors and its answers.
 */
import { answering } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"

export const apiKey = "test_ofTheContract0123456789abcdefg"
export const webhookUrl = "https://pay.shop.example/api/v1/psp-webhooks/mollie"
const profileId = "pfl_QkEhN94Ba"

export type Fields = Readonly<Record<string, unknown>>

export const answer = answering({ "content-type": "application/hal+json" })

const link = (href: string, type = "application/hal+json") => ({ href, type })

/** https://docs.mollie.com/reference/get-payment */
export const payment = (fields: Fields = {}): Fields => ({
  resource: "payment",
  id: "tr_5B8cwPMGnU6qLbRvo7qEZo",
  mode: "test",
  amount: { value: "12.34", currency: "EUR" },
  description: "order 1",
  method: "creditcard",
  sequenceType: "recurring",
  redirectUrl: null,
  webhookUrl,
  metadata: { attempt_id: "att_1", country: "NL", method: "card", initiator: "mit" },
  profileId,
  customerId: "cst_8wmqcHMN4U",
  mandateId: "mdt_h3gAaD5zP",
  status: "paid",
  createdAt: "2026-11-21T12:00:00+00:00",
  paidAt: "2026-11-21T12:00:00+00:00",
  _links: {
    self: link("https://api.mollie.com/v2/payments/tr_5B8cwPMGnU6qLbRvo7qEZo"),
    dashboard: link("https://www.mollie.com/dashboard/org_12345678/payments/tr_5B8cwPMGnU6qLbRvo7qEZo", "text/html")
  },
  ...fields
})

/** As Mollie opens its page. */
export const opened = (fields: Fields = {}, url = "https://www.mollie.com/checkout/select-method/7UhSN1zuXS"): Fields =>
  payment({
    status: "open",
    sequenceType: "oneoff",
    paidAt: undefined,
    isCancelable: false,
    expiresAt: "2026-11-21T12:15:00+00:00",
    _links: {
      self: link("https://api.mollie.com/v2/payments/tr_5B8cwPMGnU6qLbRvo7qEZo"),
      checkout: link(url, "text/html"),
      dashboard: link("https://www.mollie.com/dashboard/org_12345678/payments/tr_5B8cwPMGnU6qLbRvo7qEZo", "text/html")
    },
    ...fields
  })

/** Of an object under a payment. */
const linksUnder = (path: string) => ({
  self: link(`https://api.mollie.com/v2/payments/tr_5B8cwPMGnU6qLbRvo7qEZo/${path}`),
  payment: link("https://api.mollie.com/v2/payments/tr_5B8cwPMGnU6qLbRvo7qEZo"),
  documentation: link("https://docs.mollie.com/reference/overview", "text/html")
})

/** https://docs.mollie.com/reference/get-capture */
export const capture = (fields: Fields = {}): Fields => ({
  resource: "capture",
  id: "cpt_vytxeTZskVKR7C7WgdSP3d",
  mode: "test",
  amount: { currency: "EUR", value: "12.34" },
  metadata: { operation_id: "op_1", attempt_id: "att_1" },
  status: "succeeded",
  paymentId: "tr_5B8cwPMGnU6qLbRvo7qEZo",
  createdAt: "2026-11-21T12:00:00+00:00",
  _links: linksUnder("captures/cpt_vytxeTZskVKR7C7WgdSP3d"),
  ...fields
})

/** https://docs.mollie.com/reference/get-refund */
export const refund = (fields: Fields = {}): Fields => ({
  resource: "refund",
  id: "re_4qqhO89gsT",
  mode: "test",
  description: "Refund",
  amount: { currency: "EUR", value: "12.34" },
  status: "refunded",
  metadata: { refund_id: "rf_1", attempt_id: "att_1" },
  paymentId: "tr_5B8cwPMGnU6qLbRvo7qEZo",
  createdAt: "2026-11-21T12:00:00+00:00",
  _links: linksUnder("refunds/re_4qqhO89gsT"),
  ...fields
})

/** https://docs.mollie.com/reference/get-chargeback */
export const chargeback = (fields: Fields = {}): Fields => ({
  resource: "chargeback",
  id: "chb_xFzwUN4ci8HAmSGUACS4J",
  amount: { currency: "EUR", value: "12.34" },
  settlementAmount: { currency: "EUR", value: "-12.34" },
  reason: null,
  paymentId: "tr_5B8cwPMGnU6qLbRvo7qEZo",
  createdAt: "2026-11-21T12:00:00+00:00",
  reversedAt: null,
  _links: linksUnder("chargebacks/chb_xFzwUN4ci8HAmSGUACS4J"),
  ...fields
})

/** https://docs.mollie.com/reference/pagination; `next`: the id that the next page begins with. */
export const list = (
  name: "payments" | "refunds" | "captures" | "chargebacks",
  items: ReadonlyArray<unknown>,
  next: string | null = null
): Fields => ({
  count: items.length,
  _embedded: { [name]: items },
  _links: {
    self: link(`https://api.mollie.com/v2/${name}?limit=250`),
    previous: null,
    next: next === null ? null : link(`https://api.mollie.com/v2/${name}?from=${next}&limit=250`),
    documentation: link("https://docs.mollie.com/reference/pagination", "text/html")
  }
})

/** https://docs.mollie.com/reference/get-current-profile */
export const profile = (fields: Fields = {}): Fields => ({
  resource: "profile",
  id: profileId,
  mode: "test",
  name: "A shop",
  website: "https://shop.example",
  email: "shop@shop.example",
  phone: "+31612345678",
  businessCategory: "OTHER_MERCHANDISE",
  status: "verified",
  createdAt: "2021-12-08T15:42:58+00:00",
  _links: { self: link(`https://api.mollie.com/v2/profiles/${profileId}`) },
  ...fields
})

/** https://docs.mollie.com/reference/handling-errors */
export const failure = (status: number, fields: Fields = {}): TransportAnswer =>
  answer(status, {
    status,
    title: "Unprocessable Entity",
    detail: "The amount is higher than the maximum",
    _links: { documentation: link("https://docs.mollie.com/errors", "text/html") },
    ...fields
  })

/** https://docs.mollie.com/reference/webhooks-new; the shape: `entity-webhook-event` of https://github.com/mollie/openapi. */
export const event = (type: string, entity: Fields, fields: Fields = {}): Fields => ({
  resource: "event",
  id: "event_GvJ8WHrp5isUdRub9CJyH",
  type,
  entityId: entity["id"],
  createdAt: "2026-11-21T12:00:00+00:00",
  _embedded: { entity },
  _links: {
    self: link("https://api.mollie.com/v2/events/event_GvJ8WHrp5isUdRub9CJyH"),
    documentation: link("https://docs.mollie.com/guides/webhooks", "text/html")
  },
  ...fields
})
