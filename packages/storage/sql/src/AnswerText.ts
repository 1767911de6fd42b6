/**
 * Payments as requests were answered, for replays, beside the payment as it is; and routing decisions: what they are made on,
 * and what came of each attempt.
 *
 * The answer to a create is written once. It leaves out only fields that its payment never changes, and texts that an
 * erasure removes from both.
 */
import type {
  Attempt,
  Claim,
  Payment,
  RoutingAttempt,
  RoutingCandidate,
  RoutingDecision,
  RoutingGiven
} from "@pointsman/core"
import { fingerprintOf, idOf, isSame, type Packed, packing, shortFingerprint, shortId } from "./Packing.ts"

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

/** What a create decides. */
const created = {
  country: ["c"],
  method: ["m", "card"],
  paymentMethod: ["pm"],
  cardBrand: ["b", null],
  initiator: ["i", "cit"],
  captureMethod: ["cm", "automatic"],
  idempotencyKey: ["k", null],
  hosted: ["h", null],
  simulation: ["s", null],
  metadata: ["d", null],
  purchase: ["p", null]
} as const
export type Created = Pick<Payment, keyof typeof created>
export const details = packing<Created>(created)

/** What moves, beside columns of its own. */
const moved = {
  providerRef: ["p", null],
  declineCategory: ["dc", null],
  declineReason: ["dr", null],
  reported: ["rp", null],
  review: ["rv", null],
  corrections: ["co"],
  updatedAt: ["u"],
  settledAt: ["s", null]
} as const
export type Moved = Pick<Payment, keyof typeof moved>
export const moving = packing<Moved>(moved)

/** Names that both have mean something else here. What is usual says the payment as it is. */
const answer = packing<Omit<Payment, "routing">>({
  ...created,
  ...moved,
  id: ["id"],
  tenant: ["w"],
  version: ["v"],
  state: ["z"],
  money: ["$"],
  authorizedMinor: ["au"],
  capturedMinor: ["ca"],
  refundedMinor: ["re"],
  refundPendingMinor: ["rn"],
  createdAt: ["at"],
  reference: ["rf"],
  connectionId: ["n"],
  providerRef: ["pr"],
  settledAt: ["se"]
})

export type Shown = { readonly _tag: string; readonly payment?: Payment } | null

/** Beside the payment, so that most of a reply is what the payment says. */
export const packAnswer = (shown: Payment, usual: Payment): Packed => ({
  ...answer.pack(shown, usual, usual.createdAt),
  ...(shown.routing !== usual.routing && !isSame(shown.routing, usual.routing) && { R: shown.routing })
})
export const unpackAnswer = (packed: Packed, usual: Payment): Payment => ({
  ...answer.unpack(packed, usual, usual.createdAt),
  routing: "R" in packed ? (packed["R"] as RoutingDecision | null) : usual.routing
})

/** What a payment that was captured at once was answered; `payment` gives what never changes of it. */
const usualAnswer = (payment: Payment, { answeredAt, version }: Pick<Claim, "answeredAt" | "version">): Payment => {
  const { corrections: _, ...rest } = payment
  return {
    ...rest,
    version,
    state: payment.captureMethod === "manual" ? "Authorized" : "Captured",
    declineCategory: null,
    declineReason: null,
    authorizedMinor: payment.money.minorUnits,
    capturedMinor: payment.captureMethod === "manual" ? 0 : payment.money.minorUnits,
    refundedMinor: 0,
    refundPendingMinor: 0,
    connectionId: payment.routing?.candidates[0]?.connectionId ?? null,
    providerRef: null,
    reported: null,
    review: null,
    routing: null,
    updatedAt: answeredAt ?? payment.createdAt,
    settledAt: answeredAt
  }
}

/** The row has the key, as a hash, its version and the time of the claim. `payment`: as it is written beside it. */
export const claimText = (claim: Claim, payment: Payment): string => {
  const { answer: shown, answeredAt, fingerprint, key, state } = claim
  const isSameDecision =
    shown !== null && shown.routing !== null && isSame(packDecision(shown.routing), packDecision(payment.routing))
  return JSON.stringify({
    f: shortFingerprint(fingerprint),
    ...(state !== "Answered" && { s: state }),
    ...(answeredAt !== null && { a: answeredAt - payment.createdAt }),
    ...(key !== payment.idempotencyKey && { k: shortId("", key) }),
    ...(shown !== null && {
      w: {
        ...packAnswer(isSameDecision ? { ...shown, routing: null } : shown, usualAnswer(payment, claim)),
        ...(isSameDecision &&
          shown.routing && { t: packTried(shown.routing, payment.captureMethod), K: shown.routing.skipped })
      }
    })
  })
}

export const readClaimText = (
  text: string,
  { claimedAt, version }: Pick<Claim, "claimedAt" | "version">,
  payment: Payment
): Claim => {
  const packed = JSON.parse(text) as Packed
  const answeredAt = "a" in packed ? (packed["a"] as number) + payment.createdAt : null
  const shown = packed["w"] as Packed | undefined
  return {
    key: "k" in packed ? idOf("", packed["k"] as string) : (payment.idempotencyKey as string),
    version,
    state: (packed["s"] ?? "Answered") as Claim["state"],
    fingerprint: fingerprintOf(packed["f"] as string),
    paymentId: payment.id,
    claimedAt,
    answeredAt,
    answer:
      shown === undefined
        ? null
        : withDecision(unpackAnswer(shown, usualAnswer(payment, { answeredAt, version })), shown, payment)
  }
}

const withDecision = (shown: Payment, packed: Packed, { captureMethod, routing }: Payment): Payment => {
  if (!("t" in packed) || routing === null) return shown
  const { attempts: _, skipped: __, ...decision } = routing
  return {
    ...shown,
    routing: {
      ...decision,
      attempts: unpackTried(packed["t"] as ReadonlyArray<Packed>, decision, captureMethod),
      ...("K" in packed && { skipped: packed["K"] as NonNullable<RoutingDecision["skipped"]> })
    }
  }
}
