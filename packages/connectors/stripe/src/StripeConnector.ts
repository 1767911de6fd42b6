/**
 * The connector `stripe`: PaymentIntents with stored payment methods, Checkout, captures, voids, refunds, look-ups and
 * webhooks, over Stripe's HTTP API.
 *
 * One operation is one request, with our id as Stripe's idempotency key. Nothing here throws or tries again. What is
 * not sent is `NotSent` by the transport's word, and where Stripe has no amount for the money; an instrument that Stripe
 * cannot be asked about is `Rejected` before anything is sent.
 */
import {
  type ChargeLookup,
  type ChargeState,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  type Found,
  type Money,
  NotSent,
  type Rejected,
  segment,
  type Transport,
  type TransportAnswer,
  type Unanswered,
  type VerifiedBody
} from "@pointsman/core/connector"
import { Clock, Effect, Redacted, Result } from "effect"
import { currencies, toStripe } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import { type Credentials, decodeCredentials } from "./Credentials.ts"
import * as Lists from "./Lists.ts"
import * as Lookups from "./LookupAnswers.ts"
import { readMessage, readStored } from "./Messages.ts"
import { type AnyMetadata, version } from "./Protocol.ts"
import * as Requests from "./Requests.ts"
import { cleaner } from "./Texts.ts"

/** The definition of the connector `stripe`. */
export const definition: ConnectorDefinition = {
  name: "stripe",
  environments: ["sandbox", "production"],
  supports: { currencies, methods: ["card", "bank", "wallet"] },
  connect: (account, transport) =>
    Result.map(decodeCredentials(account.credentials, account.environment), (credentials) =>
      connector(credentials, account, transport)
    )
}

/** Of a checkout. Stripe takes from 30 minutes on; half an hour more bears clocks that differ and a slow customer. */
const checkoutSeconds = 60 * 60

/**
 * A charge is looked for among those that were created up to so long before it was sent by our clock, in seconds. As much
 * as after it: with a clock that is wrong by more, a charge that was taken would be called one that never arrived.
 */
const clockSkewSeconds = 60 * 60

/** … and up to so long after: by then every request has arrived that ever will. */
const sentWithinSeconds = 60 * 60

/**
 * "Not found" is Stripe's last word no earlier than so long after the request, in milliseconds by Stripe's clock. Lists
 * are complete at once (https://docs.stripe.com/search#data-freshness), but a request that ended in a 500 may be rolled
 * forward later, while Stripe sets its incident right (https://docs.stripe.com/error-low-level#server-errors), and until
 * its idempotency key has expired, after 24 hours, Stripe holds a record of a request that it shows to nobody
 * (https://docs.stripe.com/api/idempotent_requests).
 */
const conclusiveAfterMillis = 24 * 60 * 60 * 1000

/** Of one look-up, at 100 objects each: more charges than that in an hour are searched. */
const pagesAtMost = 20

/** A page of 100 payments, each with its metadata, in bytes. */
const pageBytesAtMost = 8 * 1024 * 1024

