/**
 * The connector `paypal`: PayPal's orders with vaulted payment methods and on PayPal's page, captures, voids, refunds, lookups
 * and webhooks
 * (https://developer.paypal.com/docs/api/orders/v2/, https://developer.paypal.com/docs/api/payments/v2/). One operation is one
 * request that moves money, with our id as `PayPal-Request-Id`. Nothing here throws.
 *
 * PayPal keeps the id of an order's request for 6 hours, and of a capture, void or refund for 45 days (`paypal_request_id` of
 * its description). "PayPal returns the latest status of the previous request that used that same header"
 * (https://developer.paypal.com/api/rest/reference/idempotency/).
 *
 * What is asked besides: an access token, which is shared and lasts for hours, and, before a capture, a void or a refund, the
 * order, which names its authorization and its capture. Neither moves money: where they fail, the operation is `NotSent`.
 *
 * The request that captures or authorizes a checkout's order has an id of its own, made of the attempt's: "set a unique
 * PayPal-Request-Id header for each API call"
 * (https://developer.paypal.com/limited-release/alternative-payment-methods/klarna/reference/implement-idempotency). Under the
 * id of the opening, PayPal could answer with the order as it was opened.
 *
 * A charge is named by its order. There are no lists of charges and refunds to recover lost records from: the transaction
 * search, which reports are fetched from, takes "a maximum of three hours" to show a payment
 * (https://developer.paypal.com/docs/api/transaction-search/v1/). Disputes are listed.
 */
import {
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  type Environment,
  expressing,
  isSuccess,
  type ProviderAccount,
  type Rejected,
  segment,
  type Transport,
  type TransportAnswer
} from "@pointsman/core/connector"
import { Clock, Effect, Redacted, Result } from "effect"
import { currencies, toPayPal } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import { type Call, makeCall } from "./Caller.ts"
import { makeCertificates, rootsOfNode } from "./Certificates.ts"
import { type Credentials, decodeCredentials, expectations } from "./Credentials.ts"
import { disputes } from "./Lists.ts"
import * as Lookups from "./Lookups.ts"
import { keptOfMessage, readMessage, readStored } from "./Messages.ts"
import * as Protocol from "./Protocol.ts"
import { fetchedReports } from "./Reports.ts"
import * as Requests from "./Requests.ts"
import { namedMethods } from "./Requests.ts"

/** The connector `paypal`, which trusts certificates of PayPal's messages up to these roots, as PEM. For tests. */
export const definitionTrusting = (roots: () => ReadonlyArray<string>): ConnectorDefinition => ({
  name: "paypal",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  // A vaulted card, and a vaulted PayPal account.
  supports: { currencies, methods: ["card", "wallet"], paymentMethods: namedMethods },
  expresses: (money) => toPayPal(money) !== undefined,
  // Its page takes PayPal accounts, and cannot be limited to cards.
  checkoutMethods: ["wallet"],
  credentials: expectations,
  connect: (account, transport) =>
    Result.map(decodeCredentials(account.credentials, account.environment), (credentials) =>
      connector(credentials, account, transport, roots)
    )
})

/** The definition of the connector `paypal`. */
export const definition: ConnectorDefinition = definitionTrusting(rootsOfNode)

