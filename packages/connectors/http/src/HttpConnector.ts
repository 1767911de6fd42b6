/**
 * The connector `http`: any provider adapter that speaks the provider protocol. One operation is one request.
 *
 * Nothing here throws or tries again. What is not sent is `NotSent` by the transport's word alone. Idempotency keys are
 * compared and kept by the adapter, which must not compare the payment's id (docs/reference/provider-protocol.md, "Calls").
 */
import {
  type ChargeRequest,
  type Clean,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  cleaner,
  jsonCaller,
  type RefundLookup,
  secretsOf,
  segment,
  type Transport
} from "@pointsman/core/connector"
import { Effect, Option, Redacted, Result, Tracer } from "effect"
import * as Answers from "./Answers.ts"
import { type Credentials, decodeCredentials, expectations } from "./Credentials.ts"
import * as Disputes from "./Disputes.ts"
import * as Lists from "./Lists.ts"
import { keptOfMessage, readMessage, readStored } from "./Messages.ts"
import * as Reports from "./Reports.ts"

/** The definition of the connector `http`. */
export const definition: ConnectorDefinition = {
  name: "http",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  supports: {},
  credentials: expectations,
  connect: (account, transport) =>
    Result.map(decodeCredentials(account.credentials), (credentials) => connector(credentials, account, transport))
}

