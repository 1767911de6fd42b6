/** Parts of the sentences of findings about rules. */
import type { Condition } from "@pointsman/core"

/** Why no payment has what the condition asks for in the field. */
export const contradictionOf = (field: keyof Condition, when: Condition): string => {
  if (field !== "amount") {
    const wanted: ReadonlyArray<string> = when[field] ?? []
    return wanted.length === 0
      ? `Its condition has an empty list for ${field}.`
      : `No payment can match its condition on ${field}: ${listed(wanted, "or")}.`
  }
  const { max, min } = when.amount ?? {}
  return min !== undefined && max !== undefined && min > max
    ? `Its minimum amount ${min} is above its maximum ${max}.`
    : "Its amount range is outside the amounts that a payment can have."
}

export const rulesOf = (names: ReadonlyArray<string>): string => {
  const quoted = listed(names.map((name) => `"${name}"`))
  return names.length === 1 ? `the rule ${quoted}` : `the rules ${quoted} together`
}

/** As many names as a sentence can hold and still be read. */
const namedAtMost = 5

/** "EUR, USD and GBP" */
export const listed = (names: ReadonlyArray<string>, conjunction = "and"): string => {
  const rest = names.length - namedAtMost
  const shown = rest > 0 ? [...names.slice(0, namedAtMost), `${rest} more`] : names
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} ${conjunction} ${shown.at(-1)}`
}
