/**
 * The store of partners' sub-merchants. `provision` counts, compares and writes in one step: otherwise requests that come at
 * once exceed an allowance, or use an e-mail address twice.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Merchant, MerchantStanding } from "../model/Merchant.ts"
import type { Workspace } from "../model/Workspace.ts"
import { ApiKeyRevoked } from "./Ledger.ts"
import type { CommitUnknown, StorageError } from "./StorageError.ts"

/** The workspace is no white-label partner, or not any more. */
export class NotAPartner extends Schema.TaggedError<NotAPartner>()("pointsman/NotAPartner", {}) {}

/** The partner has a merchant with this e-mail address already. */
export class AlreadyInvited extends Schema.TaggedError<AlreadyInvited>()("pointsman/AlreadyInvited", {}) {}

/** The partner has as many merchants as it may have. */
export class AllowanceExhausted extends Schema.TaggedError<AllowanceExhausted>()("pointsman/AllowanceExhausted", {
  /** How many it may have. */
  allowance: Schema.Int
}) {}

export type ProvisionFailure =
  | ApiKeyRevoked
  | NotAPartner
  | AlreadyInvited
  | AllowanceExhausted
  | StorageError
  | CommitUnknown

/** The store failed, or may have replaced it. */
export type ReinviteFailure = StorageError | CommitUnknown

export interface Provision {
  readonly merchant: Merchant
  /** When set, the write happens only while this API key is alive. */
  readonly apiKeyHash?: string | undefined
}

/** For storages: what refuses a provision whose merchant is not stored yet, in the order of `Merchants.provision`. */
export const provisionRefusal = ({
  isInvited,
  isRevoked,
  partner,
  present
}: {
  readonly isRevoked: boolean
  /** Of the workspace. */
  readonly partner: Workspace["partner"] | undefined
  /** Whether a merchant of the partner has the address. */
  readonly isInvited: boolean
  /** How many merchants the partner has. */
  readonly present: number
}): Exclude<ProvisionFailure, StorageError | CommitUnknown> | undefined => {
  if (isRevoked) return new ApiKeyRevoked()
  if (partner == null) return new NotAPartner()
  if (isInvited) return new AlreadyInvited()
  const { allowance } = partner
  return present >= allowance ? new AllowanceExhausted({ allowance }) : undefined
}

export interface MerchantQuery {
  /** Only merchants with a smaller id. */
  readonly before?: string | undefined
  /** Rows at most. */
  readonly limit: number
}

export class Merchants extends Context.Service<
  Merchants,
  {
    /**
     * Writes the merchant and its workspace (`workspaceOfMerchant`), or nothing. Checked in this order, inside the
     * write: a merchant with this id is stored (then it succeeds, and the stored one stays: a write whose fate was
     * unknown may be sent again); the API key; that the workspace is a partner; the address (`emailKey`) among all of
     * the partner's merchants; how many they are, against the allowance that is stored now.
     *
     * The address comes before the allowance: a partner that never heard its answer asks again, and must learn that
     * the merchant is there, also when it took the last place.
     */
    readonly provision: (provision: Provision) => Effect.Effect<void, ProvisionFailure>
    /** Another invitation in the place of the one before; gives the merchant as it is then. */
    readonly replaceInvitation: (
      partnerId: string,
      id: string,
      invitationHash: string
    ) => Effect.Effect<Option.Option<MerchantStanding>, ReinviteFailure>
    /** Newest first. */
    readonly list: (
      partnerId: string,
      query: MerchantQuery
    ) => Effect.Effect<ReadonlyArray<MerchantStanding>, StorageError>
    /** The workspaces of every partner's merchants: a configuration that does not name them leaves them alone. */
    readonly workspaceIds: Effect.Effect<ReadonlySet<string>, StorageError>
  }
>()("pointsman/ports/Merchants") {}
