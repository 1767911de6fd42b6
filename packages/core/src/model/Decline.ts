/** Why a payment was declined, normalized. */
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

/** Another connection may fare better. All else is hard; an unmapped raw code is `other`, and hard. */
const soft: ReadonlySet<DeclineCategory> = new Set<DeclineCategory>([
  "do_not_honor",
  "issuer_unavailable",
  "limit_exceeded"
])

export const isSoftDecline = (category: DeclineCategory): boolean => soft.has(category)

/**
 * Reasons for a decline across all providers, each with its category. A category is itself the code of a decline of which
 * no more is known. Only added to: codes are stored.
 */
const categories = {
  insufficient_funds: "insufficient_funds",
  do_not_honor: "do_not_honor",
  call_issuer: "do_not_honor",
  do_not_try_again: "do_not_honor",
  expired_card: "expired_card",
  invalid_card: "invalid_card",
  incorrect_number: "invalid_card",
  incorrect_expiry: "invalid_card",
  incorrect_cvc: "invalid_card",
  incorrect_address: "invalid_card",
  incorrect_name: "invalid_card",
  account_closed: "invalid_card",
  lost_or_stolen: "lost_or_stolen",
  lost_card: "lost_or_stolen",
  stolen_card: "lost_or_stolen",
  restricted_card: "lost_or_stolen",
  suspected_fraud: "suspected_fraud",
  blocked_by_provider: "suspected_fraud",
  limit_exceeded: "limit_exceeded",
  amount_limit_exceeded: "limit_exceeded",
  count_limit_exceeded: "limit_exceeded",
  authentication_failed: "authentication_failed",
  authentication_required: "authentication_failed",
  incorrect_pin: "authentication_failed",
  pin_tries_exceeded: "authentication_failed",
  not_permitted: "not_permitted",
  card_not_supported: "not_permitted",
  currency_not_supported: "not_permitted",
  authorization_revoked: "not_permitted",
  issuer_unavailable: "issuer_unavailable",
  processing_error: "issuer_unavailable",
  response_late: "issuer_unavailable",
  invalid_request: "invalid_request",
  duplicate_transaction: "invalid_request",
  cancelled_by_customer: "cancelled_by_customer",
  result_uncertain: "other",
  other: "other"
} as const satisfies Readonly<Record<DeclineCategory, DeclineCategory>> & Readonly<Record<string, DeclineCategory>>

export type DeclineCode = keyof typeof categories

export const categoryOfDecline = (code: DeclineCode): DeclineCategory => categories[code]

export const declineCodes = Object.keys(categories) as ReadonlyArray<DeclineCode>

/** What the merchant can do about a decline. */
export const declineAdvices = ["retry_later", "use_another_method", "do_not_retry"] as const
export type DeclineAdvice = (typeof declineAdvices)[number]

/** What is stored of a decline beside its category and the provider's code. */
export interface DeclineDetail {
  readonly code: DeclineCode
  /** As the connector stated it: another connection may fare better. */
  readonly isSoft: boolean
}

/**
 * Another card of the same person, or another try, is no better: fraud, an instrument that is not the customer's to use, a
 * consent that was withdrawn, and a request that is wrong by itself. After a late response the issuer may hold the money, and
 * after an uncertain result the acquirer may have taken it.
 */
const final: ReadonlySet<DeclineCode> = new Set<DeclineCode>([
  "lost_or_stolen",
  "lost_card",
  "stolen_card",
  "suspected_fraud",
  "blocked_by_provider",
  "authorization_revoked",
  "response_late",
  "result_uncertain",
  "invalid_request",
  "duplicate_transaction"
])

/** A hard decline is never to be tried again with the same method. */
export const adviceOf = ({ code, isSoft }: DeclineDetail): DeclineAdvice =>
  final.has(code) ? "do_not_retry" : isSoft ? "retry_later" : "use_another_method"

/** A code of another category than the connector states is not kept. */
export const declineDetail = ({
  category,
  normalized,
  soft: isSoft
}: {
  readonly category: DeclineCategory
  readonly normalized?: DeclineCode | undefined
  readonly soft: boolean
}): DeclineDetail => ({
  code: normalized !== undefined && categoryOfDecline(normalized) === category ? normalized : category,
  isSoft
})

/** What a connector makes of one of its provider's codes. */
export interface DeclineMeaning {
  readonly category: DeclineCategory
  readonly normalized: DeclineCode
  readonly soft: boolean
}

/**
 * An entry of a connector's table. `isSoft`: as the category says where it is left out, except that a code after which the
 * order is not to be charged again is hard.
 */
export const declineMeaning = (
  normalized: DeclineCode,
  isSoft = !final.has(normalized) && isSoftDecline(categories[normalized])
): DeclineMeaning => ({ category: categories[normalized], normalized, soft: isSoft })

/** Of a code that is in no table. */
export const unmappedDecline = declineMeaning("other")

/** The code shown when a provider wants the customer to authenticate, which a server-to-server payment cannot. */
export const requiresActionCode = "provider_requires_action"
/** `decline_reason` of a `FAILED` payment. */
export const providerErrorCode = "provider_error"

/** A decline as the merchant sees it, in the API, in events and in the console. */
export interface Decline {
  readonly category: DeclineCategory
  readonly code: DeclineCode
  /** The provider's own code. */
  readonly provider_code: string | null
  readonly advice: DeclineAdvice
}

/** `detail`: `undefined` where none was recorded: the category is the code, and it counts as hard. */
export const declineView = (
  category: DeclineCategory,
  providerCode: string | null,
  detail: DeclineDetail | undefined
): Decline => {
  const code = detail?.code ?? (providerCode === requiresActionCode ? "authentication_required" : category)
  return { category, code, provider_code: providerCode, advice: adviceOf({ code, isSoft: detail?.isSoft ?? false }) }
}

/** Codes of a provider, separated by spaces, that mean the same. */
export interface DeclineGroup {
  readonly normalized: DeclineCode
  /** Whether another connection may fare better; as the category says where it is left out. */
  readonly soft?: boolean
  readonly codes: string
}

/** By the provider's code. */
export const declinesOf = (groups: ReadonlyArray<DeclineGroup>): ReadonlyMap<string, DeclineMeaning> =>
  new Map(
    groups.flatMap(({ codes, normalized, soft }) =>
      codes.split(" ").map((code) => [code, declineMeaning(normalized, soft)] as const)
    )
  )

/** What a provider's refusal of a payment means. */
export type Refusal =
  | { readonly _tag: "NeedsCustomer" }
  | ({ readonly _tag: "Declined"; readonly code: string } & DeclineMeaning)
