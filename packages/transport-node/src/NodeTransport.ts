/**
 * The provider transport over undici. It says whether a request may have left the machine by the phase that the
 * request had reached (see `Call.ts`), and one call is one request on the wire: HTTP/1.1 without pipelining, no
 * retry, no redirect.
 *
 * undici is loaded by the first call: most of this package is its code, and a program that has not called a provider does
 * not wait for it.
 *
 * A call that has started is not interruptible: its answer is worth more than the time that it takes. What bounds it
 * is its own time-out, which runs on Effect's clock.
 */
import { BeginBy, NotSent, Transport, type TransportRequest } from "@pointsman/core/connector"
import { Clock, Context, Deferred, Effect, Layer, type Scope } from "effect"
import type { Agent } from "undici"
import { Call, codeOf, tooLate } from "./Call.ts"
import { connecting } from "./Connect.ts"

export interface NodeTransportOptions {
  /**
   * Connections to one origin at a time; more calls wait their turn, within their time-out, and are `NotSent` when it
   * passes first. 256 unless set: it bounds the file descriptors that one slow provider can take.
   */
  readonly connectionsPerOrigin?: number
  /**
   * Milliseconds for name, connection and TLS; a call's own time-out still applies. 10,000 unless set: a host that
   * takes longer is down, and another connection can still be tried while the customer waits.
   */
  readonly connectTimeoutMillis?: number
  /**
   * Milliseconds after which an idle connection is not used again, where the provider states none of its own. 4,000
   * unless set: shorter than the 5 s at which common servers close. Every request that meets a closing connection is
   * a payment whose result is unknown.
   */
  readonly keepAliveMillis?: number
  /** PEM certificates of authorities that are trusted besides Node's own. */
  readonly trustedCertificates?: ReadonlyArray<string>
}

const defaultMaxAnswerBytes = 1_048_576

/**
 * Closing its scope refuses new calls (`NotSent`), waits for the calls under way, each within its time-out, and then
 * ends every connection.
 */
export const make = (options: NodeTransportOptions = {}): Effect.Effect<Transport["Service"], never, Scope.Scope> =>
  makeOver(loadUndici, options)

export type Undici = typeof import("./Undici.ts")

export const loadUndici = (): Promise<Undici> => import("./Undici.ts")

/** As `make`, over what `load` gives. */
export const makeOver = (
  load: () => Promise<Undici>,
  options: NodeTransportOptions
): Effect.Effect<Transport["Service"], never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => open(load, options)),
    ({ close }) => close
  )

export const layer = (options: NodeTransportOptions = {}): Layer.Layer<Transport> =>
  Layer.effect(Transport)(make(options))

interface Opened {
  readonly send: Transport["Service"]["send"]
  readonly close: Effect.Effect<void>
}

const openAgent = ({ Agent, buildConnector }: Undici, options: NodeTransportOptions) => {
  const { connect, abandon } = connecting(buildConnector, {
    timeoutMillis: options.connectTimeoutMillis ?? 10_000,
    trustedCertificates: options.trustedCertificates ?? []
  })
  const agent = new Agent({
    connect,
    allowH2: false,
    pipelining: 1,
    connections: options.connectionsPerOrigin ?? 256,
    keepAliveTimeout: options.keepAliveMillis ?? 4_000,
    // The call's own time-out covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    // The parser that this transport was tested with, whatever the process's environment says.
    useMilo: false
  })
  return { agent, abandon }
}

const open = (load: () => Promise<Undici>, options: NodeTransportOptions): Opened => {
  let opened: ReturnType<typeof openAgent> | undefined
  const calls = new Set<Call>()
  let isClosed = false

  const send = (request: TransportRequest) => {
    const target = targetOf(request.url)
    if (target === undefined) {
      return Effect.fail(
        new NotSent({ reason: "nothing was sent: the URL is not an absolute http(s) URL without a user" })
      )
    }
    const agent = opened === undefined ? loaded(target) : Effect.succeed(opened)
    return Effect.flatMap(agent, ({ agent }) =>
      isClosed
        ? Effect.fail(new NotSent({ reason: `${target.peer}: nothing was sent: the transport is closed` }))
        : Effect.uninterruptibleMask((restore) => run(agent, request, target, restore))
    )
  }

  const loaded = ({ peer }: Target) =>
    Effect.tryPromise({
      try: load,
      catch: (cause) => new NotSent({ reason: `${peer}: nothing was sent: undici cannot be loaded${codeOf(cause)}` })
    }).pipe(Effect.map((undici) => (opened ??= openAgent(undici, options))))

  const run = (
    agent: Agent,
    request: TransportRequest,
    target: Target,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const clock = Context.get(context, Clock.Clock)
      const beginBy = Context.get(context, BeginBy)
      const isTooLate = () => clock.currentTimeMillisUnsafe() > beginBy
      const call = new Call(target.peer, request.maxAnswerBytes ?? defaultMaxAnswerBytes, isTooLate)
      const { timeoutMillis } = request
      const queuedMillis = Math.min(Math.max(beginBy - clock.currentTimeMillisUnsafe(), 0) + 1, timeoutMillis)
      const expire = () => call.expire(timeoutMillis)
      const timer = Effect.runForkWith(context)(
        Effect.flatMap(Effect.sleep(queuedMillis), () => {
          if (queuedMillis === timeoutMillis) return Effect.sync(expire)
          call.withdraw(tooLate)
          return Effect.map(Effect.sleep(timeoutMillis - queuedMillis), expire)
        })
      )
      calls.add(call)
      agent.dispatch(
        {
          origin: target.origin,
          path: target.path,
          method: request.method,
          headers: request.headers,
          body: request.bytes ?? request.body ?? null
        },
        call
      )
      return restore(Deferred.await(call.committed)).pipe(
        Effect.onInterrupt(() => {
          call.withdraw("interrupted")
          return Effect.exit(Deferred.await(call.ended))
        }),
        Effect.andThen(Deferred.await(call.ended)),
        Effect.ensuring(
          Effect.sync(() => {
            calls.delete(call)
            timer.interruptUnsafe()
          })
        )
      )
    })

  const close = Effect.gen(function* () {
    isClosed = true
    for (const call of calls) yield* Effect.exit(Deferred.await(call.ended))
    if (opened === undefined) return
    const { abandon, agent } = opened
    abandon()
    yield* Effect.promise(() => agent.destroy())
  })

  return { send, close }
}

export interface Target {
  readonly origin: string
  /** Host and port. */
  readonly peer: string
  /** Path and query. */
  readonly path: string
}

/** A user in the URL is refused: a credential there would end up in logs, and undici would drop it silently. */
export const targetOf = (url: string): Target | undefined => {
  if (!URL.canParse(url)) return undefined
  const { protocol, username, password, origin, host, pathname, search } = new URL(url)
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "") return undefined
  return { origin, peer: host, path: `${pathname}${search}` }
}
