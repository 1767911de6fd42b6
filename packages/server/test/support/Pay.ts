/** What a shop of `Configurations.ts` asks a server for, and what its provider tells it. */
import { createHmac, randomUUID } from "node:crypto"
import { liveKey } from "./Configurations.ts"
import type { ServerHere } from "./ServerHere.ts"
import type { JsonAnswer } from "./ServerProcess.ts"

type Server = Pick<ServerHere, "request">

/** Creates a payment of 19.99 EUR from a customer in the Netherlands, but for what `change` says. */
export const pay = (
  server: Server,
  idempotencyKey: string,
  change: object = {},
  key = liveKey
): Promise<JsonAnswer> => {
  const body = { amount: 1999, currency: "EUR", country: "NL", ...change }
  return server.request("POST", "/api/v1/payments", { key, idempotencyKey, body })
}

/** A message of a provider behind the connector `http`, signed now. Gives the answer, whose body is read. */
export const sendSigned = async (server: Pick<ServerHere, "url">, connection: string, secret: string, body: string) => {
  const seconds = Math.floor(Date.now() / 1000)
  const tag = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
  const headers = { "x-service-signature": `t=${seconds},v1=${tag}`, "content-type": "application/json" }
  const answer = await fetch(`${server.url}/api/v1/psp-webhooks/${connection}`, { method: "POST", headers, body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

interface Told {
  readonly connection?: string
  readonly created?: string
  readonly secret: string
}

/** A message that a charge of 19.99 EUR is captured, signed now. */
export const tellCaptured = (
  server: Pick<ServerHere, "url">,
  { connection = "main", created = new Date().toISOString(), secret }: Told,
  attemptId: string
) => {
  const data = { attempt_id: attemptId, provider_reference: `provider-${attemptId}`, status: "captured" }
  const body = JSON.stringify({
    ...{ id: randomUUID(), type: "charge.updated", created },
    data: { ...data, captured_amount: 1999, currency: "EUR" }
  })
  return sendSigned(server, connection, secret, body)
}
