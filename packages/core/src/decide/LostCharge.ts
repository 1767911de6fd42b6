/**
 * A create under a key that is not on file, while a loss of records is recent: which charges the request may have made
 * before it was lost, and under which id it may be sent now. Pure.
 *
 * The rule that a reader would otherwise break: the request is sent while at most one of the ids that it may have had can
 * have been executed, and then under that id. Its provider answers a repeated id with the first answer, on any day.
 */
import { keyRetentionMillis } from "../model/Claim.ts"
import type { Connection } from "../model/Connection.ts"
import type { ChargeState } from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"
import { startOfDay } from "./DerivedId.ts"

/** A loss of records; all in epoch milliseconds. */
export interface LossTimes {
  readonly since: number
  readonly declaredAt: number
}

/**
 * The UTC days on which lost requests can have been made whose keys are still kept: two at most, in epoch milliseconds.
 * `answeredWithinMillis`: how long a request takes at most.
 */
export const lostDays = (
  { declaredAt, since }: LossTimes,
  now: number,
  answeredWithinMillis: number
): ReadonlyArray<number> => {
  const from = Math.max(since, now - keyRetentionMillis - answeredWithinMillis)
  // What was lost was answered before the loss was noticed: those keys have ended.
  if (from > declaredAt) return []
  const [first, last] = [startOfDay(from), startOfDay(declaredAt)]
  return first === last ? [last] : [first, last]
}

/** The id of a charge by what it is derived from besides the key. */
export interface ChargePlace {
  readonly connection: Connection
  /** The start of a UTC day, in epoch milliseconds. */
  readonly day: number
}

/**
 * What a provider states of one id. `denied`: never executed. `possible`: it has no record, and cannot rule it out.
 * `unanswered`: the same request is worth sending again soon.
 */
export interface LostFinding extends ChargePlace {
  readonly state: ChargeState | "denied" | "possible" | "unanswered"
}

export type LostCharge =
  | { readonly _tag: "None" }
  /** It was made: the payment is recorded as this, and nothing is sent. */
  | ({ readonly _tag: "Made"; readonly state: ChargeState } & ChargePlace)
  /** It may have been made under this id alone, which is sent first. */
  | ({ readonly _tag: "MaybeMade" } & ChargePlace)
  | { readonly _tag: "Undecided"; readonly connection: Connection; readonly why: "unanswered" | "ambiguous" }

export const lostCharge = (findings: ReadonlyArray<LostFinding>): LostCharge => {
  const made: Array<ChargePlace & { readonly state: ChargeState }> = []
  for (const { state, ...place } of findings) if (typeof state !== "string") made.push({ ...place, state })
  const holding = made.find(({ state }) => holdsMoney.has(state._tag))
  if (holding !== undefined) return { _tag: "Made", ...holding }
  const unanswered = findings.find(({ state }) => state === "unanswered")
  if (unanswered !== undefined) return { _tag: "Undecided", connection: unanswered.connection, why: "unanswered" }
  const [possible, ...others] = findings.filter(({ state }) => state === "possible")
  const last = made.at(-1)
  if (possible === undefined) return last === undefined ? { _tag: "None" } : { _tag: "Made", ...last }
  const { connection, day } = possible
  if (others.length > 0 || last !== undefined) return { _tag: "Undecided", connection, why: "ambiguous" }
  return { _tag: "MaybeMade", connection, day }
}

const holdsMoney: ReadonlySet<ChargeState["_tag"]> = new Set(["Authorized", "Captured", "Pending"])

/** Whether a charge states another amount than a request can have asked for. */
export const isOfOtherRequest = (asked: Money, state: ChargeState): boolean => {
  const stated = "stated" in state ? state.stated : undefined
  return stated !== undefined && (stated.currency !== asked.currency || stated.minorUnits > asked.minorUnits)
}
