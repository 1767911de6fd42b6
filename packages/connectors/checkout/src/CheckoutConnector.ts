/**
 * The connector `checkout`: Checkout.com's payments with stored instruments, payment links, captures, voids, refunds,
 * lookups and webhooks (https://api-reference.checkout.com/). One operation is one request, with our id as
 * `Cko-Idempotency-Key`. Nothing here throws or tries again.
 *
 * Checkout.com keeps a key for 24 hours, and only of a request that succeeded: "If the original request returns a 4xx or
 * 5xx response code, no idempotent result is saved" (https://www.checkout.com/docs/payments/manage-payments/retry-a-payment).
 *
 * Why a payment link, and not the Hosted Payments Page: its answer says when it ends, and its record says that it ended
 * (`HostedPaymentResponse.cs` and `PaymentLinkResponse.cs` of https://github.com/checkout/checkout-sdk-net). Neither is
 * among the requests that take a key, so that one that was not answered may leave a page that no customer is sent to.
 *
 * Disputes are listed. There are no lists of charges and refunds to recover lost records from: `POST /payments/search` is the
 * only one by time (https://www.checkout.com/docs/payments/manage-payments/search-and-filter-payments): no page says that it
 * is complete, it shows a payment late, and it has no refunds by the time of the refund. Messages, and lookups by our reference, remain.
 */
