/**
 * The signature of PayPal's messages (https://developer.paypal.com/api/rest/webhooks/rest/): RSA with SHA-256 over the id and
 * the time of the transmission, the id of the webhook, and the CRC-32 of the body's bytes as a decimal number, joined by `|`.
 *
 * The id of the webhook is not sent. It is the connection's webhook secret, and
 * it is what tells another account's messages from this one's: PayPal signs all of them with one certificate.
 */
import { verify } from "node:crypto"
import { crc32 } from "node:zlib"
import { MessageUnverified, type RawMessage, signatureToleranceSeconds } from "@pointsman/core/connector"
import { Effect, Redacted } from "effect"
import type { Certificates } from "./Certificates.ts"

/**
 * PayPal sends a message again "up to 25 times over 3 days". Whether it signs each of them anew, its page does not say; a day
 * more is for one that waits. A message that was applied is known again by its id, however young it is.
 */
const ageAtMostMillis = 4 * 24 * 60 * 60 * 1000
/** How far PayPal's clock may be ahead of ours. */
const aheadAtMostMillis = signatureToleranceSeconds * 1000

const forms = {
  "paypal-auth-algo": /^SHA256withRSA$/u,
  "paypal-cert-url": /^\S{1,500}$/u,
  "paypal-transmission-id": /^[\w-]{1,50}$/u,
  "paypal-transmission-sig": /^(?:[A-Za-z0-9+/]{4}){1,125}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u,
  "paypal-transmission-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/u
} as const satisfies Record<string, RegExp>

const unverified = (reason: string): MessageUnverified => new MessageUnverified({ reason })

/** What costs nothing is checked first: anybody can send a message. */
export const verified = Effect.fnUntraced(function* (
  { body, headers, receivedAt, secret }: RawMessage,
  certificates: Certificates
): Effect.fn.Return<void, MessageUnverified> {
  const header = (name: keyof typeof forms): string | undefined => {
    const text = headers[name]
    return text !== undefined && forms[name].test(text) ? text : undefined
  }
  const url = header("paypal-cert-url")
  const id = header("paypal-transmission-id")
  const signature = header("paypal-transmission-sig")
  const time = header("paypal-transmission-time")
  if (url === undefined || id === undefined || signature === undefined || time === undefined) {
    return yield* unverified("a header of its signature is missing or malformed")
  }
  if (header("paypal-auth-algo") === undefined) return yield* unverified("its signature is not SHA256withRSA")
  const age = receivedAt - Date.parse(time)
  if (!(age <= ageAtMostMillis && age >= -aheadAtMostMillis)) {
    return yield* unverified("its signature is too old or too new")
  }
  const webhookId = Redacted.value(secret)
  if (webhookId === "") return yield* unverified("the connection has no webhook id")
  const key = yield* certificates.keyAt(url, receivedAt)
  const signed = new TextEncoder().encode(`${id}|${time}|${webhookId}|${crc32(body)}`)
  if (!verify("sha256", signed, key, decoded(signature))) {
    return yield* unverified("its signature does not match the connection's webhook id")
  }
})

const decoded = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
