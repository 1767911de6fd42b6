/** Checkout.com's objects as its pages and its SDKs show them, and the way in which it signs. */
import { createHmac } from "node:crypto"
import { answering, type SignedMessage } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"

export const secretKey = "sk_sbox_o2nulev2arguvyf6w7sc5fkznas"
export const prefix = "vkuhvk4v"
export const channel = "pc_vxt6yftthv4e5flqak6w2i7rim"
export const credentials = { secretKey, prefix, baseUrl: "https://checkout.example/" }
export const instrument = "src_wmlfc3zyhqzehihu7giusaaawu"
export const paymentId = "pay_mbabizu24mvu3mela5njyhpit4"

type Fields = Readonly<Record<string, unknown>>

export const answer = answering()

/** https://api-reference.checkout.com/tag/Payments: the answer to a request, and to one about it. */
export const payment = (fields: Fields = {}) => ({
  id: paymentId,
  action_id: "act_y3oqhf46pyzuxjbcn2giaqnb44",
  amount: 1234,
  currency: "EUR",
  approved: true,
  status: "Authorized",
  auth_code: "643381",
  response_code: "10000",
  response_summary: "Approved",
  balances: {
    total_authorized: 1234,
    total_voided: 0,
    available_to_void: 1234,
    total_captured: 0,
    available_to_capture: 1234,
    total_refunded: 0,
    available_to_refund: 0
  },
  source: { id: instrument, type: "card", expiry_month: 12, expiry_year: 2030, scheme: "Visa", last4: "4242" },
  customer: { id: "cus_y3oqhf46pyzuxjbcn2giaqnb44", email: "brucewayne@example.com", name: "Bruce Wayne" },
  processed_on: "2026-11-21T12:00:00.1234567Z",
  risk: { flagged: false },
  _links: { self: { href: `https://${prefix}.api.sandbox.checkout.com/payments/${paymentId}` } },
  ...fields
})

/** A payment that was accepted with status 202. It has no amount. */
export const acceptedPayment = (fields: Fields = {}) => ({
  id: paymentId,
  status: "Pending",
  customer: { id: "cus_y3oqhf46pyzuxjbcn2giaqnb44", email: "brucewayne@example.com", name: "Bruce Wayne" },
  "3ds": { downgraded: false, enrolled: "Y" },
  _links: {
    self: { href: `https://${prefix}.api.sandbox.checkout.com/payments/${paymentId}` },
    redirect: { href: "https://3ds.sandbox.checkout.com/sid_y3oqhf46pyzuxjbcn2giaqnb44" }
  },
  ...fields
})

/** A payment as it is looked up: its response code is that of an action. */
export const lookedUp = ({ response_code = "10000", ...fields }: Fields = {}) => {
  const { action_id, auth_code, response_code: _code, response_summary, ...shown } = payment()
  return {
    ...shown,
    requested_on: "2026-11-21T12:00:00.1234567Z",
    payment_type: "Regular",
    actions: [{ id: action_id, type: "Authorization", response_code, response_summary }],
    ...fields
  }
}

/** The same payment once this much of it was captured. */
export const capturedPayment = (amount: number, fields: Fields = {}) =>
  payment({ status: "Captured", balances: { total_authorized: amount, total_captured: amount }, ...fields })

/** https://www.checkout.com/docs/payments/manage-payments/get-a-list-of-payments */
export const list = (...data: ReadonlyArray<unknown>) => ({ limit: 100, skip: 0, total_count: data.length, data })

/** The answer to a capture, a void or a refund. */
export const accepted = (fields: Fields = {}) => ({
  action_id: "act_gefycn3jcvuupboxfmqrhk2aym",
  reference: "ORD-5023-4E89",
  _links: { payment: { href: `https://${prefix}.api.sandbox.checkout.com/payments/${paymentId}` } },
  ...fields
})

/** An entry of https://www.checkout.com/docs/payouts/get-payout-actions */
export const action = (fields: Fields = {}) => ({
  id: "act_gefycn3jcvuupboxfmqrhk2aym",
  type: "Capture",
  processed_on: "2026-11-21T12:00:01Z",
  amount: 1234,
  approved: true,
  response_code: "10000",
  response_summary: "Approved",
  processing: { acquirer_reference_number: "24021219099007452440793", acquirer_transaction_id: "00745244079" },
  ...fields
})

