import type { Money } from "../money/Money.ts"
import type { Correction } from "./Correction.ts"
import { categoryOfDecline, type Decline, type DeclineCategory, declineCategories, declineView } from "./Decline.ts"
import type { EventDraft, JsonObject } from "./Event.ts"
import type { EventType } from "./EventType.ts"
import { type PaymentState, statusOf } from "./PaymentMachine.ts"
import type { PaymentMethod, PaymentMethodName } from "./PaymentMethod.ts"
import type { Reported } from "./Reported.ts"
import type { RoutingAttempt, RoutingDecision } from "./RoutingDecision.ts"
import type { Tenant } from "./Tenant.ts"

/** Who starts the payment: the customer, or the merchant (for example a recurring payment). */
export const initiators = ["cit", "mit"] as const
export type Initiator = (typeof initiators)[number]

export const captureMethods = ["automatic", "manual"] as const
export type CaptureMethod = (typeof captureMethods)[number]

/** The merchant's own names and texts. */
export type Metadata = Readonly<Record<string, string>>

/** A line of what is bought. */
export interface PurchaseLine {
  readonly name: string
  readonly quantity: number
  /** Of the whole line, in minor units; negative for a discount. The lines add up to the payment's amount. */
  readonly amountMinor: number
}

/** What the customer pays for, in the words of the merchant. */
export interface Purchase {
  readonly description: string | null
  /** A BCP 47 tag: the language of the hosted page. */
  readonly locale: string | null
  readonly lines: ReadonlyArray<PurchaseLine> | null
}

/** A payment as it is stored. All amounts are in minor units of `money.currency`. */
export interface Payment {
  /** A lower-case UUIDv7: sorting by id is sorting by creation. */
  readonly id: string
  readonly tenant: Tenant
  /** Counts the writes (see `Version.ts`): a write fails where another came after the version it was decided on. */
  readonly version: number
  readonly state: PaymentState
  readonly money: Money
  /** ISO 3166-1 alpha-2 country of the customer. */
  readonly country: string
  readonly method: PaymentMethod
  /** By name, of that kind. Absent where the create named none. */
  readonly paymentMethod?: PaymentMethodName | undefined
  readonly cardBrand: string | null
  readonly initiator: Initiator
  readonly captureMethod: CaptureMethod
  /** The merchant's own identifier. */
  readonly reference: string | null
  /** `null` for none, and once it was erased. */
  readonly metadata: Metadata | null
  /** `null` where the create named nothing of it, and once it was erased. */
  readonly purchase: Purchase | null
  readonly declineCategory: DeclineCategory | null
  /** The provider's raw code. */
  readonly declineReason: string | null
  /** What the provider holds or held for us; 0 until it says so. */
  readonly authorizedMinor: number
  readonly capturedMinor: number
  /** Refunded and confirmed by the provider. */
  readonly refundedMinor: number
  /** Reserved by refunds that are not confirmed. */
  readonly refundPendingMinor: number
  /** The connection that holds or held the money; `null` while none does. */
  readonly connectionId: string | null
  readonly providerRef: string | null
  /** The `Idempotency-Key` that it was created under, so that settling it can settle the key. */
  readonly idempotencyKey: string | null
  /** `null` for a payment that was charged at once. */
  readonly hosted: HostedPage | null
  readonly routing: RoutingDecision | null
  readonly simulation: Simulation | null
  /** What the provider reported beside the money; `null` while it reported nothing. */
  readonly reported: Reported | null
  /** What operations have to look at; `null` for a payment that needs no operator. */
  readonly review: Review | null
  /** Statements and refunds of operators that need a second person, in the order of their proposal. Absent where there is none. */
  readonly corrections?: ReadonlyArray<Correction> | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  /** When the charge's result was known; `null` while it is not. A key's 24 hours may run from here. */
  readonly settledAt: number | null
}

/** The page that a customer pays on, of a payment that was created with `return_url`. */
export interface HostedPage {
  /** SHA-256 of the token in the page's address. The token itself is not stored: it is derived anew. */
  readonly tokenHash: string
  /** `null` after an erasure of personal data, which leaves a payment that waits for its customer alone. */
  readonly returnUrl: string | null
  readonly cancelUrl: string | null
  /** Epoch milliseconds; from then on nothing begins on the page any more. */
  readonly expiresAt: number
  /** In the sandbox, where it leads to a provider's own test page. In production every page leads to the provider's. */
  readonly leadsTo?: "provider"
}

export const hostedPageMillis = 30 * 60 * 1000

/** What a payment has before its charge is answered. */
export const unansweredPayment = {
  declineCategory: null,
  declineReason: null,
  authorizedMinor: 0,
  capturedMinor: 0,
  refundedMinor: 0,
  refundPendingMinor: 0,
  connectionId: null,
  providerRef: null,
  settledAt: null,
  reported: null,
  review: null
} as const

/** What creating a payment takes, decoded and with its defaults applied. */
export interface PaymentDetails
  extends Pick<Payment, "money" | "country" | "method" | "paymentMethod" | "cardBrand">,
    Pick<Payment, "initiator" | "captureMethod" | "reference" | "simulation"> {
  readonly metadata?: Metadata | null | undefined
  readonly purchase?: Purchase | null | undefined
}

/** The money rules of every write and read. The change that breaks one is a defect, and is not written. */
export const brokenInvariant = (payment: Payment): string | undefined => {
  const { authorizedMinor, capturedMinor, refundedMinor, refundPendingMinor } = payment
  for (const amount of [payment.money.minorUnits, authorizedMinor, capturedMinor, refundedMinor, refundPendingMinor]) {
    if (!Number.isSafeInteger(amount) || amount < 0) return `an amount is not a whole number of minor units: ${amount}`
  }
  if (authorizedMinor > payment.money.minorUnits) return "authorized more than was asked"
  if (capturedMinor > authorizedMinor) return "captured more than was authorized"
  if (refundedMinor + refundPendingMinor > capturedMinor) return "refunded and pending exceed what was captured"
  return undefined
}

