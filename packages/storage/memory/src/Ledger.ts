/**
 * Payments in maps.
 *
 * The rule that a reader would otherwise break: one change at a time, from its checks to its last write. The ids of
 * its events are drawn inside that turn too, or a follower could see a larger id before a smaller one is written.
 */
import {
  ApiKeyRevoked,
  type Attempt,
  brokenBalance,
  brokenChange,
  brokenInvariant,
  type Change,
  type CommitFailure,
  Ids,
  KeyTaken,
  Ledger,
  type Payment,
  Stale
} from "@pointsman/core"
import { Effect, Option, Result, Semaphore } from "effect"
import { byText, copy, forTenant, ofTenant, type State } from "./State.ts"

export interface LedgerOptions {
  /** For race tests: lets other fibers run between the checks of a change and its writes. `false` unless set. */
  readonly yieldBetween?: boolean
  /** Changes take turns. Only the control of a race test sets it to `false`, to show what the turns prevent. */
  readonly turns?: boolean
}

export const make = Effect.fnUntraced(function* (state: State, options: LedgerOptions = {}) {
  const ids = yield* Ids
  const turn = Semaphore.makeUnsafe(1)

  const write = Effect.fnUntraced(function* (change: Change) {
    yield* Effect.fromResult(check(state, change))
    const unbalanced = balance(state, change)
    if (unbalanced !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${unbalanced}`))
    if (options.yieldBetween === true) yield* Effect.yieldNow
    const eventIds = yield* Effect.forEach(change.events, () => ids.event)
    apply(state, change, eventIds)
  }, Effect.uninterruptible)

  const commit = Effect.fnUntraced(function* (input: Change) {
    const broken = brokenChange(input)
    if (broken !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${broken}`))
    const change = copy(input)
    yield* options.turns === false ? write(change) : turn.withPermit(write(change))
  })

  return Ledger.of({
    commit,
    payment: (tenant, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).payments.get(id)), sound)),
    book: (tenant, id) =>
      Effect.sync(() => {
        const { attempts, operations, payments, refunds } = ofTenant(state, tenant)
        return Option.map(Option.fromUndefinedOr(payments.get(id)), (payment) => ({
          payment: sound(payment),
          attempts: copy(attempts.get(id) ?? []),
          operations: copy(operations.get(id) ?? []),
          refunds: copy(refunds.get(id) ?? [])
        }))
      }),
    paymentOfPage: (tokenHash) =>
      Effect.sync(() => {
        for (const { payments } of state.tenants.values()) {
          for (const payment of payments.values()) {
            if (payment.hosted?.tokenHash === tokenHash) return Option.some(sound(payment))
          }
        }
        return Option.none()
      }),
    usage: ({ from, until, workspaceId }) =>
      Effect.sync(() => {
        const { attempts, payments } = ofTenant(state, { workspaceId, environment: "production" })
        return [...payments.values()].filter(
          ({ createdAt, id }) =>
            createdAt >= from && createdAt < until && (attempts.get(id) ?? []).some(reachedProvider)
        ).length
      }),
    payments: (tenant, { before, limit, states }) =>
      Effect.sync(() =>
        [...ofTenant(state, tenant).payments.values()]
          .filter((payment) => before === undefined || payment.id < before)
          .filter((payment) => states === undefined || states.includes(payment.state))
          .sort((a, b) => byText(b.id, a.id))
          .slice(0, limit)
          .map(sound)
      ),
    attempts: (tenant, paymentId) => Effect.sync(() => copy(ofTenant(state, tenant).attempts.get(paymentId) ?? [])),
    claim: (tenant, key) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(ofTenant(state, tenant).claims.get(key)), copy)),
    timeline: (tenant, paymentId, { after, limit }) =>
      Effect.sync(() =>
        copy(
          ofTenant(state, tenant)
            .events.filter((event) => event.paymentId === paymentId && (after === undefined || event.id > after))
            .slice(0, limit)
        )
      ),
    events: (tenant, { after, before, limit, type }) =>
      Effect.sync(() => {
        const found = ofTenant(state, tenant).events.filter(
          (event) =>
            (type === undefined || event.type === type) &&
            (after === undefined || event.id > after) &&
            (before === undefined || event.id < before)
        )
        const oldestFirst = after !== undefined && before === undefined
        return copy((oldestFirst ? found : found.reverse()).slice(0, limit))
      })
  })
})

/** In the port's order: the API key, the key, the version. */
const check = (state: State, change: Change): Result.Result<void, CommitFailure> => {
  const { apiKeyHash, claim, payment, tenant } = change
  const { claims, payments } = ofTenant(state, tenant)
  if (apiKeyHash !== undefined && state.apiKeys.get(apiKeyHash)?.revokedAt !== null) {
    return Result.fail(new ApiKeyRevoked())
  }
  if (claim !== undefined) {
    const stored = claims.get(claim.after.key)
    if (claim.expected === 0 && stored !== undefined) return Result.fail(new KeyTaken({ claim: copy(stored) }))
    if (claim.expected !== (stored?.version ?? 0)) return Result.fail(new Stale())
  }
  if (payment.expected !== (payments.get(payment.after.id)?.version ?? 0)) return Result.fail(new Stale())
  return Result.void
}

/** What is wrong between the payment and its refunds as they would be after the change. */
const balance = (state: State, { payment, refunds = [], tenant }: Change): string | undefined =>
  refunds.length === 0
    ? undefined
    : brokenBalance(payment.after, replaced(ofTenant(state, tenant).refunds.get(payment.after.id), refunds))

/** A known outcome, and not one of those that never left this machine. */
const reachedProvider = ({ outcome }: Attempt): boolean =>
  outcome !== null && outcome !== "NotSent" && outcome !== "Abandoned"

/** Replaced by id where they were, appended where they are new. */
const replaced = <A extends { readonly id: string }>(
  stored: ReadonlyArray<A> = [],
  written: ReadonlyArray<A> = []
): Array<A> => {
  const byId = new Map(stored.map((one) => [one.id, one]))
  for (const one of written) byId.set(one.id, one)
  return [...byId.values()]
}

/** Runs to its end without a pause: nobody sees a part of it. */
const apply = (state: State, change: Change, eventIds: ReadonlyArray<string>): void => {
  const { attempts, claims, events, operations, payments, refunds } = forTenant(state, change.tenant)
  const { id } = change.payment.after
  payments.set(id, change.payment.after)
  attempts.set(
    id,
    replaced(attempts.get(id), change.attempts).sort((a, b) => a.number - b.number)
  )
  operations.set(id, replaced(operations.get(id), change.operations))
  refunds.set(id, replaced(refunds.get(id), change.refunds))
  change.events.forEach((event, index) => {
    events.push({ ...event, id: eventIds[index] as string })
  })
  if (change.claim !== undefined) claims.set(change.claim.after.key, change.claim.after)
}

/** Asserts at read what was asserted at write. */
const sound = (payment: Payment): Payment => {
  const broken = brokenInvariant(payment)
  if (broken !== undefined) throw new Error(`Ledger: payment ${payment.id}: ${broken}`)
  return copy(payment)
}
