/** Streams of the store as async iterables. */
import type { StorageError } from "@pointsman/core/ports"
import { type Cause, Effect, Exit, Pull, Scope, Stream } from "effect"
import type { PointsmanError } from "../PointsmanError.ts"
import { fromStore, type makeCall, type Services } from "./RunCall.ts"

/**
 * Each page is a call of its own, so that a close waits for the page that is read and not for a reader who went away, and
 * so that memory does not grow with what is read. `open` checks what was asked for, at the first page.
 */
export const readPages = async function* <Row, View>(
  call: ReturnType<typeof makeCall>,
  open: Effect.Effect<Stream.Stream<Row, StorageError>, PointsmanError, Services>,
  view: (row: Row) => View
): AsyncGenerator<View, void, undefined> {
  const scope = Scope.makeUnsafe()
  try {
    const opened = Effect.provideService(Effect.flatMap(open, Stream.toPull), Scope.Scope, scope)
    const pull = await call(opened)
    for (let page = await call(nextPage(pull)); page !== undefined; page = await call(nextPage(pull))) {
      yield* page.map(view)
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const nextPage = <Row>(
  pull: Pull.Pull<ReadonlyArray<Row>, StorageError>
): Effect.Effect<ReadonlyArray<Row> | undefined, PointsmanError> =>
  fromStore(
    Pull.matchEffect(pull, {
      onSuccess: (page) => Effect.succeed<ReadonlyArray<Row> | undefined>(page),
      onFailure: (cause: Cause.Cause<StorageError>) => Effect.failCause(cause),
      onDone: () => Effect.undefined
    })
  )
