/** The body of a small request: from the network, or from a body parser of the framework that read it before. */
import type { IncomingMessage } from "node:http"

/** `undefined`: it was read, and nothing of it was kept. Longer bodies are cut after `limit` bytes. */
export const bodyOf = async (request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> => {
  if (request.method === "GET" || request.method === "HEAD") return new Uint8Array()
  if (request.readableDidRead) return parsedBody(request)
  // A parser that found no byte leaves no trace of having read.
  return request.readableEnded ? new Uint8Array() : await received(request, limit)
}

const received = (request: IncomingMessage, limit: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const pieces: Array<Uint8Array> = []
    let size = 0
    const done = () => resolve(Buffer.concat(pieces))
    const gone = () => reject(new Error("the client went away"))
    if (request.destroyed) return gone()
    request.on("data", (piece: Uint8Array) => {
      // What follows is read and dropped, until the connection is closed.
      if (size > limit) return
      pieces.push(piece)
      size += piece.length
      if (size > limit) done()
    })
    request.once("end", done)
    request.once("error", gone)
    request.once("close", gone)
  })

/**
 * What `express.json({ verify })` and others keep as `rawBody`, or what a parser left as `body`: written again in the form
 * that it was sent in. Nested fields are refused, because no form of the console has any.
 */
const parsedBody = (request: IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown }) => {
  const { body, rawBody } = request
  if (rawBody instanceof Uint8Array) return rawBody
  if (body instanceof Uint8Array) return body
  if (typeof body === "string") return Buffer.from(body)
  if (typeof body !== "object" || body === null) return undefined
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase()
  if (type === "application/json") return Buffer.from(JSON.stringify(body))
  return type === "application/x-www-form-urlencoded" ? formOf(body) : undefined
}

const formOf = (fields: object): Uint8Array | undefined => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one !== "string") return undefined
      form.append(name, one)
    }
  }
  return Buffer.from(form.toString())
}
