/** The ten reasons of the specification, and the additive one of decisions, section 5. */
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
  "INSTRUMENT_NOT_AVAILABLE"
] as const
export type ExclusionCode = (typeof exclusionCodes)[number]

/** A connection that was removed before routing, and why. */
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
  readonly mode: string
  readonly rule: string | null
  /** The connections that could take it, in the order in which they would be asked. */
  readonly candidates: ReadonlyArray<RoutingCandidate>
  readonly attempts: ReadonlyArray<RoutingAttempt>
  readonly excluded: ReadonlyArray<Exclusion>
  readonly eligibilityVersion: string
  /** Every eligible connection had an open circuit, and was tried anyway. */
  readonly degraded: boolean
}

export interface RoutingCandidate {
  readonly connectionId: string
  readonly name: string
  readonly priority: number
}

/** What an attempt came to, for the explanation; the attempt itself is its own record. */
export interface RoutingAttempt {
  readonly attemptId: string
  readonly connectionId: string
  /** `null` while it is in flight. */
  readonly outcome: string | null
  readonly code: string | null
}
