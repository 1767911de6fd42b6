/**
 * What a connector is in plain functions: requests come as objects, results go back as values, and the provider is asked
 * through the `http` that each function is given.
 *
 * Amounts are integers in minor units. Times are epoch milliseconds.
 */

export interface Amount {
  readonly minorUnits: number
  /** ISO 4217. */
  readonly currency: string
}

/** A field of a connection's `credentials`. `secret`: printable ASCII without spaces. `url`: `https`, or loopback. */
export type CredentialKind = "secret" | "url" | "text"

export type Credentials<Kinds extends Readonly<Record<string, CredentialKind>>> = {
  readonly [Field in keyof Kinds]: string
}

export interface HttpAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Throws where the body is not JSON. */
  readonly json: () => unknown
}

export interface HttpRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with its content type. */
  readonly json?: unknown
  /** Sent as a form (`application/x-www-form-urlencoded`). */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as it is. */
  readonly body?: string
}

/**
 * The way to the provider. One call is one request on the wire: it is never tried again and follows no redirect. All calls
 * of one operation share the connection's time-out. A call rejects with `NotSent` where nothing left this machine, and
 * with `Unanswered` where the request may have left and no answer came. Every answer resolves, whatever its status.
 *
 * A request that another client sends, such as `fetch`, is invisible here: its failure never counts as `NotSent`.
 */
export interface Http {
  readonly get: (url: string, request?: HttpRequest) => Promise<HttpAnswer>
  readonly post: (url: string, request?: HttpRequest) => Promise<HttpAnswer>
  readonly put: (url: string, request?: HttpRequest) => Promise<HttpAnswer>
  readonly patch: (url: string, request?: HttpRequest) => Promise<HttpAnswer>
  readonly delete: (url: string, request?: HttpRequest) => Promise<HttpAnswer>
}

/** Nothing left this machine. */
export class NotSent extends Error {
  override readonly name = "NotSent"
}

/** The request may have left, and no usable answer came back. */
export class Unanswered extends Error {
  override readonly name = "Unanswered"
}

export interface ChargeRequest {
  /** To be sent as the provider's idempotency key. */
  readonly attemptId: string
  /** Drawn, and different in each request: it must not go where the provider compares requests under one key. */
  readonly paymentId: string
  readonly amount: Amount
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly method: string
  readonly cardBrand: string | null
  readonly initiator: string
  /** `true`: take the money at once. `false`: authorize it, to be captured later. */
  readonly capture: boolean
  readonly reference: string | null
  /** The stored credential that the request brought for this connection. It is secret. */
  readonly instrument: string | null
}

export interface CheckoutRequest extends Omit<ChargeRequest, "instrument"> {
  /** Where the provider sends the customer afterwards. */
  readonly returnUrl: string
  /** The one method that the page is to offer, by name; absent where the merchant named none. */
  readonly paymentMethod?: string
}

export interface CompletionRequest {
  /** The provider's idempotency key, the same each time that the step is taken. */
  readonly attemptId: string
  /** The provider's name for the checkout. */
  readonly checkoutReference: string
  readonly amount: Amount
  /** `true`: take the money at once. `false`: authorize it. */
  readonly capture: boolean
}

export interface CaptureRequest {
  /** To be sent as the provider's idempotency key. */
  readonly operationId: string
  readonly attemptId: string
  /** The provider's reference of the charge. */
  readonly reference: string
  readonly amount: Amount
}

export type VoidRequest = Omit<CaptureRequest, "amount">

export interface RefundRequest {
  /** To be sent as the provider's idempotency key. */
  readonly refundId: string
  readonly attemptId: string
  /** The provider's reference of the charge. */
  readonly reference: string
  readonly amount: Amount
  readonly reason: string | null
}

export interface ChargeLookup {
  readonly attemptId: string
  /** The provider's reference of the charge, where it is known. */
  readonly reference: string | null
  /** The provider's reference of the checkout; `null` for a direct charge. */
  readonly checkoutReference: string | null
  /** The provider was not asked before this. */
  readonly sentAt: number
  /**
   * The provider was not asked after this; "never received" counts only from here. Equal to `sentAt` unless the store lost
   * the time.
   */
  readonly sentBefore: number
  readonly amount: Amount
}

