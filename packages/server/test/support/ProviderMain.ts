/** The process of `ProviderProcess.ts`. Its parent hears the port, and it ends with its parent. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { ProviderBooks } from "./ProviderProcess.ts"
import { execute, newRecord, type ProviderOperation, type Reply, refusal, routeOf } from "./ProviderRecord.ts"

const [, , providerKey] = process.argv
const record = newRecord()
const asked = new Map<ProviderOperation, number>()

const books = (): ProviderBooks => {
  const captures = Map.groupBy(
    [...record.operations].filter(([, { kind }]) => kind === "capture"),
    ([, { attemptId }]) => attemptId
  )
  return {
    charges: [...record.charges.values()].map((charge) => ({
      ...charge,
      reference: record.created.get(charge.attemptId)?.body.reference ?? "",
      captures: (captures.get(charge.attemptId) ?? []).map(([id]) => id),
      refunds: [...charge.refunds].map(([id, amount]) => ({
        id,
        amount,
        reason: record.created.get(id)?.body.reason ?? ""
      }))
    })),
    asked: Object.fromEntries(asked)
  }
}

const answer = async (request: IncomingMessage): Promise<Reply> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (request.headers.authorization !== `Bearer ${providerKey}`) return refusal(401, "unauthorized")
  const url = new URL(request.url ?? "/", "http://provider")
  if (url.pathname === "/books") return { status: 200, body: books() }
  if (url.pathname === "/account") return refusal(501, "no_account")
  const route = routeOf(request.method ?? "", url)
  if (route === undefined) return refusal(404, "no_route")
  asked.set(route.operation, (asked.get(route.operation) ?? 0) + 1)
  return execute(record, route, url, chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString()))
}

const server = createServer((request, response) => {
  answer(request).then(
    ({ body, status }) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    // A server that is killed cuts its connections.
    () => response.destroy()
  )
})
server.keepAliveTimeout = 120_000
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
process.on("disconnect", () => process.exit(0))
