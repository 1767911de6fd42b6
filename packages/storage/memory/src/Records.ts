/** How methods of the ports read and replace records. */
import { logEntry } from "@pointsman/core/ports"
import { Clock, Effect, Option, Record, Result, type Semaphore } from "effect"
import { copy, type State } from "./State.ts"

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

/**
 * Each method is one step, which reports the entry that it appends to the audit trail. One that must not come between the
 * checks of a change and its writes waits for its turn.
 */
export const port = <Port extends object>(state: State, methods: Methods<Port>, turn?: Semaphore.Semaphore): Port => {
  const run = (body: () => unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<unknown, unknown> => {
      state.now = now
      const { length } = state.audit
      const value = body()
      const outcome = Result.isResult(value) ? Effect.fromResult(value) : Effect.succeed(value)
      const entry = state.audit[length]
      return entry === undefined ? outcome : Effect.andThen(logEntry(entry), outcome)
    })
  const step = (body: () => unknown) => (turn === undefined ? run(body) : turn.withPermit(run(body)))
  const given: Record<
    string,
    ((state: State, ...args: Array<unknown>) => unknown) | { get: (state: State) => unknown }
  > = { ...methods }
  return Record.map(given, (method) =>
    typeof method === "function"
      ? (...args: Array<unknown>) => step(() => method(state, ...args))
      : step(() => method.get(state))
  ) as unknown as Port
}

export const find = <A>(map: ReadonlyMap<string, A>, key: string): Option.Option<A> =>
  Option.fromUndefinedOr(map.get(key))

export const put = <A>(map: Map<string, A>, key: string, record: A): A => {
  const stored = copy(record)
  map.set(key, stored)
  return stored
}

/** Deletes a record, and gives it. */
export const take = <A>(map: Map<string, A>, key: string): Option.Option<A> => {
  const found = find(map, key)
  map.delete(key)
  return found
}

/** Replaces a record, unless there is none or nothing takes its place; whether it did. */
export const update = <A>(map: Map<string, A>, key: string, change: (before: A) => A | undefined): boolean => {
  const before = map.get(key)
  const after = before === undefined ? undefined : change(before)
  if (after !== undefined) put(map, key, after)
  return after !== undefined
}

/** Deletes the records that fit; gives how many. */
export const drop = <A>(map: Map<string, A>, fits: (record: A) => boolean): number => {
  const dropped = [...map].filter(([, record]) => fits(record))
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

/** UUIDs of version 7: the newest is the greatest. */
export const newestFirst = descending(by("id"))

/** The record that a page follows. */
export const named = (id: string | undefined) => (id === undefined ? undefined : { id })

/** The first records that fit and follow `after`. */
export const page = <A extends Key, Key>(
  records: Iterable<A>,
  order: Order<Key>,
  query: {
    readonly after?: NoInfer<Key> | undefined
    readonly limit?: number
    readonly where?: (record: NoInfer<A>) => boolean
  } = {}
): Array<A> => {
  const { after, limit, where = () => true } = query
  return [...records]
    .filter((one) => where(one) && (after === undefined || order(one, after) > 0))
    .sort(order)
    .slice(0, limit)
}

/** Fits records with these values; one that is `undefined` fits all. */
export const has = <Wanted extends object>(wanted: Wanted) => {
  const fields = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return (record: { readonly [_ in keyof Wanted]?: unknown }): boolean =>
    fields.every(([name, value]) => record[name as keyof Wanted] === value)
}

/** From the first time on, and before the second. */
export const isWithin = (at: number, from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY): boolean =>
  at >= from && at < until

/** Replaced by id, or added. */
export const replaced = <A extends { readonly id: string }>(
  stored: ReadonlyArray<A> = [],
  written: ReadonlyArray<A> = [],
  order: Order<A> = by("id")
): ReadonlyArray<A> =>
  written.length === 0 ? stored : [...new Map([...stored, ...written].map((one) => [one.id, one])).values()].sort(order)
