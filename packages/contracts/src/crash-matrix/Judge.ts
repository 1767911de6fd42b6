/**
 * What has to hold between our record, the provider's books and the responses that the client received, at rest. Pure.
 */
import { type Dispute, type Event, type Payment, type PaymentStatus, statusOf } from "@pointsman/core"
import { brokenInvariants, type PaymentRecord } from "../Invariants.ts"
import type { Provider } from "../simulator/Provider.ts"
import type { ChargeRecord, RefundRecord } from "../simulator/ProviderBooks.ts"
import { day } from "../simulator/Time.ts"
import { isHeld, truthOf } from "../simulator/Truth.ts"
import type { RequestHandling, SentRequest } from "./ScriptedProvider.ts"

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
  readonly provider: Pick<Provider, "charges" | "refunds" | "disputes">
  readonly requests: ReadonlyArray<SentRequest>
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
const askedTwice = ({ provider, requests }: Rest) => {
  const held = [...provider.charges.values()].filter(({ state }) => isHeld(state)).length
  const given = [...provider.refunds.values()].filter(({ state }) => state === "Succeeded").length
  return [
    ...requests.flatMap(({ id }, index) =>
      when(requests.findIndex((one) => one.id === id) < index, `the provider was asked twice for ${id}`)
    ),
    ...when(requests.filter(({ isExecuted }) => isExecuted).length > 1, "the provider executed two requests"),
    ...when(held > 1, `${held} charges hold money`),
    ...when(given > 1, "money was given back twice")
  ]
}

const heldTwice = ({ records }: Rest) =>
  when(records.filter(({ payment }) => payment.authorizedMinor > 0).length > 1, "two payments hold money")

/** Nothing is in the provider's books that is not in ours. */
const unknownToUs = ({ provider: { charges, refunds }, records }: Rest) => {
  const known = new Set(records.flatMap((one) => [...one.attempts, ...one.refunds].map(({ id }) => id)))
  return [...charges.keys(), ...refunds.keys()].flatMap((id) => when(!known.has(id), `no record has ${id}`))
}

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

/** To the cent, and the status that follows from it; where it is known. */
const otherThanTheBooks = ({ disputes, payment, refunds }: Rest["records"][number], rest: Rest) => {
  const charges = [...rest.provider.charges.values()].filter(({ paymentId }) => paymentId === payment.id)
  const given = refunds.flatMap(({ id }) => rest.provider.refunds.get(id) ?? [])
  const { states: undisputed, ...amounts } = exactly(charges, given, rest)
  const states = disputes.length > 0 ? ["ChargedBack"] : undisputed
  const isUnknown = statusOf[payment.state] === "UNKNOWN" || refunds.some(({ stage }) => stage === "Unknown")
  // An amount that was not requested is only in the provider's books, until operators have settled it.
  if (isUnknown && rest.gone.includes("statesMore")) return []
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

/** The simulator's truth, and of what is not held any more what was held of it. */
const exactly = (charges: ReadonlyArray<ChargeRecord>, given: ReadonlyArray<RefundRecord>, { isOnPage }: Rest) => {
  const { authorizedMinor, states, ...taken } = truthOf(charges, given)
  const canceled = charges.find(({ state }) => state === "Canceled")
  const isReleased = canceled !== undefined && canceled.operation !== null
  // What was not taken in the time of the provider's page is cancelled.
  const mayBeCancelled = canceled === undefined ? isOnPage : !isReleased
  return {
    ...taken,
    // What was held and released stays on our record as authorized.
    authorizedMinor: authorizedMinor ?? (isReleased ? canceled.money.minorUnits : 0),
    states: states.filter((state) => (state === "Voided" ? isReleased : state !== "Cancelled" || mayBeCancelled))
  }
}

/** Evidence and reminders, each once, and what the provider has of an answer. */
const wrongDispute = (dispute: Dispute, events: ReadonlyArray<Event>, rest: Rest): ReadonlyArray<string> => {
  const { evidence, status, submissions } = dispute
  const taken = [...rest.provider.disputes.values()].flatMap((one) =>
    one.submissions.filter(({ state }) => state === "Done")
  )
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

const notTrueAnyMore = ({ isOnPage, records, requests, told }: Rest) => [
  ...told.flatMap(({ at, paymentId, says, when: moment }) => {
    if (paymentId === null) {
      const wasExecuted = requests.some(({ isExecuted, leftAt }) => isExecuted && leftAt <= at)
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

/** For how long an answer is kept. */
const keptMillis = day