import {
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  cleaner,
  type Environment,
  expressing,
  jsonCaller,
  type ProviderAccount,
  type Rejected,
  secretsOf,
  segment,
  type Transport,
  type VerifiedBody
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { currencies, toCheckout } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import { type Credentials, decodeCredentials, expectations } from "./Credentials.ts"
import { disputes } from "./Lists.ts"
import * as Lookups from "./Lookups.ts"
import { keptOfMessage, type Receiver, readMessage, readStored } from "./Messages.ts"
import { referenceOf } from "./Reference.ts"
import { fetchedReports, fileBytesAtMost } from "./Reports.ts"
import * as Requests from "./Requests.ts"
import { namedMethods } from "./Requests.ts"

/** The definition of the connector `checkout`. */
export const definition: ConnectorDefinition = {
  name: "checkout",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  // Other methods settle in their own ways, and some cannot be captured apart.
  supports: { currencies, methods: ["card"], paymentMethods: namedMethods },
  expresses: (money) => toCheckout(money) !== undefined,
  credentials: expectations,
  connect: (account, transport) =>
    Result.map(decodeCredentials(account.credentials, account.environment), (credentials) =>
      connector(credentials, account, transport)
    )
}

const connector = (
  credentials: Credentials,
  { environment, timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): Connector => {
  const { baseUrl, prefix, processingChannelId, secretKey } = credentials
  const call = jsonCaller(
    transport,
    { baseUrl, keyHeader: "cko-idempotency-key", timeoutMillis },
    Effect.sync(() => ({ authorization: `Bearer ${Redacted.value(secretKey)}` }))
  )
  const download = jsonCaller(
    transport,
    { baseUrl, timeoutMillis, maxAnswerBytes: fileBytesAtMost },
    Effect.sync(() => ({ accept: "text/csv", authorization: `Bearer ${Redacted.value(secretKey)}` }))
  )
  const clean = cleaner([secretKey])
  const receiverOf = (message: VerifiedBody): Receiver => ({
    ...{ prefix, processingChannelId, environment },
    clean: cleaner([secretKey, ...secretsOf(message)])
  })

  return {
    lookUpCharge: Effect.fn("CheckoutConnector.lookUpCharge")((request) => Lookups.lookUpCharge(call, request, clean)),
    lookUpOperation: Effect.fn("CheckoutConnector.lookUpOperation")((request) =>
      Lookups.lookUpOperation(call, request, clean)
    ),
    lookUpRefund: Effect.fn("CheckoutConnector.lookUpRefund")((request) => Lookups.lookUpRefund(call, request, clean)),
    account: Effect.fn("CheckoutConnector.account")(() => Effect.succeed(accountOf(prefix, environment))),
    charge: Effect.fn("CheckoutConnector.charge")((request) => {
      const { attemptId: id, instrument: token } = request
      const instrument = token === null ? undefined : Requests.instrumentOf(token)
      if (token === null || instrument === undefined) return Effect.succeed(withoutInstrument)
      const cleanOfToken = cleaner([secretKey, ...Requests.secretsOf(token)])
      return sayable(request.money, (amount) =>
        call(
          { method: "POST", path: "/payments", id, body: Requests.payment(request, amount, instrument, credentials) },
          (answer) => Answers.chargeAnswer(answer, referenceOf({ kind: "charge", id }), cleanOfToken)
        )
      )
    }),
    openCheckout: Effect.fn("CheckoutConnector.openCheckout")((request) => {
      const { attemptId: id } = request
      return sayable(request.money, (amount) =>
        call(
          { method: "POST", path: "/payment-links", id, body: Requests.paymentLink(request, amount, credentials) },
          (answer) => Answers.checkoutAnswer(answer, referenceOf({ kind: "charge", id }), clean)
        )
      )
    }),
    ...operations(call, clean),
    readMessage: Effect.fn("CheckoutConnector.readMessage")((message) => readMessage(message, receiverOf(message))),
    listDisputes: Effect.fn("CheckoutConnector.listDisputes")((request) =>
      disputes((path, read) => call({ method: "GET", path }, read), request, clean)
    ),
    reports: fetchedReports(
      (path, read) => call({ method: "GET", path }, read),
      (path, read) => download({ method: "GET", path }, read)
    ),
    keptOfMessage,
    readStored: Effect.fn("CheckoutConnector.readStored")((message) => readStored(message, receiverOf(message)))
  }
}

/** What changes a charge that was made. Each is accepted, and messages and lookups report its result. */
const operations = (call: Lookups.Call, clean: ReturnType<typeof cleaner>) =>
  ({
    capture: Effect.fn("CheckoutConnector.capture")((request) => {
      const { operationId: id, providerRef } = request
      const [path, reference] = [`/payments/${segment(providerRef)}/captures`, referenceOf({ kind: "capture", id })]
      return sayable(request.money, (amount) =>
        call({ method: "POST", path, id, body: Requests.capture(request, amount) }, (answer) =>
          Answers.operationAnswer(answer, { providerRef, reference }, clean)
        )
      )
    }),
    void: Effect.fn("CheckoutConnector.void")((request) => {
      const { operationId: id, providerRef } = request
      const [path, reference] = [`/payments/${segment(providerRef)}/voids`, referenceOf({ kind: "void", id })]
      return call({ method: "POST", path, id, body: Requests.voiding(request) }, (answer) =>
        Answers.operationAnswer(answer, { providerRef, reference }, clean)
      )
    }),
    refund: Effect.fn("CheckoutConnector.refund")((request) => {
      const { providerRef, refundId: id } = request
      const path = `/payments/${segment(providerRef)}/refunds`
      return sayable(request.money, (amount) =>
        call({ method: "POST", path, id, body: Requests.refund(request, amount) }, (answer) =>
          Answers.refundAnswer(answer, referenceOf({ kind: "refund", id }), clean)
        )
      )
    })
  }) satisfies Partial<Connector>

/**
 * Checkout.com has no lookup for whose the key is. The prefix is a part of the credentials, the address of every request
 * names it, and each account has its own (https://www.checkout.com/docs/developer-resources/api/api-endpoints).
 */
const accountOf = (prefix: string, environment: Environment): ProviderAccount => ({
  id: prefix,
  mode: environment === "sandbox" ? "test" : "live"
})

const withoutInstrument: Rejected = {
  _tag: "Rejected",
  code: "instrument_unusable",
  message: "Nothing was sent to Checkout.com: a direct charge requires an instrument, src_… or src_…/pay_…."
}

const sayable = expressing("Checkout.com", toCheckout)
