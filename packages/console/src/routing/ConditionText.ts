/** Conditions of rules and limits of connections in words. */
import {
  type AmountRange,
  type CaptureMethod,
  type Condition,
  type Initiator,
  isCurrency,
  type NamedMethodLimits,
  type RoutingMode,
  type Supports
} from "@pointsman/core"
import { amountText } from "@pointsman/core/internal"

const initiators: Readonly<Record<Initiator, string>> = {
  cit: "started by the customer",
  mit: "started by the merchant"
}
const captures: Readonly<Record<CaptureMethod, string>> = {
  automatic: "captured automatically",
  manual: "captured manually"
}

const listed = (values: ReadonlyArray<string>): string => (values.length === 0 ? "none" : values.join(", "))

/** `undefined` for a currency: minor units, of whichever currency. */
const rangeText = ({ max, min }: AmountRange, currency: string | undefined): string => {
  const text = (minorUnits: number) =>
    currency === undefined ? `${minorUnits} minor units` : amountText({ minorUnits, currency }, "en")
  const parts = [
    ...(min === undefined ? [] : [`from ${text(min)}`]),
    ...(max === undefined ? [] : [`up to ${text(max)}`])
  ]
  return parts.length === 0 ? "of any amount" : parts.join(" ")
}

/** `all payments`, or what they have to be: `EUR; customers from NL, DE; from €10.00`. */
export const conditionText = (condition: Condition): string => {
  const { amount, captureMethod, cardBrand, country, currency, initiator, method, paymentMethod } = condition
  const [only, other] = currency ?? []
  const parts = [
    ...(currency === undefined ? [] : [listed(currency)]),
    ...(amount === undefined ? [] : [rangeText(amount, other === undefined ? currencyOf(only) : undefined)]),
    ...(country === undefined ? [] : [`customers from ${listed(country)}`]),
    ...(method === undefined ? [] : [`method ${listed(method)}`]),
    ...(paymentMethod === undefined ? [] : [`payment method ${listed(paymentMethod)}`]),
    ...(cardBrand === undefined ? [] : [`card brand ${listed(cardBrand)}`]),
    ...(initiator === undefined ? [] : [listed(initiator.map((one) => initiators[one]))]),
    ...(captureMethod === undefined ? [] : [listed(captureMethod.map((one) => captures[one]))])
  ]
  return parts.length === 0 ? "all payments" : parts.join("; ")
}

/** A configuration may write one in lower case. */
const currencyOf = (code: string | undefined): string | undefined =>
  code !== undefined && isCurrency(code.toUpperCase()) ? code.toUpperCase() : undefined

const namedText = ([name, { currencies, manualCapture }]: [string, NamedMethodLimits]): string => {
  const limits = [
    ...(currencies === undefined ? [] : [`in ${listed(currencies)}`]),
    ...(manualCapture === false ? ["captured at once"] : [])
  ]
  return limits.length === 0 ? name : `${name} (${limits.join("; ")})`
}

type LimitText<Value> = (value: Value) => ReadonlyArray<string>

/** A limit without words does not compile. */
const limits: { readonly [Field in keyof Required<Supports>]: LimitText<NonNullable<Supports[Field]>> } = {
  currencies: (list) => [`Accepts ${listed(list)}.`],
  payerCountries: (list) => [`Accepts customers from ${listed(list)}.`],
  methods: (list) => [`Accepts the methods ${listed(list)}.`],
  paymentMethods: (methods) => [`Accepts by name: ${listed(Object.entries(methods).map(namedText))}.`],
  cardBrands: (list) => [`Accepts the card brands ${listed(list)}.`],
  recurring: (isTaken) => (isTaken ? [] : ["Accepts no payments that the merchant starts."]),
  merchantCountries: (list) => [`Accepts merchants registered in ${listed(list)}.`],
  blockedCategories: (list) => (list.length === 0 ? [] : [`Does not accept the merchant categories ${listed(list)}.`]),
  amount: (ranges) =>
    Object.entries(ranges).map(([currency, range]) => `In ${currency}: ${rangeText(range, currencyOf(currency))}.`),
  requiresAuthentication: (list) =>
    list.length === 0 ? [] : [`Accepts customers from ${listed(list)} only with authentication.`]
}

/** One sentence for each limit. */
export const limitTexts = (supports: Supports): ReadonlyArray<string> =>
  (Object.keys(limits) as ReadonlyArray<keyof Supports>).flatMap((field) => {
    const value = supports[field]
    const text = limits[field] as LimitText<unknown>
    return value === undefined ? [] : text(value)
  })

export const modeTexts: Readonly<Record<RoutingMode, string>> = {
  fixed: "one connection is tried, without failover",
  priority: "the next connection is tried after a technical error before anything was executed",
  failover:
    "the next connection is tried after a technical error before anything was executed, and after a soft decline",
  auto: "the connection that succeeds most often comes first; what follows is as in failover"
}