const connector = (
  credentials: Credentials,
  { environment, timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): Connector => {
  const { account, baseUrl, mode, secretKey } = credentials
  const clean = cleaner([secretKey])
  const receiverOf = ({ secret }: VerifiedBody) => ({
    account,
    isLive: environment === "production",
    clean: cleaner([secretKey, secret])
  })

  const send = ({ form, id, method, path }: Call) =>
    transport.send({
      method,
      url: `${baseUrl}/v1/${path}${method === "GET" && form.length > 0 ? `?${Requests.encode(form)}` : ""}`,
      headers: {
        authorization: `Bearer ${Redacted.value(secretKey)}`,
        accept: "application/json",
        "stripe-version": version,
        // It has no effect on a GET, and shows in Stripe's log of requests.
        ...(id === undefined ? {} : { "idempotency-key": id }),
        ...(account === null ? {} : { "stripe-account": account }),
        ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {})
      },
      ...(method === "POST" ? { body: Requests.encode(form) } : {}),
      timeoutMillis,
      maxAnswerBytes: pageBytesAtMost
    })

  const sendList = (path: string, form: Requests.Form) => send({ method: "GET", path, form })

  const call = <A>(
    request: Call,
    read: (answer: TransportAnswer) => Result.Result<A, Unanswered>
  ): Effect.Effect<A, NotSent | Unanswered> =>
    Effect.flatMap(send(request), (answer) => Effect.fromResult(read(answer)))

  /** All pages of a list, one after the other. `undefined`: there are more than may be asked for. */
  const find = Effect.fnUntraced(function* <State>(
    path: string,
    form: Requests.Form,
    { id, isIt, read, sentBefore }: Sought<State>
  ): Effect.fn.Return<Found<State> | undefined, NotSent | Unanswered> {
    let next: string | null = null
    for (let page = 0; page < pagesAtMost; page++) {
      const from: Requests.Form = next === null ? [] : [["starting_after", next]]
      const answer: TransportAnswer = yield* send({
        method: "GET",
        path,
        form: [...form, ["limit", "100"], ...from],
        id
      })
      const list: Lookups.Listed = yield* Effect.fromResult(Lookups.listed(answer, path, isIt))
      if (list.at >= 0) return yield* Effect.fromResult(read(answer, list.at))
      if (list.next === null) return { _tag: "NotFound", conclusive: isConclusive(answer, sentBefore) }
      next = list.next
    }
    return undefined
  })

  const lookUpSent = Effect.fnUntraced(function* ({
    attemptId,
    sentAt,
    sentBefore = sentAt
  }: ChargeLookup): Effect.fn.Return<Found<ChargeState>, NotSent | Unanswered> {
    const sought: Sought<ChargeState> = {
      id: attemptId,
      sentBefore,
      isIt: ({ attempt_id }) => attempt_id === attemptId,
      read: (answer, at) => Lookups.listedPaymentIntent(answer, at, clean)
    }
    const found = yield* find(
      "payment_intents",
      [
        ["created[gte]", String(Math.max(0, Math.floor(sentAt / 1000) - clockSkewSeconds))],
        ["created[lte]", String(Math.floor(sentBefore / 1000) + sentWithinSeconds)]
      ],
      sought
    )
    if (found !== undefined) return found
    // A search finds late, and what it finds is there; that it finds nothing says nothing.
    const form: Requests.Form = [["query", `metadata["attempt_id"]:"${attemptId.replace(/["\\]/g, "\\$&")}"`]]
    const path = "payment_intents/search"
    const answer = yield* send({ method: "GET", path, form, id: attemptId })
    const { at } = yield* Effect.fromResult(Lookups.listed(answer, path, sought.isIt))
    return at < 0 ? { _tag: "NotFound", conclusive: false } : yield* Effect.fromResult(sought.read(answer, at))
  })

  return {
    charge: Effect.fn("StripeConnector.charge")((request) => {
      if (request.instrument === null) return Effect.succeed(withoutInstrument)
      const amount = toStripe(request.money)
      const instrument = Requests.instrumentOf(request.instrument)
      if (amount === undefined) return Effect.fail(inexpressible(request.money))
      if (instrument === undefined) return Effect.succeed(malformedInstrument)
      const form = Requests.paymentIntent(request, amount, instrument)
      const cleanOfToken = cleaner([secretKey, ...Requests.secretsOf(request.instrument)])
      return call({ method: "POST", path: "payment_intents", form, id: request.attemptId }, (answer) =>
        Answers.chargeAnswer(answer, request.attemptId, cleanOfToken)
      )
    }),
    lookUpCharge: Effect.fn("StripeConnector.lookUpCharge")((request) => {
      const { attemptId: id, checkoutReference, providerRef } = request
      if (checkoutReference !== null) {
        const path = `checkout/sessions/${segment(checkoutReference)}`
        return call({ method: "GET", path, form: [["expand[0]", "payment_intent"]], id }, (answer) =>
          Lookups.foundOnPage(answer, { ourId: id, stripeId: checkoutReference }, clean)
        )
      }
      if (providerRef === null) return lookUpSent(request)
      return call({ method: "GET", path: `payment_intents/${segment(providerRef)}`, form: [], id }, (answer) =>
        Lookups.foundPaymentIntent(answer, { ourId: id, stripeId: providerRef }, clean)
      )
    }),
    openCheckout: Effect.fn("StripeConnector.openCheckout")(function* (request) {
      const amount = toStripe(request.money)
      if (amount === undefined) return yield* inexpressible(request.money)
      const expiresAt = Math.floor((yield* Clock.currentTimeMillis) / 1000) + checkoutSeconds
      const form = Requests.checkoutSession(request, amount, expiresAt)
      return yield* call({ method: "POST", path: "checkout/sessions", form, id: request.attemptId }, (answer) =>
        Answers.checkoutAnswer(answer, clean)
      )
    }),
    capture: Effect.fn("StripeConnector.capture")((request) => {
      const amount = toStripe(request.money)
      if (amount === undefined) return Effect.fail(inexpressible(request.money))
      const path = `payment_intents/${segment(request.providerRef)}/capture`
      return call({ method: "POST", path, form: Requests.capture(amount), id: request.operationId }, (answer) =>
        Answers.operationAnswer(answer, clean)
      )
    }),
    void: Effect.fn("StripeConnector.void")((request) => {
      const path = `payment_intents/${segment(request.providerRef)}/cancel`
      return call({ method: "POST", path, form: [], id: request.operationId }, (answer) =>
        Answers.operationAnswer(answer, clean)
      )
    }),
    refund: Effect.fn("StripeConnector.refund")((request) => {
      const amount = toStripe(request.money)
      if (amount === undefined) return Effect.fail(inexpressible(request.money))
      const form = Requests.refund(request, amount)
      return call({ method: "POST", path: "refunds", form, id: request.refundId }, (answer) =>
        Answers.refundAnswer(answer, clean)
      )
    }),
    lookUpRefund: Effect.fn("StripeConnector.lookUpRefund")(function* (request) {
      const { providerRef, providerRefundId, refundId: id, sentAt, sentBefore = sentAt } = request
      if (providerRefundId !== null) {
        return yield* call({ method: "GET", path: `refunds/${segment(providerRefundId)}`, form: [], id }, (answer) =>
          Lookups.foundRefund(answer, { ourId: id, stripeId: providerRefundId }, clean)
        )
      }
      const found = yield* find("refunds", [["payment_intent", providerRef]], {
        id,
        sentBefore,
        isIt: ({ refund_id }) => refund_id === id,
        read: (answer, at) => Lookups.listedRefund(answer, at, clean)
      })
      return found ?? { _tag: "NotFound", conclusive: false }
    }),
    // For a connected account, `Stripe-Account` makes the answer about that one
    // (https://docs.stripe.com/api/accounts/retrieve, https://docs.stripe.com/connect/authentication).
    account: Effect.fn("StripeConnector.account")(() =>
      call({ method: "GET", path: "account", form: [] }, (answer) => Lookups.accountAnswer(answer, account, mode))
    ),
    listCharges: Effect.fn("StripeConnector.listCharges")((request) => Lists.charges(sendList, request, clean)),
    listRefunds: Effect.fn("StripeConnector.listRefunds")((request) => Lists.refunds(sendList, request, clean)),
    readMessage: Effect.fn("StripeConnector.readMessage")((message) => readMessage(message, receiverOf(message))),
    readStored: Effect.fn("StripeConnector.readStored")((message) => readStored(message, receiverOf(message)))
  }
}

