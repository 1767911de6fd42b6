/** Routing decisions as they are stored with a payment: what they are made on, and what came of each attempt. */
import type { Attempt, Payment, RoutingAttempt, RoutingCandidate, RoutingDecision, RoutingGiven } from "@pointsman/core"
import { type Packed, packing } from "./Packing.ts"

export type Decided = Omit<RoutingDecision, "attempts" | "skipped">

export const decided = packing<Decided>({
  path: ["p", "engine"],
  strategy: ["s", "priority"],
  mode: ["m", "failover"],
  rule: ["r", null],
  maxAttempts: ["n", 2],
  candidates: ["c"],
  excluded: ["x", []],
  eligibilityVersion: ["v", "1"],
  degraded: ["d", false],
  draws: ["w", []],
  note: ["t", null],
  given: ["g"],
  maxApprovalLossPpm: ["l"]
})
const candidate = packing<RoutingCandidate>({
  connectionId: ["c"],
  name: ["n"],
  priority: ["p"],
  score: ["s", null],
  rates: ["r", null],
  value: ["v"]
})
const given = packing<RoutingGiven>({
  merchantCountry: ["c", null],
  merchantCategory: ["g", null],
  instruments: ["i", null],
  unable: ["u", []],
  circuits: ["x", []]
})

export const packDecision = (routing: RoutingDecision | null): Packed | null =>
  routing && {
    ...decided.pack(routing),
    c: routing.candidates.map((one) => candidate.pack(one)),
    g: given.pack(routing.given)
  }

export const unpackDecision = (packed: Packed | null): Decided | null =>
  packed && {
    ...decided.unpack(packed),
    candidates: (packed["c"] as ReadonlyArray<Packed>).map((one) => candidate.unpack(one)),
    given: given.unpack(packed["g"] as Packed)
  }

const tried = packing<RoutingAttempt>({
  attemptId: ["a"],
  connectionId: ["c"],
  outcome: ["o"],
  code: ["k", null],
  decline: ["d"]
})
type CaptureMethod = Payment["captureMethod"]

/** Of most attempts. */
export const usualOutcome = (captureMethod: CaptureMethod) => (captureMethod === "manual" ? "Authorized" : "Captured")

const usualTried = (routing: Decided, captureMethod: CaptureMethod): Partial<RoutingAttempt> => ({
  outcome: usualOutcome(captureMethod),
  ...(routing.candidates[0] && { connectionId: routing.candidates[0].connectionId })
})

export const packTried = (routing: RoutingDecision, captureMethod: CaptureMethod): ReadonlyArray<Packed> =>
  routing.attempts.map((one) => tried.pack(one, usualTried(routing, captureMethod)))

export const unpackTried = (
  packed: ReadonlyArray<Packed>,
  routing: Decided,
  captureMethod: CaptureMethod
): ReadonlyArray<RoutingAttempt> => packed.map((one) => tried.unpack(one, usualTried(routing, captureMethod)))

/** What a decision says of attempts, where it says no more than they do, and in the order in which core says it. */
export const triedOf = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<RoutingAttempt> =>
  attempts.map(({ code, connectionId, id, outcome }) => ({ attemptId: id, connectionId, outcome, code }))
