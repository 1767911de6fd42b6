/** A provider's messages, signed here by Node's own cryptography: what the server checks must not be its own work. */
import { createHmac } from "node:crypto"
import type { Reply } from "./Web.ts"
import { type World, webhookSecretOf } from "./World.ts"

export interface Message {
  readonly id?: string
  readonly type: string
  readonly created?: string
  readonly data: object
}

export interface Delivered {
  /** `main` unless told otherwise. */
  readonly connectionId?: string
  readonly secret?: string
  /** Unix seconds that are signed; now unless told otherwise. */
  readonly timestamp?: number
  /** Instead of the right header; `null` for none. */
  readonly signature?: string | null
  /** Instead of the message's bytes, after it was signed. */
  readonly body?: string | Uint8Array
  readonly server?: number
}

let drawn = 0

/** A message as it goes over the wire: an id of its own unless it brings one. */
export const textOf = ({ created, data, id, type }: Message): string =>
  JSON.stringify({ id: id ?? `msg_${++drawn}`, type, created: created ?? "2026-11-21T12:00:00Z", data })

export const tagOf = (text: string, timestamp: number, secret: string): string =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(text).digest("hex")

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

export const deliver = (world: World, message: Message | string, how: Delivered = {}): Promise<Reply> => {
  const { connectionId = "main", timestamp = nowSeconds() } = how
  const text = typeof message === "string" ? message : textOf(message)
  const tag = tagOf(text, timestamp, how.secret ?? webhookSecretOf(connectionId))
  const signature = how.signature === undefined ? `t=${timestamp},v1=${tag}` : how.signature
  const server = world.servers[how.server ?? 0]
  if (server === undefined) throw new Error(`there is no server ${how.server}`)
  return server.send(`/api/v1/psp-webhooks/${connectionId}`, {
    method: "POST",
    body: how.body ?? text,
    headers: signature === null ? {} : { "x-service-signature": signature }
  })
}

export const charge = (attemptId: string, status: string, more: object = {}): Message => ({
  type: "charge.updated",
  data: {
    attempt_id: attemptId,
    // As the scripted provider names it.
    provider_reference: `ref_${attemptId}`,
    status,
    ...(status === "declined" ? { decline: { code: "51", category: "insufficient_funds" } } : {}),
    ...more
  }
})

export const refund = (refundId: string, status: string, more: object = {}): Message => ({
  type: "refund.updated",
  data: { refund_id: refundId, provider_refund_id: "re_1", status, ...more }
})

export const dispute = (attemptId: string, verdict: "opened" | "won" | "lost", more: object = {}): Message => ({
  type: `dispute.${verdict}`,
  data: { attempt_id: attemptId, ...more }
})