interface Call {
  readonly method: "GET" | "POST"
  /** Under the version, encoded. */
  readonly path: string
  readonly form: Requests.Form
  /** The attempt, operation or refund id. */
  readonly id?: string
}

/** What is looked for in a list. */
interface Sought<State> {
  /** The attempt or refund id. */
  readonly id: string
  /** Epoch milliseconds by our clock: Stripe was not asked after this. */
  readonly sentBefore: number
  readonly isIt: (metadata: AnyMetadata) => boolean
  readonly read: (answer: TransportAnswer, at: number) => Result.Result<Found<State>, Unanswered>
}

/** By the time that Stripe wrote on its answer; without one, never. */
const isConclusive = ({ headers }: TransportAnswer, sentBefore: number): boolean =>
  Date.parse(headers["date"] ?? "") >= sentBefore + conclusiveAfterMillis

/** A direct charge takes a stored payment method: without one there would be a payment at Stripe that nobody makes. */
const withoutInstrument: Rejected = {
  _tag: "Rejected",
  code: "instrument_missing",
  message: "Nothing was sent to Stripe: a direct charge requires an instrument for this connection."
}

const malformedInstrument: Rejected = {
  _tag: "Rejected",
  code: "instrument_malformed",
  message: "Nothing was sent to Stripe: expected an instrument token of the form pm_… or cus_…/pm_…."
}

const inexpressible = ({ currency, minorUnits }: Money): NotSent =>
  new NotSent({ reason: `nothing was sent: Stripe cannot represent ${minorUnits} minor units of ${currency}` })
