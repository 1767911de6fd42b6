/**
 * What a connection may hold of the server: its requests are handled one after the other, a few of them wait, and a
 * response that its client does not read ends it. How many connections there are is limited for each address and in all.
 *
 * Node hands over every request that a client pipelines at once, and goes
 * on while responses are small. Hundreds of them would be handled at the same time, and kept until they are read.
 *
 * With TLS, a connection has two sockets: that of the network is counted from the start, and that of TLS carries requests
 * once the handshake is done. Without, they are one.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { BoundedRequest } from "./RequestBodies.ts"
import type { Sources } from "./SourceOf.ts"

/** More than clients that pipeline at all have under way. */
const waitingAtMost = 16
const connectionsPerAddress = 1_024
const connectionsInAll = 4_096
/** How long a client may take to read a response of which the server has written all, in milliseconds. */
const readWithinMillis = 30_000

export interface ConnectionOptions {
  /** A request whose turn it is. */
  readonly begin: (request: BoundedRequest, response: ServerResponse) => void
  /** Of each request that came: it is answered, or its connection is closed. */
  readonly end: (request: BoundedRequest, response: ServerResponse) => void
  /** A proxy that is trusted may have as many connections as there are in all. */
  readonly sources: Sources
}

export interface Connections {
  /** For each connection of the network that was accepted: closes it where there are too many. */
  readonly accept: (socket: Socket) => void
  /** For each connection on which requests may come: with TLS, after its handshake. */
  readonly open: (socket: Socket) => void
  /** For each request that came. */
  readonly enter: (request: BoundedRequest, response: ServerResponse) => void
  /** Closes those whose client does not read. To be called about once a second. */
  readonly closeUnread: (nowMillis: number) => void
  /** Also those whose handshake is not done, of which Node's server does not know. */
  readonly closeAll: () => void
}

interface Connection {
  readonly socket: Socket
  /** Of the request that is handled. */
  current: ServerResponse | undefined
  readonly waiting: Array<readonly [request: BoundedRequest, response: ServerResponse]>
  unreadSince: number | undefined
}

export const makeConnections = (options: ConnectionOptions): Connections => {
  const accepted = new Set<Socket>()
  const connections = new Map<Socket, Connection>()
  const byAddress = new Map<string, number>()

  const begin = (connection: Connection, request: BoundedRequest, response: ServerResponse) => {
    connection.current = response
    connection.unreadSince = undefined
    response.once("close", () => {
      options.end(request, response)
      connection.current = undefined
      const next = connection.socket.destroyed ? undefined : connection.waiting.shift()
      if (next !== undefined) begin(connection, ...next)
    })
    options.begin(request, response)
  }

  return {
    accept: (socket) => {
      const address = options.sources.sourceOf(socket.remoteAddress, undefined)
      const ofAddress = byAddress.get(address) ?? 0
      const isFull = ofAddress >= connectionsPerAddress && !options.sources.isTrusted(socket.remoteAddress ?? "")
      if (isFull || accepted.size >= connectionsInAll) return void socket.destroy()
      accepted.add(socket)
      byAddress.set(address, ofAddress + 1)
      socket.once("close", () => {
        accepted.delete(socket)
        const left = (byAddress.get(address) ?? 0) - 1
        if (left > 0) byAddress.set(address, left)
        else byAddress.delete(address)
      })
    },
    open: (socket) => {
      if (socket.destroyed) return
      const connection: Connection = { socket, current: undefined, waiting: [], unreadSince: undefined }
      connections.set(socket, connection)
      socket.once("close", () => {
        connections.delete(socket)
        for (const exchange of connection.waiting.splice(0)) options.end(...exchange)
      })
    },
    enter: (request, response) => {
      const connection = connections.get(request.socket)
      if (connection === undefined) return void request.socket.destroy()
      if (connection.current === undefined) return begin(connection, request, response)
      if (connection.waiting.length >= waitingAtMost) return void request.socket.destroy()
      connection.waiting.push([request, response])
    },
    closeUnread: (nowMillis) => {
      for (const connection of connections.values()) {
        const { current, socket, unreadSince } = connection
        if (current === undefined || !current.writableEnded) continue
        if (unreadSince === undefined) connection.unreadSince = nowMillis
        else if (nowMillis - unreadSince >= readWithinMillis) socket.destroy()
      }
    },
    closeAll: () => {
      for (const socket of accepted) socket.destroy()
    }
  }
}
