/** Requests that reach the provider, and what it does with each. */

/** What a provider does with one request, and what it says. */
const handlings = [
  "executed",
  "declined",
  "softDeclined",
  "rejected",
  "notSent",
  "accepted",
  "acceptedAndRefused",
  "executedInSilence",
  "lost",
  "late",
  "statesMore",
  "statesLess",
  "opposite",
  "cannotSay"
] as const
export type RequestHandling = (typeof handlings)[number]

export type Script = readonly [RequestHandling, ...ReadonlyArray<RequestHandling>]

/** How the script handles a request, counted from 0. */
export const handlingOf = (script: Script, request: number): RequestHandling =>
  script[Math.min(request, script.length - 1)] ?? script[0]

/** Whether its lookups can tell what it did not do. */
export const canSay = (script: ReadonlyArray<RequestHandling>): boolean => !script.includes("cannotSay")

/** A request that left our machine. */
export interface SentRequest {
  /** Of the attempt, the operation or the refund. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly leftAt: number
  /** Whether money moved, or was held or released, because of it. */
  isExecuted: boolean
}

/**
 * Called between a request and its answer, beyond the process that asked. Where the process ends at this point it is
 * `true`, and the provider continues without it.
 */
export type Cut = (point: "on its way" | "done, and not answered") => boolean
