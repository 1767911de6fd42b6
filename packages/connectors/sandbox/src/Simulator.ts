/**
 * What the simulated provider does with each call: the record of a charge goes in, the answer and the record after it
 * come out. Pure: no clock, no services, no randomness.
 *
 * The record decides, the simulation only says how a call ends that
 * the record does not decide yet. A call with an id that was executed before is answered from the record, so that
 * nothing is executed twice, and a lookup tells the truth whatever `simulate.lookup` says.
 */
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRequest,
  type ChargeState,
  chargeSimulationOf,
  type DeclineCategory,
  type Found,
  type ListedCharge,
  type ListedPage,
  type ListedRefund,
  type ListRequest,
  type Money,
  type OperationLookup,
  type OperationState,
  type RefundLookup,
  type RefundRequest,
  type RefundState,
  type Rejected,
  type Simulation,
  type VoidRequest
} from "@pointsman/core/connector"
import type { ChargeRecord, RefundRecord } from "./ChargeRecord.ts"

/** `answer` is `null` where the simulated provider does not answer. */
export interface Played<Answer> {
  readonly answer: Answer | null
  /** The record after the call; the one that went in where the call changed nothing. */
  readonly record: ChargeRecord | undefined
}

const referencePrefix = "sbx_"

/** The provider's reference of an attempt or a refund: derived, so that nothing has to be drawn or kept. */
export const referenceOf = (id: string): string => `${referencePrefix}${id}`

/** The attempt that a reference of `referenceOf` was made from. */
export const attemptOf = (providerRef: string): string | undefined =>
  providerRef.startsWith(referencePrefix) ? providerRef.slice(referencePrefix.length) : undefined

/** A charge. An attempt that was recorded before is answered as it was recorded. */
export const charge = (
  record: ChargeRecord | undefined,
  connectionId: string,
  request: ChargeRequest,
  now: number
): Played<ChargeState | Rejected> => {
  if (record !== undefined) return { answer: stateOf(record), record }
  const outcome = chargeSimulationOf(request.simulation, request.attemptNumber)
  const received: ChargeRecord = {
    connectionId,
    attemptId: request.attemptId,
    paymentId: request.paymentId,
    minorUnits: request.money.minorUnits,
    currency: request.money.currency,
    capture: request.capture,
    state: "Pending",
    executed: false,
    capturedMinor: 0,
    decline: null,
    operations: [],
    refunds: [],
    told: {
      reference: request.reference,
      country: request.country,
      method: request.method,
      cardBrand: request.cardBrand,
      initiator: request.initiator
    },
    created: now
  }
  switch (outcome) {
    case "approve":
      return answered(executed(received))
    case "pending":
      return answered(received)
    case "requires_authentication":
      return answered({ ...received, state: "NeedsCustomer" })
    case "technical_error":
      return {
        answer: rejected("technical_error", "The simulator rejected the charge without processing it."),
        record: undefined
      }
    case "no_answer":
      return { answer: null, record: isLost(request.simulation) ? undefined : executed(received) }
    default:
      return answered({ ...received, state: "Declined", decline: declineOf(outcome) })
  }
}

/** What the provider's record says of a charge. The word of a charge that is pending is the simulation's. */
export const lookUpCharge = (
  record: ChargeRecord | undefined,
  request: Pick<ChargeLookup, "simulation">
): Played<Found<ChargeState>> => {
  if (request.simulation?.lookup === "no_answer") return { answer: null, record }
  if (record === undefined) return { answer: { _tag: "NotFound", conclusive: true }, record }
  const after =
    record.state !== "Pending"
      ? record
      : isLost(request.simulation)
        ? { ...record, state: "Canceled" as const }
        : executed(record)
  return { answer: { _tag: "Found", state: stateOf(after) }, record: after }
}

export const capture = (
  record: ChargeRecord | undefined,
  { operationId, money, simulation }: CaptureRequest
): Played<ChargeState | Rejected> => {
  if (record === undefined) return { answer: chargeNotFound, record }
  const refusal = operationRefusal(record, simulation?.capture, "capture")
  if (refusal !== undefined) return { answer: refusal, record }
  // A charge that was captured or released is answered with its current state: the same operation again, or one too
  // late.
  if (record.state !== "Authorized") return { answer: stateOf(record), record }
  const wrong = amountRefusal(money, record.currency, record.minorUnits)
  if (wrong !== undefined) return { answer: wrong, record }
  return played(simulation, simulation?.capture, record, {
    ...record,
    state: "Captured",
    capturedMinor: money.minorUnits,
    operations: [...record.operations, { id: operationId, kind: "capture" }]
  })
}

