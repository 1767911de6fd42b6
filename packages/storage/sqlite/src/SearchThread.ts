/**
 * A thread that searches the file with a connection of its own, which only reads: a search takes milliseconds, in which this
 * thread could pay. What was committed before a search was asked for is found.
 */
import type { StatementSync } from "node:sqlite"
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads"
import { StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect, type Scope } from "effect"

interface Asked {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  readonly port: MessagePort
}

type Answered = { readonly rows: ReadonlyArray<Row> } | { readonly reason: unknown }

export type Search = (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>, StorageError>

/** Searches in one thread wait for each other. */
const answerMillis = 10_000

/** What the thread runs. It knows nothing of this module: a bundle has no file for it. */
const serve = () => {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const database = new DatabaseSync(workerData.path, { readOnly: true, timeout: workerData.answerMillis })
  const statements = new Map<string, StatementSync>()
  const prepare = (text: string) => {
    const found = statements.get(text) ?? database.prepare(text)
    // As many texts as there are ways to put filters together.
    if (statements.size >= 256) statements.clear()
    statements.set(text, found)
    return found
  }
  parentPort?.on("message", ({ port, text, values }: Asked) => {
    try {
      port.postMessage({ rows: prepare(text).all(...(values as ReadonlyArray<string>)) })
    } catch (reason) {
      port.postMessage({ reason })
    }
  })
}

/**
 * The first search starts the thread. `here`: how it is asked without one, as where a process may have none. The thread ends
 * with the scope.
 */
export const searchThread = (path: string, here: Search): Effect.Effect<Search, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => makeThread(path, here)),
      ({ close }) => Effect.promise(close)
    ),
    ({ search }) => search
  )

type Answer = Effect.Effect<ReadonlyArray<Row>, StorageError>

const makeThread = (path: string, here: Search) => {
  let worker: Worker | undefined
  let isBroken = false
  const failed = (cause: unknown): Answer => Effect.fail(new StorageError({ operation: "payments", cause }))
  const start = () => {
    const started = new Worker(`(${serve.toString()})()`, { eval: true, workerData: { path, answerMillis } })
    started.setMaxListeners(0).on("error", () => {
      isBroken = true
    })
    // A process that waits for no answer may end.
    started.unref()
    return started
  }
  const search: Search = (text, values) =>
    Effect.callback<ReadonlyArray<Row>, StorageError>((resume) => {
      if (isBroken) return resume(here(text, values))
      worker ??= start()
      const thread = worker
      const { port1, port2 } = new MessageChannel()
      const end = (answer: Answer) => {
        clearTimeout(timer)
        thread.off("error", onError)
        port1.close()
        resume(answer)
      }
      const onError = (cause: unknown) => {
        const warning = Effect.logWarning("the thread of searches ended: from now on they run between payments", cause)
        end(Effect.andThen(warning, here(text, values)))
      }
      // The thread's time is real, whatever the clock says.
      const late = () => end(failed(new Error(`the search was not answered within ${answerMillis} ms`)))
      const timer = setTimeout(late, answerMillis)
      thread.on("error", onError)
      port1.on("message", (answer: Answered) =>
        end("rows" in answer ? Effect.succeed(answer.rows) : failed(answer.reason))
      )
      thread.postMessage({ text, values, port: port2 } satisfies Asked, [port2])
      return Effect.sync(() => end(Effect.interrupt))
    })
  return { search, close: async () => void (await worker?.terminate()) }
}
