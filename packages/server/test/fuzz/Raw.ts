/** Bytes on a connection: request lines, header sections, bodies in chunks, pipelined requests, and garbage among them. */
import { connect } from "node:net"
import { join } from "node:path"
import * as fc from "fast-check"
import { startServerHere } from "../support/ServerHere.ts"
import { temporaryFolder } from "../support/ServerProcess.ts"
import type { Answer } from "./Judge.ts"
import { multipart } from "./Multipart.ts"
import { headerText, scratched, sendable, text } from "./Values.ts"

/** Stands for the key of the server that the bytes are sent to. */
const keyName = "@key"
const order = '{"amount":1000,"currency":"EUR","country":"NL"}'

const requestLine = scratched(
  fc
    .tuple(
      fc.constantFrom("GET", "GET", "POST", "POST", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "CONNECT", "get"),
      fc.oneof(
        fc.constantFrom(
          "/api/v1/payments",
          "/api/v1/payments",
          "/health/live",
          "/metrics",
          "/hosted/x",
          "*",
          "http://pay.example/health/live"
        ),
        text(20_000).map((value) => `/${encodeURI(value.toWellFormed())}`),
        text(200)
      ),
      fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0")
    )
    .map((parts) => parts.join(" "))
)

const headerLine = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      "Content-Type: application/json",
      "Idempotency-Key: fuzz-request-1",
      "Connection: keep-alive",
      "Accept: */*"
    )
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "Expect: 100-continue",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Transfer-Encoding: gzip, chunked",
      "Host: other.example",
      "Trailer: X-Last"
    )
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom("X-Forwarded-For", "Forwarded", "X-Forwarded-Proto", "Cookie", "Accept-Language"),
        headerText(9_000)
      )
      .map(([name, value]) => `${name}: ${value}`)
  },
  { weight: 1, arbitrary: scratched(fc.constant("X-Other: 1")) }
)

const chunk = (data: string) => `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`

/** The headers that describe a body, and the body. */
const framed = fc.tuple(fc.oneof(fc.constant(order), text(20_000)), fc.nat(40)).chain(([body, at]) => {
  const chunked = `${chunk(body.slice(0, at) || " ")}${chunk(body.slice(at) || " ")}0\r\n\r\n`
  return fc.oneof(
    fc.constant(["", ""] as const),
    fc.constant([`Content-Length: ${Buffer.byteLength(body)}`, body] as const),
    fc
      .constantFrom("-1", "0", "3", "1e9", "99999999999999999999", "5, 5")
      .map((length) => [`Content-Length: ${length}`, body]),
    scratched(fc.constant(chunked)).map((text) => ["Transfer-Encoding: chunked", text]),
    fc.constant(["Transfer-Encoding: chunked", `${chunk(order)}0\r\nX-Last: a\r\n\r\n`] as const)
  )
})

const request = fc
  .record({
    line: requestLine,
    headers: fc.uniqueArray(headerLine, { maxLength: 4 }),
    key: fc.constantFrom([], [`Authorization: Bearer ${keyName}`]),
    framed
  })
  .map(({ framed: [description = "", body = ""], headers, key, line }) =>
    [line, "Host: pay.example", ...key, ...headers, ...(description === "" ? [] : [description]), "", body].join("\r\n")
  )

const soundHead = ["Host: pay.example", `Authorization: Bearer ${keyName}`]
const post = ["POST /api/v1/payments HTTP/1.1", ...soundHead, "Content-Type: application/json"]

/** Its length may be wrong: then it is cut off, or what is behind it is a request. */
const form = fc
  .tuple(multipart, fc.constantFrom(0, 0, 0, 0, -1, 1, -100, 100))
  .map(([{ body, type }, more]) =>
    [
      "POST /api/v1/disputes/dp_1/evidence HTTP/1.1",
      ...soundHead,
      `Content-Type: ${sendable(type)}`,
      `Content-Length: ${Math.max(0, Buffer.byteLength(body) + more)}`,
      "",
      body
    ].join("\r\n")
  )

export const rawCreate = [...post, `Content-Length: ${order.length}`, "", order].join("\r\n")

/** Requests that are accepted, alone and in front of others. */
const sound = fc.constantFrom(
  ["GET /api/v1/payments?limit=1 HTTP/1.1", ...soundHead, "", ""].join("\r\n"),
  ["GET /health/live HTTP/1.0", "", ""].join("\r\n"),
  rawCreate,
  [...post, "Transfer-Encoding: chunked", "", `${chunk(order)}0\r\n\r\n`].join("\r\n")
)

export const rawBytes: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: sound },
  { weight: 1, arbitrary: scratched(sound) },
  { weight: 2, arbitrary: request },
  { weight: 3, arbitrary: scratched(request) },
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof(request, sound), { minLength: 2, maxLength: 4 }).map((all) => all.join(""))
  },
  { weight: 1, arbitrary: text(20_000) },
  { weight: 2, arbitrary: form }
)

/** A server that closes no connection within this time has forgotten it. */
const closedWithinMillis = 60_000

/** Comes after the bytes, so that the server closes the connection once it has answered them. */
const last = ["GET /health/live HTTP/1.1", "Host: pay.example", "Connection: close", "", ""].join("\r\n")
/** The server waits for the rest of what is not whole: this client then ends. */
const endsAfterMillis = 60

const exchange = (port: number, bytes: string, waitsMillis: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port })
    const parts: Array<Buffer> = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error("the connection was not closed"))
    }, closedWithinMillis)
    const ending = setTimeout(() => socket.end(), waitsMillis)
    socket.on("data", (part) => {
      parts.push(part)
      ending.refresh()
    })
    // A reset is an answer too.
    socket.on("error", () => {})
    socket.on("close", () => {
      clearTimeout(timer)
      clearTimeout(ending)
      resolve(Buffer.concat(parts).toString("latin1"))
    })
    socket.write(bytes + last)
  })

/** 503: admission; 505: another version of HTTP. */
const refusals = new Set([503, 505])

/** The worst answer, or 0 where the connection was closed without one. */
const worst = (text: string): Answer => {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gmu)].map(([, status]) => Number(status))
  const status = Math.max(0, ...statuses.filter((status) => !refusals.has(status)))
  return { status, code: /"code":"([a-z_]+)"/u.exec(text)?.[1] }
}

/** A process has one working folder: that of the servers that run at the same time, each with a database of its own. */
let folder: string | undefined
let running = 0
let started = 0

/** A server with a database, on a port of this machine, which trusts the addresses that this machine forwards. */
export const openServer = async () => {
  folder ??= temporaryFolder()
  running++
  const server = await startServerHere({
    folder,
    environment: {
      POINTSMAN_DATABASE_URL: `sqlite:${join(folder, `raw-${started++}.db`)}`,
      POINTSMAN_RATE_LIMIT: "off",
      POINTSMAN_TRUSTED_PROXIES: "127.0.0.1"
    }
  })
  const port = Number(new URL(server.url).port)
  return {
    /** Bytes that are whole may be waited for longer: a busy machine answers late. */
    send: async (bytes: string, waitsMillis = endsAfterMillis) =>
      worst(await exchange(port, bytes.replaceAll(keyName, server.sandboxKey ?? ""), waitsMillis)),
    close: async () => {
      await server.stop()
      running--
      if (running === 0) folder = undefined
    }
  }
}
