/** Workspaces with their keys, connections and endpoints; partners' merchants; success rates. */
import type { Merchant, MerchantStanding, Tenant } from "@pointsman/core"
import { emailKey, resumed, withStatedAccount, workspaceOfMerchant } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { Option, Result } from "effect"
import { audited } from "./Operators.ts"
import { all, by, drop, find, has, type Methods, newest, page, put, update } from "./Records.ts"
import { keyOf, of, type State, tenantKey } from "./State.ts"

type Reads = ReturnType<typeof Ports.directoryReads>

export const directory: Methods<Omit<Ports.Directory["Service"], keyof Reads>> = {
  write: (state, contents, audit) => write(state, contents, audit),
  apply: (state, { audit, configuration, contents, version }) => {
    if (version !== state.directoryVersion) return false
    if (configuration !== null) put(state.configurations, configuration.generation, configuration)
    write(state, contents, audit)
    return true
  },
  replaceEndpointSecret: (state, expectedSealed, { id, rotation, sealedPreviousSecret, sealedSecret }, audit) => {
    const stored = state.webhookEndpoints.get(id)
    if (stored?.sealedSecret !== expectedSealed) return false
    const { sealedPreviousSecret: _, ...others } = stored
    const previous = sealedPreviousSecret == null ? {} : { sealedPreviousSecret }
    put(state.webhookEndpoints, id, { ...others, ...previous, sealedSecret, rotation })
    state.directoryVersion++
    return audited(state, audit)
  },
  recordAccount: (state, { account, at, connectionId, sealedCredentials }) => {
    state.directoryVersion++
    update(
      state.connections,
      connectionId,
      (stored) => ({ account: withStatedAccount(stored.account, account, at) }),
      has({ sealedCredentials })
    )
  },
  recordKeyUses: ({ keyUses }, uses) => {
    for (const { at, hash } of uses)
      if (at - (keyUses.get(hash) ?? Number.NEGATIVE_INFINITY) >= Ports.keyUseEveryMillis) keyUses.set(hash, at)
  },
  keyUses: { get: (state) => new Map(state.keyUses) }
}

export const connectionsOf = ({ connections }: State, { environment, workspaceId }: Tenant) =>
  [...connections.values()].filter(has({ environment, workspaceId }))

/** By their keys, so that two reads of the same contents are equal. */
export const directoryState = (state: State): Ports.DirectoryState => ({
  contents: {
    workspaces: page(state.workspaces.values(), by("id")),
    apiKeys: page(state.apiKeys.values(), by("hash")),
    connections: page(state.connections.values(), by("id")),
    routing: page(state.routing.values(), by("environment", "workspaceId")),
    webhookEndpoints: page(state.webhookEndpoints.values(), by("id"))
  },
  configurations: [...state.configurations.values()],
  version: state.directoryVersion
})

const write = (state: State, contents: Ports.DirectoryContents, audit: Ports.AuditDraft | undefined): void => {
  state.directoryVersion++
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
  for (const { delivery, ...stored } of all(state, "deliveries")) {
    const due = resumed(delivery, stored.attempts.at(-1)?.end ?? null, state.now)
    if (due && active.has(due.endpointId)) put(of(state, due.tenant).deliveries, due.id, { ...stored, delivery: due })
  }
  if (audit !== undefined) audited(state, audit)
}

export const isRevoked = (state: State, apiKeyHash: string | undefined): boolean =>
  apiKeyHash !== undefined && state.apiKeys.get(apiKeyHash)?.revokedAt !== null

export const merchants: Methods<Ports.Merchants["Service"]> = {
  provision: (state, { apiKeyHash, merchant }) => {
    const { email, partnerId } = merchant
    if (state.merchants.has(merchant.id)) return Result.void
    const present = merchantsOf(state, partnerId)
    const refused = Ports.provisionRefusal({
      isRevoked: isRevoked(state, apiKeyHash),
      partner: state.workspaces.get(partnerId)?.partner,
      isInvited: present.some((one) => emailKey(one.email) === emailKey(email)),
      present: present.length
    })
    if (refused !== undefined) return Result.fail(refused)
    put(state.merchants, merchant.id, merchant)
    put(state.workspaces, merchant.workspaceId, workspaceOfMerchant(merchant))
    state.directoryVersion++
    return Result.void
  },
  replaceInvitation: (state, partnerId, id, invitationHash) =>
    update(state.merchants, id, { invitationHash }, has({ partnerId }))
      ? Option.map(find(state.merchants, id), standingIn(state))
      : Option.none(),
  list: (state, partnerId, query) => newest(merchantsOf(state, partnerId), query).map(standingIn(state)),
  workspaceIds: { get: (state) => new Set([...state.merchants.values()].map(({ workspaceId }) => workspaceId)) }
}

const merchantsOf = (state: State, partnerId: string) => [...state.merchants.values()].filter(has({ partnerId }))

const standingIn =
  ({ apiKeys, workspaces }: State) =>
  (merchant: Merchant): MerchantStanding => {
    const { workspaceId } = merchant
    const isLive = has({ workspaceId, environment: "production", revokedAt: null })
    const suspended = workspaces.get(workspaceId)?.suspended === true
    return { merchant, suspended, hasLiveKey: [...apiKeys.values()].some(isLive) }
  }

export const successRates: Methods<Ports.SuccessRates["Service"]> = {
  changedSince: (state, at) => [...state.rates.values()].filter(({ rate }) => rate.at >= at),
  write: (state, rates) =>
    rates.flatMap((rate) => {
      const key = keyOf(tenantKey(rate.tenant), rate.connectionId, rate.segment)
      const stored = state.rates.get(key)
      if (stored !== undefined && stored.version !== rate.version - 1) return [stored]
      put(state.rates, key, rate)
      return []
    }),
  forgetBefore: (state, at) => drop(state.rates, ({ rate }) => rate.at < at)
}
