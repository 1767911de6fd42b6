/**
 * What the tests that a connector has besides the suite share: one request of each kind, each of them as a call, and how a call
 * ends over a script of answers.
 */
import { assert } from "@effect/vitest"
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRequest,
  type CheckoutRequest,
  type CompletionRequest,
  type Connector,
  type ConnectorDefinition,
  type Money,
  money,
  NotSent,
  type OperationLookup,
  type RefundLookup,
  type RefundRequest,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  Unanswered,
  type VoidRequest
} from "@pointsman/core/connector"
import { Effect, Redacted, Result, type Scope } from "effect"
import type { Operation } from "./ConnectorUnderTest.ts"
import type { RecordedConnector } from "./ScriptedTransport.ts"

/** One request for each operation, all of one payment. */
export interface PaymentRequests extends Record<Operation, unknown> {
  readonly charge: ChargeRequest
  readonly openCheckout: CheckoutRequest
  readonly completeCheckout: CompletionRequest
  readonly capture: CaptureRequest
  readonly void: VoidRequest
  readonly refund: RefundRequest
  readonly lookUpCharge: ChargeLookup
  /** Of the capture. */
  readonly lookUpOperation: OperationLookup
  readonly lookUpRefund: RefundLookup
}

export interface PaymentDetails {
  /** The provider's reference of the charge, and of the checkout. */
  readonly providerRef: string
  readonly instrument: string
  readonly attemptId?: string
  readonly captureId?: string
  readonly voidId?: string
  readonly refundId?: string
  readonly money?: Money
  readonly initiator?: "cit" | "mit"
}

/** Sent at noon of 21 November 2026, UTC; no lookup has a reference of the provider. */
export const paymentRequests = ({
  attemptId = "att_1",
  captureId: operationId = "op_1",
  initiator = "cit",
  instrument,
  money: amount = money(1234, "EUR"),
  providerRef,
  refundId = "rf_1",
  voidId = operationId
}: PaymentDetails): PaymentRequests => {
  const details = {
    attemptId,
    attemptNumber: 1,
    paymentId: "pay_1",
    money: amount,
    country: "NL",
    method: "card",
    cardBrand: "visa",
    initiator,
    capture: true,
    reference: "order 1"
  } as const
  const ofCharge = { attemptId, providerRef, money: amount, simulation: null }
  const sentAt = Date.UTC(2026, 10, 21, 12)
  return {
    charge: { ...details, instrument: Redacted.make(instrument), simulation: null },
    openCheckout: { ...details, returnUrl: "https://pay.example/hosted/t/return" },
    completeCheckout: { attemptId, checkoutReference: providerRef, money: amount, capture: true },
    capture: { ...ofCharge, operationId },
    void: { operationId: voidId, attemptId, providerRef, simulation: null },
    refund: { ...ofCharge, refundId, reason: "broken" },
    lookUpCharge: { ...ofCharge, providerRef: null, checkoutReference: null, sentAt },
    lookUpOperation: { ...ofCharge, operationId, kind: "capture", sentAt },
    lookUpRefund: { ...ofCharge, refundId, providerRefundId: null, sentAt }
  }
}

/** A call to a connector, whatever it answers. */
export type Ask = (connector: Connector) => Effect.Effect<unknown, NotSent | Unanswered>

/** Each request as a call. One that the connector has no method for is a defect. */
export const asksOf = (requests: PaymentRequests): Readonly<Record<Operation, Ask>> => ({
  charge: (connector) => connector.charge(requests.charge),
  openCheckout: (connector) => connector.openCheckout?.(requests.openCheckout) ?? noMethod,
  completeCheckout: (connector) => connector.completeCheckout?.(requests.completeCheckout) ?? noMethod,
  capture: (connector) => connector.capture?.(requests.capture) ?? noMethod,
  void: (connector) => connector.void?.(requests.void) ?? noMethod,
  refund: (connector) => connector.refund?.(requests.refund) ?? noMethod,
  lookUpCharge: (connector) => connector.lookUpCharge(requests.lookUpCharge),
  lookUpOperation: (connector) => connector.lookUpOperation?.(requests.lookUpOperation) ?? noMethod,
  lookUpRefund: (connector) => connector.lookUpRefund?.(requests.lookUpRefund) ?? noMethod
})

/** Of these requests, one with changes as a call. */
export const askingOf =
  (requests: PaymentRequests) =>
  <Name extends Operation>(name: Name, changes: Partial<PaymentRequests[Name]>): Ask =>
    asksOf({ ...requests, [name]: { ...requests[name], ...changes } })[name]

/** The operations that hold, take, release or give back money; the completion of a checkout is not every connector's. */
export const moneyOperations = [
  "charge",
  "openCheckout",
  "capture",
  "void",
  "refund"
] as const satisfies ReadonlyArray<Operation>

