/** How methods of the ports read and replace records. */

import type { Tenant } from "@pointsman/core"
import { logEntry } from "@pointsman/core/ports"
import { Clock, Effect, Option, Record, Result } from "effect"
import { copy, type State, type TenantState, tenantsOf } from "./State.ts"

/**
 * The methods of a port as plain functions of the state; a refusal is a `Result`. An effect without parameters is read by
 * `get`.
 */
export type Methods<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Effect.Effect<infer A, infer E>
    ? (state: State, ...args: Args) => A | Result.Result<A, E>
    : Port[Name] extends Effect.Effect<infer A, unknown>
      ? { readonly get: (state: State) => A }
      : never
}

type Method = ((state: State, ...args: Array<unknown>) => unknown) | { readonly get: (state: State) => unknown }

/** In it no other fiber runs. It reports the entry that it appends to the audit trail. */
export const step = <A, E = never>(state: State, body: () => A | Result.Result<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<A, E> => {
    state.now = now
    const { size } = state.audit
    const value = body()
    const outcome = Result.isResult(value) ? Effect.fromResult(value as Result.Result<A, E>) : Effect.succeed(value)
    const entry = state.audit.get(size + 1)
    return entry === undefined ? outcome : Effect.andThen(logEntry(entry), outcome)
  })

/** Each method is one step. */
export const port = <Port extends object>(state: State, methods: Methods<Port>): Port =>
  Record.map({ ...methods } as Record<string, Method>, (method) =>
    typeof method === "function"
      ? (...args: Array<unknown>) => step<unknown, unknown>(state, () => method(state, ...args))
      : step<unknown, unknown>(state, () => method.get(state))
  ) as unknown as Port

type Kind = Exclude<keyof TenantState, "tenant">
type Stored<Name extends Kind> = TenantState[Name] extends Map<string, infer A> ? A : never

/** The records of all tenants, or of one of them, with these values. */
export const all = <Name extends Kind>(
  state: State,
  kind: Name,
  tenant?: Tenant,
  wanted?: { readonly [_ in keyof Stored<Name>]?: unknown }
): Array<Stored<Name>> => {
  const found = tenantsOf(state, tenant).flatMap((owned) => [
    ...(owned[kind] as unknown as ReadonlyMap<string, Stored<Name>>).values()
  ])
  return wanted === undefined ? found : found.filter(has(wanted))
}

export const find = <Key, A>(map: ReadonlyMap<Key, A>, key: Key): Option.Option<A> =>
  Option.fromUndefinedOr(map.get(key))

export const put = <Key, A>(map: Map<Key, A>, key: Key, record: A): A => {
  const stored = copy(record)
  map.set(key, stored)
  return stored
}

/** Deletes a record, and gives it. */
export const take = <Key, A>(map: Map<Key, A>, key: Key): Option.Option<A> => {
  const found = find(map, key)
  map.delete(key)
  return found
}

/** Changes fields of a record, where there is one and it fits; whether it did. */
export const update = <Key, A>(
  map: Map<Key, A>,
  key: Key,
  to: Partial<A> | ((before: A) => Partial<A>),
  fits: (before: A) => boolean = () => true
): boolean => {
  const before = map.get(key)
  if (before === undefined || !fits(before)) return false
  put(map, key, { ...before, ...(typeof to === "function" ? to(before) : to) })
  return true
}

/** Deletes the records that fit, `limit` at most; gives how many. */
export const drop = <Key, A>(map: Map<Key, A>, fits: (record: A) => boolean, limit?: number): number => {
  const dropped = [...map].filter(([, record]) => fits(record)).slice(0, limit)
  for (const [key] of dropped) map.delete(key)
  return dropped.length
}

type Order<A> = (a: A, b: A) => number

/** Orders by the first of the fields that differs; texts by their characters, as in SQL. */
export const by =
  <Name extends PropertyKey>(...names: ReadonlyArray<Name>): Order<{ readonly [_ in Name]: string | number | null }> =>
  (a, b) => {
    const name = names.find((one) => a[one] !== b[one])
    return name === undefined ? 0 : (a[name] ?? 0) < (b[name] ?? 0) ? -1 : 1
  }

export const descending =
  <A>(order: Order<A>): Order<A> =>
  (a, b) =>
    order(b, a)

/** The first records that follow `after`. */
export const page = <A extends Key, Key>(
  records: Iterable<A>,
  order: Order<Key>,
  { after, limit }: { readonly after?: NoInfer<Key> | undefined; readonly limit?: number } = {}
): Array<A> =>
  [...records]
    .filter((one) => after === undefined || order(one, after) > 0)
    .sort(order)
    .slice(0, limit)

/** The records with the greatest ids, which are UUIDs of version 7. */
export const newest = <A extends { readonly id: string }>(
  records: Iterable<A>,
  { before: id, limit }: { readonly before?: string | undefined; readonly limit: number }
): Array<A> => page(records, descending(by("id")), { after: id === undefined ? undefined : { id }, limit })

/** Fits records with these values; one that is `undefined` fits all. */
export const has = <Wanted extends object>(wanted: Wanted) => {
  const fields = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return (record: { readonly [_ in keyof Wanted]?: unknown }): boolean =>
    fields.every(([name, value]) => record[name as keyof Wanted] === value)
}

/** From the first time on, and before the second. */
export const isWithin = (at: number, from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY): boolean =>
  at >= from && at < until

/** `null` where there is none. */
export const least = (numbers: ReadonlyArray<number>): number | null =>
  numbers.reduce<number | null>((a, b) => Math.min(a ?? b, b), null)
