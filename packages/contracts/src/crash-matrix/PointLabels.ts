/**
 * Labels for the points at which a process may end: how far the work has come there. A read has no point of its own:
 * it changes nothing outside, so an end before or after it equals an end at the point before it.
 */
import type { Change } from "@pointsman/core/ports"
import { type Boundary, type Crossing, isWrite } from "../simulator/Boundary.ts"

export interface PointLabels {
  /** `undefined` where there is no point. */
  readonly of: (boundary: Boundary) => string | undefined
  /** The point between the two sides of the last commit, or of the last request. */
  readonly between: (what: "commit" | "request", then: string) => string
}

export const makePointLabels = (): PointLabels => {
  let claims = 0
  let requests = 0
  let commit = ""
  let mayHaveTaken = false
  const requestName = () => nth("request", requests)
  return {
    of: ({ change, crossing, side }) => {
      const isBefore = side === "before"
      if (change !== undefined) {
        if (change.events.some(({ type }) => type === "dispute.evidence_due")) {
          return `the reminder is ${isBefore ? "not written" : "written"}`
        }
        if (isBefore && isClaim(change)) claims += 1
        if (isBefore) commit = isClaim(change) ? nth("claim", claims) : "the outcome"
        return `${commit} is ${isBefore ? "not written" : "written"}`
      }
      if (crossing === "ledger.takeDue") {
        mayHaveTaken = !isBefore
        return undefined
      }
      if (crossing === "ledger.book" && mayHaveTaken) {
        // Most of the time nothing is due. What was taken is read next.
        mayHaveTaken = false
        return "the payment is due, and not looked at"
      }
      if (crossing.startsWith("provider.lookUp")) {
        return isBefore ? "the lookup has not left" : "what the lookup found is known to the process"
      }
      if (crossing.startsWith("provider.")) {
        if (isBefore) requests += 1
        return isBefore ? `${requestName()} has not left` : `the end of ${requestName()} is known to the process`
      }
      return isWrite(crossing)
        ? `${writes[crossing] ?? crossing} is ${isBefore ? "not written" : "written"}`
        : undefined
    },
    between: (what, then) => `${what === "commit" ? commit : requestName()} is ${then}`
  }
}

const writes: Partial<Record<Crossing, string>> = { "ledger.postpone": "the time of the next look" }

const nth = (what: string, count: number): string =>
  count <= 1 ? `the ${what}` : count === 2 ? `the second ${what}` : `${what} ${count}`

/** What is written before a provider is asked. */
const isClaim = ({ attempts, disputes = [], operations = [], payment, refunds = [] }: Change): boolean =>
  payment.expected === 0 ||
  attempts.some(({ outcome }) => outcome === null) ||
  operations.some(({ outcome }) => outcome === null) ||
  refunds.some(({ stage }) => stage === "Sending") ||
  disputes.some(({ submissions }) => submissions.at(-1)?.stage === "Sending")
