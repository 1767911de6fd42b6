/** Asks a provider for its record of a charge, an operation or a refund. Whatever goes wrong: nothing is known, and nothing changes. */
import { Effect, Option } from "effect"
import { type OtherAccount, otherAccount } from "../decide/interpret/OtherAccount.ts"
import type { StatementAbout } from "../decide/interpret/Statement.ts"
import { asUsableOperation, asUsableRecord, asUsableRefund } from "../decide/UsableAnswer.ts"
import type { Attempt } from "../model/Attempt.ts"
import { keyRetentionMillis } from "../model/Claim.ts"
import type { Connection } from "../model/Connection.ts"
import type { Dispute, Submission } from "../model/Dispute.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type {
  ChargeRecord,
  Found,
  MessageAbout,
  NeverReceived,
  NotSent,
  OfAnotherAttempt,
  OperationState,
  RefundState,
  StatedDispute,
  SubmissionState
} from "../model/ProviderStatement.ts"
import { Unanswered } from "../model/ProviderStatement.ts"
import type { Refund } from "../model/Refund.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Directory } from "../ports/Directory.ts"
import { RecordLosses } from "../ports/RecordLoss.ts"
import { Accounts } from "./Accounts.ts"
import { derivedDay, withRefundId } from "./CallIds.ts"
import { askProvider, type callProvider, OpenConnections } from "./CallProvider.ts"

export const connectionOf = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string) {
  const directory = yield* Directory
  const connections = yield* directory.connections(tenant)
  return connections.find(({ id }) => id === connectionId)
})

/** Only what a provider may be believed: found, or not found. */
const usable =
  <State>(check: (state: State) => State | Unanswered) =>
  (found: Found<State>): Effect.Effect<Found<State>, Unanswered> => {
    if (found._tag === "NotFound") return Effect.succeed(found)
    const state = check(found.state)
    return state instanceof Unanswered ? Effect.fail(state) : Effect.succeed(found)
  }

/** The provider was not asked: the connection opens another account than that of the attempt. */
interface AtOtherAccount extends OtherAccount {
  readonly _tag: "OtherAccount"
}

/** The provider named another attempt of ours. */
interface NamedAnother {
  readonly _tag: "AnotherAttempt"
  readonly named: OfAnotherAttempt
}

/** What a found or missing record states. */
const stateOf =
  <State>(found: Found<State>) =>
  (): State | NeverReceived =>
    found._tag === "Found" ? found.state : found

interface About {
  readonly connectionId: string
  readonly about: StatementAbout
}

export const aboutCharge = (
  { connectionId, id }: Attempt,
  found: Found<ChargeRecord> | AtOtherAccount | NamedAnother
): About => ({ connectionId, about: chargeAbout(id, found) })

/** What the record of a charge states of its refunds. */
export const aboutRefundsOf = (
  { tenant }: Pick<Payment, "tenant">,
  { connectionId, id: attemptId }: Attempt,
  found: Found<ChargeRecord> | AtOtherAccount | NamedAnother
) =>
  Effect.forEach(found._tag === "Found" ? (found.refunds ?? []) : [], ({ refundId, state }) => {
    const { providerRefundId } = state
    const about: MessageAbout =
      refundId === null
        ? { _tag: "UnnamedRefund", charge: { attemptId }, providerRefundId, state: () => state }
        : { _tag: "Refund", refundId, state: () => state }
    return Effect.map(withRefundId(tenant, connectionId, about), (about): About => ({ connectionId, about }))
  })

const chargeAbout = (attemptId: string, found: Found<ChargeRecord> | AtOtherAccount | NamedAnother): StatementAbout => {
  switch (found._tag) {
    case "OtherAccount":
      return { ...found, subject: { attempt_id: attemptId } }
    case "AnotherAttempt":
      return { ...found, attemptId }
    default:
      return { _tag: "Charge", charge: { attemptId }, state: stateOf(found) }
  }
}

export const aboutOperation = (
  { connectionId, id }: Operation,
  found: Found<OperationState> | AtOtherAccount
): About => ({
  connectionId,
  about:
    found._tag === "OtherAccount"
      ? { ...found, subject: { operation_id: id } }
      : { _tag: "Operation", operationId: id, state: stateOf(found) }
})

export const aboutRefund = ({ connectionId, id }: Refund, found: Found<RefundState> | AtOtherAccount): About => ({
  connectionId,
  about:
    found._tag === "OtherAccount"
      ? { ...found, subject: { refund_id: id } }
      : { _tag: "Refund", refundId: id, state: stateOf(found) }
})

