/**
 * Webhooks, verified: the signature is over the raw bytes, so they are verified before they are parsed. JSON that was parsed
 * and written again is another text.
 */

import type { Event } from "./Contract.ts"
import { errorOf } from "./Errors.ts"
import { unixSeconds } from "./Platform.ts"

export interface IncomingWebhook {
  /** The body as it came. A text must be what the bytes decode to as UTF-8, unchanged. */
  readonly body: Uint8Array | string
  /** All headers, as `Request.headers` or Node's `request.headers` has them. */
  readonly headers: Headers | { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /** The endpoint's secret; while it is replaced, the new one and the old one. */
  readonly secret: string | ReadonlyArray<string>
  /** How far the signature's time may be from this machine's, either way; 300 unless set. */
  readonly toleranceSeconds?: number
}

export interface VerifiedWebhook {
  readonly event: Event
  /** The same at every attempt to deliver it to you. */
  readonly deliveryId: string | null
}

const refused = (reason: string) => errorOf({ code: "webhook_refused", message: `The webhook was refused: ${reason}.` })

const utf8 = new TextEncoder()

/** More secrets at once there are not; so much may a header cost. */
const tagsAtMost = 8

/**
 * Gives the event where one of the secrets signed the body within the tolerance, and throws `webhook_refused` otherwise:
 * respond with 400. It does not notice that an event came before: keep the ids of those that you acted on.
 */
const verify = async ({ body, headers, secret, toleranceSeconds = 300 }: IncomingWebhook): Promise<VerifiedWebhook> => {
  // Not by `instanceof`: test runners and workers have classes of their own.
  if (typeof body !== "string" && !ArrayBuffer.isView(body)) {
    throw new TypeError("`body` must be the raw body, as bytes or text: a parsed body cannot be verified.")
  }
  const secrets = typeof secret === "string" ? [secret] : secret
  if (secrets.length === 0 || secrets.some((one) => typeof one !== "string" || one === "")) {
    throw new TypeError("`secret` must be a non-empty secret, or a list of them.")
  }
  const header = headerOf(headers, "x-service-signature")
  if (header === undefined) throw refused("the header X-Service-Signature is missing")
  const { tags, timestamp } = parse(header)
  // Also where the tolerance is not a number.
  if (!(Math.abs(unixSeconds() - Number(timestamp)) <= toleranceSeconds)) throw refused("it is too old or too new")
  const bytes = typeof body === "string" ? utf8.encode(body) : body
  if (!(await isSigned(utf8.encode(`${timestamp}.`), bytes, tags, secrets))) {
    throw refused("it was not signed with a known secret")
  }
  return {
    event: eventOf(new TextDecoder().decode(bytes)),
    deliveryId: headerOf(headers, "x-service-delivery-id") ?? null
  }
}

export const webhooks = { verify } as const

/** Two headers of one name are not a valid signature. */
const headerOf = (headers: IncomingWebhook["headers"], name: string): string | undefined => {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] : undefined
}

const isHeaders = (headers: IncomingWebhook["headers"]): headers is Headers => typeof headers["get"] === "function"

/** `t=<unix seconds>,v1=<hex>`, with one `v1` for each secret; parts of other names are for later versions. */
const parse = (header: string): { readonly timestamp: string; readonly tags: ReadonlyArray<string> } => {
  const parts = header.split(",", 2 * tagsAtMost).map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length))
  const [timestamp, another] = valuesOf("t=")
  const tags = valuesOf("v1=").slice(0, tagsAtMost)
  const isWhole = tags.length > 0 && tags.every((tag) => /^[0-9a-f]{64}$/u.test(tag))
  if (timestamp === undefined || another !== undefined || !/^(?:0|[1-9]\d{0,11})$/u.test(timestamp) || !isWhole) {
    throw refused("its signature is malformed")
  }
  return { timestamp, tags }
}

const isSigned = async (
  prefix: Uint8Array,
  body: Uint8Array,
  tags: ReadonlyArray<string>,
  secrets: ReadonlyArray<string>
): Promise<boolean> => {
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["verify"])
    for (const tag of tags) if (await crypto.subtle.verify("HMAC", key, bytesOf(tag), signed)) return true
  }
  return false
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))

/** The signature proves that a server of Pointsman wrote it; what signs other messages with the secret is refused. */
const eventOf = (text: string): Event => {
  try {
    const event: Partial<Event> = JSON.parse(text)
    const isEvent = [event.id, event.type, event.created].every((field) => typeof field === "string" && field !== "")
    if (isEvent && typeof event.data === "object" && event.data !== null) return event as Event
  } catch {
    // Refused below.
  }
  throw refused("it is not an event")
}
