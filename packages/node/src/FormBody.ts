/** The body of a request: from the network, or from a body parser of the framework that read it before. */
import type { IncomingMessage } from "node:http"

/** `undefined`: it was read, and nothing of it was kept. Longer bodies are cut after `limit` bytes. */
const bodyOf = async (request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> => {
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

/** A body to answer a request by, and what ends the reading of it once there is an answer. */
interface TakenBody {
  readonly body: Uint8Array | ReadableStream<Uint8Array>
  readonly drop: () => void
}

/** As `bodyOf`; a form with files as its bytes come, because it may be large. */
export const takeBody = async (request: IncomingMessage, limit: number): Promise<TakenBody | undefined> => {
  if (isUnreadForm(request)) return streamOf(request)
  const body = await bodyOf(request, limit)
  return body && { body, drop: () => {} }
}

/** No parser of small bodies reads a form with files. */
const isUnreadForm = (request: IncomingMessage): boolean =>
  /^multipart\/form-data\s*;/iu.test(request.headers["content-type"] ?? "") &&
  request.method === "POST" &&
  !request.readableDidRead &&
  !request.readableEnded

/** Of what is sent before it is taken, in bytes. */
const aheadBytes = 65_536

/**
 * The bytes as the client sends them and as fast as they are taken. Where they are not taken any more, the rest is read and
 * dropped: a client that still sends would see a broken connection in place of the answer.
 */
const streamOf = (request: IncomingMessage): TakenBody => {
  let isTaken = true
  const drop = () => {
    isTaken = false
    request.resume()
  }
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const end = (finish: () => void) => () => {
      if (isTaken) finish()
      isTaken = false
    }
    const close = end(() => controller.close())
    const gone = end(() => controller.error(new Error("the client went away")))
    request.on("data", (piece: Uint8Array) => {
      if (!isTaken) return
      controller.enqueue(piece)
      if ((controller.desiredSize ?? 0) <= 0) request.pause()
    })
    request.once("end", close).once("error", gone).once("close", gone)
    request.pause()
  }
  const source = { start, pull: () => void request.resume(), cancel: drop }
  return { body: new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: aheadBytes })), drop }
}

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
