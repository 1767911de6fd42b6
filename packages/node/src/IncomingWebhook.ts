/** What `webhooks.verify` takes and gives. */
import type { Event } from "./Event.ts"

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
