/** Workspaces with their keys, connections and endpoints; partners' merchants; success rates. */
import type { Merchant, MerchantStanding } from "@pointsman/core"
import { emailKey, resumed, withStatedAccount, workspaceOfMerchant } from "@pointsman/core/internal"
import {
  AllowanceExhausted,
  AlreadyInvited,
  ApiKeyRevoked,
  type AuditDraft,
  type Directory,
  type DirectoryContents,
  keyUseEveryMillis,
  type Merchants,
  NotAPartner,
  type Provision,
  type ProvisionFailure,
  type StoredRate,
  type SuccessRates
} from "@pointsman/core/ports"
import { Option, Result } from "effect"
import { audited } from "./Operators.ts"
import { by, drop, find, has, type Methods, named, newestFirst, page, put, update } from "./Records.ts"
import { copy, keyOf, type State, tenantKey, tenantsOf } from "./State.ts"

export const directory: Methods<Directory["Service"]> = {
  keyHolder: ({ apiKeys, workspaces }, hash) => {
    const apiKey = apiKeys.get(hash)
    const workspace = apiKey && workspaces.get(apiKey.workspaceId)
    return apiKey && workspace ? Option.some({ apiKey, workspace }) : Option.none()
  },
  workspace: (state, id) => find(state.workspaces, id),
  connections: (state, { environment, workspaceId }) =>
    page(state.connections.values(), by("id"), { where: has({ environment, workspaceId }) }),
  connection: (state, id) => find(state.connections, id),
  routing: (state, tenant) => Option.map(find(state.routing, tenantKey(tenant)), ({ settings }) => settings),
  contents: { get: (state) => contentsOf(state) },
  state: { get: (state) => ({ contents: contentsOf(state), configurations: [...state.configurations] }) },
  write: (state, contents, audit) => write(state, contents, audit),
  apply: (state, { after, audit, configuration, contents, seenSecrets = new Map() }) => {
    const isSeen = [...seenSecrets].every(([id, sealed]) => state.webhookEndpoints.get(id)?.sealedSecret === sealed)
    if (!isSeen || (state.configurations.at(-1)?.generation ?? 0) !== after) return false
    if (configuration !== null) state.configurations.push(copy(configuration))
    write(state, contents, audit)
    return true
  },
  replaceEndpointSecret: (state, expectedSealed, { id, rotation, sealedPreviousSecret, sealedSecret }, audit) =>
    update(state.webhookEndpoints, id, ({ sealedPreviousSecret: _, ...stored }) =>
      stored.sealedSecret === expectedSealed
        ? { ...stored, sealedSecret, rotation, ...(sealedPreviousSecret == null ? {} : { sealedPreviousSecret }) }
        : undefined
    ) && audited(state, audit),
  recordAccount: (state, { account, at, connectionId, sealedCredentials }) =>
    void update(state.connections, connectionId, (stored) =>
      stored.sealedCredentials === sealedCredentials
        ? { ...stored, account: withStatedAccount(stored.account, account, at) }
        : undefined
    ),
  recordKeyUses: ({ keyUses }, uses) => {
    for (const { at, hash } of uses) {
      if (at - (keyUses.get(hash) ?? Number.NEGATIVE_INFINITY) >= keyUseEveryMillis) keyUses.set(hash, at)
    }
  },
  keyUses: { get: (state) => new Map(state.keyUses) }
}

/** By their keys, so that two reads of the same contents are equal. */
const contentsOf = ({ apiKeys, connections, routing, webhookEndpoints, workspaces }: State): DirectoryContents => ({
  workspaces: page(workspaces.values(), by("id")),
  apiKeys: page(apiKeys.values(), by("hash")),
  connections: page(connections.values(), by("id")),
  routing: page(routing.values(), by("environment", "workspaceId")),
  webhookEndpoints: page(webhookEndpoints.values(), by("id"))
})

