/**
 * The floor under a server: it writes what a create writes before and after the provider is asked, and does nothing
 * else. It trusts every request.
 */
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { Pool } from "undici"
import { answerOrders, listen } from "../kit/Side.ts"
import { type BareSettings, openPool } from "./Pool.ts"

export interface ProxySettings extends BareSettings {
  /** Where the provider is; its duration is in the request's path. */
  readonly provider: string
}

answerOrders<ProxySettings, null>(async ({ provider, ...settings }) => {
  const { claim } = await openPool(settings)
  const { origin, pathname } = new URL(provider)
  const providers = new Pool(origin, { connections: 512, pipelining: 1 })
  const create = async (request: IncomingMessage): Promise<string> => {
    const body = JSON.parse(await text(request))
    const settle = await claim()
    const asked = await providers.request({
      method: "POST",
      path: `${pathname}${request.url}/charges`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, capture: true })
    })
    const { status } = JSON.parse(await asked.body.text())
    await settle()
    return JSON.stringify({ data: { status, amount: body.amount, currency: body.currency } })
  }
  const server = createServer((request, response) => {
    create(request).then(
      (body) => response.writeHead(201, { "content-type": "application/json" }).end(body),
      (cause: unknown) => response.writeHead(500).end(String(cause))
    )
  })
  const url = await listen(server)
  return async () => url
})
