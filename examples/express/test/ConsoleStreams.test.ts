/** What lasts in the console behind Express, and behind a middleware that compresses. */
import { once } from "node:events"
import { createGzip, type Gzip } from "node:zlib"
import express, { type RequestHandler } from "express"
import { it, onTestFinished } from "vitest"
import { consolePath, shop } from "../src/Shop.ts"
import { shopWithPayments, tryStreams } from "./support/ConsoleStreams.ts"

/** As the package `compression`: it holds back what is written until there is more, or until `flush`. */
const compressing: RequestHandler = (_request, response, next) => {
  const { end, on, write, writeHead } = response
  let gzip: Gzip | undefined
  const begin = () => {
    const made = createGzip()
    made.on("data", (chunk) => {
      if (!write.call(response, chunk, "utf8")) made.pause()
    })
    made.on("end", () => end.call(response, undefined, "utf8"))
    on.call(response, "drain", () => made.resume())
    for (const listener of waiting) made.on("drain", listener)
    response.removeHeader("content-length")
    response.setHeader("content-encoding", "gzip")
    return made
  }
  const waiting: Array<() => void> = []
  const compressed = () => {
    if (!response.headersSent) response.writeHead(response.statusCode)
    return gzip
  }
  Object.assign(response, {
    writeHead: (...given: Parameters<typeof writeHead>) => {
      gzip ??= begin()
      return writeHead.apply(response, given)
    },
    write: (chunk: Uint8Array) => compressed()?.write(chunk),
    end: (chunk?: Uint8Array) => compressed()?.end(chunk),
    flush: () => gzip?.flush(),
    on: (name: string, listener: () => void) => {
      if (name !== "drain") return on.call(response, name, listener)
      if (gzip === undefined) waiting.push(listener)
      else gzip.on(name, listener)
      return response
    }
  })
  next()
}

it.each([
  ["by itself", []],
  ["behind a compression", [compressing]]
] as const)("streams of the console %s arrive as they are made, and end with it", async (_, before) => {
  const pointsman = await shopWithPayments()
  const app = express()
  for (const one of before) app.use(one)
  const server = app.use(await shop(pointsman)).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close(() => {}).closeAllConnections())
  await tryStreams({ pointsman, server, consolePath })
})