const write = (state: State, contents: DirectoryContents, audit: AuditDraft | undefined): void => {
  for (const one of contents.workspaces) put(state.workspaces, one.id, one)
  for (const one of contents.apiKeys) {
    const before = state.apiKeys.get(one.hash)
    if (before?.source !== "operator" || before.revokedAt === null) put(state.apiKeys, one.hash, one)
  }
  for (const { account: _, ...one } of contents.connections) {
    const account = state.connections.get(one.id)?.account
    put(state.connections, one.id, account === undefined ? one : { ...one, account })
  }
  for (const one of contents.routing) put(state.routing, tenantKey(one), one)
  for (const one of contents.webhookEndpoints) put(state.webhookEndpoints, one.id, one)
  const active = new Set(contents.webhookEndpoints.filter((endpoint) => endpoint.active).map(({ id }) => id))
  for (const { deliveries } of tenantsOf(state)) {
    for (const [id, { attempts, delivery }] of active.size === 0 ? [] : deliveries) {
      const due = active.has(delivery.endpointId) && resumed(delivery, attempts.at(-1)?.end ?? null, state.now)
      if (due) update(deliveries, id, (stored) => ({ ...stored, delivery: due }))
    }
  }
  if (audit !== undefined) audited(state, audit)
}

export const isRevoked = (state: State, apiKeyHash: string | undefined): boolean =>
  apiKeyHash !== undefined && state.apiKeys.get(apiKeyHash)?.revokedAt !== null

export const merchants: Methods<Merchants["Service"]> = {
  provision: (state, provision) => {
    const { merchant } = provision
    const refused = state.merchants.has(merchant.id) ? undefined : refusalOf(state, provision)
    if (refused !== undefined) return Result.fail(refused)
    if (state.merchants.has(merchant.id)) return Result.void
    put(state.merchants, merchant.id, merchant)
    put(state.workspaces, merchant.workspaceId, workspaceOfMerchant(merchant))
    return Result.void
  },
  replaceInvitation: (state, partnerId, id, invitationHash) => {
    const isReplaced = update(state.merchants, id, (stored) =>
      stored.partnerId === partnerId ? { ...stored, invitationHash } : undefined
    )
    return isReplaced ? Option.map(find(state.merchants, id), standingIn(state)) : Option.none()
  },
  list: (state, partnerId, { before: id, limit }) =>
    page(state.merchants.values(), newestFirst, { after: named(id), limit, where: has({ partnerId }) }).map(
      standingIn(state)
    ),
  workspaceIds: { get: (state) => new Set([...state.merchants.values()].map(({ workspaceId }) => workspaceId)) }
}

/** In the port's order. */
const refusalOf = (state: State, { apiKeyHash, merchant }: Provision): ProvisionFailure | undefined => {
  const { email, partnerId } = merchant
  if (isRevoked(state, apiKeyHash)) return new ApiKeyRevoked()
  const partner = state.workspaces.get(partnerId)?.partner
  if (partner == null) return new NotAPartner()
  const present = [...state.merchants.values()].filter(has({ partnerId }))
  if (present.some((one) => emailKey(one.email) === emailKey(email))) return new AlreadyInvited()
  const { allowance } = partner
  return present.length >= allowance ? new AllowanceExhausted({ allowance }) : undefined
}

const standingIn =
  ({ apiKeys, workspaces }: State) =>
  (merchant: Merchant): MerchantStanding => {
    const { workspaceId } = merchant
    return {
      merchant,
      suspended: workspaces.get(workspaceId)?.suspended === true,
      hasLiveKey: [...apiKeys.values()].some(has({ workspaceId, environment: "production", revokedAt: null }))
    }
  }

const rateKey = ({ connectionId, segment, tenant }: StoredRate) => keyOf(tenantKey(tenant), connectionId, segment)

export const successRates: Methods<SuccessRates["Service"]> = {
  changedSince: (state, at) => [...state.rates.values()].filter(({ rate }) => rate.at >= at),
  write: (state, rates) =>
    rates.flatMap((rate) => {
      const stored = state.rates.get(rateKey(rate))
      if (stored !== undefined && stored.version !== rate.version - 1) return [stored]
      put(state.rates, rateKey(rate), rate)
      return []
    }),
  forgetBefore: (state, at) => drop(state.rates, ({ rate }) => rate.at < at)
}
