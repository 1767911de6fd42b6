/** What a row names, and how the references that Pointsman's connectors send are recognized in it. */
import type { ReportNames } from "@pointsman/core/connector"

export const noNames: ReportNames = {
  attemptId: null,
  operationId: null,
  refundId: null,
  providerRef: null,
  providerRefundId: null,
  disputeId: null,
  reference: null
}

/** Ids of Pointsman begin with what they are of. A text of the merchant's is its reference. */
export const nameIn = (text: string): Partial<ReportNames> => {
  if (text === "") return {}
  if (text.startsWith("att_")) return { attemptId: text }
  if (text.startsWith("op_")) return { operationId: text }
  if (text.startsWith("rf_")) return { refundId: text }
  return { reference: text }
}

const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

/**
 * Adyen's merchant reference, of a payment or of what was done with one: our attempt with a word of what it is, and the digits
 * of our operation behind `take` or `void`. A refund's is its id.
 */
export const nameInAdyen = (text: string): Partial<ReportNames> => {
  const [, attemptId, word, digits] =
    /^([^.]+)\.(taken|held|take|void|capture|cancel)(?:\.([A-Za-z0-9_-]+))?$/u.exec(text) ?? []
  if (attemptId === undefined) return nameIn(text)
  if (digits === undefined || word === "taken" || word === "held") return { attemptId }
  return { attemptId, operationId: /^[0-9a-f]{32}$/u.test(digits) ? `op_${uuidOf(digits)}` : digits }
}

const prefixes: ReadonlyMap<string, string> = new Map([
  ["a", "att_"],
  ["c", "op_"],
  ["v", "op_"],
  ["r", "rf_"]
])

/** 36 ** 25 is more than 2 ** 128. */
const inBase36 = /^([acvr])([0-9a-z]{5})([0-9a-z]{10})([0-9a-z]{10})$/u
const base = 36n ** 10n

const part = (text: string): bigint => BigInt(Number.parseInt(text, 36))

/** Checkout.com's reference: a letter for what it is of, and the UUID of our id in base 36; another id is behind a full stop. */
export const nameInCheckout = (text: string): Partial<ReportNames> => {
  const plain = /^[acvr]\.(.+)$/u.exec(text)?.[1]
  if (plain !== undefined) return nameIn(plain)
  const [, letter, first, middle, last] = inBase36.exec(text) ?? []
  if (letter === undefined || first === undefined || middle === undefined || last === undefined) return nameIn(text)
  const hex = ((part(first) * base + part(middle)) * base + part(last)).toString(16).padStart(32, "0")
  return hex.length > 32 ? nameIn(text) : nameIn(`${prefixes.get(letter)}${uuidOf(hex)}`)
}
