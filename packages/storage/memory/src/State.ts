import type {
  Attempt,
  Claim,
  Delivery,
  DeliveryAttempt,
  Dispute,
  Event,
  Merchant,
  Operation,
  Operator,
  OperatorSession,
  Passkey,
  PasskeyChallenge,
  Payment,
  ReconciliationRun,
  Refund,
  RunLease,
  SettlementEntry,
  SignInLink,
  Tenant
} from "@pointsman/core"
import type {
  AppliedConfiguration,
  AuditEntry,
  DirectoryContents,
  GuessCount,
  RecordLoss,
  RecoveredKey,
  SealedEvidence,
  StoredMessage
} from "@pointsman/core/ports"

/** What one tenant owns. */
export interface TenantState {
  readonly tenant: Tenant
  readonly payments: Map<string, Payment>
  /** Which payment has a charge, by its connection and reference. */
  readonly references: Map<string, string>
  /** By payment, in the order of their numbers. */
  readonly attempts: Map<string, Array<Attempt>>
  /** By payment, oldest first. */
  readonly operations: Map<string, Array<Operation>>
  /** By payment, oldest first. */
  readonly refunds: Map<string, Array<Refund>>
  /** By the ids of their payments, like those above. */
  readonly disputes: Map<string, Array<Dispute>>
  /** By the ids of their disputes. */
  readonly evidence: Map<string, SealedEvidence>
  /** In the order of their ids, which is the order of commits. */
  readonly events: Array<Event>
  readonly claims: Map<string, Claim>
  /** When a payment is to be checked next, in epoch milliseconds, and the connection whose provider is asked. */
  readonly checks: Map<string, { readonly at: number; readonly connectionId: string | null }>
  /** Providers' messages, in the order in which they came. */
  readonly messages: Map<string, StoredMessage>
  /** By connection and row id. */
  readonly settlements: Map<string, SettlementEntry>
  /** By id. */
  readonly runs: Map<string, ReconciliationRun>
  /** By connection: which of its runs is read. */
  readonly runLeases: Map<string, RunLease>
  readonly recoveredKeys: Array<RecoveredKey>
}

export interface StoredDelivery {
  delivery: Delivery
  event: Event
  /** In the order of their numbers. */
  readonly attempts: Array<DeliveryAttempt>
}

/** Everything that is stored, shared by the ports. Only copies enter and leave it. */
export interface State {
  /** How often it was put back to an earlier state, and 1. */
  history: number
  readonly tenants: Map<string, TenantState>
  /** Whose hosted page it is, by the hash of its token. */
  readonly pages: Map<string, { readonly tenant: Tenant; readonly paymentId: string }>
  readonly workspaces: Map<string, DirectoryContents["workspaces"][number]>
  readonly apiKeys: Map<string, DirectoryContents["apiKeys"][number]>
  readonly connections: Map<string, DirectoryContents["connections"][number]>
  readonly routing: Map<string, DirectoryContents["routing"][number]>
  readonly webhookEndpoints: Map<string, DirectoryContents["webhookEndpoints"][number]>
  /** By generation. */
  readonly configurations: Array<AppliedConfiguration>
  /** In epoch milliseconds, by the hash of the key. */
  readonly keyUses: Map<string, number>
  /** By number. */
  readonly audit: Array<AuditEntry>
  readonly merchants: Map<string, Merchant>
  readonly operators: Map<string, Operator>
  /** By hash. */
  readonly operatorSessions: Map<string, OperatorSession>
  /** By hash. */
  readonly signInLinks: Map<string, SignInLink>
  readonly signInGuesses: Map<string, GuessCount>
  /** By id. */
  readonly passkeys: Map<string, Passkey>
  /** By hash. */
  readonly passkeyChallenges: Map<string, PasskeyChallenge>
  readonly deliveries: Map<string, StoredDelivery>
  /** The sealed derivation keys. */
  derivation: string | null
  /** The newest loss of records. */
  loss: RecordLoss | null
}

export const make = (): State => ({
  history: 1,
  tenants: new Map(),
  pages: new Map(),
  workspaces: new Map(),
  apiKeys: new Map(),
  connections: new Map(),
  routing: new Map(),
  webhookEndpoints: new Map(),
  configurations: [],
  keyUses: new Map(),
  audit: [],
  merchants: new Map(),
  operators: new Map(),
  operatorSessions: new Map(),
  signInLinks: new Map(),
  signInGuesses: new Map(),
  passkeys: new Map(),
  passkeyChallenges: new Map(),
  deliveries: new Map(),
  derivation: null,
  loss: null
})

/** Copies everything; the result puts it back. */
export const snapshot = (state: State): (() => void) => {
  const kept = structuredClone(state)
  return () => {
    const { audit, configurations, derivation, history: _, loss, ...maps } = structuredClone(kept)
    state.history += 1
    state.derivation = derivation
    state.loss = loss
    state.audit.splice(0, Number.POSITIVE_INFINITY, ...audit)
    state.configurations.splice(0, Number.POSITIVE_INFINITY, ...configurations)
    for (const [name, entries] of Object.entries(maps)) {
      const map: Map<string, unknown> = state[name as keyof typeof maps]
      map.clear()
      for (const [key, value] of entries) map.set(key, value)
    }
  }
}

/** No two tenants share a key: the environment is one of two words, and comes first. */
export const tenantKey = (tenant: Tenant): string => `${tenant.environment} ${tenant.workspaceId}`

const empty = (tenant: Tenant): TenantState => ({
  tenant,
  payments: new Map(),
  references: new Map(),
  attempts: new Map(),
  operations: new Map(),
  refunds: new Map(),
  disputes: new Map(),
  evidence: new Map(),
  events: [],
  claims: new Map(),
  checks: new Map(),
  messages: new Map(),
  settlements: new Map(),
  runs: new Map(),
  runLeases: new Map(),
  recoveredKeys: []
})

const nothing: TenantState = empty({ workspaceId: "", environment: "sandbox" })

/** To read from; what is not stored yet reads as nothing. */
export const ofTenant = (state: State, tenant: Tenant): TenantState => state.tenants.get(tenantKey(tenant)) ?? nothing

/** To write to. */
export const forTenant = (state: State, tenant: Tenant): TenantState => {
  const key = tenantKey(tenant)
  const found = state.tenants.get(key)
  if (found !== undefined) return found
  const made = empty({ workspaceId: tenant.workspaceId, environment: tenant.environment })
  state.tenants.set(key, made)
  return made
}

/**
 * A copy shares nothing with the original, so that a caller cannot change what is stored. Records are plain data, and
 * `structuredClone` takes several times as long: it was what a store in memory spent most of its time on.
 */
export const copy = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(copy) as A
  if (typeof value !== "object" || value === null) return value
  const made: Record<string, unknown> = {}
  for (const key in value) {
    if (key !== "__proto__") made[key] = copy<unknown>(value[key])
    // Data like all else, even if a field has this name.
    else Object.defineProperty(made, key, { value: copy<unknown>(value[key]), enumerable: true, writable: true })
  }
  return made as A
}

/** UUIDs and hashes order by their characters, as they do in SQL; `localeCompare` would not. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Where a record is in a list, by a time in epoch milliseconds and then by its name. */
export interface Place {
  /** Epoch milliseconds. */
  readonly at: number
  readonly name: string
}

export const byPlace = (a: Place, b: Place): number => a.at - b.at || byText(a.name, b.name)
