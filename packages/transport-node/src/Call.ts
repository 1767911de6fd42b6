/**
 * One request on its way through undici, and the phase that it has reached.
 *
 * The phase alone decides between `NotSent` and `Unanswered`. undici calls `onRequestStart` once the connection is
 * established and right before it writes the first byte, in the same turn of the event loop; a handler that throws
 * there is dropped without a byte written (`writeH1` in undici's `lib/dispatcher/client-h1.js`). So:
 *
 * - `Queued`: nothing was written. Whatever goes wrong here is `NotSent`, and a call that is over by the time it
 *   would start is never written.
 * - `Sending`: bytes may have left. Whatever goes wrong here is `Unanswered`.
 *
 * A second start of one call would be a second request on the wire: it is refused the same way. So is a start after
 * the moment by which the call had to begin: a process that froze while it was queued wakes up right here.
 */
import { NotSent, type TransportAnswer, Unanswered } from "@pointsman/core/connector"
import { Deferred, Effect } from "effect"
import type { Dispatcher } from "undici"

type AnswerHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2]

export class Call implements Dispatcher.DispatchHandler {
  #phase: "Queued" | "Sending" | "Over" = "Queued"
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: AnswerHeaders = {}
  #chunks: Array<Buffer> = []
  #bytes = 0
  readonly #peer: string
  readonly #maxAnswerBytes: number
  readonly #isTooLate: () => boolean

  /** Done when the call can no longer be withdrawn: it has started, or it is over. */
  readonly committed = Deferred.makeUnsafe<void>()
  readonly ended = Deferred.makeUnsafe<TransportAnswer, NotSent | Unanswered>()

  /** `peer`: host and port, as errors name it. */
  constructor(peer: string, maxAnswerBytes: number, isTooLate: () => boolean) {
    this.#peer = peer
    this.#isTooLate = isTooLate
    this.#maxAnswerBytes = maxAnswerBytes
  }

  /** Takes the request back, if nothing of it was written. */
  withdraw(why: string): void {
    if (this.#phase === "Queued") this.#end(Effect.fail(this.#notSent(why)))
  }

  /** The time-out of the whole call has passed. */
  expire(timeoutMillis: number): void {
    if (this.#phase === "Queued") {
      this.#end(Effect.fail(this.#notSent(`no connection within ${timeoutMillis} ms`)))
    } else if (this.#phase === "Sending") {
      this.#giveUp(`no complete response within ${timeoutMillis} ms`)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isTooLate()) this.withdraw(tooLate)
    // Thrown and not aborted: an abort would also destroy the connection, which is as good as new.
    if (this.#phase !== "Queued") throw new Error("the request must not be written, or not twice")
    this.#phase = "Sending"
    this.#controller = controller
    afterUndici(() => Deferred.doneUnsafe(this.committed, Effect.void))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // An interim answer (1xx) is not the answer.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase !== "Sending") return
    this.#bytes += chunk.byteLength
    if (this.#bytes > this.#maxAnswerBytes) {
      this.#giveUp(`the response is longer than ${this.#maxAnswerBytes} bytes`)
    } else {
      this.#chunks.push(chunk)
    }
  }

  onResponseEnd(): void {
    if (this.#phase === "Sending") this.#end(this.#answer())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#phase === "Queued") {
      this.#end(Effect.fail(this.#notSent(`no connection${codeOf(error)}`)))
    } else if (this.#phase === "Sending") {
      this.#end(Effect.fail(this.#unanswered(`the response was incomplete${codeOf(error)}`)))
    }
  }

  #answer(): Effect.Effect<TransportAnswer, Unanswered> {
    const headers = lowerCase(this.#headers)
    const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity"
    if (encoding !== "identity") {
      return Effect.fail(this.#unanswered("the response is compressed, which was not requested"))
    }
    const body = utf8(this.#chunks)
    if (body === undefined) return Effect.fail(this.#unanswered("the response is not valid UTF-8"))
    return Effect.succeed({ status: this.#status, headers, body })
  }

  #giveUp(why: string): void {
    this.#end(Effect.fail(this.#unanswered(why)))
    // Ends the connection, so that a late answer is not taken for the next request's.
    const controller = this.#controller
    afterUndici(() => controller?.abort(new Error("given up")))
  }

  #end(exit: Effect.Effect<TransportAnswer, NotSent | Unanswered>): void {
    this.#phase = "Over"
    this.#chunks = []
    afterUndici(() => {
      Deferred.doneUnsafe(this.committed, Effect.void)
      Deferred.doneUnsafe(this.ended, exit)
    })
  }

  // The errors of undici and Node are not passed on as a cause: they can hold pieces of the answer.
  #notSent(why: string): NotSent {
    return new NotSent({ reason: `${this.#peer}: nothing was sent: ${why}` })
  }

  #unanswered(why: string): Unanswered {
    return new Unanswered({ reason: `${this.#peer}: ${why}` })
  }
}

export const tooLate = "the deadline for sending had passed"

/** Completing a deferred runs its waiters at once, and undici's parser must not be entered from inside itself. */
const afterUndici = (action: () => void): void => queueMicrotask(action)

/** The code of an error (`ECONNREFUSED`), for the reader alone: no decision rests on it. */
export const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : ""
}

const lowerCase = (headers: AnswerHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value]]
    )
  )

const utf8 = (chunks: ReadonlyArray<Buffer>): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    return undefined
  }
}
