/**
 * What the ids of a provider's call hash, where the request came under a merchant's key (decision 30). A store that
 * lost its last records asks again under the same ids, and the provider recognises the call. Pure.
 *
 * Each such id ends with a tag that depends on the tenant and the key alone: one that is found at a provider names the key.
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

/**
 * A capture, a void or a refund of the charge that an attempt made. The payment's id is no part of it: a store that lost
 * the payment makes another one for the same charge. Of a dispute, the charge is followed by the provider's name of it.
 * `tries`: how many under the key were refused.
 */
export const operationText = (
  tenant: Tenant,
  attemptId: string,
  kind: "capture" | "void" | "refund" | "submit" | "accept",
  key: string,
  tries: number
): string => JSON.stringify([kind, ...place(tenant), attemptId, key, tries])

/** A refund that was made at the provider, by the provider's id of it. */
export const unnamedRefundText = (tenant: Tenant, connectionId: string, providerRefundId: string): string =>
  JSON.stringify(["refund at the provider", ...place(tenant), connectionId, providerRefundId])

const place = ({ environment, workspaceId }: Tenant) => [workspaceId, environment]

const dayMillis = 24 * 60 * 60 * 1000

/** Of the UTC day. Both in epoch milliseconds. */
export const startOfDay = (at: number): number => at - (at % dayMillis)

export const keyText = (tenant: Tenant, key: string): string => JSON.stringify(["key", ...place(tenant), key])

/** 48 bits, of the hash of a `keyText`. */
export const keyTagFrom = (hash: string): string => hash.slice(0, 12)

/** The tag of the key that an id was derived from; `undefined` for an id that was drawn. */
export const keyTagOf = (id: string): string | undefined => derivedId.exec(id)?.[1]
const derivedId = /^(?:att|op|rf)_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-([0-9a-f]{12})$/u

/**
 * A lower-case UUIDv8 (RFC 9562, section 5.8) of a time in epoch milliseconds, 26 bits of a hash, and a tag. It begins with
 * the time as a UUIDv7 does, so that an index of such ids is written where it was written last.
 */
export const derivedUuid = (hash: string, at: number, tag: string): string => {
  const time = at.toString(16).padStart(12, "0")
  const variant = "89ab"[Number.parseInt(hash.slice(3, 4), 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${tag}`
}

/**
 * The same of a call that acts on a charge. A merchant may use one key for many payments, and then nothing but the hash
 * tells their ids apart: the time is another one of the charge's UTC day, for another 26 bits of it.
 */
export const derivedUuidOnDay = (hash: string, at: number, tag: string): string =>
  derivedUuid(hash, startOfDay(at) + (Number.parseInt(hash.slice(7, 19), 16) % dayMillis), tag)

/** The same without a key. */
export const derivedUuidAlone = (hash: string, at: number): string => derivedUuid(hash, at, hash.slice(7, 19))

/** Epoch milliseconds in an id with a UUIDv7 or one of our UUIDv8 (RFC 9562); `undefined` for another id. */
export const timeOfId = (id: string): number | undefined => {
  const found = /^(?:[a-z]+_)?([0-9a-f]{8})-([0-9a-f]{4})-[78]/u.exec(id)
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16)
}

/** The start of the UTC day that an attempt's id was derived with, in epoch milliseconds; `undefined` for a drawn one. */
export const derivedDay = (attemptId: string): number | undefined =>
  /^att_[0-9a-f]{8}-[0-9a-f]{4}-8/u.test(attemptId) ? timeOfId(attemptId) : undefined

/** When a call is sent, in epoch milliseconds: later than those before it, so that time gives their order. */
export const sentAfter = (earlier: ReadonlyArray<{ readonly sentAt: number }>, now: number): number =>
  earlier.reduce((latest, { sentAt }) => Math.max(latest, sentAt + 1), now)
