/**
 * What a connector's test tells the suite: how its provider brings each situation about.
 *
 * A connector that reaches a provider over the wire plays a raw answer, which the suite's scripted transport hands to
 * it. The built-in simulator has no wire: it plays a `Simulation`, and the suite passes that object with every
 * request of the test. The suite itself says what must come out, so that no connector writes its own expectations.
 */
import type {
  ConnectorDefinition,
  DeclineCategory,
  ListedCharge,
  ListedDispute,
  ListedRefund,
  Money,
  ProviderAccount,
  RawMessage,
  Simulation,
  TransportAnswer,
  TransportRequest
} from "@pointsman/core/connector"

/**
 * By the operation: what it can come into, and what must come out, which is the tag of an answer, of a state that is found, or of
 * an error.
 */
export const outcomes = {
  charge: {
    "charge authorized": "Authorized",
    "charge captured": "Captured",
    "charge pending": "Pending",
    "charge declined": "Declined",
    "charge needs customer": "NeedsCustomer",
    "charge canceled": "Canceled",
    "charge rejected": "Rejected",
    "charge not sent": "NotSent",
    "charge unanswered": "Unanswered"
  },
  /** The opening of the provider's own page. A lookup reports the outcome of the payment on it. */
  openCheckout: {
    "checkout opened": "CheckoutOpened",
    "checkout rejected": "Rejected",
    "checkout not sent": "NotSent",
    "checkout unanswered": "Unanswered"
  },
  /** The step that takes the money of a checkout that its customer approved. */
  completeCheckout: {
    "completion authorized": "Authorized",
    "completion captured": "Captured",
    "completion pending": "Pending",
    "completion declined": "Declined",
    "completion rejected": "Rejected",
    "completion not sent": "NotSent",
    "completion unanswered": "Unanswered"
  },
  capture: {
    "capture captured": "Captured",
    "capture pending": "Pending",
    "capture still authorized": "Authorized",
    "capture declined": "Declined",
    "capture canceled": "Canceled",
    "capture rejected": "Rejected",
    "capture not sent": "NotSent",
    "capture unanswered": "Unanswered"
  },
  void: {
    "void canceled": "Canceled",
    "void pending": "Pending",
    "void still authorized": "Authorized",
    "void declined": "Declined",
    "void captured": "Captured",
    "void rejected": "Rejected",
    "void not sent": "NotSent",
    "void unanswered": "Unanswered"
  },
  refund: {
    "refund succeeded": "Succeeded",
    "refund pending": "RefundPending",
    "refund failed": "RefundFailed",
    "refund rejected": "Rejected",
    "refund not sent": "NotSent",
    "refund unanswered": "Unanswered"
  },
  /**
   * A lookup of a charge that was sent before, in the same test. `lookup approved`: of a checkout, and only where the connector
   * has `completeCheckout`.
   */
  lookUpCharge: {
    "lookup approved": "Found Approved",
    "lookup authorized": "Found Authorized",
    "lookup captured": "Found Captured",
    "lookup pending": "Found Pending",
    "lookup declined": "Found Declined",
    "lookup needs customer": "Found NeedsCustomer",
    "lookup canceled": "Found Canceled",
    "lookup not found": "NotFound",
    "lookup not found yet": "NotFound",
    "lookup not sent": "NotSent",
    "lookup unanswered": "Unanswered"
  },
  /**
   * A lookup of one capture or void that was sent before, in the same test; `kind` of the situation says which. `failed for
   * now`: the provider will, or may, try again by itself.
   */
  lookUpOperation: {
    "operation lookup confirmed": "Found OperationConfirmed",
    "operation lookup pending": "Found OperationPending",
    "operation lookup failed": "Found OperationFailed",
    "operation lookup failed for now": "Found OperationFailed",
    "operation lookup not found": "NotFound",
    "operation lookup not found yet": "NotFound",
    "operation lookup not sent": "NotSent",
    "operation lookup unanswered": "Unanswered"
  },
  /** A lookup of a refund that was sent before, in the same test. */
  lookUpRefund: {
    "refund lookup succeeded": "Found Succeeded",
    "refund lookup pending": "Found RefundPending",
    "refund lookup failed": "Found RefundFailed",
    "refund lookup not found": "NotFound",
    "refund lookup not found yet": "NotFound",
    "refund lookup not sent": "NotSent",
    "refund lookup unanswered": "Unanswered"
  }
} as const satisfies Record<Operation, Readonly<Record<string, string>>>

