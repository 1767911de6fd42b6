/** Between a client and a server: it loses answers, answers in the server's place, or holds a request. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

export interface Faulty {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `lost`: the server answered, and the connection breaks before the answer leaves. `held`: nothing comes, for ever. */
export type Fault = "lost" | "held" | Faulty

export interface Asked {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
  readonly body: string
}

export interface FaultyProxy {
  readonly url: string
  /** What it was asked, oldest first. */
  readonly asked: Array<Asked>
  /** What becomes of the next requests; those after them pass. */
  readonly faults: Array<Fault>
  /** Resolves when so many requests have come. */
  readonly came: (count: number) => Promise<void>
}

/** An error of the API. */
export const apiError = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Faulty => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error: { code, message: `It is ${code}.` } })
})

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("latin1")
}

const pass = async (target: string, request: IncomingMessage, body: string) => {
  const { authorization, "content-type": type, "idempotency-key": key } = request.headers
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? "GET",
    headers: Object.entries({ authorization, "content-type": type, "idempotency-key": key }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]]
    ),
    ...(request.method === "GET" ? {} : { body: Buffer.from(body, "latin1") })
  })
  return { answer, text: await answer.text() }
}

export const startProxy = async (target: string): Promise<FaultyProxy> => {
  const asked: Array<Asked> = []
  const faults: Array<Fault> = []
  const waiting: Array<() => void> = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request)
    const fault = faults.shift()
    const key = request.headers["idempotency-key"]
    asked.push({ method: String(request.method), path: String(request.url), key: key?.toString(), body })
    for (const look of waiting) look()
    if (fault === "held") return
    if (fault !== undefined && fault !== "lost") return response.writeHead(fault.status, fault.headers).end(fault.body)
    const { answer, text } = await pass(target, request, body)
    if (fault === "lost") return response.destroy()
    response.writeHead(answer.status, [...answer.headers].flat()).end(text)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    faults,
    came: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (asked.length >= count) resolve()
        }
        waiting.push(look)
        look()
      })
  }
}