/**
 * A lookup of what belongs to an attempt, in its account. Until the provider has named the account of the credentials in
 * use, what is not found there may be in the account that was known before.
 */
const inAccount = Effect.fnUntraced(function* <State, Failed extends { readonly _tag: string }, R>(
  connection: Connection,
  attempt: Attempt | undefined,
  lookUp: Effect.Effect<Found<State> | Failed, never, R>
) {
  const accounts = yield* Accounts
  const isVerified = yield* accounts.verify(connection)
  const other = otherAccount(attempt, connection, accounts.current(connection))
  if (other !== undefined) return { _tag: "OtherAccount", ...other } satisfies AtOtherAccount
  const found = yield* lookUp
  return found._tag === "NotFound" && !isVerified && connection.account !== undefined
    ? ({ _tag: "NotFound", conclusive: false } satisfies NeverReceived)
    : found
})

/** As `lookUpCharge`; `Unsupported` where the provider has no such lookup. */
export const proveCharge = Effect.fnUntraced(function* (
  payment: Pick<Payment, "id" | "tenant" | "simulation">,
  attempt: Attempt
) {
  const connection = yield* connectionOf(payment.tenant, attempt.connectionId)
  if (connection === undefined) return undefined
  const { checkout, id: attemptId, money, providerRef } = attempt
  const checkoutReference = checkout?.reference ?? null
  const sent = yield* sentTimes(attempt)
  const request = { attemptId, providerRef, checkoutReference, ...sent, money, simulation: payment.simulation }
  const lookUp = askProvider<Found<ChargeRecord>>(
    connection,
    { operation: "look_up_charge", paymentId: payment.id, subject: { attempt: attempt.id } },
    (connector) => Effect.flatMap(connector.lookUpCharge(request), usable(asUsableRecord))
  )
  const found = yield* inAccount(connection, attempt, lookUp)
  if (found._tag === "pointsman/Unanswered" && found.isUnsupported === true) return "Unsupported"
  const named = found._tag === "pointsman/Unanswered" ? found.ofAnother : undefined
  return named === undefined ? answered(found) : ({ _tag: "AnotherAttempt", named } satisfies NamedAnother)
})

export const lookUpCharge = (payment: Pick<Payment, "id" | "tenant" | "simulation">, attempt: Attempt) =>
  Effect.map(proveCharge(payment, attempt), (found) => (found === "Unsupported" ? undefined : found))

/**
 * When the provider may have been asked. A request under a derived id may have been sent before the store lost its record:
 * while a loss is recent, its charge may be as old as the loss.
 */
const sentTimes = Effect.fnUntraced(function* ({ checkout, id, sentAt: lastSentAt }: Attempt) {
  const sentAt = checkout?.openedAt ?? lastSentAt
  const loss = yield* (yield* RecordLosses).known
  const day = derivedDay(id)
  const isAfterLoss = loss !== null && sentAt >= loss.since && sentAt < loss.declaredAt + 2 * keyRetentionMillis
  if (!isAfterLoss || day === undefined) return { sentAt }
  return { sentAt: Math.min(sentAt, Math.max(loss.since, day)), sentBefore: sentAt }
})

const canLookUp = (method: "lookUpOperation" | "lookUpRefund" | "readDispute") =>
  Effect.fnUntraced(function* (tenant: Tenant, connectionId: string) {
    const connection = yield* connectionOf(tenant, connectionId)
    if (connection === undefined) return false
    const connector = yield* Effect.option((yield* OpenConnections).connector(connection))
    return Option.isSome(connector) && connector.value[method] !== undefined
  })

/** Whether the connection's provider can look a capture or a void up by itself. */
export const canLookUpOperations = canLookUp("lookUpOperation")
export const canLookUpRefunds = canLookUp("lookUpRefund")
export const canReadDisputes = canLookUp("readDispute")

/** `Unsupported`: there is no such lookup, and the record of the charge has to do. `attempt`: that made the charge. */
export const lookUpOperation = Effect.fnUntraced(function* (payment: Payment, operation: Operation, attempt: Attempt) {
  const connection = yield* connectionOf(payment.tenant, operation.connectionId)
  if (connection === undefined) return undefined
  if (!(yield* canLookUpOperations(payment.tenant, connection.id))) return "Unsupported"
  const { id: operationId, kind, money, providerRef, sentAt } = operation
  const request = {
    operationId,
    kind,
    attemptId: attempt.id,
    providerRef,
    sentAt,
    money,
    simulation: payment.simulation
  }
  const lookUp = askProvider<Found<OperationState>>(
    connection,
    { operation: "look_up_operation", paymentId: payment.id, subject: { operation: operation.id } },
    ({ lookUpOperation }) =>
      lookUpOperation === undefined ? unsupported : Effect.flatMap(lookUpOperation(request), usable(asUsableOperation))
  )
  const found = yield* inAccount(connection, attempt, lookUp)
  return (
    answered(found) ??
    (found._tag === "pointsman/Unanswered" && found.isUnsupported === true ? "Unsupported" : undefined)
  )
})

