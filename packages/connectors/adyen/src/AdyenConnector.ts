/**
 * The connector `adyen`: Adyen's Checkout API. One operation is one request.
 *
 * Adyen answers a capture, a cancel and a refund with "received", and has
 * no lookup for any of them, nor for a charge. Its messages report their outcomes. A lookup here says so, and
 * never that nothing happened. For the same reason there are no lists to recover lost records from: neither the Checkout
 * API nor the Management API has a list of payments or refunds (https://docs.adyen.com/api-explorer/Checkout/72/overview),
 * the Disputes API answers for one dispute that a message named, and lists none
 * (https://docs.adyen.com/risk-management/disputes-api), and Adyen's reports are files that it makes the day after, for another credential (`Reports.ts`). Kept messages and the
 * Customer Area remain.
 *
 * Adyen does not say whether it compares the parameters of requests with one idempotency key, only that the first
 * answer comes again (https://docs.adyen.com/development-resources/api-idempotency). The key of a charge, capture, void
 * or refund is derived and the same after a loss of records, and an error that looked like a refusal would let another
 * connection charge again. So nothing that is drawn is sent, the payment's id included (decision 30); but for a page's
 * `returnUrl`.
 */
import {
  type ChargeRequest,
  type CheckoutRequest,
  type Clean,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  cleaner,
  type Environment,
  expressing,
  type Found,
  jsonCaller,
  keptFields,
  type ProviderAccount,
  type Rejected,
  secretsOf,
  segment,
  type Transport
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { toAdyen } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import { type Credentials, decodeCredentials, expectations, reportsMissing } from "./Credentials.ts"
import { readMessage, readStored } from "./Messages.ts"
import { attemptOf, operationReferenceOf, type Purpose, referenceOf } from "./Reference.ts"
import { type Download, fetchedReports, fileBytesAtMost } from "./Reports.ts"
import * as Requests from "./Requests.ts"
import { namedMethods } from "./Requests.ts"

/** The definition of the connector `adyen`. Its sandbox is Adyen's test environment. */
export const definition: ConnectorDefinition = {
  name: "adyen",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  // Other methods settle in their own ways: some cannot be captured apart, some must be.
  supports: { methods: ["card"], paymentMethods: namedMethods },
  expresses: (money) => toAdyen(money) !== undefined,
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
  const { apiKey, merchantAccount } = credentials
  // The idempotency key has at most 64 characters (https://docs.adyen.com/development-resources/api-idempotency).
  const call = jsonCaller(
    transport,
    { baseUrl: credentials.baseUrl, timeoutMillis },
    Effect.sync(() => ({ "x-api-key": Redacted.value(apiKey) }))
  )
  const clean = cleaner([apiKey])

  return {
    ...questions(call, credentials, environment),
    charge: Effect.fn("AdyenConnector.charge")((request) => {
      const stored = request.instrument === null ? undefined : Requests.storedDetails(request.instrument)
      if (stored === undefined) return Effect.succeed(withoutStoredDetails)
      const purpose = purposeOf(request)
      const reference = referenceOf({ attemptId: request.attemptId, purpose, isOnPage: false })
      return sayable(request.money, (amount) => {
        const body = Requests.payment(request, { amount, purpose, reference }, stored, credentials)
        return call({ method: "POST", path: "/payments", id: request.attemptId, body }, (answer) =>
          Answers.chargeAnswer(answer, { purpose, reference }, cleanOf(apiKey, request, stored))
        )
      })
    }),
    openCheckout: Effect.fn("AdyenConnector.openCheckout")((request) => {
      const purpose = purposeOf(request)
      const reference = referenceOf({ attemptId: request.attemptId, purpose, isOnPage: true })
      return sayable(request.money, (amount) => {
        const body = Requests.paymentLink(request, { amount, purpose, reference }, credentials)
        return call({ method: "POST", path: "/paymentLinks", id: request.attemptId, body }, (answer) =>
          Answers.checkoutAnswer(answer, reference, clean)
        )
      })
    }),
    capture: Effect.fn("AdyenConnector.capture")((request) =>
      sayable(request.money, (amount) => {
        const path = `/payments/${segment(request.providerRef)}/captures`
        const body = { merchantAccount, amount, reference: operationReferenceOf({ ...request, kind: "capture" }) }
        return call({ method: "POST", path, id: request.operationId, body }, (answer) =>
          Answers.operationAnswer(answer, request.providerRef, clean)
        )
      })
    ),
    void: Effect.fn("AdyenConnector.void")((request) => {
      const path = `/payments/${segment(request.providerRef)}/cancels`
      const body = { merchantAccount, reference: operationReferenceOf({ ...request, kind: "void" }) }
      return call({ method: "POST", path, id: request.operationId, body }, (answer) =>
        Answers.operationAnswer(answer, request.providerRef, clean)
      )
    }),
    refund: Effect.fn("AdyenConnector.refund")((request) =>
      sayable(request.money, (amount) => {
        const path = `/payments/${segment(request.providerRef)}/refunds`
        const body = { merchantAccount, amount, reference: request.refundId }
        return call({ method: "POST", path, id: request.refundId, body }, (answer) =>
          Answers.refundAnswer(answer, request.providerRef, clean)
        )
      })
    ),
    reports: reportsOf(credentials, timeoutMillis, transport),
    readMessage: Effect.fn("AdyenConnector.readMessage")((message) =>
      readMessage(message, merchantAccount, cleaner([apiKey, ...secretsOf(message)]))
    ),
    keptOfMessage,
    readStored: Effect.fn("AdyenConnector.readStored")((message) =>
      readStored(message, merchantAccount, cleaner([apiKey, ...secretsOf(message)]))
    )
  }
}

const reportsOf = (
  { merchantAccount, reportKey, reportsUrl }: Credentials,
  timeoutMillis: number,
  transport: Transport["Service"]
) => {
  const download = jsonCaller(
    transport,
    { baseUrl: reportsUrl, timeoutMillis, maxAnswerBytes: fileBytesAtMost },
    Effect.sync(() => ({
      accept: "text/csv",
      ...(reportKey === null ? {} : { "x-api-key": Redacted.value(reportKey) })
    }))
  )
  const get: Download = (path, read) => download({ method: "GET", path }, read)
  return fetchedReports(get, merchantAccount, reportsMissing({ reportKey }))
}

/** What moves no money. */
const questions = (call: ReturnType<typeof jsonCaller>, { merchantAccount }: Credentials, environment: Environment) =>
  ({
    lookUpCharge: Effect.fn("AdyenConnector.lookUpCharge")(({ attemptId, checkoutReference }) =>
      checkoutReference === null
        ? Effect.succeed(untold)
        : call({ method: "GET", path: `/paymentLinks/${segment(checkoutReference)}`, id: attemptId }, (answer) =>
            Answers.foundOnPage(answer, {
              linkId: checkoutReference,
              merchantAccount,
              isOurs: (reference) => attemptOf(reference) === attemptId
            })
          )
    ),
    lookUpRefund: Effect.fn("AdyenConnector.lookUpRefund")(() => Effect.succeed(untold)),
    account: Effect.fn("AdyenConnector.account")(() => Effect.succeed(accountOf(merchantAccount, environment)))
  }) satisfies Partial<Connector>

/**
 * The merchant account is a part of the credentials, and each request and each message names it: Adyen refuses one that the
 * key has no access to (error 901, https://docs.adyen.com/development-resources/error-codes). So it is known without a
 * request. Adyen could be asked for the key's company with `GET /me` of its Management API
 * (https://docs.adyen.com/api-explorer/Management/3/get/me), but that needs a Management API role, which a key for payments
 * lacks, and names the company by its name alone.
 */
const accountOf = (merchantAccount: string, environment: Environment): ProviderAccount => ({
  id: merchantAccount,
  mode: environment === "sandbox" ? "test" : "live"
})

/**
 * Adyen cannot be asked: no `GET` of its Checkout API reads a payment, or the refunds and other modifications of one
 * (`json/CheckoutService-v72.json` of https://github.com/Adyen/adyen-openapi). Refunds made in the Customer Area come
 * in webhooks and in reports alone, so that no lookup finds one whose webhook was lost.
 */
const untold: Found<never> = { _tag: "NotFound", conclusive: false }

const purposeOf = ({ capture }: Pick<CheckoutRequest, "capture">): Purpose => (capture ? "taken" : "held")

/** Adyen sends back what it was sent, whole and in parts. */
const cleanOf = (
  apiKey: Redacted.Redacted<string>,
  { instrument }: Pick<ChargeRequest, "instrument">,
  stored: Requests.StoredDetails
): Clean =>
  cleaner([
    apiKey,
    ...(instrument === null ? [] : [instrument]),
    Redacted.make(stored.storedPaymentMethodId),
    Redacted.make(stored.shopperReference)
  ])

const withoutStoredDetails: Rejected = {
  _tag: "Rejected",
  code: "instrument_unusable",
  message:
    "Nothing was sent to Adyen: a direct charge requires an instrument, " +
    "<shopperReference>/<storedPaymentMethodId>."
}

const sayable = expressing("Adyen", toAdyen)

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
const keptOfMessage = keptFields(
  new Set(
    (
      "notificationItems NotificationRequestItem pspReference originalReference merchantAccountCode " +
      "merchantReference amount value currency eventCode success eventDate reason additionalData " +
      "refusalReasonCode modification.action chargebackReasonCode defensePeriodEndsAt"
    ).split(" ")
  )
)