/**
 * `… not found`: the provider's conclusive word that it never got it. `… not found yet`: not conclusive.
 * `… canceled` of a void is its success; of a capture it means that the authorization is gone.
 */
export type SituationName = { [Name in Operation]: keyof (typeof outcomes)[Name] }[Operation]

export interface Situation {
  readonly name: SituationName
  /** What is asked. */
  readonly operation: Operation
  /** Our ids, as the request carries them: a provider may name them in its answer. */
  readonly attemptId: string
  readonly operationId: string
  readonly refundId: string
  /** The operation that is looked up, where the name begins with `operation lookup`. */
  readonly kind: OperationKind
  /** Of the charge, or of the refund. */
  readonly money: Money
  /** Set where the name ends in `declined`: what the answer must come out as. */
  readonly decline: { readonly category: DeclineCategory; readonly soft: boolean } | null
  /** Over a wire, the provider's answer is to carry these. */
  readonly providerRef: string
  readonly providerRefundId: string
  /** Over a wire, an opened checkout is to carry these. `expiresAt`: epoch milliseconds. */
  readonly checkout: { readonly reference: string; readonly url: string; readonly expiresAt: number }
  /**
   * Over a wire, a rejection is to carry these; they must come out unchanged. A failed operation may give the message as
   * its reason.
   */
  readonly rejection: { readonly code: string; readonly message: string }
}

export type OperationKind = "capture" | "void"

/** How a situation is brought about. */
export type Played = { readonly answer: TransportAnswer } | { readonly simulation: Simulation }

export interface WireOfCheckout {
  /** A success of the opening that leads to this address. */
  readonly leadingTo: (address: string, situation: Situation) => TransportAnswer
  /** Where the provider is to send the customer afterwards, as the request has it. */
  readonly returnUrlOf: (request: TransportRequest) => unknown
}

/** Facts about a provider's wire that the suite cannot know. */
export interface Wire {
  /** The idempotency key that a request carries: our attempt, operation or refund id. */
  readonly idempotencyKeyOf: (request: TransportRequest) => string | undefined
  /** The amount as the wire has it, for the operations that carry one. */
  readonly amountOf: (request: TransportRequest) => unknown
  /**
   * What `amountOf` must read for 12.34 EUR (1234 minor units), 500 JPY (500) and 1.230 KWD (1230). Literal values:
   * a formula here would repeat the connector's mistakes. `null` for KWD: the provider does not take it, and nothing may be sent.
   */
  readonly amounts: { readonly EUR: unknown; readonly JPY: unknown; readonly KWD: unknown }
  /** The currency as the wire has it on a charge, or `undefined` where the amount says it already. */
  readonly currencyOf?: (request: TransportRequest) => unknown
  readonly currencies?: { readonly EUR: unknown; readonly JPY: unknown; readonly KWD: unknown }
  /** Needed where the connector opens checkouts. */
  readonly checkout?: WireOfCheckout
  /** Operations whose success has no body: its status alone says that it was accepted, and the outcome is looked up. */
  readonly withoutBody?: ReadonlyArray<Operation>
  /**
   * A success of the operation with a status that the connector has never heard of; of an opening that has no status,
   * anything else that is not understood.
   */
  readonly unknownStatus: (operation: Operation, situation: Situation) => TransportAnswer
  /**
   * A success of the operation (not of a lookup that found nothing) without the provider's reference; of the lookup of an
   * operation, without what names the operation.
   */
  readonly withoutReference: (operation: Operation, situation: Situation) => TransportAnswer
}

export type Operation =
  | "charge"
  | "openCheckout"
  | "completeCheckout"
  | "capture"
  | "void"
  | "refund"
  | "lookUpCharge"
  | "lookUpOperation"
  | "lookUpRefund"

