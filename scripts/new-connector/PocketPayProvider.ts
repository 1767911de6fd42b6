/** Pocket Pay, the made-up provider of the finished connectors in `fixture` and `fixture-plain`, at a port of this machine. */
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

export interface ReceivedCharge {
  readonly idempotencyKey: string | undefined
  readonly authorization: string | undefined
  readonly body: {
    readonly amount: number
    readonly currency: string
    readonly capture: boolean
    readonly card: string | null
  }
}

/** It takes every charge. */
export const startPocketPay = async () => {
  const charges: Array<ReceivedCharge> = []
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.url === "/account") return answer(200, { account: "pp_7" })
    if (request.method !== "POST" || request.url !== "/charges") {
      return answer(404, { error: { code: "no_route", message: "Not found." } })
    }
    const body = JSON.parse(await text(request)) as ReceivedCharge["body"]
    const { authorization, "idempotency-key": idempotencyKey } = request.headers
    charges.push({ idempotencyKey: idempotencyKey as string | undefined, authorization, body })
    const { amount, capture, currency } = body
    return answer(200, { id: `pp_${charges.length}`, status: capture ? "paid" : "held", amount, currency })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** A message about a charge of ours that was taken, as Pocket Pay signs it. */
export const signedCharge = (charge: ReceivedCharge, secret: string) => {
  const t = Math.floor(Date.now() / 1_000)
  const { amount, currency } = charge.body
  const body = JSON.stringify({
    id: `msg_${charge.idempotencyKey}`,
    at: t * 1_000,
    attempt: charge.idempotencyKey,
    charge: { id: "pp_1", status: "paid", amount, currency }
  })
  const tag = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
  return { headers: { "content-type": "application/json", "x-service-signature": `t=${t},v1=${tag}` }, body }
}
