/**
 * How much of the bodies that have arrived the server keeps, for requests that are not answered yet: a client that sends
 * slowly, or never sends the rest, must not fill the memory.
 *
 * Each connection has room for a payment's body, so that no client takes the room of another one's payments. What is
 * beyond that, as the messages of providers are, takes from the room of its source, and from the room of all.
 */
import { IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type ErrorBody, errorCodes, evidenceBodyBytes } from "@pointsman/http/api"

/** Node keeps each piece as a buffer of its own, which takes more than a short piece does. */
const bytesPerPiece = 256
/** The body of a payment (16,384 bytes), in 16 pieces. */
const ofConnection = 16_384 + 16 * bytesPerPiece
const ofSource = 16 * 1024 * 1024
const ofAll = 48 * 1024 * 1024
/** The largest body that any route takes. A longer one is refused by its route. */
const longestBody = evidenceBodyBytes

/** A request that asks for each piece of its body before it keeps it. */
export interface BoundedRequest extends IncomingMessage {
  bodies: RequestBodies | undefined
  source: string
  response: ServerResponse | undefined
  /** The rest of its body is dropped. */
  isRefused: boolean
  /** Bytes that it keeps, with what the pieces themselves take. */
  kept: number
  /** How many of them are beyond its connection's own room. */
  charged: number
}

/** A class, made with the first listener: a snapshot of the loaded program cannot hold Node's HTTP. */
export const boundedRequest = (): typeof IncomingMessage & (new (socket: Socket) => BoundedRequest) =>
  class extends IncomingMessage implements BoundedRequest {
    bodies: RequestBodies | undefined
    source = ""
    response: ServerResponse | undefined
    isRefused = false
    kept = 0
    charged = 0

    override push(piece: unknown, encoding?: BufferEncoding): boolean {
      if (this.bodies === undefined || !(piece instanceof Uint8Array)) return super.push(piece, encoding)
      return this.bodies.keep(this, piece.length) ? super.push(piece, encoding) : true
    }
  }

/** Whose room is used up. */
type Full = "source" | "all"

export interface RequestBodies {
  /** Before a request is handled: whether its body may be kept as far as its length is declared. Answers it if not. */
  readonly begin: (
    request: BoundedRequest,
    response: ServerResponse,
    sourceOf: (request: BoundedRequest) => string
  ) => boolean
  readonly keep: (request: BoundedRequest, bytes: number) => boolean
  /** When it is answered, or its connection is closed. */
  readonly end: (request: BoundedRequest) => void
}

export const makeRequestBodies = (refuse: (response: ServerResponse, answer: Refusal) => void): RequestBodies => {
  let all = 0
  const bySource = new Map<string, number>()
  const byConnection = new WeakMap<object, number>()

  /** What `bytes` more of this connection take beyond its own room. */
  const beyond = ({ socket }: IncomingMessage, bytes: number): number => {
    const before = byConnection.get(socket) ?? 0
    return Math.max(0, before + bytes - ofConnection) - Math.max(0, before - ofConnection)
  }
  const lacks = (source: string, bytes: number): Full | undefined => {
    if (bytes <= 0) return undefined
    if ((bySource.get(source) ?? 0) + bytes > ofSource) return "source"
    return all + bytes > ofAll ? "all" : undefined
  }
  const charge = (source: string, bytes: number) => {
    all += bytes
    const now = (bySource.get(source) ?? 0) + bytes
    if (now > 0) bySource.set(source, now)
    else bySource.delete(source)
  }
  const bodies: RequestBodies = {
    begin: (request, response, sourceOf) => {
      const { headers } = request
      const declared = Math.min(Number(headers["content-length"] ?? 0), longestBody)
      if (declared === 0 && headers["transfer-encoding"] === undefined) return true
      request.bodies = bodies
      const source = sourceOf(request)
      request.source = source
      request.response = response
      const full = lacks(source, beyond(request, declared + bytesPerPiece))
      if (full === undefined) return true
      request.isRefused = true
      refuse(response, refusals[full])
      return false
    },
    keep: (request, length) => {
      const { isRefused, response, socket, source } = request
      if (isRefused) return false
      // Once the request is answered, the rest of its body is read and dropped.
      if (response === undefined || response.writableEnded) return true
      const bytes = length + bytesPerPiece
      const charged = beyond(request, bytes)
      const full = lacks(source, charged)
      if (full !== undefined) {
        request.isRefused = true
        refuse(response, refusals[full])
        return false
      }
      if (charged > 0) charge(source, charged)
      request.charged += charged
      request.kept += bytes
      byConnection.set(socket, (byConnection.get(socket) ?? 0) + bytes)
      return true
    },
    end: (request) => {
      if (request.bodies === undefined) return
      request.response = undefined
      if (request.charged > 0) charge(request.source, -request.charged)
      if (request.kept > 0) byConnection.set(request.socket, (byConnection.get(request.socket) ?? 0) - request.kept)
      request.charged = 0
      request.kept = 0
    }
  }
  return bodies
}

export interface Refusal {
  readonly status: number
  readonly body: ErrorBody
}

const refusals: Readonly<Record<Full, Refusal>> = {
  source: {
    status: errorCodes.rate_limited.status,
    body: { error: { code: "rate_limited", message: "Too many large requests from this address. Try again in 1 s." } }
  },
  all: {
    status: 503,
    body: { error: { code: "internal_error", message: "Too many large requests at once. Try again in 1 s." } }
  }
}
