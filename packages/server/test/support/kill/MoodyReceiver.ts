/**
 * A merchant's receiver of webhooks, in the test's own process. It verifies as the guide tells receivers to, keeps every
 * event with all that it heard of it, and has moods: it answers 500, cuts the connection, or does not answer at all.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { serveHttp } from "../HttpHere.ts"
import type { Draw } from "./Draw.ts"
import type { Surroundings } from "./MoodyProvider.ts"

/** What one endpoint heard of one event. */
export interface Heard {
  times: number
  /** The bodies that came, each once. */
  readonly bodies: Set<string>
  readonly deliveryIds: Set<string>
}

export const endpointSecret = (endpoint: string): string => `whsec_${endpoint}`

const courses = { taken: 20, failed: 3, dropped: 1, takenDropped: 1, silent: 1 } as const

export const startMoodyReceiver = async (draw: Draw, { now }: Pick<Surroundings, "now">) => {
  /** By endpoint, by event id. */
  const heard = new Map<string, Map<string, Heard>>()
  /** What came and was not signed as the guide says. */
  const unsigned: Array<string> = []
  const hanging = new Set<() => void>()
  let isWell = false

  const keep = (endpoint: string, eventId: string, deliveryId: string, body: string) => {
    const events = heard.get(endpoint) ?? new Map<string, Heard>()
    heard.set(endpoint, events)
    const one = events.get(eventId) ?? { times: 0, bodies: new Set(), deliveryIds: new Set() }
    events.set(eventId, one)
    one.times += 1
    one.bodies.add(body)
    one.deliveryIds.add(deliveryId)
  }

  const { url } = await serveHttp((request, response, body) => {
    const endpoint = (request.url ?? "").slice(1)
    const eventId = String(request.headers["x-service-event-id"])
    if (!isFromPointsman(String(request.headers["x-service-signature"]), body, endpointSecret(endpoint), now())) {
      unsigned.push(`${endpoint} ${eventId}`)
    }
    const course = isWell ? "taken" : draw.weighted(courses)
    // What it answers 500 it has not kept.
    if (course === "taken" || course === "takenDropped") {
      keep(endpoint, eventId, String(request.headers["x-service-delivery-id"]), String(body))
    }
    if (course === "taken") response.writeHead(204).end()
    else if (course === "failed") response.writeHead(500).end()
    else if (course === "silent") hanging.add(() => request.socket.destroy())
    else request.socket.destroy()
  })
  return {
    /** For an endpoint's `url`. */
    url: (endpoint: string) => `${url}/${endpoint}`,
    heard,
    unsigned,
    /** From now on it takes everything. */
    calm: () => {
      isWell = true
      for (const cut of hanging) cut()
    }
  }
}

export type MoodyReceiver = Awaited<ReturnType<typeof startMoodyReceiver>>

/** The rule of the guide to webhooks, with the clock as an argument. */
const isFromPointsman = (header: string, rawBody: Buffer, secret: string, now: number): boolean => {
  const parts = header.split(",").map((part) => part.trim())
  const time = parts.find((part) => part.startsWith("t="))?.slice(2) ?? ""
  if (!/^\d+$/u.test(time) || Math.abs(now / 1000 - Number(time)) > 300) return false
  const expected = createHmac("sha256", secret).update(`${time}.`).update(rawBody).digest()
  return parts
    .filter((part) => part.startsWith("v1="))
    .map((part) => Buffer.from(part.slice(3), "hex"))
    .some((tag) => tag.length === expected.length && timingSafeEqual(tag, expected))
}