const connector = (
  credentials: Credentials,
  { environment, timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"],
  roots: () => ReadonlyArray<string>
): Connector => {
  const call = makeCall(transport, credentials, timeoutMillis)
  const certificates = makeCertificates(transport, { environment, timeoutMillis, roots })
  const secrets = [credentials.clientSecret]

  return {
    lookUpCharge: Effect.fn("PayPalConnector.lookUpCharge")((request) => Lookups.lookUpCharge(call, request)),
    lookUpOperation: Effect.fn("PayPalConnector.lookUpOperation")((request) => Lookups.lookUpOperation(call, request)),
    lookUpRefund: Effect.fn("PayPalConnector.lookUpRefund")((request) => Lookups.lookUpRefund(call, request)),
    account: Effect.fn("PayPalConnector.account")(() =>
      call({ method: "GET", path: "/v1/identity/oauth2/userinfo?schema=paypalv1.1" }, (answer) =>
        accountIn(answer, environment)
      )
    ),
    charge: Effect.fn("PayPalConnector.charge")((request) => {
      const { attemptId: id, instrument } = request
      const vaultId = instrument === null ? undefined : Requests.vaultIdOf(instrument)
      if (instrument === null || vaultId === undefined) return Effect.succeed(withoutInstrument)
      return sayable(request.money, (amount) =>
        call({ ...order, id, body: Requests.charge(request, amount, vaultId), secret: instrument }, (answer, clean) =>
          Answers.chargeAnswer(answer, id, clean)
        )
      )
    }),
    ...checkouts(call),
    ...operations(call),
    readMessage: Effect.fn("PayPalConnector.readMessage")((message) => readMessage(message, secrets, certificates)),
    listDisputes: Effect.fn("PayPalConnector.listDisputes")((request) => disputes(call, request)),
    reports: fetchedReports(call),
    keptOfMessage,
    readStored: Effect.fn("PayPalConnector.readStored")((message) => readStored(message, secrets))
  }
}

const order = { method: "POST", path: "/v2/checkout/orders" } as const

/** A payment on PayPal's page: the order is opened, its customer approves it, and only then it is captured or authorized. */
const checkouts = (call: Call) =>
  ({
    openCheckout: Effect.fn("PayPalConnector.openCheckout")((request) => {
      const { attemptId: id } = request
      return sayable(request.money, (amount) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          call({ ...order, id, body: Requests.checkout(request, amount) }, (answer, clean) =>
            Answers.checkoutAnswer(answer, id, now, clean)
          )
        )
      )
    }),
    completeCheckout: Effect.fn("PayPalConnector.completeCheckout")(({ attemptId: id, capture, checkoutReference }) =>
      call(
        {
          method: "POST",
          path: `/v2/checkout/orders/${segment(checkoutReference)}/${capture ? "capture" : "authorize"}`,
          id: `${id}-completion`
        },
        (answer, clean) => Answers.completionAnswer(answer, { attemptId: id, orderId: checkoutReference }, clean)
      )
    )
  }) satisfies Partial<Connector>

/** What changes a charge that was made. */
const operations = (call: Call) =>
  ({
    capture: Effect.fn("PayPalConnector.capture")((request) => {
      const { operationId: id, providerRef } = request
      return sayable(request.money, (amount) =>
        Effect.flatMap(Lookups.authorizationOf(call, providerRef), (authorizationId) => {
          const path = `/v2/payments/authorizations/${segment(authorizationId)}/capture`
          return call({ method: "POST", path, id, body: Requests.capture(request, amount) }, (answer, clean) =>
            Answers.captureAnswer(answer, { id, providerRef }, clean)
          )
        })
      )
    }),
    void: Effect.fn("PayPalConnector.void")(({ operationId: id, providerRef }) =>
      Effect.flatMap(Lookups.authorizationOf(call, providerRef), (authorizationId) =>
        call(
          { method: "POST", path: `/v2/payments/authorizations/${segment(authorizationId)}/void`, id },
          (answer, clean) => Answers.voidAnswer(answer, { authorizationId, providerRef }, clean)
        )
      )
    ),
    refund: Effect.fn("PayPalConnector.refund")((request) => {
      const { providerRef, refundId: id } = request
      return sayable(request.money, (amount) =>
        Effect.flatMap(Lookups.captureOf(call, providerRef), (captureId) => {
          const path = `/v2/payments/captures/${segment(captureId)}/refund`
          return call({ method: "POST", path, id, body: Requests.refund(request, amount) }, (answer, clean) =>
            Answers.refundAnswer(answer, id, clean)
          )
        })
      )
    })
  }) satisfies Partial<Connector>

/** `payer_id`: "external PayPal account ID", of the account whose app the credentials are of. */
const accountIn = (answer: TransportAnswer, environment: Environment): Answers.Read<ProviderAccount> =>
  isSuccess(answer)
    ? Result.map(Answers.readable(Protocol.UserInfo, answer), ({ payer_id }) => ({
        id: payer_id,
        mode: environment === "sandbox" ? "test" : "live"
      }))
    : Answers.unsettling(answer)

const withoutInstrument: Rejected = {
  _tag: "Rejected",
  code: "instrument_unusable",
  message: "Nothing was sent to PayPal: a direct charge requires an instrument, the id of a payment method token."
}

const sayable = expressing("PayPal", toPayPal)
