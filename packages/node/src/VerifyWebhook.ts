/**
 * How `webhooks.verify` verifies, loaded by its first call.
 *
 * The raw bytes are signed, so they are verified before anybody parses
 * them; JSON that was parsed and written again is another text.
 */
import type { Event } from "@pointsman/client/contract"
import { signatureHeader, verifySignature } from "@pointsman/core"
import { NodeMac } from "@pointsman/transport-node"
import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import { ValidationError, WebhookRefusedError } from "./PointsmanError.ts"

export interface IncomingWebhook {
  /** The body as it came. A text must be what the bytes decode to as UTF-8, unchanged. */
  readonly body: Uint8Array | string
  /** All headers, as `Request.headers` or Node's `request.headers` has them. */
  readonly headers: Headers | { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /** The endpoint's secret; while it is replaced, the new one and the old one. */
  readonly secret: string | ReadonlyArray<string>
}

export interface VerifiedWebhook {
  readonly event: Event
  /** The same at every attempt to deliver it to you. */
  readonly deliveryId: string | null
}

export const verifyWebhook = (webhook: IncomingWebhook): Promise<VerifiedWebhook> =>
  Effect.runPromise(Effect.result(Effect.provide(verified(webhook), NodeMac.layer))).then(
    Result.match({
      onFailure: (error) => {
        throw error
      },
      onSuccess: (event) => event
    })
  )

const utf8 = new TextEncoder()

const verified = Effect.fnUntraced(function* ({ body, headers, secret }: IncomingWebhook) {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    return yield* Effect.fail(
      new ValidationError(
        "validation_error",
        "`body` must be the raw body, as bytes or text: a parsed body cannot be verified."
      )
    )
  }
  const secrets = typeof secret === "string" ? [secret] : secret
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.some((one) => typeof one !== "string" || one === "")) {
    return yield* Effect.fail(
      new ValidationError("validation_error", "`secret` must be a non-empty secret, or a list of them.")
    )
  }
  const bytes = typeof body === "string" ? utf8.encode(body) : body
  const nowMillis = yield* Clock.currentTimeMillis
  yield* verifySignature(
    headerOf(headers, signatureHeader),
    secrets.map((one) => Redacted.make(one)),
    bytes,
    Math.floor(nowMillis / 1000)
  ).pipe(Effect.mapError(({ reason }) => new WebhookRefusedError(reason)))
  const event = decodeEvent(new TextDecoder().decode(bytes))
  if (Option.isNone(event)) return yield* Effect.fail(new WebhookRefusedError("not an event"))
  return {
    // The signature proves that a server of Pointsman wrote it.
    event: event.value as Event,
    deliveryId: headerOf(headers, "x-service-delivery-id") ?? null
  } satisfies VerifiedWebhook
})

const decodeEvent = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.NonEmptyString,
      type: Schema.NonEmptyString,
      created: Schema.NonEmptyString,
      data: Schema.Record(Schema.String, Schema.Json)
    })
  )
)

/** Two headers of one name are not a valid signature. */
const headerOf = (headers: IncomingWebhook["headers"], name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] : undefined
}
