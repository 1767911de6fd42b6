/**
 * What must hold of every payment at every moment, whatever happened to it. Suites, walks and tests of background checks ask
 * it after each step. All functions give the sentences that are not true: none for a sound payment.
 */
import type { AttemptOutcome, Event, EventType, Operation, Payment, PaymentState, Refund } from "@pointsman/core"
import {
  brokenBalance,
  brokenInvariant,
  Machine,
  moneyTaken,
  noMoney,
  openCharge,
  operating,
  PaymentMachine
} from "@pointsman/core/internal"
import type { PaymentBook } from "@pointsman/core/ports"

export interface PaymentRecord extends PaymentBook {
  /** The whole timeline, oldest first. */
  readonly events: ReadonlyArray<Event>
}

export const brokenInvariants = (record: PaymentRecord): ReadonlyArray<string> => [
  ...brokenBalances(record.payment),
  ...brokenAttempts(record),
  ...brokenOperations(record),
  ...brokenRefunds(record),
  ...brokenTimeline(record)
]

/** Something is captured. */
const captured: ReadonlySet<PaymentState> = new Set([...moneyTaken, "ChargedBack"])
/** Something is authorized, or was until it was voided: the record keeps what was authorized. */
const authorized: ReadonlySet<PaymentState> = new Set(["Authorized", ...operating, "Voided"])
/** Nothing is authorized. What was authorized before a mismatch was stated stays on record. */
const unauthorized: ReadonlySet<PaymentState> = new Set([...openCharge, ...noMoney, "AwaitingCustomer"])

/** Captured ≤ authorized; refunded and pending ≤ captured; the amounts say what the state says. */
export const brokenBalances = (payment: Payment): ReadonlyArray<string> => {
  const { authorizedMinor, capturedMinor, connectionId, refundedMinor, state } = payment
  const rule = brokenInvariant(payment)
  return [
    ...(rule === undefined ? [] : [rule]),
    // A dispute keeps its payment, also when the capture fails afterwards.
    ...unless(
      (state === "ChargedBack" && authorizedMinor > 0) || captured.has(state) === capturedMinor > 0,
      `${state} with ${capturedMinor} captured`
    ),
    ...unless(!authorized.has(state) || authorizedMinor > 0, `${state} with nothing authorized`),
    ...unless(!unauthorized.has(state) || authorizedMinor === 0, `${state} with ${authorizedMinor} authorized`),
    ...unless(authorizedMinor === 0 || connectionId !== null, "money is held, and no connection holds it"),
    ...unless(state !== "Refunded" || refundedMinor === capturedMinor, "Refunded, and not all of it"),
    ...unless(
      state !== "PartiallyRefunded" || (refundedMinor > 0 && refundedMinor < capturedMinor),
      "PartiallyRefunded, and not a part of it"
    )
  ]
}

const tookMoney: ReadonlySet<AttemptOutcome | null> = new Set(["Authorized", "Captured"])
/** After these the provider certainly holds nothing, so another connection may be asked. */
const maybeFollowed: ReadonlySet<AttemptOutcome | null> = new Set(["Declined", "Rejected", "NotSent"])

/** At most one attempt took the money, and none was made while another one could still take it. */
export const brokenAttempts = ({ attempts, payment }: PaymentRecord): ReadonlyArray<string> => {
  const took = attempts.filter((attempt) => tookMoney.has(attempt.outcome))
  return [
    ...unless(took.length <= 1, `${took.length} attempts took money`),
    ...unless(
      took.every((attempt) => attempt.connectionId === payment.connectionId),
      "the money is with another connection than the attempt that took it"
    ),
    ...attempts.flatMap((attempt, index) => [
      ...unless(attempt.number === index + 1, `attempt ${index + 1} has the number ${attempt.number}`),
      ...unless(attempt.paymentId === payment.id, `attempt ${attempt.number} is another payment's`),
      ...unless(
        attempt.money.minorUnits === payment.money.minorUnits && attempt.money.currency === payment.money.currency,
        `attempt ${attempt.number} is for another amount`
      ),
      ...unless(
        // The lists of a recovery do not say in which order connections were asked.
        index === attempts.length - 1 || maybeFollowed.has(attempt.outcome) || payment.reported?.isRecovered === true,
        `attempt ${attempt.number} was followed although it came to ${attempt.outcome ?? "no answer"}`
      )
    ])
  ]
}

/** Where the payment waits for a capture or a void that was sent. In any other state no check would end it. */
const awaited: ReadonlySet<PaymentState> = new Set(["Capturing", "Voiding"])

/** At most one capture or void is in flight, and none is for more than was authorized. */
export const brokenOperations = ({ operations, payment }: PaymentRecord): ReadonlyArray<string> => {
  const inFlight = operations.filter((operation) => operation.outcome === null)
  const isCaptured = operations.some(({ kind, outcome }) => kind === "capture" && outcome === "Confirmed")
  return [
    ...unless(inFlight.length <= 1, `${inFlight.length} operations are in flight`),
    ...unless(inFlight.length === 0 || awaited.has(payment.state), `an operation is in flight at ${payment.state}`),
    ...unless(!isCaptured || payment.capturedMinor > 0, "a capture is confirmed, and nothing is captured"),
    ...brokenEntries(payment, operations, payment.authorizedMinor)
  ]
}

