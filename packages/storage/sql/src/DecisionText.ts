/** Routing decisions as they are stored with a payment: what they are made on, and what came of each attempt. */
import type { Attempt, Payment, RoutingAttempt, RoutingCandidate, RoutingDecision, RoutingGiven } from "@pointsman/core"
import { type Names, type Packed, pack, unpack } from "./Packing.ts"

export type Decided = Omit<RoutingDecision, "attempts" | "skipped">

export const decided: Names<Decided> = {
  path: "p",
  strategy: "s",
  mode: "m",
  rule: "r",
  maxAttempts: "n",
  candidates: "c",
  excluded: "x",
  eligibilityVersion: "v",
  degraded: "d",
  draws: "w",
  note: "t",
  given: "g",
  maxApprovalLossPpm: "l"
}
const usualDecided: Partial<Decided> = {
  path: "engine",
  strategy: "priority",
  mode: "failover",
  rule: null,
  maxAttempts: 2,
  excluded: [],
  eligibilityVersion: "1",
  degraded: false,
  draws: [],
  note: null
}
const candidate: Names<RoutingCandidate> = {
  connectionId: "c",
  name: "n",
  priority: "p",
  score: "s",
  rates: "r",
  value: "v"
}
const usualCandidate: Partial<RoutingCandidate> = { score: null, rates: null }
const given: Names<RoutingGiven> = {
  merchantCountry: "c",
  merchantCategory: "g",
  instruments: "i",
  unable: "u",
  circuits: "x"
}
const usualGiven: Partial<RoutingGiven> = {
  merchantCountry: null,
  merchantCategory: null,
  instruments: null,
  unable: [],
  circuits: []
}

export const packDecision = (routing: RoutingDecision | null): Packed | null =>
  routing && {
    ...pack(decided, routing, usualDecided),
    c: routing.candidates.map((one) => pack(candidate, one, usualCandidate)),
    g: pack(given, routing.given, usualGiven)
  }

export const unpackDecision = (packed: Packed | null): Decided | null =>
  packed && {
    ...unpack(decided, packed, usualDecided),
    candidates: (packed["c"] as ReadonlyArray<Packed>).map((one) => unpack(candidate, one, usualCandidate)),
    given: unpack(given, packed["g"] as Packed, usualGiven)
  }

const tried: Names<RoutingAttempt> = {
  attemptId: "a",
  connectionId: "c",
  outcome: "o",
  code: "k",
  decline: "d"
}
type CaptureMethod = Payment["captureMethod"]

/** Of most attempts. */
export const usualOutcome = (captureMethod: CaptureMethod) => (captureMethod === "manual" ? "Authorized" : "Captured")

const usualTried = (routing: Decided | null, captureMethod: CaptureMethod): Partial<RoutingAttempt> => ({
  outcome: usualOutcome(captureMethod),
  code: null,
  ...(routing?.candidates[0] && { connectionId: routing.candidates[0].connectionId })
})

export const packTried = (routing: RoutingDecision, captureMethod: CaptureMethod): ReadonlyArray<Packed> =>
  routing.attempts.map((one) => pack(tried, one, usualTried(routing, captureMethod)))

export const unpackTried = (
  packed: ReadonlyArray<Packed>,
  routing: Decided,
  captureMethod: CaptureMethod
): ReadonlyArray<RoutingAttempt> => packed.map((one) => unpack(tried, one, usualTried(routing, captureMethod)))

/** Whether a decision says of attempts what they say themselves. */
export const isTold = ({ attempts: all }: RoutingDecision, attempts: ReadonlyArray<Attempt>): boolean =>
  all.length === attempts.length &&
  all.every(({ attemptId, code, connectionId, decline, outcome }, index) => {
    const one = attempts[index] as Attempt
    const isSame = one.id === attemptId && one.connectionId === connectionId
    return isSame && one.outcome === outcome && one.code === code && decline === undefined
  })

/** What a decision says of attempts, where it says no more than they do. */
export const triedOf = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<RoutingAttempt> =>
  attempts.map(({ code, connectionId, id, outcome }) => ({ attemptId: id, connectionId, outcome, code }))