/** For `connector.capture?.(request) ?? missing`. */
export const noMethod: Effect.Effect<never> = Effect.die(new Error("the connector lacks it"))

/** Every page of a list or of a report. More than 50 are a list without an end. */
export const allPages = Effect.fnUntraced(function* <Page extends { readonly nextCursor: string | null }, E>(
  read: (cursor: string | null) => Effect.Effect<Page, E>
) {
  const pages = [yield* read(null)]
  for (let at = pages[0]?.nextCursor ?? null; at !== null; at = pages.at(-1)?.nextCursor ?? null) {
    if (pages.length === 50) return yield* Effect.die(new Error("a list without an end"))
    pages.push(yield* read(at))
  }
  return pages
})

type Script = TransportAnswer | ReadonlyArray<TransportAnswer>

/** Connections in the sandbox to a provider at an address, over this transport. */
export const connectorsAt =
  (
    definition: ConnectorDefinition,
    transport: Effect.Effect<Transport["Service"], never, Scope.Scope>,
    credentials: Readonly<Record<string, unknown>>
  ) =>
  (baseUrl: string): Effect.Effect<Connector, never, Scope.Scope> => {
    const account = { connectionId: "main", environment: "sandbox", timeoutMillis: 2_000 } as const
    return Effect.map(transport, (over) =>
      Result.getOrThrow(definition.connect({ ...account, credentials: { ...credentials, baseUrl } }, over))
    )
  }

/**
 * How calls end at a connector over answers of a script. Each assertion includes that every answer was asked for. `before`: what
 * every call asks for first, such as a token.
 */
export const endsOver = (
  connect: (script: ReadonlyArray<TransportAnswer>) => RecordedConnector,
  before: ReadonlyArray<TransportAnswer> = []
) => {
  const ended = Effect.fnUntraced(function* (ask: Ask, given: Script) {
    const script = [...before, ...("status" in given ? [given] : given)]
    const { connector, requests } = connect(script)
    const result = yield* Effect.result(ask(connector))
    assert.strictEqual(requests.length, script.length, "requests that were sent")
    return { requests, result }
  })
  const failed = Effect.fnUntraced(function* (ask: Ask, given: Script) {
    const { result } = yield* ended(ask, given)
    if (Result.isSuccess(result)) return assert.fail(`expected a failure, got ${JSON.stringify(result.success)}`)
    return result.failure
  })
  return {
    /** It is answered with this. */
    answersWith: Effect.fnUntraced(function* (ask: Ask, given: Script, expected: unknown) {
      const { result } = yield* ended(ask, given)
      if (Result.isFailure(result)) return assert.fail(`expected an answer, got ${result.failure.reason}`)
      assert.deepStrictEqual(result.success, expected)
    }),
    /** Its result is unknown. */
    unanswers: Effect.fnUntraced(function* (ask: Ask, given: Script) {
      const failure = yield* failed(ask, given)
      assert.instanceOf(failure, Unanswered)
      return failure
    }),
    /** Nothing was executed. */
    isNotSent: Effect.fnUntraced(function* (ask: Ask, given: Script) {
      const failure = yield* failed(ask, given)
      assert.instanceOf(failure, NotSent)
      return failure
    }),
    /** The tag of its answer, or of its failure. */
    tagOf: (ask: Ask, given: Script) =>
      Effect.map(ended(ask, given), ({ result }) => (Result.merge(result) as { readonly _tag: string })._tag),
    /** The only request that it sends, of which nothing is known afterwards. */
    requestOf: Effect.fnUntraced(function* (ask: Ask) {
      const { requests } = yield* ended(ask, { status: 500, headers: {}, body: "" })
      return requests.at(-1) as TransportRequest
    })
  }
}

/** Where no provider is asked: no https on a host of their own, or more than an address. */
const unusableBaseUrls = [
  ...["provider.example", "http://provider.example", "http://127.0.0.1.provider.example", "ftp://127.0.0.1"],
  ...["https://user:password@provider.example", "https://provider.example/?key=value", "https://provider.example/#here"]
]

/**
 * What is no object, and credentials that work but for one field: `wrong` has values for it, of which `undefined` leaves it out.
 */
export const brokenCredentials = (
  working: Readonly<Record<string, unknown>>,
  wrong: Readonly<Record<string, ReadonlyArray<unknown>>>
) => [
  ...[undefined, "a text"].map((credentials) => ({ credentials: credentials as unknown, field: "credentials" })),
  ...Object.entries({ baseUrl: unusableBaseUrls, ...wrong }).flatMap(([name, values]) =>
    values.map((value) => {
      const { [name]: _, ...others } = working
      const credentials: unknown = value === undefined ? others : { ...others, [name]: value }
      return { credentials, field: `credentials.${name}` }
    })
  )
]
