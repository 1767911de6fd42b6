/**
 * Calls the routes below `app` as Next does. A shop is tested by them without Next, whose build needs a minute. This file runs
 * in the shop's folder.
 */
import { readdirSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"

type Route = Readonly<Record<string, (request: Request) => Promise<Response>>>

const app = join(import.meta.dirname, "app")
const routes: Array<readonly [RegExp, Route]> = []
for (const path of readdirSync(app, { recursive: true, encoding: "utf8" })) {
  if (!path.endsWith("route.ts")) continue
  const pattern = `/${path.replace(/\/?route\.ts$/u, "").replace("[...path]", ".+")}`
  routes.push([new RegExp(`^${pattern}$`, "u"), await import(join(app, path))])
}

const url = new URL(process.env["SHOP_URL"] ?? "")
const server = createServer(async (incoming, outgoing) => {
  const address = new URL(incoming.url ?? "/", url)
  const method = incoming.method ?? "GET"
  const handle = routes.find(([pattern]) => pattern.test(address.pathname))?.[1][method]
  const chunks: Array<Uint8Array> = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = new Headers(
    Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
  )
  const body = method === "GET" ? {} : { body: Buffer.concat(chunks) }
  const answer =
    (await handle?.(new Request(address, { method, headers, ...body }))) ?? new Response("", { status: 404 })
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
}).listen(Number(url.port), url.hostname, () => console.log(`The shop listens on ${url.origin}`))

// As Next does.
process.once("SIGTERM", () => {
  server.close()
  server.closeAllConnections()
})
