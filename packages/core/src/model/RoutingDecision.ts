import type { AttemptOutcome } from "./Attempt.ts"
import type { DeclineDetail } from "./Decline.ts"
import type { CandidateRates } from "./SuccessRate.ts"

/**
 * How far a payment may travel. `fixed`: one connection, one attempt. `priority`: the next one only after a technical
 * error before anything was executed. `failover`: also after a soft decline. `auto`: in the order of measured success,
 * then as `failover`.
 */
export const routingModes = ["fixed", "priority", "failover", "auto"] as const
export type RoutingMode = (typeof routingModes)[number]

/** Why a connection is not asked. The first ten belong to version 1 of the API; the others were added. */
export const exclusionCodes = [
  "CURRENCY_NOT_SUPPORTED",
  "PAYER_COUNTRY_NOT_SUPPORTED",
  "METHOD_NOT_SUPPORTED",
  "MERCHANT_COUNTRY_NOT_SUPPORTED",
  "VERTICAL_NOT_SUPPORTED",
  "RECURRING_NOT_SUPPORTED",
  "AMOUNT_OUT_OF_RANGE",
  "AUTHENTICATION_REQUIRED",
  "RESTRICTION_VIOLATED",
  "CIRCUIT_OPEN",
  "INSTRUMENT_NOT_AVAILABLE",
  "ACCOUNT_CHANGED",
  "CONNECTION_INACTIVE"
] as const
export type ExclusionCode = (typeof exclusionCodes)[number]

/** A connection that was not asked, and why. */
export interface Exclusion {
  readonly connectionId: string
  readonly name: string
  readonly code: ExclusionCode
  /** One sentence for people; not part of the contract. */
  readonly reason: string
}

/** Why a payment went where it went; stored with the payment. */
export interface RoutingDecision {
  readonly path: "engine" | "rule" | "control"
  readonly strategy: string
  readonly mode: RoutingMode
  readonly rule: string | null
  /** Attempts at most. */
  readonly maxAttempts: number
  /** The connections that could take it, in the order in which they would be asked. */
  readonly candidates: ReadonlyArray<RoutingCandidate>
  readonly attempts: ReadonlyArray<RoutingAttempt>
  /** Before the first attempt. */
  readonly excluded: ReadonlyArray<Exclusion>
  /** Candidates that could no longer be used when it was their turn; absent where there were none. */
  readonly skipped?: ReadonlyArray<Exclusion>
  readonly eligibilityVersion: string
  /** Every eligible connection had an open circuit, and was tried anyway. */
  readonly degraded: boolean
  /** What the payment drew, by its id: each draw stays the same however often it is made. */
  readonly draws: ReadonlyArray<RoutingDraw>
  /** Why the order is another one than the settings or the scores suggest, as one sentence; `null` for most payments. */
  readonly note: string | null
  readonly given: RoutingGiven
  /** The most approval that value could give up, in parts per million; absent where the objective is approval. */
  readonly maxApprovalLossPpm?: number
}

/** What a decision was made on besides the payment and the configuration, so that it can be made again. */
export interface RoutingGiven {
  readonly merchantCountry: string | null
  readonly merchantCategory: string | null
  /** The connections that a stored credential was sent for; `null` when none was sent. */
  readonly instruments: ReadonlyArray<string> | null
  /** The connections that could not do what was asked at all, such as open a checkout. */
  readonly unable: ReadonlyArray<string>
  /** The circuits that were not at rest. */
  readonly circuits: ReadonlyArray<CircuitSeen>
}

/** A circuit that is not at rest, as a routing decision saw it. */
export interface CircuitSeen {
  readonly connectionId: string
  /** Failures since the last success. */
  readonly failures: number
  /** Epoch milliseconds; `null` while it is closed. */
  readonly openedAt: number | null
  /** Epoch milliseconds from which one probe is let through; `null` while it is closed. */
  readonly probeAt: number | null
  /** Whether it lets nothing through. One that is neither open nor closed lets the next payment through as its probe. */
  readonly isOpen: boolean
}

export interface RoutingDraw {
  /** `control`, `split:` and a rule's name, `explore`, or what a strategy of the user's calls it. */
  readonly purpose: string
  /** In [0, 1). */
  readonly drawn: number
}

export interface RoutingCandidate {
  readonly connectionId: string
  readonly name: string
  readonly priority: number
  /** What a strategy ordered it by; for `auto` the expected success rate, from 0 to 1. `null` without one. */
  readonly score: number | null
  /** What a strategy knew of it; `null` where none was asked. */
  readonly rates: CandidateRates | null
  /** What its expected value is made of; absent where the objective is approval. */
  readonly value?: RouteValue
}

/** What an attempt came to, for the explanation; the attempt itself is its own record. */
export interface RoutingAttempt {
  readonly attemptId: string
  readonly connectionId: string
  /** `null` while it is in flight. */
  readonly outcome: AttemptOutcome | null
  readonly code: string | null
  /** Absent where it was not declined, and from decisions that were stored before declines were kept. */
  readonly decline?: DeclineDetail | undefined
}

/** What a decision that was stored before these were kept can say of them: nothing. */
const unsaid = {
  maxAttempts: 0,
  draws: [],
  note: null,
  given: { merchantCountry: null, merchantCategory: null, instruments: null, unable: [], circuits: [] }
} as const

/** A stored decision, of whichever version. */
export const wholeDecision = (
  stored: Omit<RoutingDecision, keyof typeof unsaid> & Partial<RoutingDecision>
): RoutingDecision => ({
  ...unsaid,
  ...stored,
  candidates: stored.candidates.map((candidate) => ({ ...{ score: null, rates: null }, ...candidate }))
})

/** The fee of one payment. */
export interface Fee {
  /** Whole minor units of the payment's currency; a half is rounded up. */
  readonly feeMinor: number
  /** The place of its rule among the connection's, from 1. */
  readonly rule: number
}

/** What `auto` weighed of a candidate, where its objective is value. Integers. */
export interface RouteValue {
  /** `null` where the fee is unknown. */
  readonly fee: Fee | null
  /** The expected approval rate, in parts per million: that of the best score, less what this candidate gives up. */
  readonly approvalPpm: number
  /** Approval × (amount − fee), in millionths of a minor unit; `null` where the fee is unknown. */
  readonly expectedMicros: number | null
}
