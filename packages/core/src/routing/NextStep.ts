/**
 * What follows an attempt: the next connection is asked, or the payment ends. Pure.
 *
 * `docs/reference/next-steps.md` is made by asking this file, and every line of it is tried in a test.
 */
import type { AttemptEnd } from "../model/Attempt.ts"
import type { Connection } from "../model/Connection.ts"
import type { NotSent, Rejected } from "../model/ProviderStatement.ts"
import type { RoutingMode } from "../model/RoutingDecision.ts"
import type { RoutePlan } from "./RoutePlan.ts"

/** What may follow an attempt that certainly executed nothing; after an unanswered one nothing may. */
export type NothingExecuted = SoftDecline | Rejected | NotSent
export interface SoftDecline {
  readonly _tag: "Declined"
  readonly soft: true
}

const followers: Readonly<Record<RoutingMode, Readonly<Record<NothingExecuted["_tag"], boolean>>>> = {
  fixed: { Declined: false, Rejected: false, "pointsman/NotSent": false },
  priority: { Declined: false, Rejected: true, "pointsman/NotSent": true },
  failover: { Declined: true, Rejected: true, "pointsman/NotSent": true },
  auto: { Declined: true, Rejected: true, "pointsman/NotSent": true }
}

/** Whether the mode lets another connection be asked after this end. */
export const mayFollow = (mode: RoutingMode, end: NothingExecuted): boolean => followers[mode][end._tag]

/** The end, where it certainly executed nothing. Every other one is the outcome of the payment. */
export const nothingExecuted = (end: AttemptEnd): NothingExecuted | undefined => {
  switch (end._tag) {
    case "Rejected":
    case "pointsman/NotSent":
      return end
    case "Declined":
      return end.soft ? { _tag: "Declined", soft: true } : undefined
    case "pointsman/Unanswered":
    case "Authorized":
    case "Captured":
    case "Pending":
    case "NeedsCustomer":
    case "Canceled":
    case "CheckoutOpened":
      return undefined
  }
}

/** Whether another connection is asked after so many attempts, the last of which ended so; if there is one. */
export const isFollowed = (
  { maxAttempts, mode }: Pick<RoutePlan, "maxAttempts" | "mode">,
  made: number,
  end: AttemptEnd
): boolean => {
  const nothing = nothingExecuted(end)
  return nothing !== undefined && made < maxAttempts && mayFollow(mode, nothing)
}

/** The connections of the plan that may be asked after those of `made`, the last of which ended so, in this order. */
export const nextConnections = (
  plan: RoutePlan,
  made: ReadonlyArray<{ readonly connectionId: string }>,
  end: AttemptEnd
): ReadonlyArray<Connection> =>
  isFollowed(plan, made.length, end)
    ? plan.order.filter((connection) => !made.some((attempt) => attempt.connectionId === connection.id))
    : []
