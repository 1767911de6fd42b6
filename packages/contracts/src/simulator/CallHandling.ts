/** How the simulated provider handles a call: drawn by a simulation, or chosen by a test. All times are milliseconds. */
import type { Draw } from "./Draw.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Of every connection of a simulated world. */
export const timeoutMillis = 30 * second

/** What a provider does in its own time. */
export type LaterOn = "done" | "refused" | "canceled"

export type CallHandling =
  /** Does what it is asked, and says so. */
  | { readonly _tag: "Answered" }
  /** As `Answered`, after a while. Where that is later than the time-out, the answer is lost. */
  | { readonly _tag: "Slow"; readonly takes: number }
  /** Does what it is asked at once, and says so after a while, within the time-out: meanwhile messages tell of it. */
  | { readonly _tag: "Late"; readonly answers: number }
  /** It sends no answer. It executes the request after a while, twice the time-out at most; or never (`null`). */
  | { readonly _tag: "Unheard"; readonly doneAfter: number | null; readonly silentFor: number }
  /** Unheard too, and done at any time: until then it cannot say that it never will be. */
  | { readonly _tag: "Postponed"; readonly doneAfter: number }
  /** Says that it did nothing. */
  | { readonly _tag: "Rejected" }
  /** Was not reached. */
  | { readonly _tag: "NotSent" }
  /** Takes it, and is done with it later; of a capture or a void it may then say that it failed (`refused`). */
  | { readonly _tag: "Accepted"; readonly after: number; readonly becomes: LaterOn }
  /** Says no: to a charge for good, or for this provider alone (`soft`). To a refund that it failed. */
  | { readonly _tag: "Declined"; readonly soft: boolean }

export const answered: CallHandling = { _tag: "Answered" }

/** How it handles a lookup. `unsure`: what is not found may still come. */
export type LookUpHandling = "told" | "unsure" | "silent" | { readonly takes: number }

export interface ProviderCall {
  readonly name: "charge" | "openCheckout" | "capture" | "void" | "refund" | "submitDispute" | "acceptDispute"
  /** The idempotency key of the call: the id of an attempt, an operation, a refund or a submission. */
  readonly id: string
  readonly paymentId: string
}

/**
 * A faulty handling. A capture and a void are never postponed: what is looked up is their charge, and
 * of that a provider cannot say that it is not sure.
 */
export const drawHandling = (draw: Draw, name: ProviderCall["name"]): CallHandling => {
  const later = () => draw.pick([2 * minute, 50 * minute, 5 * hour, 30 * hour])
  switch (draw.below(10)) {
    case 0: {
      const takes = draw.pick([second, 20 * second, timeoutMillis - 1, timeoutMillis + second, 50 * second])
      return { _tag: "Slow", takes }
    }
    case 1:
      return { _tag: "Unheard", doneAfter: 0, silentFor: draw.pick([0, timeoutMillis]) }
    case 2:
      return { _tag: "Unheard", doneAfter: null, silentFor: draw.pick([0, timeoutMillis]) }
    case 3: {
      const doneAfter = 1 + draw.below(2 * timeoutMillis - 1)
      return { _tag: "Unheard", doneAfter, silentFor: draw.pick([0, timeoutMillis]) }
    }
    case 4:
      if (name === "capture" || name === "void") return answered
      return { _tag: "Postponed", doneAfter: later() }
    case 5:
      return { _tag: "Rejected" }
    case 6:
      return { _tag: "NotSent" }
    case 7:
      return { _tag: "Late", answers: draw.pick([second, 20 * second, timeoutMillis - 1]) }
    case 8:
      return { _tag: "Accepted", after: later(), becomes: draw.pick(["done", "done", "refused", "canceled"]) }
    default:
      return { _tag: "Declined", soft: draw.chance(0.7) }
  }
}

/** A lookup that does not tell at once what is in the books. */
export const drawLookUp = (draw: Draw): LookUpHandling =>
  draw.pick<LookUpHandling>(["silent", "unsure", { takes: draw.pick([second, 20 * second]) }])