/** Whether the customer pays on a provider's own page, and not by the sandbox's buttons. */
export const leadsToProvider = ({ hosted, tenant }: Pick<Payment, "hosted" | "tenant">): boolean =>
  hosted?.leadsTo === "provider" || (hosted !== null && tenant.environment === "production")

/**
 * `unknown`: the result of a charge, a capture or a void. `refund_unknown`: of a refund. `open_checkout`: the provider
 * named no end of its page, so only a person can close it. `overdue`: it accepted something long ago, and is not done. `reversal`: a refund failed after it had succeeded. `capture_failed`: a capture failed that cannot be taken back here,
 * so that refunds are closed. `refund_excess`: the provider refunded more than is captured, so that refunds are closed. `reference_reused`: the provider stated one reference for two payments. `correction`: an operator proposed one, or a refund, and waits for a second person. All but the first four and `correction` stay until an operator has reviewed the payment.
 */
export const reviewReasons = [
  "unknown",
  "refund_unknown",
  "open_checkout",
  "overdue",
  "amount_mismatch",
  "conflict",
  "double_charge",
  "reversal",
  "capture_failed",
  "refund_excess",
  "reference_reused",
  "correction"
] as const
export type ReviewReason = (typeof reviewReasons)[number]

export interface Review {
  /** Epoch milliseconds: since when the payment waits for a person. */
  readonly since: number
  /** Never empty. */
  readonly reasons: ReadonlyArray<ReviewReason>
}

/** What a sandbox payment asks the simulator to do; part of its record, so that late lookups report it too. */
export interface Simulation {
  /** One outcome for every attempt, or one for each attempt in turn (the last one also applies to those after it). */
  readonly charge?: ChargeSimulation | ReadonlyArray<ChargeSimulation>
  readonly capture?: OperationSimulation
  readonly void?: OperationSimulation
  readonly refund?: RefundSimulation
  readonly lookup?: LookupSimulation
}

export type ChargeSimulation =
  | "approve"
  | `decline:${DeclineCategory}`
  | `soft_decline:${DeclineCategory}`
  | "requires_authentication"
  | "technical_error"
  | "no_answer"
  | "pending"

export const chargeSimulations: ReadonlyArray<ChargeSimulation> = [
  "approve",
  ...declineCategories.map((category) => `decline:${category}` as const),
  ...declineCategories.map((category) => `soft_decline:${category}` as const),
  "requires_authentication",
  "technical_error",
  "no_answer",
  "pending"
]

export const operationSimulations = ["confirm", "refuse", "no_answer"] as const
export type OperationSimulation = (typeof operationSimulations)[number]

export const refundSimulations = ["confirm", "refuse", "no_answer", "pending"] as const
export type RefundSimulation = (typeof refundSimulations)[number]

export const lookupSimulations = ["executed", "not_executed", "no_answer"] as const
export type LookupSimulation = (typeof lookupSimulations)[number]

/** The outcome that the simulator plays for the attempt with this number, counted from 1. */
export const chargeSimulationOf = (simulation: Simulation | null, attemptNumber: number): ChargeSimulation => {
  const charge = simulation?.charge
  if (charge === undefined) return "approve"
  if (typeof charge === "string") return charge
  return charge[Math.min(attemptNumber, charge.length) - 1] ?? "approve"
}

/**
 * The event that a move emits, from the payment after the move. Its data has wire names: it is stored once, and shown
 * by the API, webhooks and the library.
 */
export const paymentEvent = (type: EventType, payment: Payment, extra: JsonObject = {}): EventDraft => ({
  type,
  paymentId: payment.id,
  createdAt: payment.updatedAt,
  data: {
    payment_id: payment.id,
    reference: payment.reference,
    payment_status: statusOf[payment.state],
    environment: payment.tenant.environment,
    amount: payment.money.minorUnits,
    currency: payment.money.currency,
    ...(payment.metadata == null ? {} : { metadata: payment.metadata }),
    ...(type === "payment.declined"
      ? { decline_category: payment.declineCategory, decline_code: payment.declineReason }
      : {}),
    ...capturedAmount(type, payment),
    ...extra
  }
})

/** What is captured after the event; without it `payment.captured` is of all. The journal reads it from events. */
const capturedAmount = (type: EventType, { capturedMinor, money }: Payment): JsonObject => {
  const isStated =
    type === "payment.capture_failed" || (type === "payment.captured" && capturedMinor !== money.minorUnits)
  return isStated ? { captured_amount: capturedMinor } : {}
}

/** What may still be given back, in minor units. */
export const refundableMinor = (
  payment: Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">
): number => payment.capturedMinor - payment.refundedMinor - payment.refundPendingMinor

/** `undefined` for a payment that is not declined. */
export const declineOfPayment = ({
  declineCategory,
  declineReason,
  routing,
  state
}: Pick<Payment, "declineCategory" | "declineReason" | "routing" | "state">): Decline | undefined => {
  if (declineCategory === null || statusOf[state] !== "DECLINED") return undefined
  const attempt = routing?.attempts.findLast(({ code, outcome }) => outcome === "Declined" && code === declineReason)
  return declineView(declineCategory, declineReason, attempt?.decline)
}

/** `undefined` where it was not declined, or was recorded without what a decline needs. */
export const declineOfAttempt = ({ code, decline, outcome }: RoutingAttempt): Decline | undefined =>
  outcome === "Declined" && decline !== undefined
    ? declineView(categoryOfDecline(decline.code), code, decline)
    : undefined
