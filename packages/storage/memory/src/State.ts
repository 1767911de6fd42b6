/**
 * Everything that is stored. A payment is one record with all that belongs to it, which a change replaces.
 *
 * Records are frozen: a copy is stored of what comes in, and what is stored goes out as it is, since nothing can change it.
 */
import type {
  Claim,
  Delivery,
  DeliveryAttempt,
  Dispute,
  Event,
  Merchant,
  Operator,
  OperatorSession,
  Passkey,
  PasskeyChallenge,
  ReconciliationRun,
  RunLease,
  SettlementEntry,
  SignInLink,
  Tenant
} from "@pointsman/core"
import type * as Ports from "@pointsman/core/ports"

export interface PaymentRecord {
  readonly book: Ports.PaymentBook
  readonly disputes: ReadonlyArray<Dispute>
  /** By the ids of their disputes. */
  readonly evidence: ReadonlyArray<Ports.SealedEvidence>
  /** When it is checked next, in epoch milliseconds, and the connection whose provider is asked. */
  readonly check: { readonly at: number; readonly connectionId: string | null } | null
}

export interface StoredDelivery {
  readonly delivery: Delivery
  readonly event: Event
  /** In the order of their numbers. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

type Row<Name extends keyof Ports.DirectoryContents> = Ports.DirectoryContents[Name][number]

/** What one tenant owns; by id, where nothing else is said. */
const emptyTenant = (tenant: Tenant) => ({
  tenant,
  payments: new Map<string, PaymentRecord>(),
  /** Which payment has a charge, by its connection and reference; also of payments that left the store. */
  references: new Map<string, string>(),
  /** In the order of their ids, which is the order of commits. */
  events: [] as Event[],
  deliveries: new Map<string, StoredDelivery>(),
  claims: new Map<string, Claim>(),
  /** By connection and event id, in the order in which they came. */
  messages: new Map<string, Ports.StoredMessage>(),
  /** By connection and row id. */
  settlements: new Map<string, SettlementEntry>(),
  runs: new Map<string, ReconciliationRun>(),
  /** By connection: which of its runs is read. */
  runLeases: new Map<string, RunLease>(),
  /** By all that they consist of. */
  recoveredKeys: new Map<string, Ports.RecoveredKey>()
})
export type TenantState = ReturnType<typeof emptyTenant>

/** By id or hash, where nothing else is said. */
export const emptyState = () => ({
  /** How often it was put back to an earlier state, and 1. */
  history: 1,
  /** When the step under way began, in epoch milliseconds. */
  now: 0,
  tenants: new Map<string, TenantState>(),
  workspaces: new Map<string, Row<"workspaces">>(),
  apiKeys: new Map<string, Row<"apiKeys">>(),
  connections: new Map<string, Row<"connections">>(),
  /** By tenant. */
  routing: new Map<string, Row<"routing">>(),
  webhookEndpoints: new Map<string, Row<"webhookEndpoints">>(),
  /** By generation. */
  configurations: [] as Ports.AppliedConfiguration[],
  /** In epoch milliseconds. */
  keyUses: new Map<string, number>(),
  /** By number. */
  audit: [] as Ports.AuditEntry[],
  merchants: new Map<string, Merchant>(),
  operators: new Map<string, Operator>(),
  sessions: new Map<string, OperatorSession>(),
  links: new Map<string, SignInLink>(),
  guesses: new Map<string, Ports.GuessCount>(),
  passkeys: new Map<string, Passkey>(),
  challenges: new Map<string, PasskeyChallenge>(),
  /** By tenant, connection and segment. */
  rates: new Map<string, Ports.StoredRate>(),
  /** Of retention, by what they are of. */
  leases: new Map<string, { readonly holder: string; readonly until: number }>(),
  /** The sealed derivation keys. */
  derivation: null as string | null,
  /** The newest loss of records. */
  loss: null as Ports.RecordLoss | null
})
export type State = ReturnType<typeof emptyState>

/** Copies everything; the result puts it back. */
export const snapshot = (state: State): (() => void) => {
  const kept = copyHolders(state)
  return () => {
    Object.assign(state, copyHolders(kept), { history: state.history + 1 })
  }
}

/** Copies what holds records, and not the records. */
const copyHolders = <A>(held: A): A => {
  if (Object.isFrozen(held)) return held
  if (Array.isArray(held)) return [...held] as A
  if (held instanceof Map) return new Map([...held].map(([key, one]) => [key, copyHolders(one)])) as A
  return Object.fromEntries(Object.entries(held as object).map(([name, one]) => [name, copyHolders(one)])) as A
}

/** No two lists of parts share a key. */
export const keyOf = (...parts: ReadonlyArray<string>): string => JSON.stringify(parts)

export const tenantKey = ({ environment, workspaceId }: Tenant): string => `${environment} ${workspaceId}`

/** What the tenant owns. */
export const of = (state: State, { environment, workspaceId }: Tenant): TenantState => {
  const key = tenantKey({ environment, workspaceId })
  const found = state.tenants.get(key) ?? emptyTenant(copy({ workspaceId, environment }))
  state.tenants.set(key, found)
  return found
}

/** What all tenants own, or one of them. */
export const tenantsOf = (state: State, tenant?: Tenant): ReadonlyArray<TenantState> =>
  tenant === undefined ? [...state.tenants.values()] : [of(state, tenant)]

export const recordsOf = (state: State, tenant?: Tenant): ReadonlyArray<PaymentRecord> =>
  tenantsOf(state, tenant).flatMap(({ payments }) => [...payments.values()])

/** Frozen, as is all of it. What is frozen already is shared. */
export const copy = <A>(value: A): A => {
  if (Object.isFrozen(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copy)) as A
  const made: Record<string, unknown> = {}
  for (const key in value) {
    if (key !== "__proto__") made[key] = copy<unknown>(value[key])
    // Data like all else, even if a field has this name.
    else Object.defineProperty(made, key, { value: copy<unknown>(value[key]), enumerable: true })
  }
  return Object.freeze(made) as A
}
