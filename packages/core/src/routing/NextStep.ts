/** What follows an attempt: the next connection is asked, or the payment comes to its end. Pure. */
import type { Rejected } from "../ports/Connector.ts"
import type { NotSent } from "../ports/Transport.ts"
import type { RoutingMode } from "./RoutingSettings.ts"

/**
 * What may follow an attempt that certainly executed nothing. There is no entry for an unanswered one: asking
 * another connection after it does not compile.
 */
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