const voidCharge = (
  record: ChargeRecord | undefined,
  { operationId, simulation }: VoidRequest
): Played<ChargeState | Rejected> => {
  if (record === undefined) return { answer: chargeNotFound, record }
  const refusal = operationRefusal(record, simulation?.void, "void")
  if (refusal !== undefined) return { answer: refusal, record }
  if (record.state !== "Authorized") return { answer: stateOf(record), record }
  return played(simulation, simulation?.void, record, {
    ...record,
    state: "Canceled",
    operations: [...record.operations, { id: operationId, kind: "void" }]
  })
}

export { voidCharge as void }

/** What the provider's record says of one capture or void. One that was refused or lost is not in it, and never will be. */
export const lookUpOperation = (
  record: ChargeRecord | undefined,
  { kind, operationId, simulation }: Pick<OperationLookup, "kind" | "operationId" | "simulation">
): Played<Found<OperationState>> => {
  if (simulation?.lookup === "no_answer") return { answer: null, record }
  const isKnown = record?.operations.some((operation) => operation.id === operationId && operation.kind === kind)
  if (record === undefined || isKnown !== true) return { answer: { _tag: "NotFound", conclusive: true }, record }
  const stated = kind === "capture" ? { stated: { minorUnits: record.capturedMinor, currency: record.currency } } : {}
  return { answer: { _tag: "Found", state: { _tag: "OperationConfirmed", ...stated } }, record }
}

/** A refund. A refund id that was recorded before is answered as it was recorded. */
export const refund = (
  record: ChargeRecord | undefined,
  { refundId, money, simulation }: RefundRequest,
  now: number
): Played<RefundState | Rejected> => {
  if (record === undefined) return { answer: chargeNotFound, record }
  const known = record.refunds.find((refund) => refund.id === refundId)
  if (known !== undefined) return { answer: refundStateOf(known, record.currency), record }
  if (record.state !== "Captured") {
    return { answer: rejected("charge_not_captured", "The simulator has not captured this charge."), record }
  }
  const wrong = amountRefusal(money, record.currency, record.capturedMinor - refundedOf(record))
  if (wrong !== undefined) return { answer: wrong, record }
  if (simulation?.refund === "refuse") {
    return { answer: rejected("refused", "The simulator rejected the refund."), record }
  }
  const unanswered = simulation?.refund === "no_answer"
  if (unanswered && isLost(simulation)) return { answer: null, record }
  const refund: RefundRecord = {
    id: refundId,
    minorUnits: money.minorUnits,
    state: simulation?.refund === "pending" ? "RefundPending" : "Succeeded",
    created: now
  }
  return {
    answer: unanswered ? null : refundStateOf(refund, record.currency),
    record: { ...record, refunds: [...record.refunds, refund] }
  }
}

/** What the provider's record says of a refund. The word of a refund that is pending is the simulation's. */
export const lookUpRefund = (
  record: ChargeRecord | undefined,
  { refundId, simulation }: Pick<RefundLookup, "refundId" | "simulation">
): Played<Found<RefundState>> => {
  if (simulation?.lookup === "no_answer") return { answer: null, record }
  const known = record?.refunds.find((refund) => refund.id === refundId)
  if (record === undefined || known === undefined) return { answer: { _tag: "NotFound", conclusive: true }, record }
  if (known.state !== "RefundPending") {
    return { answer: { _tag: "Found", state: refundStateOf(known, record.currency) }, record }
  }
  const settled: RefundRecord = { ...known, state: isLost(simulation) ? "RefundFailed" : "Succeeded" }
  return {
    answer: { _tag: "Found", state: refundStateOf(settled, record.currency) },
    record: { ...record, refunds: record.refunds.map((refund) => (refund.id === refundId ? settled : refund)) }
  }
}

/** A page of the charges among these records. */
export const listCharges = (records: ReadonlyArray<ChargeRecord>, request: ListRequest): ListedPage<ListedCharge> =>
  pageOf(
    request,
    records.map((record) => ({
      id: record.attemptId,
      item: {
        attemptId: record.attemptId,
        paymentId: record.paymentId,
        idempotencyKey: record.attemptId,
        reference: record.told?.reference ?? null,
        country: record.told?.country ?? null,
        method: record.told?.method ?? null,
        cardBrand: record.told?.cardBrand ?? null,
        initiator: record.told?.initiator ?? null,
        capture: record.capture,
        money: { minorUnits: record.minorUnits, currency: record.currency },
        state: stateOf(record),
        created: record.created ?? 0
      }
    }))
  )

/** A page of the refunds among these records. */
export const listRefunds = (records: ReadonlyArray<ChargeRecord>, request: ListRequest): ListedPage<ListedRefund> =>
  pageOf(
    request,
    records.flatMap(({ attemptId, currency, refunds }) =>
      refunds.map((refund) => ({
        id: refund.id,
        item: {
          refundId: refund.id,
          providerRef: referenceOf(attemptId),
          money: { minorUnits: refund.minorUnits, currency },
          state: refundStateOf(refund, currency),
          created: refund.created ?? 0
        }
      }))
    )
  )

