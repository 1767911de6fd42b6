/**
 * What a worker asks of the process that started it: two questions, each answered with the address of all of them, and
 * with the file that the primary read.
 *
 * `Address` is asked first. `Turn` is asked when everything but listening is done: until then no connection comes, so
 * that a worker which takes the place of a dead one refuses nothing while it starts.
 */
import cluster from "node:cluster"
import type { ArchiveFile, ConsoleFile } from "@pointsman/configuration"
import { Effect } from "effect"
import type { FoundConnector } from "./LoadConnectors.ts"

export interface Address {
  readonly host: string
  /** Never 0. */
  readonly port: number
  /** `http://127.0.0.1:3000` */
  readonly url: string
  /** Of health and metrics, never 0; `null` for none. */
  readonly adminPort: number | null
  /** Hash of the configuration file that the primary read; `null` for none. */
  readonly fileHash: string | null
  /** Of that file: a worker does not read it. */
  readonly console: ConsoleFile | null
  readonly archive: ArchiveFile | null
  readonly connectors: ReadonlyArray<FoundConnector>
}

export type Question = "Address" | "Turn"

/** Other libraries may send messages too: only what carries our name is ours. */
interface Asked {
  readonly pointsman: Question
}

interface Answered extends Asked {
  readonly address: Address
}

export const isAsked = (message: unknown): message is Asked =>
  typeof message === "object" &&
  message !== null &&
  "pointsman" in message &&
  (message.pointsman === "Address" || message.pointsman === "Turn")

const isAnswered = (message: unknown): message is Answered => isAsked(message) && "address" in message

export const answerTo = (pointsman: Question, address: Address): Answered => ({ pointsman, address })

/** In a worker. The answer comes as long as the primary lives, and the worker ends with it. */
export const askPrimary = (question: Question): Effect.Effect<Address> =>
  Effect.callback((resume) => {
    const onMessage = (message: unknown) => {
      if (!isAnswered(message) || message.pointsman !== question) return
      process.off("message", onMessage)
      resume(Effect.succeed(message.address))
    }
    process.on("message", onMessage)
    process.send?.({ pointsman: question } satisfies Asked)
    return Effect.sync(() => {
      process.off("message", onMessage)
    })
  })

/**
 * In a worker whose primary died: what is under way is answered, as after SIGTERM, and then the worker ends. Left to
 * itself, `node:cluster` ends it at once, in the middle of its provider calls.
 */
export const endAfterPrimary: Effect.Effect<void> = Effect.sync(() => {
  if (cluster.worker === undefined) return
  cluster.worker.exitedAfterDisconnect = true
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
})
