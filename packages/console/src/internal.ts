/**
 * For other packages of this repository; it may change with any release. What an operator reads in the console, and drafts,
 * for a way in without sessions: a model's. The same code reads for both, and the caller checks the role of each act.
 */
import type { Operator } from "@pointsman/core"
import { AuditActor } from "@pointsman/core/ports"
import { InProcess, RateLimit } from "@pointsman/http"
import { Effect, Layer } from "effect"
import { tooManyRequests } from "./gate/Authorize.ts"
import { CurrentOperator } from "./gate/Caller.ts"
import * as OpenResponses from "./gate/OpenResponses.ts"

export type { ConsoleError } from "./api/Errors.ts"
export { failure, internalError } from "./api/Errors.ts"
export { nextId, pageView } from "./api/Records.ts"
export { connections } from "./connections/ConnectionDesk.ts"
export { dispute, disputes, openDisputes } from "./disputes/DisputeDesk.ts"
export type { TenantPath } from "./gate/Caller.ts"
export {
  checkedRefund,
  draftRefund,
  explainedRouting,
  isPayment,
  paymentFile,
  search
} from "./payments/PaymentDesk.ts"
export { reviews } from "./reviews/ReviewDesk.ts"

/** What the desks need besides the operator, and keep for all calls. */
export const layer = Layer.merge(OpenResponses.layer, InProcess.PaymentViews.layer(undefined))

export type DeskServices = OfOperator | OpenResponses.OpenResponses | InProcess.PaymentViews

/** What `actingFor` provides. */
export type OfOperator = CurrentOperator

/**
 * What follows is the operator's: the audit trail names it. There is no session, and nothing that takes a recent sign-in
 * is allowed.
 */
export const actingFor =
  (operator: Operator) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(RateLimit.OperatorRateLimit, ({ take }) =>
      Effect.mapError(take(operator.id, 1), () => tooManyRequests)
    ).pipe(
      Effect.andThen(effect),
      Effect.provideService(CurrentOperator, {
        operator,
        session: { hash: "", operatorId: operator.id, method: "password", createdAt: 0, seenAt: 0 }
      }),
      Effect.provideService(AuditActor, operator.login)
    )