const connector = (
  credentials: Credentials,
  { timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): Connector => {
  const headers = Effect.map(traceparent, (trace) => ({
    authorization: `Bearer ${Redacted.value(credentials.apiKey)}`,
    ...trace
  }))
  const call = jsonCaller(transport, { baseUrl: credentials.baseUrl, timeoutMillis }, headers)
  const clean = cleaner([credentials.apiKey])

  return {
    ...questions(call, clean),
    ...disputes(call, clean),
    charge: Effect.fn("HttpConnector.charge")((request) => {
      const { attemptId: id, instrument } = request
      const cleanOfToken = instrument === null ? clean : cleaner([credentials.apiKey, instrument])
      return call({ method: "POST", path: "/charges", id, body: chargeBody(request, instrument) }, (answer) =>
        Answers.chargeAnswer(answer, request, cleanOfToken)
      )
    }),
    openCheckout: Effect.fn("HttpConnector.openCheckout")((request) => {
      const { paymentMethod, returnUrl } = request
      const named = paymentMethod === undefined ? {} : { payment_method: paymentMethod }
      const body = { ...chargeBody(request, null), ...named, return_url: returnUrl }
      return call({ method: "POST", path: "/checkouts", id: request.attemptId, body }, (answer) =>
        Answers.checkoutAnswer(answer, clean)
      )
    }),
    capture: Effect.fn("HttpConnector.capture")(({ money, operationId: id, providerRef }) => {
      const path = `/charges/${segment(providerRef)}/capture`
      return call({ method: "POST", path, id, body: { operation_id: id, amount: money.minorUnits } }, (answer) =>
        Answers.captureAnswer(answer, money, clean)
      )
    }),
    void: Effect.fn("HttpConnector.void")(({ operationId: id, providerRef }) => {
      const path = `/charges/${segment(providerRef)}/void`
      return call({ method: "POST", path, id, body: { operation_id: id } }, (answer) =>
        Answers.voidAnswer(answer, clean)
      )
    }),
    refund: Effect.fn("HttpConnector.refund")((request) => {
      const { money, providerRef, reason, refundId: id } = request
      const path = `/charges/${segment(providerRef)}/refunds`
      const body = { refund_id: id, amount: money.minorUnits, reason }
      return call({ method: "POST", path, id, body }, (answer) => Answers.refundAnswer(answer, request, clean))
    }),
    readMessage: Effect.fn("HttpConnector.readMessage")((message) =>
      readMessage(message, cleaner([credentials.apiKey, ...secretsOf(message)]))
    ),
    keptOfMessage,
    readStored: Effect.fn("HttpConnector.readStored")((message) =>
      readStored(message, cleaner([credentials.apiKey, ...secretsOf(message)]))
    )
  }
}

/** What moves no money. */
const questions = (call: ReturnType<typeof jsonCaller>, clean: Clean) =>
  ({
    lookUpCharge: Effect.fn("HttpConnector.lookUpCharge")((request) =>
      call(
        { method: "GET", path: `/charges?attempt_id=${segment(request.attemptId)}`, id: request.attemptId },
        (answer) => Answers.foundCharge(answer, request, clean)
      )
    ),
    lookUpOperation: Effect.fn("HttpConnector.lookUpOperation")((request) =>
      call(
        { method: "GET", path: `/operations?operation_id=${segment(request.operationId)}`, id: request.operationId },
        (answer) => Answers.foundOperation(answer, request, clean)
      )
    ),
    lookUpRefund: Effect.fn("HttpConnector.lookUpRefund")((request) =>
      call({ method: "GET", path: refundPath(request), id: request.refundId }, (answer) =>
        Answers.foundRefund(answer, request, clean)
      )
    ),
    lookUpDispute: Effect.fn("HttpConnector.lookUpDispute")(({ kind, operationId }) =>
      call({ method: "GET", path: `/operations?operation_id=${segment(operationId)}`, id: operationId }, (answer) =>
        Disputes.foundSubmission(answer, kind, operationId, clean)
      )
    ),
    account: Effect.fn("HttpConnector.account")(() =>
      call({ method: "GET", path: "/account" }, (answer) => Answers.accountAnswer(answer, clean))
    ),
    listCharges: Effect.fn("HttpConnector.listCharges")((request) =>
      call({ method: "GET", path: Lists.pathOf("charges", request) }, (answer) =>
        Lists.chargesAnswer(answer, request, clean)
      )
    ),
    listRefunds: Effect.fn("HttpConnector.listRefunds")((request) =>
      call({ method: "GET", path: Lists.pathOf("refunds", request) }, (answer) =>
        Lists.refundsAnswer(answer, request, clean)
      )
    ),
    listDisputes: Effect.fn("HttpConnector.listDisputes")((request) =>
      call({ method: "GET", path: Lists.pathOf("disputes", request) }, (answer) =>
        Lists.disputesAnswer(answer, request, clean)
      )
    ),
    reports: [
      {
        name: "http",
        delayMillis: Reports.reportDelayMillis,
        list: Effect.fn("HttpConnector.reports")((request) =>
          call({ method: "GET", path: Reports.reportPath(request) }, (answer) =>
            Reports.reportAnswer(answer, request, clean)
          )
        )
      }
    ]
  }) satisfies Partial<Connector>

/** A refund made at the provider has no id of ours there. */
const refundPath = ({ providerRefundId, refundId }: RefundLookup): string =>
  providerRefundId === null
    ? `/refunds?refund_id=${segment(refundId)}`
    : `/refunds?refund_id=${segment(refundId)}&provider_refund_id=${segment(providerRefundId)}`

/** What a merchant answers to a dispute. */
const disputes = (call: ReturnType<typeof jsonCaller>, clean: Clean) =>
  ({
    submitDispute: Effect.fn("HttpConnector.submitDispute")((request) =>
      call(
        {
          method: "POST",
          path: `/disputes/${segment(request.disputeId)}/submit`,
          id: request.operationId,
          body: Disputes.submissionBody(request)
        },
        (answer) => Disputes.submissionAnswer(answer, "submit", request.disputeId, clean)
      )
    ),
    acceptDispute: Effect.fn("HttpConnector.acceptDispute")((request) =>
      call(
        {
          method: "POST",
          path: `/disputes/${segment(request.disputeId)}/accept`,
          id: request.operationId,
          body: { operation_id: request.operationId }
        },
        (answer) => Disputes.submissionAnswer(answer, "accept", request.disputeId, clean)
      )
    )
  }) satisfies Partial<Connector>

/** What a charge and the opening of a checkout say alike. */
const chargeBody = (
  request: Omit<ChargeRequest, "instrument" | "simulation">,
  instrument: Redacted.Redacted<string> | null
) => ({
  attempt_id: request.attemptId,
  payment_id: request.paymentId,
  amount: request.money.minorUnits,
  currency: request.money.currency,
  country: request.country,
  method: request.method,
  card_brand: request.cardBrand,
  initiator: request.initiator,
  capture: request.capture,
  reference: request.reference,
  instrument: instrument === null ? null : Redacted.value(instrument)
})

/** Effect makes spans even without a collector: they do not mean that tracing is on. */
const isTraced = (span: Tracer.AnySpan): boolean =>
  !(span instanceof Tracer.NativeSpan) || Option.exists(span.parent, isTraced)

/** The trace that the call belongs to (W3C Trace Context), where tracing is on. */
const traceparent = Effect.gen(function* () {
  if (yield* Tracer.DisablePropagation) return {}
  const span = Option.getOrUndefined(yield* Effect.option(Effect.currentParentSpan))
  if (span === undefined || !isTraced(span)) return {}
  if (!/^[0-9a-f]{32}$/.test(span.traceId) || !/^[0-9a-f]{16}$/.test(span.spanId)) return {}
  return { traceparent: `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}` }
})
