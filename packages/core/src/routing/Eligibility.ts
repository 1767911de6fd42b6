/** Which connections may take a payment, and why others may not, by the rules of `eligibilityVersion`. Pure. */

import { Option } from "effect"
import type { Condition, Connection, Supports } from "../model/Connection.ts"
import type { CaptureMethod, PaymentDetails } from "../model/Payment.ts"
import type { NamedMethods, PaymentMethodName } from "../model/PaymentMethod.ts"
import type { Exclusion, ExclusionCode } from "../model/RoutingDecision.ts"
import type { ConnectorDefinition, Connectors } from "../ports/Connector.ts"
import { among, isInRange, matchesAmount, matchesBesidesAmount, remembered, traitsOf } from "./RoutingPolicy.ts"

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

/** One check for each limit that a provider can have: a field of `ProviderSupports` that no code covers does not compile. */
export type EligibilityChecks<Limits> = {
  readonly [Field in keyof Limits]-?: EligibilityCheck<NonNullable<Limits[Field]>>
}

/** A limit that names what it takes. */
const takes =
  (asked: (payment: PaymentDetails) => string, reason: (asked: string) => string) =>
  (list: ReadonlyArray<string>): Reason => {
    const isTaken = among(list)
    return ({ payment }) => {
      const value = asked(payment)
      return isTaken(value) ? undefined : reason(value)
    }
  }

const namedReason = (
  limit: NamedMethods,
  name: PaymentMethodName,
  currency: string,
  captureMethod: CaptureMethod
): string | undefined => {
  const limits = limit[name]
  if (limits === undefined) return `The connection does not accept the payment method ${name}.`
  if (limits.currencies !== undefined && !among(limits.currencies)(currency)) {
    return `The connection does not accept the payment method ${name} in ${currency}.`
  }
  return limits.manualCapture === false && captureMethod === "manual"
    ? `The connection cannot authorize the payment method ${name} without capturing it.`
    : undefined
}

/** The order is the order in which a connection's first reason is looked for. */
export const eligibilityChecks: EligibilityChecks<ProviderSupports> = {
  currencies: {
    code: "CURRENCY_NOT_SUPPORTED",
    reason: takes(
      ({ money }) => money.currency,
      (currency) => `The connection does not accept ${currency}.`
    )
  },
  payerCountries: {
    code: "PAYER_COUNTRY_NOT_SUPPORTED",
    reason: takes(
      ({ country }) => country,
      (country) => `The connection does not accept customers from ${country}.`
    )
  },
  methods: {
    code: "METHOD_NOT_SUPPORTED",
    reason: takes(
      ({ method }) => method,
      (method) => `The connection does not accept the method ${method}.`
    )
  },
  paymentMethods: {
    code: "METHOD_NOT_SUPPORTED",
    reason:
      (limit) =>
      ({ payment: { captureMethod, money, paymentMethod } }) =>
        paymentMethod === undefined ? undefined : namedReason(limit, paymentMethod, money.currency, captureMethod)
  },
  cardBrands: {
    code: "METHOD_NOT_SUPPORTED",
    reason: (limit) => {
      const isTaken = among(limit)
      return ({ payment }) =>
        payment.method !== "card" || payment.cardBrand === null || isTaken(payment.cardBrand)
          ? undefined
          : `The connection does not accept the card brand ${payment.cardBrand}.`
    }
  },
  merchantCountries: {
    code: "MERCHANT_COUNTRY_NOT_SUPPORTED",
    reason: (limit) => {
      const isTaken = among(limit)
      return ({ merchantCountry }) => {
        if (merchantCountry === null)
          return "The connection accepts merchants from certain countries only, and the merchant's country is not set."
        return isTaken(merchantCountry)
          ? undefined
          : `The connection does not accept merchants registered in ${merchantCountry}.`
      }
    }
  },
  blockedCategories: {
    code: "VERTICAL_NOT_SUPPORTED",
    reason: (limit) => {
      const isBlocked = among(limit)
      return ({ merchantCategory }) =>
        merchantCategory !== null && isBlocked(merchantCategory)
          ? `The connection does not accept the merchant category ${merchantCategory}.`
          : undefined
    }
  },
  recurring: {
    code: "RECURRING_NOT_SUPPORTED",
    reason:
      (limit) =>
      ({ payment }) =>
        !limit && payment.initiator === "mit"
          ? "The connection does not accept merchant-initiated payments."
          : undefined
  },
  amount: {
    code: "AMOUNT_OUT_OF_RANGE",
    reason:
      (limit) =>
      ({ payment }) => {
        const range = limit[payment.money.currency]
        return range === undefined || isInRange(range, payment.money.minorUnits)
          ? undefined
          : `The amount is outside the connection's limits for ${payment.money.currency}.`
      }
  },
  expresses: {
    code: "AMOUNT_OUT_OF_RANGE",
    reason:
      (expresses) =>
      ({ payment: { money } }) =>
        expresses(money)
          ? undefined
          : `The provider cannot express ${money.minorUnits} minor units of ${money.currency}.`
  },
  requiresAuthentication: {
    code: "AUTHENTICATION_REQUIRED",
    reason: (limit) => {
      const asksFor = among(limit)
      return ({ payment }) =>
        payment.initiator === "cit" && asksFor(payment.country)
          ? `The connection accepts customers from ${payment.country} only with authentication.`
          : undefined
    }
  }
}

