/** Writes a change, in one step without a pause: the book of its payment after it, and what is stored with it. */
import type * as Model from "@pointsman/core"
import { bookAfter, brokenBook, type ChargeReference, referencesOf, versionIn } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import { Effect, Result, Semaphore } from "effect"
import { isRevoked } from "./Directory.ts"
import { guarded } from "./RecordLoss.ts"
import { all, has, put, update } from "./Records.ts"
import { copy, keyOf, of, type State, type StoredDelivery, type TenantState } from "./State.ts"

/** A change whose events have their ids. */
interface DrawnChange extends Ports.Change {
  readonly events: ReadonlyArray<Model.Event>
}

/**
 * Draws the ids of a change's events and writes it, one change after the other: where a larger id is written before a
 * smaller one, a follower that saw it never sees the smaller one.
 */
export const inTurn = (
  newId: Effect.Effect<string>,
  write: (change: DrawnChange) => Effect.Effect<boolean, Ports.CommitFailure>
): Ports.Ledger["Service"]["commit"] => {
  const turn = Semaphore.makeUnsafe(1)
  return (change) =>
    Effect.forEach(change.events, (draft) => Effect.map(newId, (id) => ({ ...draft, id }))).pipe(
      Effect.flatMap((events) => write({ ...change, events })),
      turn.withPermit
    )
}

export const commit = (
  state: State,
  input: DrawnChange,
  newDeliveryId: () => string
): Result.Result<boolean, Ports.CommitFailure> => {
  dieIf(Ports.brokenChange(input))
  // Without the whole book that it was decided on, which only the databases need.
  const change = copy({ ...input, payment: { ...input.payment, before: undefined } })
  const { claim, events, message, payment, tenant } = change
  const { id } = payment.after
  const owned = of(state, tenant)
  const refused = refusedBy(state, change)
  if (refused !== undefined) return Result.fail(refused)
  const before = owned.books.get(id)
  const after = bookAfter(before, { ...change, payment: inHistory(state, payment.after) })
  dieIf(brokenBy(state, after, before))
  const deliveries = events.flatMap((event) =>
    endpointsFor(state, change, event).map((endpoint) => newDelivery(change, event, endpoint.id, newDeliveryId()))
  )

  put(owned.books, id, after)
  for (const one of referencesOf(change)) if (one.isTaken) owned.references.set(referenceKey(one), id)
  for (const one of change.disputes ?? []) put(owned.disputes, one.id, one)
  for (const one of change.evidence ?? []) put(owned.evidence, one.id, one)
  const { checkAt: at, checkedConnection: connectionId = null } = change
  if (at == null) owned.checks.delete(id)
  else put(owned.checks, id, { tenant, paymentId: id, connectionId, at })
  for (const event of events) put(owned.events, event.id, event)
  for (const one of deliveries) put(owned.deliveries, one.delivery.id, one)
  if (message !== undefined) decide(owned, message)
  if (claim !== undefined) put(owned.claims, claim.after.key, inHistory(state, claim.after))
  return Result.succeed(deliveries.length > 0)
}

/** A broken change is a defect. */
const dieIf = (broken: string | undefined): void => {
  if (broken !== undefined) throw new Error(`Ledger.commit: ${broken}`)
}

const refusedBy = (state: State, change: Ports.Change): Ports.CommitFailure | undefined => {
  const { books, claims, references } = of(state, change.tenant)
  return Ports.refusalOf(change, {
    isLiveKey: (hash) => !isRevoked(state, hash),
    claim: (key) => claims.get(key),
    outcome: (message) => messageOf(of(state, change.tenant), message)?.outcome,
    version: (id) => books.get(id)?.payment.version,
    guarded: (one) => guarded(state, one),
    holder: (charge) => references.get(referenceKey(charge))
  })
}

export const messageOf = ({ messages }: TenantState, { connectionId, eventId }: Ports.MessageNote) =>
  messages.get(keyOf(connectionId, eventId))

export const decide = ({ messages }: TenantState, { after }: Ports.MessageDecision): void =>
  void update(messages, keyOf(after.connectionId, after.eventId), ({ receivedAt }) => ({ ...after, receivedAt }))

export const referenceKey = ({ connectionId, providerRef }: ChargeReference) => keyOf(connectionId, providerRef)

/** What makes a change unwritable beside what is stored; `undefined` for a sound one. */
const brokenBy = (state: State, after: Ports.PaymentBook, before?: Ports.PaymentBook): string | undefined => {
  const page = after.payment.hosted?.tokenHash
  const isNew = page !== undefined && page !== before?.payment.hosted?.tokenHash
  if (isNew && ofPage(state, page) !== undefined) return "another payment has the same hosted page"
  return brokenBook(after, before)
}

export const ofPage = (state: State, tokenHash: string) =>
  all(state, "books").find(({ payment }) => payment.hosted?.tokenHash === tokenHash)?.payment

const inHistory = <A extends { readonly version: number }>({ history }: State, after: A): A => ({
  ...after,
  version: versionIn(history, after.version)
})

/** The endpoints that an event of the change goes to. */
const endpointsFor = ({ webhookEndpoints }: State, { tenant }: Ports.Change, { type }: Model.Event) =>
  [...webhookEndpoints.values()]
    .filter(has({ active: true, workspaceId: tenant.workspaceId, environment: tenant.environment }))
    .filter(({ events }) => events.includes("*") || events.includes(type))

const newDelivery = (change: Ports.Change, event: Model.Event, endpointId: string, id: string): StoredDelivery => {
  const { tenant, deliverAt: dueAt = event.createdAt } = change
  const begun = { state: "Due", failures: 0, attempts: 0, dueAt, createdAt: event.createdAt } as const
  return { delivery: { id, tenant, endpointId, eventId: event.id, ...begun }, event, attempts: [] }
}