const pageSize = 100

/** The order is that of time, and of ids within one millisecond; the cursor is the last one's. */
const pageOf = <Item extends { readonly created: number }>(
  { createdBefore, createdFrom, cursor }: ListRequest,
  entries: ReadonlyArray<{ readonly id: string; readonly item: Item }>
): ListedPage<Item> => {
  const keyed = entries
    .filter(({ item }) => item.created >= createdFrom && item.created < createdBefore)
    .map(({ id, item }) => ({ key: `${String(item.created).padStart(15, "0")}/${id}`, item }))
    .filter(({ key }) => cursor === null || key > cursor)
    .sort((one, other) => (one.key < other.key ? -1 : 1))
  const page = keyed.slice(0, pageSize)
  return {
    items: page.map(({ item }) => item),
    unreadable: [],
    nextCursor: keyed.length > pageSize ? (page.at(-1)?.key ?? null) : null
  }
}

/** The state of a recorded charge, as the connector port tells it. */
const stateOf = (record: ChargeRecord): ChargeState => {
  const providerRef = referenceOf(record.attemptId)
  const stated = (minorUnits: number): Money => ({ minorUnits, currency: record.currency })
  switch (record.state) {
    case "Captured":
      return { _tag: "Captured", providerRef, stated: stated(record.capturedMinor) }
    case "Authorized":
    case "Pending":
      return { _tag: record.state, providerRef, stated: stated(record.minorUnits) }
    case "Declined": {
      const { category, soft } = record.decline ?? { category: "other", soft: false }
      return { _tag: "Declined", providerRef, category, code: category, soft }
    }
    case "NeedsCustomer":
    case "Canceled":
      return { _tag: record.state, providerRef }
  }
}

const refundStateOf = (refund: RefundRecord, currency: string): RefundState => {
  const providerRefundId = referenceOf(refund.id)
  return refund.state === "RefundFailed"
    ? { _tag: "RefundFailed", providerRefundId, reason: "not_executed" }
    : { _tag: refund.state, providerRefundId, stated: { minorUnits: refund.minorUnits, currency } }
}

/** Minor units that went back or are on their way. */
const refundedOf = (record: ChargeRecord): number =>
  record.refunds.reduce((sum, refund) => (refund.state === "RefundFailed" ? sum : sum + refund.minorUnits), 0)

const answered = (record: ChargeRecord): Played<ChargeState> => ({ answer: stateOf(record), record })

/** A capture or void that the record allows: confirmed, or executed (or lost) without an answer. */
const played = (
  simulation: Simulation | null,
  outcome: string | undefined,
  before: ChargeRecord,
  after: ChargeRecord
): Played<ChargeState> =>
  outcome !== "no_answer" ? answered(after) : { answer: null, record: isLost(simulation) ? before : after }

const executed = (record: ChargeRecord): ChargeRecord => ({
  ...record,
  executed: true,
  state: record.capture ? "Captured" : "Authorized",
  capturedMinor: record.capture ? record.minorUnits : 0
})

/** What is not answered, or not finished, did not happen. */
const isLost = (simulation: Simulation | null): boolean => simulation?.lookup === "not_executed"

const declineOf = (outcome: `decline:${DeclineCategory}` | `soft_decline:${DeclineCategory}`) => ({
  category: outcome.slice(outcome.indexOf(":") + 1) as DeclineCategory,
  soft: outcome.startsWith("soft_")
})

const rejected = (code: string, message: string): Rejected => ({ _tag: "Rejected", code, message })

const chargeNotFound = rejected("charge_not_found", "The simulator has no charge with this reference.")

/** Why a capture or void is refused; `undefined` where the record's state has the word. */
const operationRefusal = (
  record: ChargeRecord,
  outcome: string | undefined,
  operation: "capture" | "void"
): Rejected | undefined => {
  if (record.state === "Captured" || record.state === "Canceled") return undefined
  if (record.state !== "Authorized") {
    return rejected("charge_not_authorized", "The simulator holds no money for this charge.")
  }
  return outcome === "refuse" ? rejected("refused", `The simulator rejected the ${operation}.`) : undefined
}

const amountRefusal = (money: Money, currency: string, most: number): Rejected | undefined => {
  if (money.currency !== currency) {
    return rejected("wrong_currency", `The simulator's charge is in ${currency}, not ${money.currency}.`)
  }
  if (money.minorUnits < 1 || money.minorUnits > most) {
    return rejected("amount_too_large", `The simulator accepts 1 to ${most} minor units for this charge.`)
  }
  return undefined
}
