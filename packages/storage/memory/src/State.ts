/**
 * Everything that is stored: a map for each kind of record.
 *
 * Records are frozen: a copy is stored of what comes in, and what is stored goes out as it is, since nothing can change it.
 */
import type * as Model from "@pointsman/core"
import type * as Ports from "@pointsman/core/ports"

export interface StoredDelivery {
  readonly delivery: Model.Delivery
  readonly event: Model.Event
  /** In the order of their numbers. */
  readonly attempts: ReadonlyArray<Model.DeliveryAttempt>
}

/** What one tenant owns; by id, where nothing else is said. */
const emptyTenant = (tenant: Model.Tenant) => ({
  tenant,
  books: new Map<string, Ports.PaymentBook>(),
  /** By payment: when it is checked next, in epoch milliseconds. */
  checks: new Map<string, Ports.DuePayment & { readonly at: number }>(),
  /** Which payment has a charge, by its connection and reference; also of payments that left the store. */
  references: new Map<string, string>(),
  disputes: new Map<string, Model.Dispute>(),
  /** By dispute. */
  evidence: new Map<string, Ports.SealedEvidence>(),
  /** In the order of their ids, which is the order of commits. */
  events: new Map<string, Model.Event>(),
  deliveries: new Map<string, StoredDelivery>(),
  claims: new Map<string, Model.Claim>(),
  /** By connection and event id, in the order in which they came. */
  messages: new Map<string, Ports.StoredMessage>(),
  /** By connection and row id. */
  settlements: new Map<string, Model.SettlementEntry>(),
  runs: new Map<string, Model.ReconciliationRun>(),
  /** By connection: which of its runs is read. */
  runLeases: new Map<string, Model.RunLease>(),
  /** By all that they consist of. */
  recoveredKeys: new Map<string, Ports.RecoveredKey>()
})
export type TenantState = ReturnType<typeof emptyTenant>

type Row<Name extends keyof Ports.DirectoryContents> = Ports.DirectoryContents[Name][number]

/** By id or hash, where nothing else is said. */
export const emptyState = () => ({
  /** How often it was put back to an earlier state, and 1. */
  history: 1,
  /** When the step under way began, in epoch milliseconds. */
  now: 0,
  tenants: new Map<string, TenantState>(),
  /** How often the directory was written. */
  directoryVersion: 0,
  workspaces: new Map<string, Row<"workspaces">>(),
  apiKeys: new Map<string, Row<"apiKeys">>(),
  connections: new Map<string, Row<"connections">>(),
  /** By tenant. */
  routing: new Map<string, Row<"routing">>(),
  webhookEndpoints: new Map<string, Row<"webhookEndpoints">>(),
  /** By generation. */
  configurations: new Map<number, Ports.AppliedConfiguration>(),
  /** In epoch milliseconds. */
  keyUses: new Map<string, number>(),
  /** By number. */
  audit: new Map<number, Ports.AuditEntry>(),
  merchants: new Map<string, Model.Merchant>(),
  operators: new Map<string, Model.Operator>(),
  sessions: new Map<string, Model.OperatorSession>(),
  links: new Map<string, Model.SignInLink>(),
  guesses: new Map<string, Ports.GuessCount>(),
  passkeys: new Map<string, Model.Passkey>(),
  challenges: new Map<string, Model.PasskeyChallenge>(),
  /** By tenant, connection and segment. */
  rates: new Map<string, Ports.StoredRate>(),
  /** Of retention, by what they are of. */
  leases: new Map<string, { readonly holder: string; readonly until: number }>(),
  /** The derivation keys, by their name. */
  keptSecrets: new Map<string, { readonly sealed: string }>(),
  /** Losses of records, by number. */
  losses: new Map<number, Ports.RecordLoss>()
})
export type State = ReturnType<typeof emptyState>

/** Copies everything; the result puts it back. */
export const snapshot = (state: State): (() => void) => {
  const kept = copyHolders(state)
  return () => void Object.assign(state, copyHolders(kept), { history: state.history + 1 })
}

/** Copies what holds records, and not the records. */
const copyHolders = <A>(held: A): A => {
  if (Object.isFrozen(held)) return held
  if (held instanceof Map) return new Map([...held].map(([key, one]) => [key, copyHolders(one)])) as A
  return Object.fromEntries(Object.entries(held as object).map(([name, one]) => [name, copyHolders(one)])) as A
}

/** Frozen, as is all of it. What is frozen already is shared. */
export const copy = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copy)) as A
  // A spread makes a field like all others even of `__proto__`.
  const made: Record<string, unknown> = { ...(value as object) }
  for (const name in made) made[name] = copy(made[name])
  return Object.freeze(made) as A
}

/** No two lists of parts share a key. */
export const keyOf = (...parts: ReadonlyArray<string>): string => JSON.stringify(parts)

export const tenantKey = ({ environment, workspaceId }: Model.Tenant): string => `${environment} ${workspaceId}`

/** What the tenant owns. */
export const of = (state: State, { environment, workspaceId }: Model.Tenant): TenantState => {
  const key = tenantKey({ environment, workspaceId })
  const found = state.tenants.get(key) ?? emptyTenant(copy({ workspaceId, environment }))
  state.tenants.set(key, found)
  return found
}

/** What all tenants own, or one of them. */
export const tenantsOf = (state: State, tenant?: Model.Tenant): ReadonlyArray<TenantState> =>
  tenant === undefined ? [...state.tenants.values()] : [of(state, tenant)]
