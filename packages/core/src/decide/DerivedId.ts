/**
 * What the ids of a provider's call hash, where the request came under a merchant's key (decisions, section 1). A store
 * that lost its last records asks again under the same ids, and the provider recognises the call. Pure.
 */
import type { Tenant } from "../model/Tenant.ts"

/**
 * One attempt: the call of a charge, or the opening of a checkout, at one connection. A key lives for 24 hours from its
 * answer, so that on one day only requests of which nothing was sent precede another one: theirs is the same id.
 */
export interface AttemptPlace {
  readonly tenant: Tenant
  readonly key: string
  readonly asks: "charge" | "checkout"
  readonly connectionId: string
  /** Of the payment, in epoch milliseconds; see `startOfDay`. */
  readonly day: number
}

export const attemptText = ({ asks, connectionId, day, key, tenant }: AttemptPlace): string =>
  JSON.stringify(["attempt", ...place(tenant), key, asks, day, connectionId])

/** A capture, a void or a refund. `tries`: how many under the key were refused. */
export const operationText = (
  tenant: Tenant,
  paymentId: string,
  kind: "capture" | "void" | "refund",
  key: string,
  tries: number
): string => JSON.stringify([kind, ...place(tenant), paymentId, key, tries])

const place = ({ environment, workspaceId }: Tenant) => [workspaceId, environment]

const dayMillis = 24 * 60 * 60 * 1000

/** Of the UTC day. Both in epoch milliseconds. */
export const startOfDay = (at: number): number => at - (at % dayMillis)

/** Epoch milliseconds (RFC 9562, section 5.7); `undefined` for another id. */
export const timeOfUuidV7 = (id: string): number | undefined =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/u.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined

/** When a call is sent, in epoch milliseconds: later than those before it, so that time gives their order. */
export const sentAfter = (earlier: ReadonlyArray<{ readonly sentAt: number }>, now: number): number =>
  earlier.reduce((latest, { sentAt }) => Math.max(latest, sentAt + 1), now)
