/** Why a payment was declined, normalized (decisions, section 3). */
export const declineCategories = [
  "insufficient_funds",
  "do_not_honor",
  "expired_card",
  "invalid_card",
  "lost_or_stolen",
  "suspected_fraud",
  "limit_exceeded",
  "authentication_failed",
  "not_permitted",
  "issuer_unavailable",
  "invalid_request",
  "cancelled_by_customer",
  "other"
] as const

export type DeclineCategory = (typeof declineCategories)[number]

/** Another connection may fare better. All else is hard; a raw code that nobody mapped is `other`, and hard. */
const soft: ReadonlySet<DeclineCategory> = new Set<DeclineCategory>([
  "do_not_honor",
  "issuer_unavailable",
  "limit_exceeded"
])

export const isSoftDecline = (category: DeclineCategory): boolean => soft.has(category)

/** The code shown when a provider wants the customer to authenticate, which a server-to-server payment cannot. */
export const requiresActionCode = "provider_requires_action"
/** `decline_reason` of a `FAILED` payment. */
export const providerErrorCode = "provider_error"
