/** API keys, the merchants of partners, and the audit trail. */
import { Effect, type Redacted } from "effect"
import type { Caller } from "../decide/CreateRequest.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { MerchantDetails } from "../model/Merchant.ts"
import type { Tenant } from "../model/Tenant.ts"
import { Audit, type AuditEntry, type AuditSearch } from "../ports/Audit.ts"
import type { KeyHolder } from "../ports/Directory.ts"
import type { MerchantQuery, ProvisionFailure, ReinviteFailure } from "../ports/Merchants.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { authenticate, type ComesFrom, type KeyRefused } from "../verbs/administer/Authenticate.ts"
import {
  type ApiKeyCreated,
  type ApiKeyDraftInvalid,
  type ApiKeyNotFound,
  type ApiKeyNotRestorable,
  type ApiKeyOptions,
  type CreatedApiKey,
  createApiKey,
  createDraftedApiKey,
  draftApiKey,
  type RestoredApiKey,
  type RevokedApiKey,
  restoreApiKey,
  revokeApiKey,
  type WorkspaceNotFound
} from "../verbs/administer/ManageApiKeys.ts"
import {
  createInvitation,
  inviteMerchantAgain,
  type MerchantNotFound,
  type MerchantWithStatus,
  merchants,
  provisionMerchant
} from "../verbs/administer/ProvisionMerchant.ts"
import { type Erasure, type ErasureOrder, type ErasureRefused, erasePayments } from "../verbs/erase/ErasePayments.ts"
import { type Page, page } from "../verbs/read/ReadPayments.ts"
import { actsOf, type DoorContext, intents, requests } from "./DoorContext.ts"

export interface AdministrationMethods {
  /** `comesFrom`: as the caller's address is known; without it, a key that is limited to networks is refused. */
  readonly authenticate: (key: string, comesFrom?: ComesFrom) => Effect.Effect<KeyHolder, KeyRefused | StorageError>
  /**
   * A new key, for all scopes where `scopes` is `null`. After `StorageError` it may be stored, but the caller does not
   * have it.
   */
  readonly createApiKey: (
    tenant: Tenant,
    scopes: ApiKey["scopes"],
    options?: ApiKeyOptions
  ) => Effect.Effect<CreatedApiKey, WorkspaceNotFound | StorageError>
  /** A key that is not stored yet, encrypted: for `createDraftedApiKey`. It may be shown; it is of no use elsewhere. */
  readonly draftApiKey: (tenant: Tenant) => Effect.Effect<string, StorageError>
  /** As `createApiKey`, with the key of a draft. A repeated request creates none and fails: `ApiKeyCreated`. */
  readonly createDraftedApiKey: (
    tenant: Tenant,
    draft: string,
    scopes: ApiKey["scopes"],
    options?: ApiKeyOptions
  ) => Effect.Effect<CreatedApiKey, WorkspaceNotFound | ApiKeyDraftInvalid | ApiKeyCreated | StorageError>
  /** Revokes a key by its hash, for good. After `StorageError` it may be revoked; it can be asked for again. */
  readonly revokeApiKey: (hash: string) => Effect.Effect<RevokedApiKey, ApiKeyNotFound | StorageError>
  /**
   * Reactivates a key, by its hash, that a configuration revoked by omitting it. A key that `revokeApiKey` revoked stays
   * revoked. After `StorageError` it may be restored all the same; it can be asked for again.
   */
  readonly restoreApiKey: (
    hash: string
  ) => Effect.Effect<RestoredApiKey, ApiKeyNotFound | ApiKeyNotRestorable | StorageError>
  /**
   * Erases the personal data of the payments with a reference: the reference itself, also in events and stored answers,
   * reasons of refunds, addresses to return to, and the bodies of providers' messages. Amounts, states, ids and
   * provider references stay. Payments whose customer or request is under way are left alone and reported. It may be
   * repeated: after a failure it continues with the rest. Events that were delivered are not recalled.
   */
  readonly erasePayments: (order: ErasureOrder) => Effect.Effect<Erasure, ErasureRefused | StorageError>
  /** For white-label partners: makes a workspace without keys and invites its owner through the `Notifier`. */
  readonly provisionMerchant: (
    caller: Caller,
    details: MerchantDetails
  ) => Effect.Effect<MerchantWithStatus, ProvisionFailure>
  /** A new token for the owner of a partner's merchant; the one before is void. */
  readonly inviteMerchantAgain: (
    partnerId: string,
    merchantId: string
  ) => Effect.Effect<MerchantWithStatus, MerchantNotFound | ReinviteFailure>
  /** As `inviteMerchantAgain`, but the caller passes the token on, and the `Notifier` is not asked. */
  readonly createInvitation: (
    partnerId: string,
    merchantId: string
  ) => Effect.Effect<
    { readonly merchant: MerchantWithStatus; readonly token: Redacted.Redacted<string> },
    MerchantNotFound | ReinviteFailure
  >
  /** The merchants of a partner, newest first. */
  readonly merchants: (partnerId: string, query: MerchantQuery) => Effect.Effect<Page<MerchantWithStatus>, StorageError>
  /** Entries of the audit trail, newest first. */
  readonly auditEntries: (query: AuditSearch) => Effect.Effect<Page<AuditEntry>, StorageError>
}

export const administrationMethods = (context: DoorContext): AdministrationMethods => {
  const { ask } = requests(context)
  return {
    authenticate: (key, comesFrom) => ask(authenticate(key, comesFrom)),
    createApiKey: (tenant, scopes, options) => Effect.provideContext(createApiKey(tenant, scopes, options), context),
    draftApiKey: (tenant) => Effect.provideContext(draftApiKey(tenant), context),
    createDraftedApiKey: (tenant, draft, scopes, options) =>
      Effect.provideContext(createDraftedApiKey(tenant, draft, scopes, options), context),
    revokeApiKey: (hash) => Effect.provideContext(revokeApiKey(hash), context),
    restoreApiKey: (hash) => Effect.provideContext(restoreApiKey(hash), context),
    erasePayments: (order) => {
      const act = Effect.provideContext(erasePayments(order), context)
      if (order.isDryRun) return act
      // The reference may name a person.
      const entry = actsOf(context)({ ...order, operator: order.by }, "payments.erasing", order.tenant.workspaceId, {})
      return Effect.andThen(entry, act)
    },
    provisionMerchant: (caller, details) => ask(provisionMerchant(caller, details)),
    inviteMerchantAgain: (partnerId, id) => ask(inviteMerchantAgain(partnerId, id)),
    createInvitation: (partnerId, id) =>
      Effect.andThen(
        intents(context)("merchant.inviting", id, { partner_id: partnerId }),
        ask(createInvitation(partnerId, id))
      ),
    merchants: (partnerId, query) => ask(merchants(partnerId, query)),
    auditEntries: (query) =>
      Effect.map(ask(Effect.flatMap(Audit, ({ search }) => search({ ...query, limit: query.limit + 1 }))), (rows) =>
        page<AuditEntry>(query.limit, rows)
      )
  }
}