const checkedFields = Object.keys(eligibilityChecks) as ReadonlyArray<keyof ProviderSupports>

interface Limit {
  readonly field: keyof ProviderSupports
  readonly code: ExclusionCode
  readonly reason: Reason
}

/** What is said of every payment with the same traits, for the same merchant. */
interface Said {
  /** The first limit before that of the amount that excludes it, and the first one after. */
  readonly before: Reasoned | undefined
  readonly after: Reasoned | undefined
  /** The restrictions that match it but for its amount. */
  readonly restrictions: ReadonlyArray<Condition>
}
type Reasoned = Pick<Exclusion, "code" | "reason">

interface Prepared {
  /** Field by field, the connection's own before its provider's. */
  readonly limits: ReadonlyArray<Limit>
  /** By the key of a question. */
  readonly said: Map<string, Said>
}

/** By a connection, and then by its provider's limits: prepared once for each configuration. */
const prepared = new WeakMap<Connection, WeakMap<ProviderSupports, Prepared>>()

/**
 * A name says more than its kind, where names are declared and a page is opened for it. Of a direct charge the stored
 * credential decides what is charged, so that its kind must be taken.
 */
const byKind = (field: keyof ProviderSupports, { paymentMethods }: ProviderSupports, reason: Reason): Reason =>
  field !== "methods" || paymentMethods === undefined
    ? reason
    : (question) => (question.payment.paymentMethod === undefined || isDirect(question) ? reason(question) : undefined)

/** A page is opened without stored credentials; connectors that take names of more kinds refuse a direct charge without one. */
const isDirect = ({ instrumentConnectionIds }: EligibilityQuestion): boolean => instrumentConnectionIds !== null

const preparedFor = (connection: Connection, providers: ProviderSupports): Prepared => {
  const ofConnection = prepared.get(connection) ?? new WeakMap<ProviderSupports, Prepared>()
  const known = ofConnection.get(providers)
  if (known !== undefined) return known
  const limits = checkedFields.flatMap((field) => {
    const { code, reason } = eligibilityChecks[field] as EligibilityCheck<unknown>
    const both: ReadonlyArray<ProviderSupports> = [connection.supports, providers]
    const limited = both.flatMap((supports) =>
      supports[field] === undefined ? [] : [{ field, code, reason: byKind(field, supports, reason(supports[field])) }]
    )
    // What neither declares is not known to be taken.
    return field === "paymentMethods" && limited.length === 0 ? [{ field, code, reason: reason({}) }] : limited
  })
  const made: Prepared = { limits, said: new Map() }
  prepared.set(connection, ofConnection.set(providers, made))
  return made
}