export interface OperationLookup {
  readonly operationId: string
  readonly kind: "capture" | "void"
  readonly attemptId: string
  /** The provider's reference of the charge. */
  readonly reference: string
  readonly sentAt: number
  readonly amount: Amount
}

export interface RefundLookup {
  readonly refundId: string
  /** The provider's reference of the refund, where it is known. */
  readonly refundReference: string | null
  /** The provider's reference of the charge. */
  readonly reference: string
  /** As of a charge. */
  readonly sentAt: number
  /** As of a charge. */
  readonly sentBefore: number
  readonly amount: Amount
}

/** `amount`: what the provider states, where it does. Another currency or a greater amount makes the result unknown. */
interface Held {
  /** The provider's reference of the charge: the same in every statement about it. */
  readonly reference: string
  readonly amount?: Amount
}

export type ChargeResult =
  | ({ readonly status: "authorized" | "captured" | "pending" } & Held)
  | { readonly status: "requires_authentication" | "canceled"; readonly reference: string | null }
  | {
      readonly status: "declined"
      readonly reference: string | null
      /** The provider's raw code. */
      readonly code: string
      /** One of the decline categories; `other` unless set. */
      readonly category?: string
      /** Whether another connection may be tried; by its category unless set. */
      readonly soft?: boolean
    }

/** The provider's word that it did nothing with the request. It does not count while a call is open: not answered, or under way. */
export interface RejectedResult {
  readonly status: "rejected"
  readonly code: string
  readonly message: string
}

/**
 * The provider had our idempotency key before, with other parameters. The first request may have been executed, so the
 * result is unknown, and that the provider finds nothing later settles nothing.
 */
export interface KeyUsedResult {
  readonly status: "key_used"
}

type Refused = RejectedResult | KeyUsedResult

export interface CheckoutResult {
  readonly status: "opened"
  /** The provider's reference of the checkout. */
  readonly reference: string
  /** Where to send the customer. */
  readonly url: string
  /** When it ends; `null` where the provider names no end. */
  readonly expiresAt: number | null
}

export interface OperationResult {
  readonly status: "confirmed" | "pending" | "failed"
  /** Whether a failure is final; `false` where the provider tries again by itself. `true` unless set. */
  readonly final?: boolean
  readonly reason?: string | null
  readonly amount?: Amount
}

export interface RefundResult {
  readonly status: "succeeded" | "pending" | "failed"
  /** The provider's reference of the refund. */
  readonly refundReference: string
  readonly reason?: string | null
  readonly amount?: Amount
}

/**
 * The provider has no record of it. `conclusive`: it will never be executed, also where the request is still under way. It
 * has to be the provider's own word about this id: a gateway's 404 is no result, and is thrown. It does not count as
 * conclusive while a call is open, or where no call was answered.
 */
/** Of a checkout: its customer approved it, and nothing was taken yet. */
export interface ApprovedResult {
  readonly status: "approved"
  readonly reference: string | null
}

export interface NotFoundResult {
  readonly status: "not_found"
  readonly conclusive: boolean
}

/** How a message names a charge. */
export type ChargeName = { readonly attemptId: string } | { readonly reference: string }

interface MessageOf {
  /** The provider's id of the message: the same when it comes again. */
  readonly id: string
  /** Since when it is so; `null` where the provider names no time. */
  readonly at: number | null
}

export type Message = MessageOf &
  (
    | { readonly about: "charge"; readonly charge: ChargeName; readonly result: ChargeResult | ApprovedResult }
    | { readonly about: "operation"; readonly operationId: string; readonly result: OperationResult }
    | { readonly about: "refund"; readonly refundId: string; readonly result: RefundResult }
    | { readonly about: "settlement"; readonly charge: ChargeName }
    | {
        readonly about: "dispute"
        readonly charge: ChargeName
        readonly disputeId: string | null
        readonly verdict: "opened" | "won" | "lost"
      }
  )

