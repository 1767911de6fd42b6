/**
 * Several server processes behind one address: this process takes the connections and hands them out in turn
 * (`node:cluster`), its workers answer what comes over them.
 *
 * A server that could not start ends, and says why; one that did start keeps running. So until every worker has
 * listened once, the end of one is the end of all. After that a worker that dies is started again, for as long as
 * another one serves, or the new one listens.
 */
import cluster, { type Worker } from "node:cluster"
import { Clock, Deferred, Effect } from "effect"
import { StartFailure } from "./StartFailure.ts"
import { type Address, answerTo, isAsked } from "./WorkerTalk.ts"

export interface WorkersOptions {
  readonly count: number
  readonly address: Address
  /** Gives the address up for the workers. Run before any of them listens, and more than once. */
  readonly release: Effect.Effect<void>
  /** Run once, when every worker listens. */
  readonly onListening: Effect.Effect<void>
}

/** Short enough that few notice; then each is twice as long, so that a start that fails again costs little. */
const firstPauseMillis = 100
const longestPauseMillis = 30_000
/** Who served for so long did not die of its start: the next pause is the first one again. */
const steadyMillis = 60_000

/** Keeps the workers alive until it is interrupted: then they end as a server does at SIGTERM, and are waited for. */
export const keepWorkers = Effect.fnUntraced(function* (options: WorkersOptions) {
  // Connections are few and long, and the kernel's ways of sharing a port spread those badly.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const listening = new Set<Worker>()
  const allListened = yield* Deferred.make<void>()
  const answer = yield* answerQuestions(options)

  const start = Effect.sync(() => {
    const worker = cluster.fork()
    closeUntaken(worker)
    worker.on("message", (message: unknown) => answer(worker, message))
    worker.on("listening", ({ port }: { readonly port: number }) => {
      // It listens there last.
      if (port !== options.address.port) return
      listening.add(worker)
      if (listening.size === options.count) Deferred.doneUnsafe(allListened, Effect.void)
    })
    return { worker, ended: endOf(worker) }
  })

  const keepOne = Effect.fnUntraced(function* (number: number) {
    let pauseMillis = firstPauseMillis
    while (true) {
      const since = yield* Clock.currentTimeMillis
      const { how, pid, served } = yield* Effect.acquireUseRelease(
        start,
        ({ ended, worker }) =>
          Effect.map(Deferred.await(ended), ({ how }) => ({
            how,
            pid: worker.process.pid,
            served: listening.delete(worker)
          })),
        ({ ended, worker }) => stop({ ended, worker, served: listening.has(worker) })
      )
      const mayGoOn = served || listening.size > 0
      if (!Deferred.isDoneUnsafe(allListened) || !mayGoOn) {
        return yield* new StartFailure({ message: `Server process ${number} of ${options.count} ${how}.` })
      }
      if ((yield* Clock.currentTimeMillis) - since >= steadyMillis) pauseMillis = firstPauseMillis
      yield* Effect.logError("a server process exited and is restarted").pipe(
        Effect.annotateLogs({ pid, how, pause_millis: pauseMillis })
      )
      yield* Effect.sleep(pauseMillis)
      pauseMillis = Math.min(2 * pauseMillis, longestPauseMillis)
    }
  })

  yield* Effect.forkChild(Effect.andThen(Deferred.await(allListened), options.onListening))
  const numbers = Array.from({ length: options.count }, (_, index) => index + 1)
  return yield* Effect.forEach(numbers, keepOne, { concurrency: "unbounded", discard: true })
})

/**
 * A connection that was handed to a worker, and that it had not taken when it died, has no owner: `node:cluster` leaves
 * it open, and its client would wait for as long as it can. There is one at most for each worker, the last one.
 */
const closeUntaken = (worker: Worker): void => {
  const child = worker.process
  const { send } = child
  let handed: { readonly close: () => void } | undefined
  Object.assign(child, {
    send: (...given: Parameters<typeof send>) => {
      if (isClosable(given[1])) handed = given[1]
      return Reflect.apply(send, child, given)
    }
  })
  // Of one that was taken, ours is closed already, and closing it again does nothing.
  worker.once("exit", () => handed?.close())
}

const isClosable = (handle: unknown): handle is { readonly close: () => void } =>
  typeof handle === "object" && handle !== null && "close" in handle && typeof handle.close === "function"

interface Ended {
  /** "was ended by SIGKILL" */
  readonly how: string
  /** Whether requests may have been left without an answer. */
  readonly isFault: boolean
}

const endOf = (worker: Worker): Deferred.Deferred<Ended> => {
  const ended = Deferred.makeUnsafe<Ended>()
  const end = (how: string, isFault: boolean) => Deferred.doneUnsafe(ended, Effect.succeed({ how, isFault }))
  // There may be no process to exit.
  worker.once("error", (cause) => end(`could not be started: ${cause.message}`, true))
  worker.once("exit", (code, signal) => {
    if (signal) end(`was terminated by ${signal}`, true)
    else end(`exited with code ${code}`, code !== 0)
  })
  return ended
}

interface Running {
  readonly worker: Worker
  readonly ended: Deferred.Deferred<Ended>
  readonly served: boolean
}

const stop = Effect.fnUntraced(function* ({ ended, served, worker }: Running) {
  if (Deferred.isDoneUnsafe(ended)) return
  worker.process.kill("SIGTERM")
  const { how, isFault } = yield* Deferred.await(ended)
  if (!served || !isFault) return
  yield* Effect.logError("a server process did not stop cleanly").pipe(
    Effect.annotateLogs({ pid: worker.process.pid, how })
  )
  process.exitCode = 1
})

const answerQuestions = Effect.fnUntraced(function* ({ address, release }: WorkersOptions) {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  return (worker: Worker, message: unknown) => {
    if (!isAsked(message)) return
    const { pointsman: question } = message
    const answer = Effect.sync(() => {
      // It may have died since.
      if (worker.isConnected()) worker.send(answerTo(question, address))
    })
    runFork(question === "Turn" ? Effect.andThen(release, answer) : answer)
  }
})
