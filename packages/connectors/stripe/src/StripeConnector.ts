/**
 * The connector `stripe`: PaymentIntents with stored payment methods, Checkout, captures, voids, refunds, lookups and
 * webhooks, over Stripe's HTTP API.
 *
 * One operation is one request, with our id as Stripe's idempotency key. Nothing here throws or tries again. What is
 * not sent is `NotSent` by the transport's word, and where Stripe has no amount for the money; an instrument that Stripe
 * cannot be asked about is `Rejected` before anything is sent.
 */
import {
  type Clean,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  cleaner as cleanerOf,
  expressing,
  type Rejected,
  secretsOf,
  segment,
  type Transport,
  type VerifiedBody
} from "@pointsman/core/connector"
import { Clock, Effect, Redacted, Result } from "effect"
import { currencies, toStripe } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import { type Caller, stripeCaller } from "./Caller.ts"
import { type Credentials, decodeCredentials, expectations } from "./Credentials.ts"
import * as Disputes from "./Disputes.ts"
import * as Lists from "./Lists.ts"
import { accountAnswer } from "./LookupAnswers.ts"
import * as Lookups from "./Lookups.ts"
import { keptOfMessage, readMessage, readStored } from "./Messages.ts"
import { fetchedReports } from "./Reports.ts"
import * as Requests from "./Requests.ts"
import { namedMethods } from "./Requests.ts"

/** The definition of the connector `stripe`. */
export const definition: ConnectorDefinition = {
  name: "stripe",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  supports: { currencies, methods: ["card", "bank", "wallet"], paymentMethods: namedMethods },
  expresses: (money) => toStripe(money) !== undefined,
  evidence: Disputes.evidence,
  credentials: expectations,
  connect: (account, transport) =>
    Result.map(decodeCredentials(account.credentials, account.environment), (credentials) =>
      connector(credentials, account, transport)
    )
}

/** Of a checkout. Stripe takes from 30 minutes on; half an hour more bears clocks that differ and a slow customer. */
const checkoutSeconds = 60 * 60

const connector = (
  credentials: Credentials,
  { environment, timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): Connector => {
  const { account, secretKey } = credentials
  const caller = stripeCaller(credentials, { timeoutMillis }, transport)
  const { call } = caller
  const clean = cleaner([secretKey])
  const receiverOf = (message: VerifiedBody) => ({
    account,
    isLive: environment === "production",
    clean: cleaner([secretKey, ...secretsOf(message)])
  })

  return {
    ...questions(caller, credentials, clean),
    charge: Effect.fn("StripeConnector.charge")((request) => {
      if (request.instrument === null) return Effect.succeed(withoutInstrument)
      const instrument = Requests.instrumentOf(request.instrument)
      const cleanOfToken = cleaner([secretKey, ...Requests.secretsOf(request.instrument)])
      return sayable(request.money, (amount) => {
        if (instrument === undefined) return Effect.succeed(malformedInstrument)
        const form = Requests.paymentIntent(request, amount, instrument)
        return call({ method: "POST", path: "payment_intents", form, id: request.attemptId }, (answer) =>
          Answers.chargeAnswer(answer, request.attemptId, cleanOfToken)
        )
      })
    }),
    openCheckout: Effect.fn("StripeConnector.openCheckout")(function* (request) {
      const expiresAt = Math.floor((yield* Clock.currentTimeMillis) / 1000) + checkoutSeconds
      return yield* sayable(request.money, (amount) => {
        const form = Requests.checkoutSession(request, amount, expiresAt)
        return call({ method: "POST", path: "checkout/sessions", form, id: request.attemptId }, (answer) =>
          Answers.checkoutAnswer(answer, clean)
        )
      })
    }),
    capture: Effect.fn("StripeConnector.capture")((request) =>
      sayable(request.money, (amount) => {
        const path = `payment_intents/${segment(request.providerRef)}/capture`
        return call({ method: "POST", path, form: Requests.capture(amount), id: request.operationId }, (answer) =>
          Answers.operationAnswer(answer, clean)
        )
      })
    ),
    void: Effect.fn("StripeConnector.void")((request) => {
      const path = `payment_intents/${segment(request.providerRef)}/cancel`
      return call({ method: "POST", path, form: [], id: request.operationId }, (answer) =>
        Answers.operationAnswer(answer, clean)
      )
    }),
    refund: Effect.fn("StripeConnector.refund")((request) =>
      sayable(request.money, (amount) => {
        const form = Requests.refund(request, amount)
        return call({ method: "POST", path: "refunds", form, id: request.refundId }, (answer) =>
          Answers.refundAnswer(answer, clean)
        )
      })
    ),
    submitDispute: Effect.fn("StripeConnector.submitDispute")((request) =>
      Disputes.submitDispute(caller, request, clean)
    ),
    acceptDispute: Effect.fn("StripeConnector.acceptDispute")((request) =>
      Disputes.acceptDispute(caller, request, clean)
    ),
    readMessage: Effect.fn("StripeConnector.readMessage")((message) => readMessage(message, receiverOf(message))),
    keptOfMessage,
    readStored: Effect.fn("StripeConnector.readStored")((message) => readStored(message, receiverOf(message)))
  }
}

/** What moves no money. */
const questions = (caller: Caller, { account, mode }: Credentials, clean: Clean) => {
  const sendList = (path: string, form: Requests.Form) => caller.send({ method: "GET", path, form })
  return {
    lookUpCharge: Effect.fn("StripeConnector.lookUpCharge")((request) => Lookups.lookUpCharge(caller, request, clean)),
    lookUpRefund: Effect.fn("StripeConnector.lookUpRefund")((request) => Lookups.lookUpRefund(caller, request, clean)),
    lookUpDispute: Effect.fn("StripeConnector.lookUpDispute")((request) => Disputes.lookUpDispute(caller, request)),
    readDispute: Effect.fn("StripeConnector.readDispute")((request) => Disputes.readStatedDispute(caller, request)),
    // For a connected account, `Stripe-Account` makes the answer about that one
    // (https://docs.stripe.com/api/accounts/retrieve, https://docs.stripe.com/connect/authentication).
    account: Effect.fn("StripeConnector.account")(() =>
      caller.call({ method: "GET", path: "account", form: [] }, (answer) => accountAnswer(answer, account, mode))
    ),
    listCharges: Effect.fn("StripeConnector.listCharges")((request) => Lists.charges(sendList, request, clean)),
    listRefunds: Effect.fn("StripeConnector.listRefunds")((request) => Lists.refunds(sendList, request, clean)),
    listDisputes: Effect.fn("StripeConnector.listDisputes")((request) => Lists.disputes(sendList, request, clean)),
    reports: fetchedReports(sendList, clean)
  } satisfies Partial<Connector>
}

/**
 * A direct charge takes a stored payment method: without one Stripe would hold a payment that no customer completes.
 */
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

const sayable = expressing("Stripe", toStripe)

/** Stripe's own form of a key in a message: its mode, asterisks, and its last characters. */
const maskedKey = /\b(?:sk|rk|pk)_(?:test|live)_[0-9A-Za-z*]+/g

/** With a client's secret anybody acts on the payment; with a webhook's, anybody writes its messages. */
const otherSecrets = /\b(?:[a-z]+_[0-9A-Za-z_]+?_secret|whsec)_[0-9A-Za-z%]+/g

/** Stripe tells in its messages what it was sent. */
const cleaner = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean =>
  cleanerOf(secrets, [maskedKey, otherSecrets])