export interface RawMessage {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as they came: a signature covers them. */
  readonly body: Uint8Array
  /** The connection's `webhookSecret`; its `previousWebhookSecret` where the message is not signed with that one. */
  readonly secret: string
  readonly receivedAt: number
}

export interface Account {
  /** The provider's own stable id of the account that the credentials open. */
  readonly id: string
  readonly mode?: "test" | "live" | null
}

/** What an operation is given besides its request. */
export interface Given<Kinds extends Readonly<Record<string, CredentialKind>>> {
  readonly http: Http
  readonly credentials: Credentials<Kinds>
  readonly environment: "sandbox" | "production"
  readonly connectionId: string
}

export interface Limits {
  readonly currencies?: ReadonlyArray<string>
  readonly payerCountries?: ReadonlyArray<string>
  readonly methods?: ReadonlyArray<string>
  /** By name, those that `openCheckout` can open. A payment that names its method goes only where it is declared. */
  readonly paymentMethods?: Readonly<
    Record<string, { readonly currencies?: ReadonlyArray<string>; readonly manualCapture?: boolean }>
  >
  readonly cardBrands?: ReadonlyArray<string>
  readonly recurring?: boolean
  readonly amount?: Readonly<Record<string, { readonly min?: number; readonly max?: number }>>
}

type Answers<Result> = Result | Promise<Result>

/**
 * A function that throws, or returns what is not described here, leaves its result unknown, and the payment is looked up.
 * The exception: every call of the operation through `http` rejected with `NotSent`, and the function passed that on.
 */
export interface ConnectorSpec<Kinds extends Readonly<Record<string, CredentialKind>>> {
  /** What a connection's configuration names as its `connector`. */
  readonly name: string
  /** Both unless set. */
  readonly environments?: ReadonlyArray<"sandbox" | "production">
  /** The provider's own limits. */
  readonly supports?: Limits
  /**
   * Whether the provider's API can express an amount: no operation is asked to send any other. Without this function it can
   * express every one.
   */
  readonly expresses?: (amount: Amount) => boolean
  /** The fields of a connection's `credentials`, all required. */
  readonly credentials: Kinds
  readonly charge: (request: ChargeRequest, given: Given<Kinds>) => Answers<ChargeResult | Refused>
  readonly lookUpCharge: (
    request: ChargeLookup,
    given: Given<Kinds>
  ) => Answers<ChargeResult | ApprovedResult | NotFoundResult>
  readonly openCheckout?: (request: CheckoutRequest, given: Given<Kinds>) => Answers<CheckoutResult | Refused>
  /**
   * Takes the money of a checkout that `lookUpCharge` said to be `approved`. After a result that is unknown it may be asked
   * again with the same request: the provider must take the money of one checkout once.
   */
  readonly completeCheckout?: (request: CompletionRequest, given: Given<Kinds>) => Answers<ChargeResult | Refused>
  readonly capture?: (request: CaptureRequest, given: Given<Kinds>) => Answers<ChargeResult | Refused>
  readonly void?: (request: VoidRequest, given: Given<Kinds>) => Answers<ChargeResult | Refused>
  readonly refund?: (request: RefundRequest, given: Given<Kinds>) => Answers<RefundResult | Refused>
  readonly lookUpOperation?: (
    request: OperationLookup,
    given: Given<Kinds>
  ) => Answers<OperationResult | NotFoundResult>
  readonly lookUpRefund?: (request: RefundLookup, given: Given<Kinds>) => Answers<RefundResult | NotFoundResult>
  readonly account?: (given: Given<Kinds>) => Answers<Account>
  /** Whether the message is the provider's. It sends nothing, and compares in a time that depends on no secret. */
  readonly verifyMessage?: (message: RawMessage) => Answers<boolean>
  /** Reads the body of a message that was verified. What it throws for is kept for operators. */
  readonly readMessage?: (body: string) => Answers<Message>
}
