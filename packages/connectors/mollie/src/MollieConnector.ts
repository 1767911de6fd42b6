/**
 * The connector `mollie`: payments of mandates, Mollie's page, captures, releases, refunds, lookups, lists, signed webhooks and
 * unsigned hints, over version 2 of Mollie's API.
 *
 * One operation is one request, with our id as Mollie's idempotency key. Nothing here throws or tries again. What is not sent
 * is `NotSent` by the transport's word, and where Mollie has no amount for the money; what Mollie cannot be asked is `Rejected`
 * before anything is sent.
 */
import {
  type Clean,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  cleaner as cleanerOf,
  expressing,
  type FetchedReport,
  jsonCaller,
  type Rejected,
  secretsOf,
  segment,
  type Transport,
  type VerifiedBody
} from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { currencies, toMollie } from "./Amounts.ts"
import * as Answers from "./Answers.ts"
import { type Credentials, decodeCredentials, expectations, reportsMissing } from "./Credentials.ts"
import { lookUpHint, readHint } from "./Hints.ts"
import * as Lists from "./Lists.ts"
import * as Lookups from "./Lookups.ts"
import { keptOfMessage, readMessage, readStored } from "./Messages.ts"
import type { Ask } from "./Pages.ts"
import { fetchedReports } from "./Reports.ts"
import * as Requests from "./Requests.ts"
import { namedMethods } from "./Requests.ts"

/** The definition of the connector `mollie`. Its sandbox is Mollie's test mode. */
export const definition: ConnectorDefinition = {
  name: "mollie",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  supports: { currencies, methods: ["card", "bank", "wallet"], paymentMethods: namedMethods },
  expresses: (money) => toMollie(money) !== undefined,
  credentials: expectations,
  connect: (account, transport) =>
    Result.map(decodeCredentials(account.credentials, account.environment), (credentials) =>
      connector(credentials, account, transport)
    )
}

/** A page of 250 payments, each with its metadata and details, in bytes. */
const pageBytesAtMost = 8 * 1024 * 1024

