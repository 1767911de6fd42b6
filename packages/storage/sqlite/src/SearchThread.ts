/**
 * A thread that searches the file with a connection of its own, which only reads: a search takes milliseconds, in which this
 * thread could pay. What was committed before a search was asked for is found.
 */
import type { StatementSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect, type Scope } from "effect"

interface Asked {
  readonly id: number
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

type Answered = { readonly id: number } & ({ readonly rows: ReadonlyArray<Row> } | { readonly reason: unknown })

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
  parentPort?.on("message", ({ id, text, values }: Asked) => {
    try {
      parentPort.postMessage({ id, rows: prepare(text).all(...(values as ReadonlyArray<string>)) })
    } catch (reason) {
      parentPort.postMessage({ id, reason })
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
  const waiting = new Map<
    number,
    { readonly asked: Asked; readonly resume: (answer: Answer) => void; readonly timer: NodeJS.Timeout }
  >()
  let worker: Worker | undefined
  let isBroken = false
  let count = 0
  const failed = (cause: unknown): Answer => Effect.fail(new StorageError({ operation: "payments", cause }))
  const end = (id: number, answer: Answer) => {
    const one = waiting.get(id)
    one?.resume(answer)
    clearTimeout(one?.timer)
    waiting.delete(id)
    // A process that waits for nothing else may end.
    if (waiting.size === 0) worker?.unref()
  }
  const start = () => {
    const started = new Worker(`(${serve.toString()})()`, { eval: true, workerData: { path, answerMillis } })
    started.on("message", (answer: Answered) =>
      end(answer.id, "rows" in answer ? Effect.succeed(answer.rows) : failed(answer.reason))
    )
    started.on("error", (cause) => {
      isBroken = true
      const warning = Effect.logWarning("the thread of searches ended: from now on they run between payments", cause)
      for (const [id, { asked }] of waiting) end(id, Effect.andThen(warning, here(asked.text, asked.values)))
    })
    return started
  }
  const search: Search = (text, values) =>
    Effect.callback<ReadonlyArray<Row>, StorageError>((resume) => {
      if (isBroken) return resume(here(text, values))
      const asked = { id: ++count, text, values }
      // The thread's time is real, whatever the clock says.
      const late = () => end(asked.id, failed(new Error(`the search was not answered within ${answerMillis} ms`)))
      waiting.set(asked.id, { asked, resume, timer: setTimeout(late, answerMillis) })
      worker ??= start()
      worker.ref()
      worker.postMessage(asked)
      return Effect.sync(() => {
        clearTimeout(waiting.get(asked.id)?.timer)
        waiting.delete(asked.id)
      })
    })
  return { search, close: async () => void (await worker?.terminate()) }
}