export const authorization = action({ id: "act_y3oqhf46pyzuxjbcn2giaqnb44", type: "Authorization", reference: "ORD-1" })

/** https://api-reference.checkout.com/tag/Payment-Links: the answer to its creation. */
export const openedLink = (fields: Fields = {}) => ({
  id: "pl_ok1itj8ykm3eyk1toywr6uwlwe",
  expires_on: "2026-11-21T13:00:00.501Z",
  _links: {
    self: { href: `https://${prefix}.api.sandbox.checkout.com/payment-links/pl_ok1itj8ykm3eyk1toywr6uwlwe` },
    redirect: { href: "https://pay.sandbox.checkout.com/page/pl_ok1itj8ykm3eyk1toywr6uwlwe" }
  },
  ...fields
})

/** The same, as it is looked up. */
export const link = (fields: Fields = {}) => ({
  id: "pl_ok1itj8ykm3eyk1toywr6uwlwe",
  status: "Active",
  expires_on: "2026-11-21T13:00:00.501Z",
  created_on: "2026-11-21T12:00:00.501Z",
  amount: 1234,
  currency: "EUR",
  reference: "ORD-5023-4E89",
  return_url: "https://example.com/payments/return",
  ...fields
})

export const failure = (status: number, codes: ReadonlyArray<string>, type = "request_invalid"): TransportAnswer =>
  answer(status, { request_id: "0HL80RJLS76I7", error_type: type, error_codes: codes })

/** https://www.checkout.com/docs/developer-resources/event-notifications/event-types */
export const event = (type: string, data: Fields, fields: Fields = {}) => ({
  id: "evt_jclzjykecuuu7mmesbk63alzoa",
  type,
  version: "1.0.29",
  created_on: "2026-11-21T12:00:00Z",
  data,
  _links: {
    self: {
      href: `https://${prefix}.api.sandbox.checkout.com/workflows/events/evt_jclzjykecuuu7mmesbk63alzoa`
    },
    subject: { href: `https://${prefix}.api.sandbox.checkout.com/workflows/events/subject/${paymentId}` }
  },
  ...fields
})

/** The data of an event about a payment, or about an action on it. */
export const told = (fields: Fields = {}) => ({
  id: paymentId,
  action_id: "act_sp2dsihrbfauvnccap2gst6uiy",
  reference: "ORD-5023-4E89",
  amount: 1234,
  processed_on: "2026-11-21T11:59:59.0587501Z",
  response_code: "10000",
  response_summary: "Approved",
  balances: { total_authorized: 1234, total_voided: 0, total_captured: 0, total_refunded: 0 },
  metadata: { coupon_code: "NY2018", partner_id: "123989" },
  currency: "EUR",
  processing: { acquirer_transaction_id: "132490011836610270463" },
  event_links: { payment: `https://${prefix}.api.sandbox.checkout.com/payments/${paymentId}` },
  ...fields
})

/** https://www.checkout.com/docs/developer-resources/webhooks/webhook-event-types/dispute_lost */
export const dispute = (fields: Fields = {}) => ({
  id: "dsp_9rjdlsd4epepfjyyf9vl",
  date: "2026-11-21T11:59:59.5042702+00:00",
  category: "fraudulent",
  amount: 1234,
  currency: "EUR",
  reason_code: "10.4",
  payment_id: paymentId,
  payment_reference: "ORD-5023-4E89",
  client_id: `cli_${prefix}jn2edkps7dfsq6emqm`,
  processing_channel_id: channel,
  entity_id: "ent_3heic3vsec6urkmvnm7uwcqr5m",
  ...fields
})

/** `openssl dgst -sha256 -hmac "$KEY"` of the body, in hex. */
export const signed = (text: string, secret: string): SignedMessage => ({
  headers: { "cko-signature": createHmac("sha256", secret).update(text).digest("hex") },
  body: new TextEncoder().encode(text)
})
