/**
 * The reader of lifecycle tables.
 *
 * A lifecycle is data: rows of `{ from, on, to, emits, why }`. A row is the step, the guard of the write, the
 * line of the generated diagram and a case of the storage suite, so nothing about a lifecycle may live outside
 * its table. This file knows no word of the domain.
 *
 * Guards of state-machine libraries are functions, which no page can show. Here the condition is part of the fact
 * (`RefundedInPart`, `RefundedInFull`), so that a table needs no guards.
 */
import { Result } from "effect"

/** Where every lifecycle begins: nothing is stored yet. */
export const Start = "Start"
export type Start = typeof Start

export interface Row<State extends string, Event extends string, Emit extends string> {
  readonly from: State | Start
  readonly on: Event
  readonly to: State
  /** Event types that are written in the same commit as the move. */
  readonly emits: ReadonlyArray<Emit>
  readonly why: string
}

export interface Machine<State extends string, Event extends string, Emit extends string, Refusal extends string> {
  readonly name: string
  readonly states: ReadonlyArray<State>
  readonly events: ReadonlyArray<Event>
  readonly rows: ReadonlyArray<Row<State, Event, Emit>>
  /** What a fact means in a state that has no row for it: the table is total. */
  readonly otherwise: Readonly<Record<Event, Refusal>>
}

interface RowInput<State extends string, Event extends string, Emit extends string> {
  /** A list is flattened into one row for each state. */
  readonly from: State | Start | ReadonlyArray<State | Start>
  readonly on: Event
  readonly to: State
  readonly emits?: ReadonlyArray<Emit>
  readonly why: string
}

export const defineMachine = <
  const State extends string,
  const Event extends string,
  const Emit extends string,
  const Refusal extends string
>(input: {
  readonly name: string
  readonly states: ReadonlyArray<State>
  readonly emits: ReadonlyArray<Emit>
  readonly otherwise: Readonly<Record<Event, Refusal>>
  readonly rows: ReadonlyArray<RowInput<NoInfer<State>, NoInfer<Event>, NoInfer<Emit>>>
}): Machine<State, Event, Emit, Refusal> => ({
  name: input.name,
  states: input.states,
  events: Object.keys(input.otherwise) as Array<Event>,
  otherwise: input.otherwise,
  rows: input.rows.flatMap(({ from, on, to, emits, why }) =>
    (Array.isArray(from) ? (from as ReadonlyArray<State | Start>) : [from as State | Start]).map((state) => ({
      from: state,
      on,
      to,
      emits: emits ?? [],
      why
    }))
  )
})

/** The row that leads out of `from` on a fact, or the table's refusal if there is none. */
export const step = <State extends string, Event extends string, Emit extends string, Refusal extends string>(
  machine: Machine<State, Event, Emit, Refusal>,
  from: State | Start,
  on: Event
): Result.Result<Row<State, Event, Emit>, Refusal> => {
  const row = machine.rows.find((row) => row.from === from && row.on === on)
  return row === undefined ? Result.fail(machine.otherwise[on]) : Result.succeed(row)
}

/** The shortest list of rows from the start to each state that can be reached. */
export const walk = <State extends string, Event extends string, Emit extends string, Refusal extends string>(
  machine: Machine<State, Event, Emit, Refusal>
): ReadonlyMap<State | Start, ReadonlyArray<Row<State, Event, Emit>>> => {
  const paths = new Map<State | Start, ReadonlyArray<Row<State, Event, Emit>>>([[Start, []]])
  const queue: Array<State | Start> = [Start]
  // Each state enters the queue at most once, so the loop is bounded by the number of states.
  for (const state of queue) {
    for (const row of machine.rows) {
      if (row.from !== state || paths.has(row.to)) continue
      paths.set(row.to, [...(paths.get(state) ?? []), row])
      queue.push(row.to)
    }
  }
  return paths
}

/** States that no row leaves. */
export const finalStates = <State extends string, Event extends string, Emit extends string, Refusal extends string>(
  machine: Machine<State, Event, Emit, Refusal>
): ReadonlyArray<State> => machine.states.filter((state) => !machine.rows.some((row) => row.from === state))
