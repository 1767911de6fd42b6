/** The v1 API, call by call. The names are those of `@pointsman/node`. */
import { type Call, type CallOptions, type MoneyOptions, makeCall } from "./Call.ts"
import type {
  CapturePayment,
  CreateMerchant,
  CreatePayment,
  Dispute,
  DisputesQuery,
  Event,
  EventsQuery,
  Merchant,
  MerchantsQuery,
  Page,
  PaymentsQuery,
  RefundPayment,
  TimelineQuery
} from "./Contract.ts"
import { type Pages, pagesOf, type Query, queryText } from "./Pages.ts"
import { type Payment, paymentOf } from "./Payment.ts"
import type { Answer, Order } from "./Send.ts"
import { type ClientSettings, endpointOf, limitsOf } from "./Settings.ts"

export interface PaymentResult {
  readonly payment: Payment
  /** An earlier request with the same key was answered so, and no provider was asked now. */
  readonly isReplay: boolean
}

export interface DisputeResult {
  readonly dispute: Dispute
  /** As of `PaymentResult`. */
  readonly isReplay: boolean
}

export interface Evidence {
  /** Up to 40 texts of 20,000 characters. */
  readonly texts?: Readonly<Record<string, string>>
  /** Up to 10 files (PDF, JPEG, PNG) of 5,000,000 bytes together. */
  readonly files?: Readonly<Record<string, Uint8Array>>
}

export interface Client {
  /**
   * Routes a payment and charges it at once, or gives a hosted page (`return_url`). Look at `payment.status`: a payment
   * that was declined is a result too, and `UNKNOWN` means that the result is not known yet.
   */
  readonly create: (order: CreatePayment, options?: MoneyOptions) => Promise<PaymentResult>
  /** Takes the money of an authorization; all of it unless `amount` (minor units) is given. Once. */
  readonly capture: (paymentId: string, order?: CapturePayment, options?: MoneyOptions) => Promise<PaymentResult>
  /** Releases an authorization. */
  readonly void: (paymentId: string, options?: MoneyOptions) => Promise<PaymentResult>
  /** Gives captured money back; all that is left unless `amount` (minor units) is given. The key names the refund. */
  readonly refund: (paymentId: string, order?: RefundPayment, options?: MoneyOptions) => Promise<PaymentResult>

  readonly payment: (paymentId: string, options?: CallOptions) => Promise<Payment>
  /** Newest first. */
  readonly payments: (query?: PaymentsQuery, options?: CallOptions) => Pages<Payment>
  /** What happened to a payment, oldest first. */
  readonly timeline: (paymentId: string, query?: TimelineQuery, options?: CallOptions) => Pages<Event>
  /** Of all payments, newest first; oldest first when `after` is given without `before`. */
  readonly events: (query?: EventsQuery, options?: CallOptions) => Pages<Event>

  /** Newest first. */
  readonly disputes: (query?: DisputesQuery, options?: CallOptions) => Pages<Dispute>
  readonly dispute: (disputeId: string, options?: CallOptions) => Promise<Dispute>
  /** Keeps texts and files by name, in place of what was kept before, until they are submitted. */
  readonly keepEvidence: (disputeId: string, evidence: Evidence, options?: CallOptions) => Promise<Dispute>
  /** Sends the kept evidence to the provider, once and for good. */
  readonly submitDispute: (disputeId: string, options?: MoneyOptions) => Promise<DisputeResult>
  /** Leaves the disputed money to the customer, for good. */
  readonly acceptDispute: (disputeId: string, options?: MoneyOptions) => Promise<DisputeResult>

  /** For white-label partners. */
  readonly createMerchant: (order: CreateMerchant, options?: CallOptions) => Promise<Merchant>
  /** For white-label partners: newest first. */
  readonly merchants: (query?: MerchantsQuery, options?: CallOptions) => Pages<Merchant>
}

export const createClient = (settings: ClientSettings): Client => {
  const call = makeCall(endpointOf(settings), limitsOf(settings))
  return { ...paymentCalls(call), ...disputeCalls(call), ...merchantCalls(call) }
}

const read = (path: string): Order => ({ method: "GET", path, money: "none" })

const post = (path: string, body: object | undefined, money: Order["money"]): Order => ({
  method: "POST",
  path,
  money,
  ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) })
})

