/**
 * Sends webhooks over undici: HTTP/1.1, no retry, no redirect, and to public addresses alone unless private ones are
 * allowed (see `WebhookConnect.ts`). The answer is its status; of its body little is read, and nothing is kept. undici is
 * loaded by the first webhook.
 */
import { WebhookNotAnswered, WebhookSender } from "@pointsman/core/ports"
import { Effect, Layer, type Scope } from "effect"
import type { Agent } from "undici"
import { codeOf } from "./Call.ts"
import { loadUndici, targetOf, type Undici } from "./NodeTransport.ts"
import { type Resolve, resolveBySystem, resolvePublic, webhookConnector } from "./WebhookConnect.ts"
import { WebhookPost } from "./WebhookPost.ts"

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

/** Milliseconds that a body may take after its status, so that the connection can be used again. */
const readWithinMillis = 1_000

export const make = (
  options: NodeWebhookSenderOptions = {}
): Effect.Effect<WebhookSender["Service"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let opened: Agent | undefined
    yield* Effect.addFinalizer(() => Effect.promise(async () => opened?.destroy()))
    return WebhookSender.of({
      send: Effect.fnUntraced(function* ({ body, headers, url }) {
        const target = targetOf(url)
        if (target === undefined) {
          return yield* new WebhookNotAnswered({
            failure: "NoConnection",
            message: "the URL is not an absolute http(s) URL without a user"
          })
        }
        const agent = opened ?? (yield* Effect.map(loaded, (undici) => (opened ??= openAgent(undici, options))))
        const post = new WebhookPost(target.peer)
        const status = yield* Effect.callback<number, WebhookNotAnswered>((resume) => {
          post.onAnswer = resume
          agent.dispatch(
            {
              origin: target.origin,
              path: target.path,
              method: "POST",
              headers: { "user-agent": "Pointsman", ...headers },
              body
            },
            post
          )
          return Effect.sync(() => post.giveUp())
        })
        // A short body came with its status.
        if (!post.isOver) {
          const ended = Effect.callback<void>((resume) => {
            post.onEnd = () => resume(Effect.void)
          })
          const bounded = Effect.timeoutOption(ended, readWithinMillis)
          yield* Effect.forkIn(
            Effect.ensuring(
              bounded,
              Effect.sync(() => post.giveUp())
            ),
            scope,
            {
              startImmediately: true
            }
          )
        }
        return status
      })
    })
  })

const loaded = Effect.tryPromise({
  try: loadUndici,
  catch: (cause) =>
    new WebhookNotAnswered({ failure: "NoConnection", message: `undici cannot be loaded${codeOf(cause)}` })
})

const openAgent = ({ Agent, buildConnector }: Undici, options: NodeWebhookSenderOptions) => {
  const allowPrivate = options.allowPrivate ?? false
  return new Agent({
    connect: webhookConnector(buildConnector, {
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
}

export const layer = (options: NodeWebhookSenderOptions = {}): Layer.Layer<WebhookSender> =>
  Layer.effect(WebhookSender)(make(options))
