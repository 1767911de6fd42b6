/**
 * Sends webhooks over undici: HTTP/1.1, no retry, no redirect, and to public addresses alone unless private ones are
 * allowed (see `WebhookConnect.ts`). The answer is its status; of its body little is read, and nothing is kept.
 */
import { WebhookNotAnswered, WebhookSender } from "@pointsman/core/ports"
import { Effect, Layer, type Scope } from "effect"
import { Agent, type Dispatcher } from "undici"
import { codeOf } from "./Call.ts"
import { targetOf } from "./NodeTransport.ts"
import { NotConnected, type Resolve, resolveBySystem, resolvePublic, webhookConnector } from "./WebhookConnect.ts"

export interface NodeWebhookSenderOptions {
  /**
   * Lets webhooks go to loopback, private, link-local and metadata addresses, also by names that only this network knows.
   * `false` unless set: on a server whose merchants choose the addresses, it opens the network to them.
   */
  readonly allowPrivate?: boolean
  /** All addresses of a name, instead of Node's resolver, or of the system's where private addresses are allowed. */
  readonly resolve?: Resolve
  /** Milliseconds for name, connection and TLS; the time of the whole attempt still applies. 10,000 unless set. */
  readonly connectTimeoutMillis?: number
  /** PEM certificates of authorities that are trusted besides Node's own. */
  readonly trustedCertificates?: ReadonlyArray<string>
}

/** Of an answer's body, in bytes, so that the connection can be used again; one that is longer ends it. */
const readAtMost = 16_384
/** Milliseconds that a body may take after its status, for the same reason. */
const readWithinMillis = 1_000

export const make = (
  options: NodeWebhookSenderOptions = {}
): Effect.Effect<WebhookSender["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const allowPrivate = options.allowPrivate ?? false
    const agent = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            connect: webhookConnector({
              allowPrivate,
              resolve: options.resolve ?? (allowPrivate ? resolveBySystem : resolvePublic),
              timeoutMillis: options.connectTimeoutMillis ?? 10_000,
              trustedCertificates: options.trustedCertificates ?? []
            }),
            allowH2: false,
            pipelining: 1,
            // Shorter than the 5 s at which common servers close.
            keepAliveTimeout: 4_000,
            // An attempt has its own time, and is interrupted when it is over.
            headersTimeout: 0,
            bodyTimeout: 0,
            useMilo: false
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    )
    const scope = yield* Effect.scope
    return WebhookSender.of({
      send: Effect.fnUntraced(function* ({ body, headers, url }) {
        const target = targetOf(url)
        if (target === undefined) {
          return yield* new WebhookNotAnswered({
            failure: "NoConnection",
            message: "the URL is not an absolute http(s) URL without a user"
          })
        }
        const answer = yield* Effect.tryPromise({
          try: (signal) =>
            agent.request({
              origin: target.origin,
              path: target.path,
              method: "POST",
              headers: { "user-agent": "Pointsman", ...headers },
              body,
              signal
            }),
          catch: (error) => notAnswered(target.peer, error)
        })
        yield* Effect.forkIn(drop(answer.body), scope)
        return answer.statusCode
      })
    })
  })

export const layer = (options: NodeWebhookSenderOptions = {}): Layer.Layer<WebhookSender> =>
  Layer.effect(WebhookSender)(make(options))

/** The status was the answer: whatever goes wrong afterwards is of no interest, as long as it ends. */
const drop = (body: Dispatcher.ResponseData["body"]): Effect.Effect<void> =>
  Effect.tryPromise((signal) => body.dump({ limit: readAtMost, signal })).pipe(
    Effect.timeout(readWithinMillis),
    Effect.ignore,
    Effect.ensuring(Effect.sync(() => body.destroy()))
  )

// The errors of undici and Node are not passed on as a cause: they can hold pieces of the answer.
const notAnswered = (peer: string, error: unknown): WebhookNotAnswered =>
  error instanceof NotConnected
    ? new WebhookNotAnswered({ failure: error.failure, message: `${peer}: ${error.message}` })
    : new WebhookNotAnswered({ failure: "NoAnswer", message: `${peer}: no response${codeOf(error)}` })
