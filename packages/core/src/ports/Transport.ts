/**
 * How a connector reaches its provider. The error channel says whether money may have moved, so an implementation
 * must know which phase a request had reached; an error code cannot tell (`ECONNRESET` occurs at connecting, in the
 * TLS hello, after sending and on a reused connection).
 *
 * One call is one request on the wire: no retry, no redirect, no replay of a refused stream. A request that went
 * out is not cancelled by an interruption.
 */
import { Context, type Effect } from "effect"
import type { NotSent, Unanswered } from "../model/ProviderStatement.ts"

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Absolute, `http` or `https`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** In place of `body`, where the request is not text: a form with files, say. */
  readonly bytes?: Uint8Array | undefined
  /** For the whole call: name, connection, request and answer together. */
  readonly timeoutMillis: number
  /** A longer answer is `Unanswered`; 1 MiB unless set. */
  readonly maxAnswerBytes?: number | undefined
}

export interface TransportAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Epoch milliseconds after which a request must not begin any more: one that still waits for its connection then is
 * `NotSent`. Core sets it around each charge, because a claim that grew old may have been given up by others, and a
 * process that froze must not send on it when it wakes. A transport reads it again right before the first byte.
 */
export const BeginBy = Context.Reference<number>("pointsman/ports/BeginBy", {
  defaultValue: () => Number.POSITIVE_INFINITY
})

export class Transport extends Context.Service<
  Transport,
  {
    readonly send: (request: TransportRequest) => Effect.Effect<TransportAnswer, NotSent | Unanswered>
  }
>()("pointsman/ports/Transport") {}