/** The refunds add up to what the payment and its timeline say, and none of them is for more than was captured. */
export const brokenRefunds = ({ events, operations, payment, refunds }: PaymentRecord): ReadonlyArray<string> => {
  const unbalanced = brokenBalance(payment, refunds)
  const succeeded = refunds.filter(({ money, stage }) => stage === "Succeeded" && money.minorUnits > 0).length
  const told = events.filter(({ type }) => type === "payment.refunded").length - reversals(events)
  // A capture that failed afterwards takes the captured amount back, and not the refunds that had failed before.
  const hasFailed =
    operations.some(({ outcome }) => outcome === "Failed") || payment.reported?.captureFailedAt !== undefined
  const most = hasFailed ? payment.authorizedMinor : payment.capturedMinor
  const keys = refunds.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
  return [
    ...(unbalanced === undefined ? [] : [unbalanced]),
    ...unless(succeeded === told, `${succeeded} refunds succeeded, with ${told} events payment.refunded`),
    ...unless(new Set(keys).size === keys.length, "two refunds have the same key"),
    ...brokenEntries(payment, refunds, most)
  ]
}

/** How often a refund failed after it had succeeded, for good or until the provider tries it again. */
const reversals = (events: ReadonlyArray<Event>): number => {
  const refunded = new Set<unknown>()
  let count = 0
  for (const { data, type } of events) {
    if (type === "payment.refunded") refunded.add(data["refund_id"])
    const isUndone = type === "payment.refund_failed" || type === "payment.refund_pending"
    if (isUndone && refunded.delete(data["refund_id"])) count += 1
  }
  return count
}

const brokenEntries = (
  payment: Payment,
  entries: ReadonlyArray<Operation | Refund>,
  mostMinor: number
): ReadonlyArray<string> =>
  entries.flatMap(({ id, money, paymentId, sentAt }, index) => {
    const before = entries[index - 1]
    return [
      ...unless(paymentId === payment.id, `${id} is another payment's`),
      ...unless(money.currency === payment.money.currency, `${id} is in another currency`),
      ...unless(
        Number.isSafeInteger(money.minorUnits) && money.minorUnits >= 0 && money.minorUnits <= mostMinor,
        `${id} is for ${money.minorUnits} of ${mostMinor}`
      ),
      ...unless(before === undefined || before.sentAt <= sentAt, `${id} is not in the order of sending`)
    ]
  })

/** The timeline is in the order of the moves, and contains nothing that did not happen. */
export const brokenTimeline = ({ events, payment }: PaymentRecord): ReadonlyArray<string> => {
  const captures = events.filter((event) => event.type === "payment.captured").length
  const lastRefund = events.findLast(
    ({ data, type }) => type === "payment.refunded" || (type.startsWith("payment.refund_") && "refunded_total" in data)
  )
  const firstCapture = events.findIndex(({ type }) => type === "payment.captured")
  const isCaptureReversed = events.some(
    ({ type }, index) =>
      type === "payment.capture_failed" || (type === "payment.pending" && index > firstCapture && firstCapture >= 0)
  )
  const isToldAsItIs = captures === (payment.capturedMinor > 0 ? 1 : 0)
  return [
    ...unless(isToldAsItIs || isCaptureReversed, `captured, with ${captures} events payment.captured`),
    ...unless(
      (lastRefund?.data["refunded_total"] ?? 0) === payment.refundedMinor,
      "the refunds of the timeline do not add up to the payment's"
    ),
    ...unless(
      // A recovered payment whose first attempt took no money continues with the next one that a list states.
      isWalk(events, payment.state) || payment.reported?.isRecovered === true,
      `no walk of the table to ${payment.state} tells ${events.map((event) => event.type).join(", ")}`
    ),
    ...events.flatMap((event, index) => {
      const before = events[index - 1]
      return [
        ...unless(event.paymentId === payment.id && event.data["payment_id"] === payment.id, "another payment's event"),
        ...unless(event.data["environment"] === payment.tenant.environment, "an event of the other environment"),
        ...unless(before === undefined || before.id < event.id, "event ids do not ascend"),
        ...unless(before === undefined || before.createdAt <= event.createdAt, "event times go backwards")
      ]
    })
  ]
}

const emitted: ReadonlySet<EventType> = new Set(PaymentMachine.rows.flatMap((row) => row.emits))

/**
 * Whether some walk of the table, from its start to the state, writes exactly these events in this order. Follows
 * all walks at once: a position is a state and the number of events told so far.
 */
const isWalk = (events: ReadonlyArray<Event>, state: PaymentState): boolean => {
  // What a refund goes through is no move of the payment until it went back, though some types of event are both's.
  const told = events
    .filter(({ data, type }) => type === "payment.refunded" || !("refund_id" in data))
    // A contradiction is evidence for operations, and moves nothing.
    .filter(({ data, type }) => type !== "payment.conflict" || !("stated" in data))
    .filter(({ type }) => emitted.has(type))
  const seen = new Set<string>()
  const positions: Array<readonly [PaymentState | Machine.Start, number]> = [[Machine.Start, 0]]
  // Each position enters the list once: at most (states + 1) × (events + 1).
  for (const [from, count] of positions) {
    if (from === state && count === told.length) return true
    const reach = (to: PaymentState | Machine.Start, next: number) => {
      if (seen.has(`${to} ${next}`)) return
      seen.add(`${to} ${next}`)
      positions.push([to, next])
    }
    // The reference of another payment moves an open charge, and is evidence alone for any other payment.
    if ("other_payment_id" in (told[count]?.data ?? {})) reach(from, count + 1)
    for (const row of PaymentMachine.rows) {
      if (row.from !== from || !row.emits.every((type, index) => told[count + index]?.type === type)) continue
      reach(row.to, count + row.emits.length)
    }
  }
  return false
}

const unless = (holds: boolean, sentence: string): ReadonlyArray<string> => (holds ? [] : [sentence])
