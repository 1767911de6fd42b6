/**
 * One webhook on its way through undici. Its answer is the status; the body is read and dropped, so that the connection can
 * be used again. What goes wrong after the status is of no interest, as long as it ends.
 *
 * A handler of undici's, because `request` makes a stream, an abort signal and promises for each answer.
 */
import { WebhookNotAnswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Dispatcher } from "undici"
import { codeOf } from "./Call.ts"
import { NotConnected } from "./WebhookConnect.ts"

/** Of an answer's body, in bytes; a longer one ends the connection. */
const readAtMost = 16_384

export class WebhookPost implements Dispatcher.DispatchHandler {
  /** Called once, unless the post was given up first. Set before the post is dispatched. */
  onAnswer: (answer: Effect.Effect<number, WebhookNotAnswered>) => void = () => undefined
  /** Called when the response has ended after its status, or the connection has. */
  onEnd: () => void = () => undefined
  /** Whether the response has ended, or the connection has. */
  isOver = false
  #isAnswered = false
  #controller: Dispatcher.DispatchController | undefined
  #bytes = 0
  readonly #peer: string

  /** `peer`: host and port, as errors name it. */
  constructor(peer: string) {
    this.#peer = peer
  }

  /** Ends the connection, or takes the request back if nothing of it was written. */
  giveUp(): void {
    if (this.isOver) return
    this.#end()
    this.#isAnswered = true
    const controller = this.#controller
    afterUndici(() => controller?.abort(new Error("given up")))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown before a byte is written: undici drops the request and keeps the connection (see `Call.ts`).
    if (this.isOver || this.#controller !== undefined) throw new Error("the request must not be written, or not twice")
    this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    // An interim answer (1xx) is not the answer.
    if (status >= 200) this.#answer(Effect.succeed(status))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength
    if (this.#bytes > readAtMost) this.giveUp()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end()
    this.#answer(Effect.fail(notAnswered(this.#peer, error)))
  }

  #end(): void {
    this.isOver = true
    afterUndici(() => this.onEnd())
  }

  #answer(answer: Effect.Effect<number, WebhookNotAnswered>): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    afterUndici(() => this.onAnswer(answer))
  }
}

/** The answer's fiber runs at once and may send the next webhook, and undici's parser must not be entered from inside itself. */
const afterUndici = (action: () => void): void => queueMicrotask(action)

// The errors of undici and Node are not passed on as a cause: they can hold pieces of the answer.
const notAnswered = (peer: string, error: unknown): WebhookNotAnswered =>
  error instanceof NotConnected
    ? new WebhookNotAnswered({ failure: error.failure, message: `${peer}: ${error.message}` })
    : new WebhookNotAnswered({ failure: "NoAnswer", message: `${peer}: no response${codeOf(error)}` })
