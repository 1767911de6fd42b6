/**
 * What is recorded of a call to a provider: how long it took, and a span where spans are collected.
 *
 * Beneath the call's span each request has one by OpenTelemetry's conventions
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/), without path, query, headers and body, which may be secret.
 */
import { Clock, Context, Effect, Exit, Tracer } from "effect"
import type { NotSent, Unanswered } from "../model/ProviderStatement.ts"
import type { Transport, TransportAnswer, TransportRequest } from "../ports/Transport.ts"
import { providerCalls } from "./Metrics.ts"

export interface ProviderCall {
  readonly operation:
    | "charge"
    | "checkout"
    | "complete_checkout"
    | "capture"
    | "void"
    | "refund"
    | "look_up_charge"
    | "look_up_operation"
    | "look_up_refund"
    | "submit_dispute"
    | "accept_dispute"
    | "look_up_dispute"
    | "look_up_hint"
  readonly connectionId: string
  /** `null` for a lookup that a hint is the reason for: which payment it is about is not known before. */
  readonly paymentId: string | null
  /** What the provider is asked for: the attempt, or the operation or refund; for a hint, the provider's reference. */
  readonly subject:
    | { readonly attempt: string }
    | { readonly operation: string }
    | { readonly refund: string }
    | { readonly dispute: string }
    | { readonly hint: string }
}

/** The attributes of the call that runs, for the requests beneath it. */
const CallAttributes = Context.Reference<Readonly<Record<string, string>>>("pointsman/metrics/CallAttributes", {
  defaultValue: () => ({})
})

/** How a call ended is a value: its tag is the outcome. */
export const observeCall =
  (about: ProviderCall) =>
  <A extends { readonly _tag: string }, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const begun = clock.currentTimeNanosUnsafe()
      const isTraced = fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
      return Effect.map(isTraced ? traced(about, clock, call) : call, (answer) => {
        const duration = providerCalls(about.connectionId, about.operation)
        duration.updateUnsafe(secondsSince(begun, clock), fiber.context)
        return answer
      })
    })

const traced = <A extends { readonly _tag: string }, E, R>(
  about: ProviderCall,
  clock: Clock.Clock,
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const attributes = attributesOf(about)
  return Effect.flatMap(Effect.makeSpan(`pointsman ${about.operation}`, { attributes }), (span) =>
    call.pipe(
      Effect.withParentSpan(span),
      Effect.provideService(CallAttributes, attributes),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          const outcome = Exit.isSuccess(exit) ? exit.value._tag.replace(/^pointsman\//u, "") : "Failed"
          span.attribute("pointsman.outcome", outcome)
          endSpan(span, clock, isNoAnswer(outcome) ? outcome : undefined)
        })
      )
    )
  )
}

const isNoAnswer = (outcome: string) => outcome === "NotSent" || outcome === "Unanswered" || outcome === "Failed"

const attributesOf = ({ connectionId, paymentId, subject }: ProviderCall): Readonly<Record<string, string>> => ({
  ...(paymentId === null ? {} : { "pointsman.payment.id": paymentId }),
  "pointsman.connection.id": connectionId,
  ...Object.fromEntries(Object.entries(subject).map(([kind, id]) => [`pointsman.${kind}.id`, id]))
})

/** The transport, with a span for each request where spans are collected. */
export const withSpans = (transport: Transport["Service"]): Transport["Service"] => ({
  send: (request) =>
    Effect.flatMap(Tracer.Tracer, (tracer) =>
      tracer === Tracer.nativeTracer ? transport.send(request) : sendTraced(transport, request)
    )
})

const sendTraced = Effect.fnUntraced(function* (
  transport: Transport["Service"],
  request: TransportRequest
): Effect.fn.Return<TransportAnswer, NotSent | Unanswered> {
  const clock = yield* Clock.Clock
  const attributes = { ...(yield* CallAttributes), ...targetOf(request) }
  const span = yield* Effect.makeSpan(request.method, { kind: "client", attributes })
  return yield* transport.send(continued(request, span)).pipe(
    Effect.withParentSpan(span),
    Effect.onExit((exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) return endSpan(span, clock, "no answer")
        span.attribute("http.response.status_code", exit.value.status)
        endSpan(span, clock, exit.value.status >= 400 ? String(exit.value.status) : undefined)
      })
    )
  )
})

const targetOf = ({ method, url }: TransportRequest): Readonly<Record<string, string | number>> => {
  const target = URL.parse(url)
  if (target === null) return { "http.request.method": method }
  const port = target.port === "" ? (target.protocol === "https:" ? 443 : 80) : Number(target.port)
  return { "http.request.method": method, "server.address": target.hostname, "server.port": port }
}

/** A connector that tells its provider of the trace tells it of this span: it is what the provider was called by. */
const continued = (request: TransportRequest, { sampled, spanId, traceId }: Tracer.Span): TransportRequest =>
  request.headers["traceparent"] === undefined
    ? request
    : {
        ...request,
        headers: {
          ...request.headers,
          traceparent: `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
        }
      }

/** Ends a span. A failure has one of our own names: a cause may quote what was sent. */
export const endSpan = (span: Tracer.Span, clock: Clock.Clock, errorType: string | undefined): void => {
  if (errorType !== undefined) span.attribute("error.type", errorType)
  span.end(clock.currentTimeNanosUnsafe(), errorType === undefined ? Exit.void : Exit.fail(errorType))
}

/** For a histogram of seconds. */
export const secondsSince = (begun: bigint, clock: Clock.Clock): number =>
  Number(clock.currentTimeNanosUnsafe() - begun) / 1_000_000_000
