/** From Node's request to the web's, and from the web's answer to Node's. */
import type { IncomingMessage, ServerResponse } from "node:http"

/** The length is the body's own, and a parser that read it has decoded it. */
const ofBody: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "content-encoding"])

/** `body`: what was read of the request, or its bytes as they come. */
export const webRequest = (
  request: IncomingMessage,
  url: URL,
  body: Uint8Array | ReadableStream<Uint8Array> | undefined
): Request => {
  const headers = new Headers()
  const { rawHeaders } = request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase()
    // HTTP/2 has its method and path among the headers.
    if (!ofBody.has(name) && !name.startsWith(":")) headers.append(name, rawHeaders[index + 1] ?? "")
  }
  const method = request.method ?? "GET"
  if (body instanceof ReadableStream) {
    // Of bytes that are as they were sent: what declares too many is refused before they are read.
    const length = request.headers["content-length"]
    if (length !== undefined) headers.set("content-length", length)
    const init: RequestInit & { readonly duplex: "half" } = { method, headers, body, duplex: "half" }
    return new Request(url, init)
  }
  return new Request(url, {
    method,
    headers,
    body: body === undefined || body.length === 0 ? null : Buffer.from(body)
  })
}

/** Piece by piece, as fast as the client takes it; the body is cancelled when the client goes away. */
export const sendWebResponse = async (answer: Response, response: ServerResponse): Promise<void> => {
  response.statusCode = answer.status
  for (const [name, value] of answer.headers) {
    // Several cookies are several headers, and the program may have set one too.
    if (name === "set-cookie") response.appendHeader(name, value)
    else response.setHeader(name, value)
  }
  if (answer.body === null) return void response.end()
  const reader = answer.body.getReader()
  if (response.destroyed) return void (await reader.cancel())
  response.once("close", () => void reader.cancel().catch(() => {}))
  const room = roomIn(response)
  const isStream = !answer.headers.has("content-length")
  if (isStream) response.flushHeaders()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const hasRoom = response.write(piece.value)
      if (isStream) flush(response)
      if (!hasRoom && !response.destroyed) await room()
    }
    response.end()
  } catch {
    // The rest is missing, and the client has to see that.
    response.destroy()
  }
}

/** The package `compression` adds a method that sends what it holds back. */
const flush = (response: ServerResponse & { readonly flush?: unknown }): void => {
  if (typeof response.flush === "function") response.flush()
}

/**
 * Waits until the client took what was written, or went away. It listens once for the whole response: the package
 * `compression` passes listeners of `drain` on to its own stream, from which `response.off` does not remove them.
 */
const roomIn = (response: ServerResponse): (() => Promise<void>) => {
  let go = () => {}
  response.on("drain", () => go())
  response.on("close", () => go())
  return () =>
    new Promise((resolve) => {
      go = resolve
    })
}
