/** How the simulated provider handles a call: drawn by a simulation, or chosen by a test. All times are milliseconds. */
import type { Environment } from "@pointsman/core"
import type { Effect } from "effect"
import type { Draw } from "./Draw.ts"
import type { Letter } from "./ProviderMail.ts"
import { hour, minute, second, type Time } from "./Time.ts"

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

/** In what a provider differs from others, all through a run. */
export interface ProviderWays {
  /** It writes of a capture or a void that was done by its id; else of the charge. */
  readonly writesOfOperations: boolean
  /** The amount of a capture is in its messages alone, and in no answer. */
  readonly answersWithoutAmounts: boolean
  /** A payout or a dispute names the charge by the provider's own reference; else by our attempt's id. */
  readonly namesByReference: boolean
  /** A capture that was asked for or made by hand has an id and its own amount; else the charge has a total. */
  readonly givesCaptureIds: boolean
  /** It writes of our refunds by our id; else as of any other. */
  readonly namesRefunds: boolean
  /** The record of a charge lists its refunds. */
  readonly listsRefunds: boolean
}

export const plainWays: ProviderWays = {
  writesOfOperations: false,
  answersWithoutAmounts: false,
  namesByReference: false,
  givesCaptureIds: false,
  namesRefunds: true,
  listsRefunds: false
}

export interface ProviderOptions {
  readonly time: Time
  /** How the provider handles a call; asked once for each call that arrives. */
  readonly handlingOf: (call: ProviderCall) => CallHandling
  readonly lookUpOf: (id: string) => LookUpHandling
  /** Runs as a call arrives, before anything is done: what was written before it was sent has to be there. */
  readonly onCall?: (call: ProviderCall, environment: Environment) => Effect.Effect<void>
  /** The provider reports every change in its books. */
  readonly onLetter?: (letter: Letter) => void
  readonly ways?: ProviderWays
  /** What is captured of what was asked for, in minor units; all of it unless set. */
  readonly captures?: (call: ProviderCall, askedMinor: number) => number
  /** The reference of a new charge, by those that its connection has; one of its own unless set. */
  readonly referenceOf?: (attemptId: string, others: ReadonlyArray<string>) => string
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