/** One question is asked of every connection. */
const keys = new WeakMap<EligibilityQuestion, string>()

const keyOf = (question: EligibilityQuestion): string => {
  const known = keys.get(question)
  if (known !== undefined) return known
  const { merchantCategory, merchantCountry, payment } = question
  const key = JSON.stringify([merchantCountry, merchantCategory, isDirect(question), traitsOf(payment)])
  keys.set(question, key)
  return key
}

const isBeforeAmount = ({ field }: Limit): boolean => checkedFields.indexOf(field) < checkedFields.indexOf("amount")
const isAfterAmount = ({ field }: Limit): boolean => checkedFields.indexOf(field) > checkedFields.indexOf("expresses")
const isOfAmount = ({ field }: Limit): boolean => field === "amount" || field === "expresses"

/** The first reason among the limits that are asked for. */
const firstReason = (
  limits: ReadonlyArray<Limit>,
  isAsked: (limit: Limit) => boolean,
  question: EligibilityQuestion
): Reasoned | undefined => {
  for (const limit of limits) {
    const reason = isAsked(limit) ? limit.reason(question) : undefined
    if (reason !== undefined) return { code: limit.code, reason }
  }
  return undefined
}

/** The first reason why a connection may not take the payment; `undefined` when it may. */
export const exclusionOf = (
  connection: Connection,
  /** The limits of the provider itself, besides the connection's own. */
  providerSupports: ProviderSupports,
  question: EligibilityQuestion
): Exclusion | undefined => {
  const { account, id: connectionId, name } = connection
  if (account !== undefined && account.changedAt !== null) return { connectionId, name, ...accountChanged }
  const { limits, said } = preparedFor(connection, providerSupports)
  const { payment } = question
  const { after, before, restrictions } = remembered(said, keyOf(question), () => ({
    before: firstReason(limits, isBeforeAmount, question),
    after: firstReason(limits, isAfterAmount, question),
    restrictions: connection.restrictions.filter((restriction) => matchesBesidesAmount(restriction, payment))
  }))
  const found =
    before ??
    firstReason(limits, isOfAmount, question) ??
    after ??
    (restrictions.some((restriction) => matchesAmount(restriction, payment)) ? restricted : undefined) ??
    (question.instrumentConnectionIds?.has(connection.id) === false ? withoutInstrument : undefined)
  return found === undefined ? undefined : { connectionId, name, ...found }
}

const accountChanged: Reasoned = {
  code: "ACCOUNT_CHANGED",
  reason: "The connection's credentials opened another account of the provider."
}

const restricted: Reasoned = {
  code: "RESTRICTION_VIOLATED",
  reason: "A restriction of the connection matches the payment."
}
const withoutInstrument: Reasoned = {
  code: "INSTRUMENT_NOT_AVAILABLE",
  reason: "The request has no stored credential for the connection."
}

/** The limits of a provider itself: of what it takes, and of the amounts that its API can express. */
export interface ProviderSupports extends Supports, Pick<ConnectorDefinition, "expresses"> {}

/** The limits of a connection's provider itself, as its connector knows them; none where it is not installed. */
export const providerLimits =
  (connectors: Connectors["Service"]) =>
  ({ connector }: Pick<Connection, "connector">): ProviderSupports =>
    Option.match(connectors.definition(connector), { onNone: () => noLimits, onSome: limitsOf })

const noLimits: ProviderSupports = {}

/** One object for each definition, because eligibility remembers what it prepared for the object. */
const known = new WeakMap<ConnectorDefinition, ProviderSupports>()

const limitsOf = (definition: ConnectorDefinition): ProviderSupports => {
  const found = known.get(definition)
  if (found !== undefined) return found
  const { expresses, supports } = definition
  const made = expresses === undefined ? supports : { ...supports, expresses }
  known.set(definition, made)
  return made
}
