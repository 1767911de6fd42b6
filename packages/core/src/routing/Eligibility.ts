/**
 * Which connections may take a payment, and why the others may not. Pure: the same question always has the same
 * answer, and `eligibilityVersion` names the rules that gave it.
 */
import type { PaymentDetails } from "../payment/Payment.ts"
import { isInRange, matches } from "./Condition.ts"
import type { Connection, Supports } from "./Connection.ts"
import type { Exclusion, ExclusionCode } from "./RoutingDecision.ts"

/** Changes whenever these rules may exclude another connection than before. */
export const eligibilityVersion = "1"

export interface EligibilityQuestion {
  readonly payment: PaymentDetails
  /** Where the merchant is registered; `null` when unknown. */
  readonly merchantCountry: string | null
  readonly merchantCategory: string | null
  /** The connections that a stored credential came for; `null` when none was sent. */
  readonly instrumentConnectionIds: ReadonlySet<string> | null
}

export interface EligibilityCheck<Limit> {
  readonly code: ExclusionCode
  /** The reason to exclude, as one sentence; `undefined` where the limit allows the payment. */
  readonly reason: (limit: Limit, question: EligibilityQuestion) => string | undefined
}

const has = (list: ReadonlyArray<string>, value: string): boolean =>
  list.some((item) => item.toLowerCase() === value.toLowerCase())

/** One check for each limit that a connection can have: a field of `Supports` that no code covers does not compile. */
export type EligibilityChecks<Limits> = {
  readonly [Field in keyof Limits]-?: EligibilityCheck<NonNullable<Limits[Field]>>
}

/** The order is the order in which a connection's first reason is looked for. */
export const eligibilityChecks: EligibilityChecks<Supports> = {
  currencies: {
    code: "CURRENCY_NOT_SUPPORTED",
    reason: (limit, { payment }) =>
      has(limit, payment.money.currency) ? undefined : `It does not take ${payment.money.currency}.`
  },
  payerCountries: {
    code: "PAYER_COUNTRY_NOT_SUPPORTED",
    reason: (limit, { payment }) =>
      has(limit, payment.country) ? undefined : `It does not take customers from ${payment.country}.`
  },
  methods: {
    code: "METHOD_NOT_SUPPORTED",
    reason: (limit, { payment }) =>
      has(limit, payment.method) ? undefined : `It does not take the method ${payment.method}.`
  },
  cardBrands: {
    code: "METHOD_NOT_SUPPORTED",
    reason: (limit, { payment }) =>
      payment.method !== "card" || payment.cardBrand === null || has(limit, payment.cardBrand)
        ? undefined
        : `It does not take the card brand ${payment.cardBrand}.`
  },
  merchantCountries: {
    code: "MERCHANT_COUNTRY_NOT_SUPPORTED",
    reason: (limit, { merchantCountry }) => {
      if (merchantCountry === null)
        return "It works with merchants of certain countries, and the merchant's is not known."
      return has(limit, merchantCountry)
        ? undefined
        : `It does not work with merchants registered in ${merchantCountry}.`
    }
  },
  blockedCategories: {
    code: "VERTICAL_NOT_SUPPORTED",
    reason: (limit, { merchantCategory }) =>
      merchantCategory !== null && has(limit, merchantCategory)
        ? `It does not take the merchant category ${merchantCategory}.`
        : undefined
  },
  recurring: {
    code: "RECURRING_NOT_SUPPORTED",
    reason: (limit, { payment }) =>
      !limit && payment.initiator === "mit" ? "It does not take merchant-initiated payments." : undefined
  },
  amount: {
    code: "AMOUNT_OUT_OF_RANGE",
    reason: (limit, { payment }) => {
      const range = limit[payment.money.currency]
      return range === undefined || isInRange(range, payment.money.minorUnits)
        ? undefined
        : `The amount is outside what it takes in ${payment.money.currency}.`
    }
  },
  requiresAuthentication: {
    code: "AUTHENTICATION_REQUIRED",
    reason: (limit, { payment }) =>
      payment.initiator === "cit" && has(limit, payment.country)
        ? `It takes customers from ${payment.country} only with authentication.`
        : undefined
  }
}

/** The first reason why a connection may not take the payment; `undefined` when it may. */
export const exclusionOf = (
  connection: Connection,
  /** The limits of the provider itself, besides the connection's own. */
  providerSupports: Supports,
  question: EligibilityQuestion
): Exclusion | undefined => {
  const excluded = (code: ExclusionCode, reason: string): Exclusion => ({
    connectionId: connection.id,
    name: connection.name,
    code,
    reason
  })
  for (const field of Object.keys(eligibilityChecks) as Array<keyof Supports>) {
    const check = eligibilityChecks[field] as EligibilityCheck<unknown>
    for (const limit of [connection.supports[field], providerSupports[field]]) {
      const reason = limit === undefined ? undefined : check.reason(limit, question)
      if (reason !== undefined) return excluded(check.code, reason)
    }
  }
  if (connection.restrictions.some((restriction) => matches(restriction, question.payment))) {
    return excluded("RESTRICTION_VIOLATED", "A restriction of the connection matches the payment.")
  }
  if (question.instrumentConnectionIds !== null && !question.instrumentConnectionIds.has(connection.id)) {
    return excluded("INSTRUMENT_NOT_AVAILABLE", "No stored credential was sent for it.")
  }
  return undefined
}