export const messageSituations = [
  "charge authorized",
  "charge captured",
  "charge canceled",
  "refund succeeded",
  "refund failed",
  "charge settled",
  "operation confirmed",
  "operation pending",
  "operation failed",
  "operation failed for now",
  "dispute opened",
  "dispute updated",
  "dispute won",
  "dispute lost"
] as const

/**
 * What a message is to tell. `operation …` is about one capture, by our id of it; `… for now` says that the provider
 * will, or may, try again by itself. `dispute updated` is a dispute that continues.
 */
export interface MessageSituation {
  readonly name: (typeof messageSituations)[number]
  /** The provider's id of the message. */
  readonly id: string
  /** When it was written, in epoch milliseconds. */
  readonly at: number
  readonly attemptId: string
  readonly operationId: string
  readonly refundId: string
  readonly disputeId: string
  readonly providerRef: string
  readonly providerRefundId: string
  /** To be stated with a charge that is authorized or captured, an operation that is confirmed, and a refund that succeeded. */
  readonly money: Money
}

export type SignedMessage = Pick<RawMessage, "headers" | "body">

/** For a provider that signs parts of a message alone, and if no text can be signed unchanged. */
export interface PartlySigned {
  /** The message with each of the signed parts changed, named by the part: all of them must be refused. */
  readonly tampered: (
    situation: MessageSituation,
    secret: string,
    signedAt: number
  ) => ReadonlyArray<readonly [string, SignedMessage]>
  /** Well signed, and none of its messages; each holds the text `hunter2`, which no output may show. */
  readonly unreadable: (secret: string, signedAt: number) => ReadonlyArray<SignedMessage>
}

/** How the provider signs its messages. The test signs by other means than the connector verifies. */
export interface MessagesOfProvider {
  /** `signedAt` is in epoch milliseconds. `undefined` for what this provider never tells. */
  readonly sign: (situation: MessageSituation, secret: string, signedAt: number) => SignedMessage | undefined
  /** A text that is not a message, signed like one; or how the provider signs if it does not sign the whole text. */
  readonly signText: ((text: string, secret: string, signedAt: number) => SignedMessage) | PartlySigned
  /** A secret in the form that the provider gives them, where not any text is one; and others of that form. */
  readonly secrets?: { readonly right: string; readonly wrong: ReadonlyArray<string> }
  /** How the provider names a message, where it has no ids of their own. */
  readonly idOf?: (situation: MessageSituation) => string
  /** How far from now the signature's time may be, in milliseconds; `null` for a scheme without a time. */
  readonly toleranceMillis: number | null
}

/** How the provider sends messages that are not signed and name one of its objects alone. */
export interface HintsOfProvider {
  /** The provider's reference of an object. */
  readonly reference: string
  /** The message that names it. */
  readonly message: SignedMessage
  /** Messages that are no hints; the signed ones are tried too. */
  readonly others: ReadonlyArray<SignedMessage>
  /** The provider's answer to the lookup of that object: the charge of the attempt was captured. */
  readonly captured: (of: { readonly attemptId: string; readonly money: Money; readonly at: number }) => TransportAnswer
  /** The provider's answer about an object that no request of ours made. */
  readonly foreign: TransportAnswer
  /** The provider's answer about an object that it does not know. */
  readonly unknown: TransportAnswer
}

/** Whose account the working credentials open. */
export interface AccountOfProvider {
  /** What must come out. */
  readonly is: ProviderAccount
  /** Over a wire, the provider's answer; absent where the credentials themselves name the account: nothing is sent. */
  readonly answer?: TransportAnswer
}

/** One page of a list, as the provider writes it. */
export interface PageOfProvider<Item> {
  /** Oldest first. */
  readonly items: ReadonlyArray<Item>
  /** Whether another page follows. */
  readonly hasMore: boolean
}

/** The lists from which lost records are recovered. */
export interface ListsOfProvider {
  readonly charges: (page: PageOfProvider<ListedCharge>) => TransportAnswer
  readonly refunds: (page: PageOfProvider<ListedRefund>) => TransportAnswer
  /** What the provider was not told of a charge or does not give back: it must come out as `null`. */
  readonly untold?: ReadonlyArray<keyof ListedCharge>
}

