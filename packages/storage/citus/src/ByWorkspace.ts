/** What is about many workspaces, as one question for each of them, and the answers in one order. */
import type { StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect, Result } from "effect"

/** Statements of one operation that are under way at once: no more than half of the connections. */
const mostAtOnce = 4

type Ask<A, B> = (workspace: string, items: ReadonlyArray<A>) => Effect.Effect<B, StorageError>

/** Each of them is asked, whatever came of the others. */
const answersOf = <A, B>(
  items: ReadonlyArray<A>,
  workspaceOf: (item: A) => string,
  ask: Ask<A, B>,
  concurrency = mostAtOnce
) =>
  Effect.map(
    Effect.forEach(Map.groupBy(items, workspaceOf), ([workspace, some]) => Effect.result(ask(workspace, some)), {
      concurrency
    }),
    (answers) => ({
      found: answers.filter(Result.isSuccess).map(({ success }) => success),
      failure: answers.find(Result.isFailure)?.failure
    })
  )

/** The answers of those whose node answers, in the order of their workspaces; fails where none does. */
export const someWorkspaces = <A, B>(
  items: ReadonlyArray<A>,
  workspaceOf: (item: A) => string,
  ask: Ask<A, B>,
  concurrency?: number
): Effect.Effect<ReadonlyArray<B>, StorageError> =>
  Effect.flatMap(answersOf(items, workspaceOf, ask, concurrency), ({ failure, found }) =>
    found.length === 0 && failure !== undefined ? Effect.fail(failure) : Effect.succeed(found)
  )

/**
 * The answers of all of them. Where one fails, the others have been written all the same: for writes that may be repeated.
 * A node that is down does not keep those of other nodes from being written.
 */
export const allWorkspaces = <A, B>(
  items: ReadonlyArray<A>,
  workspaceOf: (item: A) => string,
  ask: Ask<A, B>
): Effect.Effect<ReadonlyArray<B>, StorageError> =>
  Effect.flatMap(answersOf(items, workspaceOf, ask), ({ failure, found }) =>
    failure === undefined ? Effect.succeed(found) : Effect.fail(failure)
  )

export type Order<A> = (one: A) => ReadonlyArray<string | number>

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** The first `limit` of what several nodes have; text compares by its bytes, as in the database. `isDescending`: the greatest first. */
export const firstOf =
  <A>(limit: number, order: Order<A>, isDescending = false) =>
  (all: ReadonlyArray<A>): ReadonlyArray<A> =>
    all
      .map((one) => ({ one, key: order(one) }))
      .toSorted((a, b) => {
        const index = a.key.findIndex((part, at) => compare(part, b.key[at] as string | number) !== 0)
        if (index < 0) return 0
        const sign = compare(a.key[index] as string | number, b.key[index] as string | number)
        return isDescending ? -sign : sign
      })
      .slice(0, limit)
      .map(({ one }) => one)

export const sum = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number =>
  all.reduce((total, one) => total + of(one), 0)

export const numberOf = (row: Row, column: string): number => Number(row[column])
