/**
 * Load over plain sockets, cheap enough to share two cores with the server that it loads: requests are written as text,
 * and of an answer only the status, `Retry-After` and the length are read.
 */
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

export interface Sample {
  /** 0: the connection was refused. -1: it was closed without an answer. */
  readonly status: number
  readonly hasRetryAfter: boolean
  /** From the beginning of the load, in milliseconds. */
  readonly sentAt: number
  readonly millis: number
}

/** `next`: the text of the next request. */
export const loadOn = (url: string, next: () => string) => ({
  /** So many clients, each of which sends the next request when it has its answer. */
  closedLoop: async ({ clients, seconds }: { readonly clients: number; readonly seconds: number }) => {
    const samples: Array<Sample> = []
    const lines = await openLines(url, clients)
    const began = performance.now()
    const until = began + seconds * 1_000
    const client = async (line: Line) => {
      while (performance.now() < until) samples.push(await line.send(next(), began))
      line.close()
    }
    await Promise.all(lines.map(client))
    return samples
  },
  /**
   * So many requests a second, whatever is answered; one that is due while all connections wait for answers is not sent,
   * and counted.
   */
  openLoop: async ({ connections, perSecond, seconds }: OpenLoop) => {
    const samples: Array<Sample> = []
    const all = await openLines(url, connections)
    const free = [...all]
    let unsent = 0
    const began = performance.now()
    const total = perSecond * seconds
    for (let due = 0; due < total; ) {
      const now = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * perSecond))
      for (; due < now; due++) {
        const line = free.pop()
        if (line === undefined) unsent++
        else {
          void line.send(next(), began).then((sample) => {
            samples.push(sample)
            free.push(line)
          })
        }
      }
      await sleep(2)
    }
    // Bounded by the server's own time-outs.
    while (free.length < connections) await sleep(10)
    for (const line of all) line.close()
    return { samples, unsent }
  }
})

export type HttpLoad = ReturnType<typeof loadOn>

interface OpenLoop {
  readonly perSecond: number
  readonly connections: number
  readonly seconds: number
}

interface Line {
  /** One at a time. */
  readonly send: (request: string, began: number) => Promise<Sample>
  readonly close: () => void
}

/**
 * Before there is load, as the pools of clients and balancers are: Node accepts one connection in each turn of its event
 * loop, so that hundreds of new ones on a busy server wait for seconds.
 */
const openLines = async (url: string, count: number): Promise<ReadonlyArray<Line>> => {
  const lines = Array.from({ length: count }, () => newLine(url))
  await Promise.all(lines.map((line) => line.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", 0)))
  return lines
}

const newLine = (url: string): Line => {
  const { hostname, port } = new URL(url)
  let socket: Socket | undefined
  let received = ""
  let answered: ((status: number, hasRetryAfter: boolean) => void) | undefined
  const end = (status: number, hasRetryAfter = false) => {
    const resolve = answered
    answered = undefined
    received = ""
    resolve?.(status, hasRetryAfter)
  }
  const open = () => {
    let isOpen = false
    const opened = connect(Number(port), hostname)
    opened.setNoDelay(true).setEncoding("latin1")
    opened.on("connect", () => {
      isOpen = true
    })
    opened.on("data", (chunk) => {
      received += chunk
      const head = received.indexOf("\r\n\r\n")
      if (head < 0) return
      const headers = received.slice(0, head).toLowerCase()
      const length = Number(/\r\ncontent-length: (\d+)/u.exec(headers)?.[1])
      if (received.length < head + 4 + length) return
      end(Number(headers.slice(9, 12)), headers.includes("\r\nretry-after: "))
    })
    opened.on("error", () => {})
    opened.on("close", () => {
      if (socket === opened) socket = undefined
      end(isOpen ? -1 : 0)
    })
    return opened
  }
  return {
    send: (request, began) =>
      new Promise((resolve) => {
        const sentAt = performance.now()
        answered = (status, hasRetryAfter) =>
          resolve({ status, hasRetryAfter, sentAt: sentAt - began, millis: performance.now() - sentAt })
        socket ??= open()
        socket.write(request)
      }),
    close: () => socket?.destroy()
  }
}

/** The value below which the share of the samples lies, in milliseconds. */
export const percentile = (samples: ReadonlyArray<Sample>, share: number): number => {
  const sorted = samples.map(({ millis }) => millis).toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
}
