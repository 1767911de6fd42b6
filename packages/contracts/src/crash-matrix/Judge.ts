/**
 * What has to hold between our record, the provider's books and the responses that the client received, at rest. Pure.
 */
import {
  type Dispute,
  type Event,
  type Payment,
  type PaymentState,
  type PaymentStatus,
  statusOf
} from "@pointsman/core"
import { brokenInvariants, type PaymentRecord } from "../Invariants.ts"
import type { Books, ChargeEntry, RefundEntry } from "./Books.ts"
import type { RequestHandling } from "./Requests.ts"

/** One answer to the client. */
export interface Told {
  readonly when: "at first" | "at once" | "after the claim window" | "once settled"
  /** The status of the payment that was answered, or the failure's name without its prefix. */
  readonly says: string
  /** `null` for a failure. */
  readonly paymentId: string | null
  /** `false` for a failure. */
  readonly isReplay: boolean
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Rest {
  readonly records: ReadonlyArray<PaymentRecord & { readonly disputes: ReadonlyArray<Dispute> }>
  readonly books: Pick<Books, "charges" | "refunds" | "requests" | "submissions">
  readonly told: ReadonlyArray<Told>
  /** What the provider did, of the requests that reached it. */
  readonly gone: ReadonlyArray<RequestHandling>
  readonly canSay: boolean
  /** Whether the answers are those of a page, which shows what is so now. */
  readonly isOnPage: boolean
}

/** The sentences that are true and should not be; none for a world in which nothing is wrong. */
export const wrongAtRest = (rest: Rest): ReadonlyArray<string> => [
  ...askedTwice(rest),
  ...heldTwice(rest),
  ...unknownToUs(rest),
  ...rest.records.flatMap((record) => [
    ...brokenInvariants(record),
    ...stillOpen(record, rest),
    ...otherThanTheBooks(record, rest),
    ...record.disputes.flatMap((dispute) => wrongDispute(dispute, record.events, rest))
  ]),
  ...notTrueAnyMore(rest)
]

const when = (is: boolean, sentence: string): ReadonlyArray<string> => (is ? [sentence] : [])

/** Each of our ids is one request on the wire, and nothing was executed for one request after another. */
const askedTwice = ({ books: { charges, refunds, requests } }: Rest) => [
  ...requests.flatMap(({ id }, index) =>
    when(requests.findIndex((one) => one.id === id) < index, `the provider was asked twice for ${id}`)
  ),
  ...when(requests.filter(({ isExecuted }) => isExecuted).length > 1, "the provider executed two requests"),
  ...when(charges.filter(holds).length > 1, `${charges.filter(holds).length} charges hold money`),
  ...when(refunds.filter(({ state }) => state === "Succeeded").length > 1, "money was given back twice")
]

const holds = ({ state }: ChargeEntry): boolean => state === "Authorized" || state === "Captured"

const heldTwice = ({ records }: Rest) =>
  when(records.filter(({ payment }) => payment.authorizedMinor > 0).length > 1, "two payments hold money")

/** Nothing is in the provider's books that is not in ours. */
const unknownToUs = ({ books: { charges, refunds }, records }: Rest) => [
  ...charges.flatMap(({ attemptId }) =>
    when(!records.some(({ attempts }) => attempts.some(({ id }) => id === attemptId)), `no record has ${attemptId}`)
  ),
  ...refunds.flatMap(({ refundId }) =>
    when(!records.some((one) => one.refunds.some(({ id }) => id === refundId)), `no record has ${refundId}`)
  )
]

/** Whether the provider says something that is nothing to build on, or cannot say what it did. */
const isBeyondUs = ({ canSay, gone }: Rest): boolean => !canSay || gone.includes("statesMore")

/** Accepted, and given up since: the authorization remains, as it does while the provider is still processing. */
const looksUnderWay = ({ gone }: Rest, payment: Payment): boolean =>
  gone.includes("acceptedAndRefused") && (payment.state === "CapturePending" || payment.state === "VoidPending")

const inFlight: ReadonlySet<PaymentStatus> = new Set(["PENDING", "REQUIRES_ACTION", "CREATED"])

const stillOpen = ({ attempts, operations, payment, refunds }: PaymentRecord, rest: Rest) => {
  const status = statusOf[payment.state]
  return [
    ...when(inFlight.has(status) && !looksUnderWay(rest, payment), `it is still ${payment.state}`),
    ...when(status === "UNKNOWN" && !isBeyondUs(rest), `it is ${payment.state}, and the provider can say`),
    ...when(
      attempts.some(({ outcome }) => outcome === null),
      "an attempt is in flight"
    ),
    ...when(
      operations.some(({ outcome }) => outcome === null),
      "a capture or a void is in flight"
    ),
    ...refunds.flatMap(({ stage }) => [
      ...when(stage === "Sending" || stage === "Pending", `a refund is still ${stage}`),
      ...when(stage === "Unknown" && !isBeyondUs(rest), "a refund is unknown, and the provider can say")
    ])
  ]
}

interface Truth {
  readonly states: ReadonlyArray<PaymentState>
  readonly authorizedMinor: number
  readonly capturedMinor: number
  readonly refundedMinor: number
}

/** To the cent, and the status that follows from it; where it is known. */
const otherThanTheBooks = ({ disputes, payment, refunds }: Rest["records"][number], rest: Rest) => {
  const { books, gone } = rest
  const charges = books.charges.filter(({ paymentId }) => paymentId === payment.id)
  const given = books.refunds.filter(({ refundId }) => refunds.some(({ id }) => id === refundId))
  const { states: undisputed, ...amounts } = truthOf(charges, given, rest)
  const states = disputes.length > 0 ? [chargedBack] : undisputed
  const isUnknown = statusOf[payment.state] === "UNKNOWN" || refunds.some(({ stage }) => stage === "Unknown")
  // An amount that was not requested is only in the provider's books, until operators have settled it.
  if (isUnknown && gone.includes("statesMore")) return []
  return [
    ...when(
      statusOf[payment.state] !== "UNKNOWN" && !looksUnderWay(rest, payment) && !states.includes(payment.state),
      `it is ${payment.state}, and in truth ${states.join(" or ")}`
    ),
    ...(["authorizedMinor", "capturedMinor", "refundedMinor"] as const).flatMap((field) =>
      when(payment[field] !== amounts[field], `${field} is ${payment[field]}, and in truth ${amounts[field]}`)
    )
  ]
}

const truthOf = (
  charges: ReadonlyArray<ChargeEntry>,
  given: ReadonlyArray<RefundEntry>,
  { isOnPage }: Pick<Rest, "isOnPage">
): Truth => {
  const nothing = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
  const held = charges.find(holds)
  if (held === undefined) {
    const canceled = charges.find(({ state }) => state === "Canceled")
    // What was not taken in the time of the provider's page is cancelled.
    if (canceled === undefined) return { ...nothing, states: ["Declined", "Failed", ...(isOnPage ? [cancelled] : [])] }
    // What was held and released stays on our record as authorized.
    return {
      ...nothing,
      authorizedMinor: canceled.heldMinor,
      states: [canceled.heldMinor > 0 ? "Voided" : "Cancelled"]
    }
  }
  const authorizedMinor = held.heldMinor
  if (held.state === "Authorized") return { ...nothing, authorizedMinor, states: ["Authorized"] }
  const { capturedMinor } = held
  const refundedMinor = given
    .filter(({ state }) => state === "Succeeded")
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  const state = refundedMinor === 0 ? "Captured" : refundedMinor < capturedMinor ? "PartiallyRefunded" : "Refunded"
  return { states: [state], authorizedMinor, capturedMinor, refundedMinor }
}

const cancelled: PaymentState = "Cancelled"
const chargedBack: PaymentState = "ChargedBack"

/** Evidence and reminders, each once, and what the provider has of an answer. */
const wrongDispute = (dispute: Dispute, events: ReadonlyArray<Event>, rest: Rest): ReadonlyArray<string> => {
  const { evidence, status, submissions } = dispute
  const taken = rest.books.submissions.filter(({ state }) => state === "Done")
  const told = events.flatMap(({ data, type }) => (type === "dispute.evidence_due" ? [Number(data["days"])] : []))
  return [
    ...submissions.flatMap(({ kind, operationId, stage }) => [
      ...when(stage === "Sending" || stage === "Pending", `the answer is still ${stage}`),
      ...when(stage === "Unknown" && !isBeyondUs(rest), "the answer is unknown, and the provider can say"),
      ...when(
        (stage === "Done") !== taken.some((one) => one.operationId === operationId),
        `the answer is ${stage}, and the provider has ${taken.length} of it`
      ),
      ...when(
        stage === "Done" && status !== (kind === "submit" ? "under_review" : "accepted"),
        `it is ${status} after its answer`
      )
    ]),
    ...when(taken.length === 0 && status !== "needs_response", `it is ${status}, and the provider waits for an answer`),
    ...when(taken.length === 0 && evidence === null, "the provider has no evidence, and none is kept"),
    ...when(
      told.some((days, index) => index > 0 && days >= (told[index - 1] ?? 0)),
      `its reminders are of ${told.join(", ")} days`
    ),
    ...when(taken.length === 0 && told.at(-1) !== 1, "its deadline passed without a reminder")
  ]
}

/** Answers that name a status which nothing may change any more but what the client asks for. */
const lasting: ReadonlySet<string> = new Set([
  "AUTHORIZED",
  "CAPTURED",
  "DECLINED",
  "FAILED",
  "CANCELLED",
  "PARTIALLY_REFUNDED",
  "REFUNDED",
  "under_review",
  "accepted"
])

/** "Nothing was sent", or "the provider refused": of all that had left until then, nothing was executed. */
const deny: ReadonlySet<string> = new Set(["NothingSent", "ProviderRefused", "RoutingFailed"])

const notTrueAnyMore = ({ books, isOnPage, records, told }: Rest) => [
  ...told.flatMap(({ at, paymentId, says, when: moment }) => {
    if (paymentId === null) {
      const wasExecuted = books.requests.some(({ isExecuted, leftAt }) => isExecuted && leftAt <= at)
      return when(deny.has(says) && wasExecuted, `${moment} the client was told ${says}, and it was executed`)
    }
    const record = records.find(({ payment }) => payment.id === paymentId)
    if (record === undefined) return [`${moment} the client received a payment that is not stored`]
    const status = record.disputes[0]?.status ?? statusOf[record.payment.state]
    return when(lasting.has(says) && status !== says, `${moment} the client was told ${says}, and it is ${status}`)
  }),
  // A caller that received a response gets the same one again.
  ...told.flatMap((one, index) => {
    const before = told.slice(0, index).find(({ paymentId }) => paymentId !== null)
    if (isOnPage || before === undefined || one.at >= before.at + keptMillis) return []
    return [
      ...when(one.paymentId !== before.paymentId, `${one.when} the client received another payment`),
      ...when(one.says !== before.says, `${one.when} the client was told ${one.says}, and ${before.says} before`),
      ...when(!one.isReplay, `${one.when} the client was answered anew`)
    ]
  })
]

/** For how long an answer is kept, in milliseconds. */
const keptMillis = 24 * 60 * 60 * 1000
