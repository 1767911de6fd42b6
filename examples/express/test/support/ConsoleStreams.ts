/** What lasts in the console behind a framework: streams of changes, and exports. The other frameworks are tried with it too. */
import { randomInt } from "node:crypto"
import type { EventEmitter } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { createPointsman, type Pointsman } from "@pointsman/node"
import { memory } from "@pointsman/node/memory"
import { sandbox } from "@pointsman/node/sandbox"
import { assert, onTestFinished } from "vitest"
import { signInLink } from "../../src/Shop.ts"

/** Their export is more than buffers between a server and a client on one machine hold: 30 KB for each payment. */
const payments = 500

const order = { amount: 1999, currency: "EUR", country: "NL" }

/** Of characters that do not compress well, and no text twice within the 32 KB that gzip looks back. */
const noise = String.fromCharCode(...Array.from({ length: 60_000 }, () => randomInt(0x4e00, 0x9fff)))
const metadataOf = (payment: number) =>
  Object.fromEntries(
    Array.from({ length: 20 }, (_, place) => {
      const start = ((payment * 20 + place) * 500) % noise.length
      return [`note-${place}`, noise.slice(start, start + 500)]
    })
  )

export const shopWithPayments = async (): Promise<Pointsman> => {
  const pointsman = await createPointsman({
    storage: memory(),
    connectors: [sandbox()],
    environment: "sandbox",
    log: () => {},
    workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
  })
  onTestFinished(() => pointsman.close())
  for (let count = 0; count < payments; count++) await pointsman.create({ ...order, metadata: metadataOf(count) })
  return pointsman
}

const sessionOf = async (pointsman: Pointsman, consoleUrl: string): Promise<string> => {
  const link = await signInLink(pointsman, "jo", consoleUrl)
  const headers = { origin: new URL(link).origin }
  const answer = await fetch(link, { method: "POST", headers, redirect: "manual" })
  assert.strictEqual(answer.status, 303)
  return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
}

/** For what never comes: a busy machine takes many times as long as a quiet one. */
const inTime = async <A>(what: string, promise: Promise<A>): Promise<A> => {
  const late = Symbol()
  const first = await Promise.race([promise, sleep(100_000, late, { ref: false })])
  if (first === late) throw new Error(`${what} did not come in time`)
  return first as A
}

const isBroken = (answer: Response): Promise<boolean> =>
  answer.arrayBuffer().then(
    () => false,
    () => true
  )

interface Followed {
  readonly message: (text: string) => Promise<void>
  readonly end: () => Promise<void>
  readonly leave: () => void
}

export interface Served {
  readonly pointsman: Pointsman
  readonly server: Pick<EventEmitter, "on"> & Pick<Server, "address">
  readonly consolePath: string
  /** What ends the program. */
  readonly close?: (() => Promise<unknown>) | undefined
}

export const tryStreams = async ({ close, consolePath, pointsman, server }: Served): Promise<void> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => sockets.add(socket))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${consolePath}`
  const cookie = await sessionOf(pointsman, url)
  const get = (path: string, signal?: AbortSignal) =>
    fetch(`${url}${path}`, { headers: { cookie }, redirect: "manual", ...(signal === undefined ? {} : { signal }) })

  const follow = async (): Promise<Followed | undefined> => {
    const leaving = new AbortController()
    const answer = await inTime("a stream of changes", get("/live/shop/sandbox", leaving.signal))
    if (answer.status === 429) return undefined
    assert.deepStrictEqual([answer.status, answer.headers.get("content-type")], [200, "text/event-stream"])
    const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const read = async (isEnough: (piece: string | undefined) => boolean) => {
      for (;;) {
        const { value } = (await pieces?.read()) ?? {}
        if (isEnough(value)) return
        assert.isString(value, "the stream has ended")
      }
    }
    return {
      // A heartbeat of the stream would push out what a buffer holds back, and would come in the same piece.
      message: (text) =>
        inTime(
          text,
          read((piece) => piece?.endsWith(`${text}\n\n`) === true)
        ),
      end: () =>
        inTime(
          "the end of a stream of changes",
          read((piece) => piece === undefined)
        ),
      leave: () => leaving.abort()
    }
  }
  const followed = async (): Promise<Followed> => {
    for (;;) {
      const stream = await follow()
      if (stream !== undefined) return stream
      await sleep(20)
    }
  }

  // Each message arrives when it is sent.
  const first = await followed()
  const others = [await followed(), await followed(), await followed()]
  for (const { message } of [first, ...others]) await message("retry: 3000")
  await pointsman.create(order)
  await first.message("data: changed")

  // An operator follows four at once. A page that is closed gives its place back.
  assert.isUndefined(await follow())
  for (const { leave } of others) leave()
  const second = await inTime("the place of a page that was closed", followed())

  // A client that does not read holds the rows back, and gets all of them.
  const written = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  const exported = await get("/payments/shop/sandbox/export.csv")
  assert.match(exported.headers.get("content-type") ?? "", /^text\/csv/u)
  let held = 0
  while (held === 0 || held !== written()) {
    held = written()
    await sleep(500)
  }
  const lines = (await exported.text()).split("\r\n")
  assert.deepStrictEqual([lines.length, lines.at(-1)], [payments + 3, ""])
  assert.isBelow(held, written() * 0.75)

  // Both end at once with the program. A part of an export does not pass for all of it.
  const cut = await get("/payments/shop/sandbox/export.csv")
  await sleep(100)
  const closing = (close ?? pointsman.close)()
  await Promise.all([first.end(), second.end()])
  assert.isTrue(await inTime("the end of an export", isBroken(cut)))
  await inTime("the close", closing)
}
