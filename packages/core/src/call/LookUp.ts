/** Asks a provider for its record of a charge, an operation or a refund. Whatever goes wrong: nothing is known, and nothing changes. */
import { Effect, Option } from "effect"
import { asUsable, asUsableOperation, asUsableRefund } from "../decide/UsableAnswer.ts"
import { observeCall } from "../metrics/ProviderCall.ts"
import type { Attempt } from "../model/Attempt.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { ChargeState, Found, NeverReceived, OperationState, RefundState } from "../model/ProviderStatement.ts"
import { Unanswered } from "../model/ProviderStatement.ts"
import type { Refund } from "../model/Refund.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Directory } from "../ports/Directory.ts"
import { callProvider } from "./CallProvider.ts"
import { OpenConnections } from "./OpenConnections.ts"

const connectionOf = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string) {
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

/** What a found or missing record states. */
const stateOf =
  <State>(found: Found<State>) =>
  (): State | NeverReceived =>
    found._tag === "Found" ? found.state : found

export const aboutCharge = ({ connectionId, id }: Attempt, found: Found<ChargeState>) => ({
  connectionId,
  about: { _tag: "Charge" as const, charge: { attemptId: id }, state: stateOf(found) }
})

export const aboutOperation = ({ connectionId, id }: Operation, found: Found<OperationState>) => ({
  connectionId,
  about: { _tag: "Operation" as const, operationId: id, state: stateOf(found) }
})

export const aboutRefund = ({ connectionId, id }: Refund, found: Found<RefundState>) => ({
  connectionId,
  about: { _tag: "Refund" as const, refundId: id, state: stateOf(found) }
})

export const lookUpCharge = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
  const connection = yield* connectionOf(payment.tenant, attempt.connectionId)
  if (connection === undefined) return undefined
  const { checkout, id: attemptId, money, providerRef, sentAt } = attempt
  const checkoutReference = checkout?.reference ?? null
  const request = { attemptId, providerRef, checkoutReference, sentAt, money, simulation: payment.simulation }
  const found = yield* callProvider<Found<ChargeState>>(
    connection,
    (connector) => Effect.flatMap(connector.lookUpCharge(request), usable(asUsable)),
    Number.POSITIVE_INFINITY
  ).pipe(
    observeCall({
      operation: "look_up_charge",
      connectionId: connection.id,
      paymentId: payment.id,
      subject: { attempt: attempt.id }
    })
  )
  return found._tag === "Found" || found._tag === "NotFound" ? found : undefined
})

/** Whether the connection's provider can look a capture or a void up by itself. */
export const canLookUpOperations = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string) {
  const connection = yield* connectionOf(tenant, connectionId)
  if (connection === undefined) return false
  const connector = yield* Effect.option((yield* OpenConnections).connector(connection))
  return Option.isSome(connector) && connector.value.lookUpOperation !== undefined
})

/** `Unsupported`: there is no such lookup, and the record of the charge has to do. `attemptId`: of the charge. */
export const lookUpOperation = Effect.fnUntraced(function* (payment: Payment, operation: Operation, attemptId: string) {
  const connection = yield* connectionOf(payment.tenant, operation.connectionId)
  if (connection === undefined) return undefined
  if (!(yield* canLookUpOperations(payment.tenant, connection.id))) return "Unsupported"
  const { id: operationId, kind, money, providerRef, sentAt } = operation
  const request = { operationId, kind, attemptId, providerRef, sentAt, money, simulation: payment.simulation }
  const found = yield* callProvider<Found<OperationState>>(
    connection,
    ({ lookUpOperation }) =>
      lookUpOperation === undefined ? unsupported : Effect.flatMap(lookUpOperation(request), usable(asUsableOperation)),
    Number.POSITIVE_INFINITY
  ).pipe(
    observeCall({
      operation: "look_up_operation",
      connectionId: connection.id,
      paymentId: payment.id,
      subject: { operation: operation.id }
    })
  )
  if (found._tag === "Found" || found._tag === "NotFound") return found
  return found._tag === "pointsman/Unanswered" && found.isUnsupported === true ? "Unsupported" : undefined
})

const unsupported = Effect.fail(
  new Unanswered({ reason: "the connection cannot look up captures and voids", isUnsupported: true })
)

export const lookUpRefund = Effect.fnUntraced(function* (payment: Payment, refund: Refund) {
  const connection = yield* connectionOf(payment.tenant, refund.connectionId)
  if (connection === undefined) return undefined
  const { id: refundId, money, providerRef, providerRefundId, sentAt } = refund
  const request = { refundId, providerRefundId, providerRef, sentAt, money, simulation: payment.simulation }
  const found = yield* callProvider<Found<RefundState>>(
    connection,
    (connector) =>
      connector.lookUpRefund === undefined
        ? Effect.fail(new Unanswered({ reason: "the connection cannot look up refunds" }))
        : Effect.flatMap(connector.lookUpRefund(request), usable(asUsableRefund)),
    Number.POSITIVE_INFINITY
  ).pipe(
    observeCall({
      operation: "look_up_refund",
      connectionId: connection.id,
      paymentId: payment.id,
      subject: { refund: refund.id }
    })
  )
  return found._tag === "Found" || found._tag === "NotFound" ? found : undefined
})
