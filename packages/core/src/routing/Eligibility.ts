/**
 * Which connections may take a payment, and why the others may not. Pure: the same question always has the same
 * answer, and `eligibilityVersion` names the rules that gave it.
 */
import type { PaymentDetails } from "../payment/Payment.ts"
import { among } from "./Among.ts"
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

/** Why the payment of a question is beyond a limit, as one sentence; `undefined` where the limit allows it. */
type Reason = (question: EligibilityQuestion) => string | undefined

export interface EligibilityCheck<Limit> {
  readonly code: ExclusionCode
  /** What the limit asks of every payment. */
  readonly reason: (limit: Limit) => Reason
}

/** One check for each limit that a connection can have: a field of `Supports` that no code covers does not compile. */
export type EligibilityChecks<Limits> = {
  readonly [Field in keyof Limits]-?: EligibilityCheck<NonNullable<Limits[Field]>>
}

/** A limit that names what it takes. */
const takes = (
  list: ReadonlyArray<string>,
  asked: (payment: PaymentDetails) => string,
  reason: (asked: string) => string
): Reason => {
  const isTaken = among(list)
  return ({ payment }) => {
    const value = asked(payment)
    return isTaken(value) ? undefined : reason(value)
  }
}

/** The order is the order in which a connection's first reason is looked for. */
export const eligibilityChecks: EligibilityChecks<Supports> = {
  currencies: {
    code: "CURRENCY_NOT_SUPPORTED",
    reason: (limit) =>
      takes(
        limit,
        ({ money }) => money.currency,
        (currency) => `It does not take ${currency}.`
      )
  },
  payerCountries: {
    code: "PAYER_COUNTRY_NOT_SUPPORTED",
    reason: (limit) =>
      takes(
        limit,
        ({ country }) => country,
        (country) => `It does not take customers from ${country}.`
      )
  },
  methods: {
    code: "METHOD_NOT_SUPPORTED",
    reason: (limit) =>
      takes(
        limit,
        ({ method }) => method,
        (method) => `It does not take the method ${method}.`
      )
  },
  cardBrands: {
    code: "METHOD_NOT_SUPPORTED",
    reason: (limit) => {
      const isTaken = among(limit)
      return ({ payment }) =>
        payment.method !== "card" || payment.cardBrand === null || isTaken(payment.cardBrand)
          ? undefined
          : `It does not take the card brand ${payment.cardBrand}.`
    }
  },
  merchantCountries: {
    code: "MERCHANT_COUNTRY_NOT_SUPPORTED",
    reason: (limit) => {
      const isTaken = among(limit)
      return ({ merchantCountry }) => {
        if (merchantCountry === null)
          return "It works with merchants of certain countries, and the merchant's is not known."
        return isTaken(merchantCountry)
          ? undefined
          : `It does not work with merchants registered in ${merchantCountry}.`
      }
    }
  },
  blockedCategories: {
    code: "VERTICAL_NOT_SUPPORTED",
    reason: (limit) => {
      const isBlocked = among(limit)
      return ({ merchantCategory }) =>
        merchantCategory !== null && isBlocked(merchantCategory)
          ? `It does not take the merchant category ${merchantCategory}.`
          : undefined
    }
  },
  recurring: {
    code: "RECURRING_NOT_SUPPORTED",
    reason:
      (limit) =>
      ({ payment }) =>
        !limit && payment.initiator === "mit" ? "It does not take merchant-initiated payments." : undefined
  },
  amount: {
    code: "AMOUNT_OUT_OF_RANGE",
    reason:
      (limit) =>
      ({ payment }) => {
        const range = limit[payment.money.currency]
        return range === undefined || isInRange(range, payment.money.minorUnits)
          ? undefined
          : `The amount is outside what it takes in ${payment.money.currency}.`
      }
  },
  requiresAuthentication: {
    code: "AUTHENTICATION_REQUIRED",
    reason: (limit) => {
      const asksFor = among(limit)
      return ({ payment }) =>
        payment.initiator === "cit" && asksFor(payment.country)
          ? `It takes customers from ${payment.country} only with authentication.`
          : undefined
    }
  }
}

const checkedFields = Object.keys(eligibilityChecks) as ReadonlyArray<keyof Supports>

interface Limit {
  readonly code: ExclusionCode
  readonly reason: Reason | undefined
}

/** Of every connection, for every payment: what its limits ask is prepared once for each configuration. */
const prepared = new WeakMap<Supports, ReadonlyArray<Limit>>()

/** One for each field, whether it is limited or not. */
const limitsOf = (supports: Supports): ReadonlyArray<Limit> => {
  const known = prepared.get(supports)
  if (known !== undefined) return known
  const limits = checkedFields.map((field): Limit => {
    const limit = supports[field]
    const { code, reason } = eligibilityChecks[field] as EligibilityCheck<unknown>
    return { code, reason: limit === undefined ? undefined : reason(limit) }
  })
  prepared.set(supports, limits)
  return limits
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
  const providers = limitsOf(providerSupports)
  let at = 0
  for (const { code, reason } of limitsOf(connection.supports)) {
    const found = reason?.(question) ?? providers[at]?.reason?.(question)
    if (found !== undefined) return excluded(code, found)
    at++
  }
  if (connection.restrictions.some((restriction) => matches(restriction, question.payment))) {
    return excluded("RESTRICTION_VIOLATED", "A restriction of the connection matches the payment.")
  }
  if (question.instrumentConnectionIds !== null && !question.instrumentConnectionIds.has(connection.id)) {
    return excluded("INSTRUMENT_NOT_AVAILABLE", "No stored credential was sent for it.")
  }
  return undefined
}