/** What would lead to another path becomes an id that does not exist. */
const idIn = (id: string): string => (/^\.{0,2}$/u.test(id) ? "-" : encodeURIComponent(id))

/** The types of answers are the contract's, which the server keeps; nothing is decoded here. */
const dataOf = <Data>({ body }: Answer): Data => body["data"] as Data

interface List<Item, Shown> {
  readonly path: string
  readonly query: Query
  /** The parameter that takes the `next_cursor` of the page before. */
  readonly cursor?: "before" | "after"
  readonly show: (item: Item) => Shown
}

const list = <Item, Shown>(
  call: Call,
  { cursor = "before", path, query, show }: List<Item, Shown>,
  options: CallOptions | undefined
): Pages<Shown> =>
  pagesOf(async (at) => {
    const asked = at === undefined ? query : { ...query, [cursor]: at }
    const { body } = await call(read(`${path}${queryText(asked)}`), options)
    const page = body as unknown as Page<Item>
    return { ...page, data: page.data.map(show) }
  })

const asIs = <Item>(item: Item): Item => item

type PaymentCalls = "create" | "capture" | "void" | "refund" | "payment" | "payments" | "timeline" | "events"

const paymentCalls = (call: Call): Pick<Client, PaymentCalls> => {
  const ask = async (order: Order, options: MoneyOptions | undefined) => {
    const answer = await call(order, options)
    return { payment: paymentOf(dataOf(answer)), isReplay: answer.isReplay }
  }
  const events = (path: string, query: EventsQuery, cursor: "before" | "after", options: CallOptions | undefined) =>
    list<Event, Event>(call, { path, query: { ...query }, cursor, show: asIs }, options)
  return {
    create: (order, options) => ask(post("/payments", order, "new"), options),
    capture: (id, order, options) => ask(post(`/payments/${idIn(id)}/capture`, order, "more"), options),
    void: (id, options) => ask(post(`/payments/${idIn(id)}/void`, undefined, "more"), options),
    refund: (id, order, options) => ask(post(`/payments/${idIn(id)}/refunds`, order, "more"), options),
    payment: async (id, options) => paymentOf(dataOf(await call(read(`/payments/${idIn(id)}`), options))),
    payments: (query, options) => list(call, { path: "/payments", query: { ...query }, show: paymentOf }, options),
    timeline: (id, query, options) => events(`/payments/${idIn(id)}/events`, { ...query }, "after", options),
    events: (query = {}, options) =>
      events("/events", query, query.after !== undefined && query.before === undefined ? "after" : "before", options)
  }
}

type DisputeCalls = "disputes" | "dispute" | "keepEvidence" | "submitDispute" | "acceptDispute"

const disputeCalls = (call: Call): Pick<Client, DisputeCalls> => {
  const submit = async (path: string, options: MoneyOptions | undefined) => {
    const answer = await call(post(path, undefined, "more"), options)
    return { dispute: dataOf<Dispute>(answer), isReplay: answer.isReplay }
  }
  return {
    disputes: (query, options) =>
      list<Dispute, Dispute>(call, { path: "/disputes", query: { ...query }, show: asIs }, options),
    dispute: async (id, options) => dataOf(await call(read(`/disputes/${idIn(id)}`), options)),
    keepEvidence: async (id, evidence, options) =>
      dataOf(await call(post(`/disputes/${idIn(id)}/evidence`, formOf(evidence), "none"), options)),
    submitDispute: (id, options) => submit(`/disputes/${idIn(id)}/submit`, options),
    acceptDispute: (id, options) => submit(`/disputes/${idIn(id)}/accept`, options)
  }
}

const formOf = ({ files = {}, texts = {} }: Evidence): FormData => {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.append(name, text)
  for (const [name, bytes] of Object.entries(files)) form.append(name, new Blob([Uint8Array.from(bytes)]), name)
  return form
}

const merchantCalls = (call: Call): Pick<Client, "createMerchant" | "merchants"> => ({
  createMerchant: async (order, options) => dataOf(await call(post("/merchants", order, "none"), options)),
  merchants: (query, options) =>
    list<Merchant, Merchant>(call, { path: "/merchants", query: { ...query }, show: asIs }, options)
})