/** The list from which lost disputes are recovered. */
export interface DisputesOfProvider {
  /** The provider's responses in the order of the requests that list these disputes, which are all of a window. */
  readonly answers: (disputes: ReadonlyArray<ListedDispute>) => ReadonlyArray<TransportAnswer>
  /** What must come out of one: without what the provider does not list, and with its own name of the charge. */
  readonly told: (dispute: ListedDispute) => ListedDispute
}

/** What a person, or time, does to a charge at the provider: nothing that tells it has an operation or refund id of ours. */
export const byHandSituations = ["refund", "pending refund", "capture", "two captures", "void", "expiry"] as const

export interface ByHandSituation {
  readonly name: (typeof byHandSituations)[number]
  readonly attemptId: string
  readonly providerRef: string
  readonly money: Money
  readonly providerRefundId: string
  readonly refunded: Money
  /** In order. `total`: of all captures until then. */
  readonly captures: ReadonlyArray<{ readonly id: string; readonly money: Money; readonly total: Money }>
  readonly at: number
}

/** What tells it, in order. `changed`: only that the charge changed. `lacks`: why nothing does; the test's name shows it. */
export type ToldByHand<Shape> =
  | ReadonlyArray<Shape>
  | { readonly changed: ReadonlyArray<Shape> }
  | { readonly lacks: string }

/** For each source that the connector has: its messages, or the answers to its requests. `rows`: of its first report. */
export interface ByHandAtProvider {
  readonly messages?: (of: ByHandSituation, secret: string, signedAt: number) => ToldByHand<SignedMessage>
  readonly hints?: (of: ByHandSituation) => ToldByHand<TransportAnswer>
  readonly lookUp: (of: ByHandSituation) => ToldByHand<TransportAnswer>
  readonly rows?: (of: ByHandSituation) => ToldByHand<TransportAnswer>
}

export interface ConnectorUnderTest {
  /** Of the suite in the report. */
  readonly name: string
  readonly definition: ConnectorDefinition
  /** Working credentials, made up. */
  readonly credentials: unknown
  /** Texts inside the credentials that no log, span or error may show. */
  readonly secrets: ReadonlyArray<string>
  /** Broken credentials, and the field that the refusal must name. */
  readonly brokenCredentials: ReadonlyArray<{ readonly credentials: unknown; readonly field: string }>
  /**
   * How the situation is brought about; `undefined` where the provider cannot come into it, and then `lacks` must
   * name it. A connector with a wire is not asked for `… not sent` and `… unanswered`: the transport says those.
   */
  readonly play: (situation: Situation) => Played | undefined
  /** The situations that this provider cannot come into. */
  readonly lacks?: ReadonlyArray<SituationName>
  /** Absent for a connector that makes no transport request; the suite then asserts that it makes none. */
  readonly wire?: Wire
  /** A stored credential in the form that the connector takes, where not any text is one; a secret. */
  readonly instrument?: string
  /**
   * What the provider has no lookup for. The suite then asserts that nothing is sent and nothing known, and looks up a
   * charge by its checkout. `voids`: where captures can be looked up and voids cannot; then the charge is looked up.
   */
  readonly cannotBeAsked?: { readonly directCharges?: boolean; readonly refunds?: boolean; readonly voids?: boolean }
  /** Absent for a connector without `account`. */
  readonly account?: AccountOfProvider
  /** Absent for a connector without `listCharges` and `listRefunds`, or without a wire. */
  readonly lists?: ListsOfProvider
  /** Absent for a connector without `listDisputes`, or without a wire. */
  readonly disputes?: DisputesOfProvider
  /** Absent for a connector that reads no messages. */
  readonly messages?: MessagesOfProvider
  /** Absent for a connector without hints. */
  readonly hints?: HintsOfProvider
  /** Absent for a connector without a wire: a simulator has no acts by hand. */
  readonly byHand?: ByHandAtProvider
}