const unsupported = Effect.fail(
  new Unanswered({ reason: "the connection cannot look up captures and voids", isUnsupported: true })
)

/** `attempt`: that made the charge. */
export const lookUpRefund = Effect.fnUntraced(function* (
  payment: Payment,
  refund: Refund,
  attempt: Attempt | undefined
) {
  const connection = yield* connectionOf(payment.tenant, refund.connectionId)
  if (connection === undefined) return undefined
  const { id: refundId, money, providerRef, providerRefundId, sentAt } = refund
  const request = { refundId, providerRefundId, providerRef, sentAt, money, simulation: payment.simulation }
  const lookUp = askProvider<Found<RefundState>>(
    connection,
    { operation: "look_up_refund", paymentId: payment.id, subject: { refund: refund.id } },
    (connector) =>
      connector.lookUpRefund === undefined
        ? Effect.fail(new Unanswered({ reason: "the connection cannot look up refunds" }))
        : Effect.flatMap(connector.lookUpRefund(request), usable(asUsableRefund))
  )
  return answered(yield* inAccount(connection, attempt, lookUp))
})

/**
 * What became of a submission or an acceptance; `undefined` where nothing is known, or the connection opens another account
 * by now. `Unsupported`: there is no such lookup.
 */
export const lookUpSubmission = Effect.fnUntraced(function* (
  book: PaymentBook,
  dispute: Dispute,
  submission: Submission
) {
  const { payment } = book
  const connection = yield* connectionOf(payment.tenant, dispute.connectionId)
  if (connection === undefined) return undefined
  const { kind, operationId, sentAt } = submission
  const request = {
    operationId,
    kind,
    disputeId: dispute.providerDisputeId ?? "",
    providerRef: dispute.providerRef,
    sentAt,
    simulation: payment.simulation
  }
  return yield* askOfDispute<SubmissionState>(
    { book, dispute, connection },
    ({ lookUpDispute }) => lookUpDispute?.(request) ?? unreadable
  )
})

interface AskedDispute {
  readonly book: PaymentBook
  readonly dispute: Dispute
  readonly connection: Connection
}

const askOfDispute = Effect.fnUntraced(function* <State>(
  { book, connection, dispute }: AskedDispute,
  ask: Parameters<typeof callProvider<Found<State>>>[1]
) {
  const about = { operation: "look_up_dispute", paymentId: book.payment.id, subject: { dispute: dispute.id } } as const
  const call = askProvider<Found<State>>(connection, about, ask)
  const attempt = book.attempts.find(({ id }) => id === dispute.attemptId)
  const found = yield* inAccount(connection, attempt, call)
  if (found._tag === "pointsman/Unanswered" && found.isUnsupported === true) return "Unsupported"
  const answer = answered(found)
  return answer?._tag === "OtherAccount" ? undefined : answer
})

/** What the provider states of a dispute. `undefined`: it did not answer, or the connection opens another account by now. */
export const readDispute = Effect.fnUntraced(function* (book: PaymentBook, dispute: Dispute) {
  const { payment } = book
  const connection = yield* connectionOf(payment.tenant, dispute.connectionId)
  const { providerDisputeId: disputeId, providerRef } = dispute
  if (connection === undefined || disputeId === null) return "Unsupported"
  const request = { disputeId, providerRef, simulation: payment.simulation }
  const answer = yield* askOfDispute<StatedDispute>(
    { book, dispute, connection },
    (connector) => connector.readDispute?.(request) ?? unreadable
  )
  const isOfOther = typeof answer === "object" && answer._tag === "Found" && answer.state.disputeId !== disputeId
  return isOfOther ? undefined : answer
})

const unreadable = Effect.fail(
  new Unanswered({ reason: "the connection cannot look up disputes", isUnsupported: true })
)

/** Whatever went wrong: nothing is known. */
const answered = <State>(
  found: Found<State> | AtOtherAccount | NotSent | Unanswered
): Found<State> | AtOtherAccount | undefined =>
  found._tag === "Found" || found._tag === "NotFound" || found._tag === "OtherAccount" ? found : undefined
