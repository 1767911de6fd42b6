/**
 * A sub-merchant of a white-label partner: a workspace of its own, and the invitation of its owner. It belongs to no
 * environment, because a partner provisions only with a live key.
 */
import type { Workspace } from "./Workspace.ts"

/** What a partner says of a merchant. */
export interface MerchantDetails {
  readonly name: string
  /** As it was written; compared by `emailKey`. */
  readonly email: string
  /** ISO 3166-1 alpha-2 country in which the merchant is registered. */
  readonly country: string
  readonly category: string | null
}

export interface Merchant extends MerchantDetails {
  /** `mer_` and a UUIDv7. */
  readonly id: string
  /** The partner's workspace. */
  readonly partnerId: string
  /** The merchant's own workspace. It has the merchant's id, so that a partner and an operator speak of one thing. */
  readonly workspaceId: string
  /** Lower-case hex SHA-256 of the one-time token that its owner was last invited with. */
  readonly invitationHash: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export type MerchantStatus = "invited" | "active" | "suspended"

/** A merchant, and what its workspace says of it. */
export interface MerchantStanding {
  readonly merchant: Merchant
  readonly suspended: boolean
  /** Whether the workspace has a production key that is not revoked. */
  readonly hasLiveKey: boolean
}

/** Never stored: it follows from the workspace and its keys, regardless of who changes them. */
export const merchantStatus = ({ hasLiveKey, suspended }: Omit<MerchantStanding, "merchant">): MerchantStatus =>
  suspended ? "suspended" : hasLiveKey ? "active" : "invited"

/**
 * By which two addresses are one, for a partner who invites twice. Case does not count, in the part before the `@`
 * either: RFC 5321 lets a mail server tell `Ann` from `ann` and none in use does, while a partner that writes an
 * address in two ways means one owner. Composed and decomposed letters are one; dots and tags (`ann+shop`) are left
 * as they are, since they mean different things at different servers.
 */
export const emailKey = (email: string): string => email.normalize("NFC").toLowerCase()

/** The workspace that is made with the merchant: without keys, connections and routing. */
export const workspaceOfMerchant = ({ category, country, name, workspaceId }: Merchant): Workspace => ({
  id: workspaceId,
  name,
  country,
  category,
  suspended: false,
  partner: null
})
