/** What is about many workspaces, as one question for each of them. */
import type { StorageError } from "@pointsman/core/ports"
import { Effect, Result } from "effect"

/** Statements of one operation that are under way at once: no more than half of the connections. */
const concurrency = 4

/** The answers of those whose node answers, in the order of their workspaces; fails where none does. */
export const someWorkspaces = <A, B>(
  items: ReadonlyArray<A>,
  workspaceOf: (item: A) => string,
  ask: (workspace: string, items: ReadonlyArray<A>) => Effect.Effect<B, StorageError>
): Effect.Effect<ReadonlyArray<B>, StorageError> =>
  Effect.flatMap(
    Effect.forEach(Map.groupBy(items, workspaceOf), ([workspace, some]) => Effect.result(ask(workspace, some)), {
      concurrency
    }),
    (answers) => {
      const found = answers.filter(Result.isSuccess).map(({ success }) => success)
      const failed = answers.find(Result.isFailure)
      return found.length === 0 && failed !== undefined ? Effect.fail(failed.failure) : Effect.succeed(found)
    }
  )

/** The answers of all of them. Where one fails, others may have written: for writes that may be repeated. */
export const allWorkspaces = <A, B>(
  items: ReadonlyArray<A>,
  workspaceOf: (item: A) => string,
  ask: (workspace: string, items: ReadonlyArray<A>) => Effect.Effect<B, StorageError>
): Effect.Effect<ReadonlyArray<B>, StorageError> =>
  Effect.forEach(Map.groupBy(items, workspaceOf), ([workspace, some]) => ask(workspace, some), { concurrency })