const connector = (
  credentials: Credentials,
  { timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): Connector => {
  const { apiKey, baseUrl, mode, reportToken } = credentials
  const call = jsonCaller(
    transport,
    { baseUrl, timeoutMillis, maxAnswerBytes: pageBytesAtMost },
    Effect.sync(() => ({ authorization: `Bearer ${Redacted.value(apiKey)}` }))
  )
  const secrets = reportToken === null ? [apiKey] : [apiKey, reportToken]
  const reader: Answers.Reader = { mode, clean: cleaner(secrets) }
  const readerOf = (message: VerifiedBody): Answers.Reader => ({
    mode,
    clean: cleaner([...secrets, ...secretsOf(message)])
  })

  return {
    ...questions(call, reader),
    charge: Effect.fn("MollieConnector.charge")((request) => {
      const instrument = request.instrument === null ? undefined : Requests.instrumentOf(request.instrument)
      if (request.instrument === null || instrument === undefined) return Effect.succeed(withoutMandate)
      const clean: Clean = cleaner([...secrets, ...Requests.secretsOf(request.instrument, instrument)])
      return expressible(request.money, (amount) => {
        const body = Requests.payment(request, amount, instrument, credentials)
        return call({ method: "POST", path: "/v2/payments", id: request.attemptId, body }, (answer) =>
          Answers.chargeAnswer(answer, request.attemptId, { mode, clean })
        )
      })
    }),
    openCheckout: Effect.fn("MollieConnector.openCheckout")((request) => {
      if (!request.capture && request.method !== "card") return Effect.succeed(notHeld)
      return expressible(request.money, (amount) => {
        const body = Requests.checkout(request, amount, credentials)
        return call({ method: "POST", path: "/v2/payments", id: request.attemptId, body }, (answer) =>
          Answers.checkoutAnswer(answer, request.attemptId, reader)
        )
      })
    }),
    capture: Effect.fn("MollieConnector.capture")((request) =>
      expressible(request.money, (amount) => {
        const path = `/v2/payments/${segment(request.providerRef)}/captures`
        const body = Requests.capture(request, amount)
        return call({ method: "POST", path, id: request.operationId, body }, (answer) =>
          Answers.captureAnswer(answer, request, reader)
        )
      })
    ),
    void: Effect.fn("MollieConnector.void")(({ operationId, providerRef }) => {
      const path = `/v2/payments/${segment(providerRef)}/release-authorization`
      return call({ method: "POST", path, id: operationId, body: {} }, (answer) =>
        Answers.voidAnswer(answer, providerRef, reader)
      )
    }),
    refund: Effect.fn("MollieConnector.refund")((request) =>
      expressible(request.money, (amount) => {
        const path = `/v2/payments/${segment(request.providerRef)}/refunds`
        const body = Requests.refund(request, amount)
        return call({ method: "POST", path, id: request.refundId, body }, (answer) =>
          Answers.refundAnswer(answer, request, reader)
        )
      })
    ),
    readMessage: Effect.fn("MollieConnector.readMessage")((message) => readMessage(message, readerOf(message))),
    reports: reportsOf(credentials, timeoutMillis, transport, reader.clean),
    keptOfMessage,
    readStored: Effect.fn("MollieConnector.readStored")((message) => readStored(message, readerOf(message)))
  }
}

/** They are asked for with a token of their own. */
const reportsOf = (
  credentials: Credentials,
  timeoutMillis: number,
  transport: Transport["Service"],
  clean: Clean
): ReadonlyArray<FetchedReport> => {
  const { baseUrl, reportToken } = credentials
  const call = jsonCaller(
    transport,
    { baseUrl, timeoutMillis, maxAnswerBytes: pageBytesAtMost },
    Effect.sync(
      (): Record<string, string> =>
        reportToken === null ? {} : { authorization: `Bearer ${Redacted.value(reportToken)}` }
    )
  )
  return fetchedReports((path, read) => call({ method: "GET", path }, read), clean, reportsMissing(credentials))
}

/** What moves no money. */
const questions = (call: ReturnType<typeof jsonCaller>, reader: Answers.Reader) => {
  // Without an idempotency key: a repeated lookup must see what is there now, and no answer that Mollie kept for the key.
  const ask: Ask = (path, read) => call({ method: "GET", path }, read)
  return {
    lookUpCharge: Effect.fn("MollieConnector.lookUpCharge")((request) => Lookups.lookUpCharge(ask, request, reader)),
    lookUpOperation: Effect.fn("MollieConnector.lookUpOperation")((request) =>
      Lookups.lookUpOperation(ask, request, reader)
    ),
    lookUpRefund: Effect.fn("MollieConnector.lookUpRefund")((request) => Lookups.lookUpRefund(ask, request, reader)),
    account: Effect.fn("MollieConnector.account")(() =>
      ask("/v2/profiles/me", (answer) => Answers.accountAnswer(answer, reader))
    ),
    listCharges: Effect.fn("MollieConnector.listCharges")((request) => Lists.charges(ask, request, reader)),
    listRefunds: Effect.fn("MollieConnector.listRefunds")((request) => Lists.refunds(ask, request, reader)),
    listDisputes: Effect.fn("MollieConnector.listDisputes")((request) => Lists.disputes(ask, request, reader)),
    hints: { read: readHint, lookUp: (reference) => lookUpHint(ask, reference, reader) }
  } satisfies Partial<Connector>
}

const withoutMandate: Rejected = {
  _tag: "Rejected",
  code: "instrument_unusable",
  message: "Nothing was sent to Mollie: a direct charge requires an instrument of the form cst_…/mdt_…."
}

/** https://docs.mollie.com/docs/place-a-hold-for-a-payment: most methods of the page are captured at once. */
const notHeld: Rejected = {
  _tag: "Rejected",
  code: "manual_capture_unsupported",
  message: "Nothing was sent to Mollie: on its page, only card payments are captured manually."
}

const expressible = expressing("Mollie", toMollie)

/** API keys and access tokens of Mollie (https://docs.mollie.com/reference/authentication). */
const keys = /\b(?:test|live|access)_[0-9A-Za-z]{20,}/gu

const cleaner = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Clean => cleanerOf(secrets, [keys])
