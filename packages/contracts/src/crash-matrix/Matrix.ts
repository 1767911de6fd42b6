/**
 * Every point at which a process may end, with everything that a provider may do, and what came of it. A row is a point;
 * the rows of an outcome end where a process ended without reaching the next one.
 */
import { type Operation, type Outcome, operations } from "./Operations.ts"
import { type Client, clients, type Plan, type RunEnd, run } from "./Run.ts"
import { canSay, handlingOf, type RequestHandling, type Script } from "./ScriptedProvider.ts"
import type { Ground } from "./Stage.ts"

/** What came of one point with one outcome. */
export interface Cell {
  readonly operation: Operation
  readonly outcome: Outcome
  /** Counted from 1. */
  readonly number: number
  /** `null` for the process that does not end. */
  readonly point: string | null
  readonly runs: Readonly<Record<Client, RunEnd>>
}

/** Runs that are alike are run once. */
export type Runner = (plan: Plan) => Promise<RunEnd>

/**
 * A run depends on what the provider did and not on what it would have done next. So a run that ends before the provider
 * is asked a second time is the run of every outcome that begins so.
 */
export const runner = (ground: Ground): Runner => {
  // Bounded by the plans of one matrix.
  const known = new Map<string, RunEnd>()
  return async (plan) => {
    const { client, endsAt, nextEndsAt, operation, outcome } = plan
    const keyOf = (gone: ReadonlyArray<RequestHandling>) =>
      [operation.name, endsAt, client, nextEndsAt, canSay(outcome.script), ...gone].join()
    for (const gone of beginnings(outcome.script)) {
      const before = known.get(keyOf(gone))
      if (before !== undefined) return before
    }
    const end = await run(ground, plan)
    known.set(keyOf(end.gone), end)
    return end
  }
}

/** No run asks a provider for money more often. */
const requestsAtMost = 4

const beginnings = (script: Script): ReadonlyArray<ReadonlyArray<RequestHandling>> =>
  Array.from({ length: requestsAtMost + 1 }, (_, length) =>
    Array.from({ length }, (_, index) => handlingOf(script, index))
  )

/** More points than any operation has: a run that does not end is a mistake. */
const pointsAtMost = 200

/** A run for each of its points, in their order, and the one in which the process does not end as the last. */
const eachEnd = async (runOf: (endsAt: number) => Promise<RunEnd>, points: "points" | "nextPoints") => {
  const ends: Array<RunEnd> = []
  for (let number = 1; number <= pointsAtMost; number++) {
    const end = await runOf(number)
    ends.push(end)
    if (end[points].length < number) return ends
  }
  throw new Error(`more than ${pointsAtMost} points`)
}

export const endsOf = (runs: Runner, operation: Operation, outcome: Outcome, client: Client) =>
  eachEnd((endsAt) => runs({ operation, outcome, endsAt, client, nextEndsAt: null }), "points")

/** The cells of one outcome, in the order of the points. */
export const cellsOf = async (runs: Runner, operation: Operation, outcome: Outcome): Promise<ReadonlyArray<Cell>> => {
  const ends = new Map<Client, ReadonlyArray<RunEnd>>()
  for (const client of clients) ends.set(client, await endsOf(runs, operation, outcome, client))
  const [never] = clients
  return (ends.get(never) ?? []).map(({ points }, index): Cell => {
    const of = (client: Client): RunEnd => {
      const end = ends.get(client)?.[index]
      if (end !== undefined) return end
      throw new Error(`${operation.name}, ${outcome.name}: the client who ${client} has fewer points`)
    }
    return {
      operation,
      outcome,
      number: index + 1,
      point: points[index] ?? null,
      runs: {
        "never asks again": of("never asks again"),
        "asks at once": of("asks at once"),
        "asks after the claim window": of("asks after the claim window"),
        "asks once settled": of("asks once settled")
      }
    }
  })
}

export const outcomesOf = ({ groups }: Operation): ReadonlyArray<Outcome> => groups.flatMap(({ outcomes }) => outcomes)

/** All cells of all operations. */
export const crashMatrix = async (ground: Ground): Promise<ReadonlyArray<Cell>> => {
  const runs = runner(ground)
  const cells: Array<Cell> = []
  for (const operation of operations) {
    for (const outcome of outcomesOf(operation)) cells.push(...(await cellsOf(runs, operation, outcome)))
  }
  return cells
}

/** What should not be so, each with the run that shows it; empty for a matrix in which nothing is wrong. */
export const wrongCells = (cells: ReadonlyArray<Cell>): ReadonlyArray<string> =>
  cells.flatMap(({ number, operation, outcome, point, runs }) =>
    clients.flatMap((client) =>
      runs[client].wrong.map(
        (what) => `${nameOf({ operation, outcome, endsAt: point === null ? null : number, client })}: ${what}`
      )
    )
  )

/**
 * What should not be so where the process that comes after ends as well, at each of its points: it had answered the client
 * again, or settled what was open. That things come out otherwise is one of it, but for a request that it sends itself: of
 * that it is the first process.
 */
export const wrongSecondEnds = async (runs: Runner, plan: Omit<Plan, "nextEndsAt">): Promise<ReadonlyArray<string>> => {
  const whole = await runs({ ...plan, nextEndsAt: null })
  const ends = await eachEnd((nextEndsAt) => runs({ ...plan, nextEndsAt }), "nextPoints")
  const isFirst = whole.nextPoints.some((point) => point.endsWith("request has not left"))
  return ends.slice(0, -1).flatMap(({ final, nextPoints, wrong }, index) => {
    const otherwise = isFirst || final === whole.final ? [] : [`it comes to ${final}, and else to ${whole.final}`]
    return [...wrong, ...otherwise].map(
      (what) => `${nameOf(plan)}; the next one at ${index + 1} (${nextPoints.at(-1)}): ${what}`
    )
  })
}

const nameOf = ({ client, endsAt, operation, outcome }: Omit<Plan, "nextEndsAt">): string =>
  `${operation.name}: the provider ${outcome.name}; the process ends at ${endsAt ?? "no point"}; the client ${client}`
