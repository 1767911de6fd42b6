/** What is about many workspaces, as one question for each of them. */
import type { StorageError } from "@pointsman/core/ports"
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
