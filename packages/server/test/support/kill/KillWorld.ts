/**
 * One SQLite file, the servers that are started over it and killed one after the other, and all that outlives them: the
 * provider, the receiver of webhooks, the merchant, the follower of events. Time goes ahead while no server is up, so
 * that what a dead process held is free again without anybody waiting for it.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type EventType, formatApiKey } from "@pointsman/core"
import { type ServerProcess, startAndKill, startServer, temporaryFolder } from "../ServerProcess.ts"
import { type Draw, drawFrom } from "./Draw.ts"
import { type EventFollower, followEvents } from "./EventFollower.ts"
import type { EventShown, Evidence, PaymentShown } from "./Evidence.ts"
import { type Merchant, merchantOf } from "./Merchant.ts"
import { type MoodyProvider, messageSecret, providerKey, startMoodyProvider } from "./MoodyProvider.ts"
import { endpointSecret, type MoodyReceiver, startMoodyReceiver } from "./MoodyReceiver.ts"

const apiKey = formatApiKey("sandbox", new Uint8Array(64).fill(31))

/** Which types each endpoint wants; `*` for all. */
const endpoints: Readonly<Record<string, ReadonlyArray<EventType> | "*">> = {
  all: "*",
  money: ["payment.captured", "payment.refunded", "payment.cancelled"]
}

const wantsOf =
  (types: ReadonlyArray<EventType> | "*") =>
  (type: string): boolean =>
    types === "*" || types.some((one) => one === type)

/** Short, as the test waits for them; a time-out has to be shorter than the claim window. */
const environment = {
  POINTSMAN_PROVIDER_TIMEOUT: "600 millis",
  POINTSMAN_CLAIM_WINDOW: "2 seconds",
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "400 millis",
  POINTSMAN_PENDING_CHECK_INTERVAL: "400 millis",
  POINTSMAN_REFUND_CHECK_INTERVAL: "400 millis",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second",
  // A receiver with moods fails often, and what is given up would never arrive.
  POINTSMAN_WEBHOOK_SCHEDULE: ["0 seconds", ...Array.from({ length: 60 }, () => "200 millis")].join(","),
  POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
  POINTSMAN_RATE_LIMIT: "off"
}

/** Longer than any lease and than any age that a call has to reach: the last server's clock is so far ahead. */
const muchMillis = 75_000

/** How long the last server may take to bring everything to rest, on a busy machine. */
const restWithinMillis = 90_000

export interface KillWorld {
  readonly provider: MoodyProvider
  readonly receiver: MoodyReceiver
  readonly merchant: Merchant
  readonly follower: EventFollower
  /** The first start of all, killed while it makes its database. */
  readonly killWhileMigrating: () => Promise<void>
  /** One life of a server, from its start to `kill -9`. */
  readonly round: (number: number) => Promise<void>
  /** Everybody is well; gives what there is to compare when nothing is open any more. */
  readonly rest: () => Promise<Evidence>
}

export const openKillWorld = async (seed: number): Promise<KillWorld> => {
  const folder = temporaryFolder()
  const draw = drawFrom(seed)
  let aheadMillis = 0
  let startMillis = 1_000
  let server: ServerProcess | undefined
  const target = () => server?.url
  const now = () => Date.now() + aheadMillis
  const provider = await startMoodyProvider(drawFrom(seed + 1), { target, now })
  const receiver = await startMoodyReceiver(drawFrom(seed + 2), { now })
  const merchant = merchantOf(`run-${seed}`, apiKey)
  const follower = followEvents(target, apiKey)

  const options = () => ({
    folder,
    configuration: configurationFor(provider, receiver),
    environment,
    clockAheadMillis: aheadMillis
  })

  const start = async (): Promise<ServerProcess> => {
    const began = Date.now()
    const started = await startServer(options())
    startMillis = Date.now() - began
    server = started
    return started
  }

  const passTime = async (millis: number) => {
    if (millis === 0) return
    // The provider does not know that its time went ahead: what it still executes it would execute too late.
    await provider.idle()
    aheadMillis += millis
  }

  return {
    provider,
    receiver,
    merchant,
    follower,
    killWhileMigrating: async () => {
      const database = join(folder, ".pointsman", "pointsman.db")
      await startAndKill(options(), async () => {
        const deadline = Date.now() + 20_000
        while (!existsSync(database) && Date.now() < deadline) await pause(1)
        await pause(draw.between(0, 20))
      })
    },
    round: async (number) => {
      const drawn = drawFrom(seed + 1_000 * number)
      await passTime(timeOff(drawn))
      if (drawn.chance(0.15)) {
        await startAndKill(options(), () => pause(drawn.between(0, Math.ceil(1.2 * startMillis))))
      }
      const running = await start()
      let isGone = false
      // Of the shortest run, too, there is something to compare.
      const life = number === 1 ? "busy" : drawn.weighted(lives)
      // Where the merchant fails, the life is over at once, and the round fails with it.
      const work = life === "idle" ? [] : [merchant.work(running, drawn, () => isGone)]
      const before = merchant.acknowledged()
      // However slow the machine: in a busy life something is acknowledged, and more is under way.
      while (life === "busy" && merchant.acknowledged() === before) await Promise.race([pause(5), ...work])
      await Promise.race([pause(drawn.between(...livesMillis[life])), ...work])
      isGone = true
      server = undefined
      await running.kill("SIGKILL")
      await Promise.all(work)
    },
    rest: async () => {
      provider.calm()
      receiver.calm()
      await passTime(muchMillis)
      const running = await start()
      const deadline = Date.now() + restWithinMillis
      for (;;) {
        const open = await openAt(running, provider, receiver, follower)
        if (open === undefined) break
        if (Date.now() > deadline) throw new Error(`not at rest: ${open}\n${running.stderr()}`)
        await pause(200)
      }
      const evidence = await evidenceFrom(running, { provider, receiver, merchant, follower })
      await running.stop()
      return evidence
    }
  }
}

/** Of a server: with many requests, with its first ones, or with none but its own background. */
const lives = { busy: 7, short: 2, idle: 2 } as const
const livesMillis: Readonly<Record<keyof typeof lives, readonly [number, number]>> = {
  busy: [20, 1_200],
  short: [0, 200],
  idle: [0, 1_500]
}

/** For how long the server is off before it is started again. After a minute, leases are over. */
const timeOff = (draw: Draw): number => {
  const off = draw.weighted({ none: 4, seconds: 3, minute: 3 })
  return off === "none" ? 0 : off === "seconds" ? draw.between(2_000, 10_000) : draw.between(61_000, muchMillis)
}

const configurationFor = (provider: MoodyProvider, receiver: MoodyReceiver) => ({
  workspaces: [
    {
      id: "acme",
      country: "NL",
      keys: [{ environment: "sandbox", secret: apiKey }],
      connections: ["main", "spare"].map((id) => ({
        id,
        environment: "sandbox",
        connector: "http",
        credentials: { baseUrl: provider.baseUrl(id), apiKey: providerKey },
        webhookSecret: messageSecret
      })),
      routing: { sandbox: { mode: "failover", order: ["main", "spare"] } },
      webhooks: Object.entries(endpoints).map(([name, types]) => ({
        environment: "sandbox",
        url: receiver.url(name),
        events: types === "*" ? ["*"] : types,
        secret: endpointSecret(name)
      }))
    }
  ]
})

/** What is still open, in words; `undefined` when nothing is. */
const openAt = async (
  server: ServerProcess,
  provider: MoodyProvider,
  receiver: MoodyReceiver,
  follower: EventFollower
): Promise<string | undefined> => {
  if (provider.open() > 0) return `${provider.open()} of the provider's own`
  for (const status of ["PENDING", "UNKNOWN"]) {
    const { body } = await server.request("GET", `/api/v1/payments?status=${status}&limit=100`, { key: apiKey })
    if (body.data.length > 0) return `${body.data.length} payments are ${status}, such as ${body.data[0].payment_id}`
  }
  const payments = await pagesOf<PaymentShown>(server, "/api/v1/payments")
  const refunding = payments.filter((payment) => payment.refund_pending_amount > 0)
  if (refunding.length > 0) return `${refunding.length} payments wait for refunds, such as ${refunding[0]?.payment_id}`
  const events = await pagesOf<EventShown>(server, "/api/v1/events")
  if (follower.followed.length < events.length) return "the follower is behind"
  for (const [name, types] of Object.entries(endpoints)) {
    const missing = events.filter(({ id, type }) => wantsOf(types)(type) && !receiver.heard.get(name)?.has(id))
    if (missing.length > 0) return `${name} has not heard of ${missing.length} events, such as ${missing[0]?.id}`
  }
  return undefined
}

const evidenceFrom = async (
  server: ServerProcess,
  { follower, merchant, provider, receiver }: Pick<KillWorld, "follower" | "merchant" | "provider" | "receiver">
): Promise<Evidence> => {
  const payments = await pagesOf<PaymentShown>(server, "/api/v1/payments")
  const timelines = new Map<string, ReadonlyArray<EventShown>>()
  for (const { payment_id: id } of payments) {
    timelines.set(id, await pagesOf<EventShown>(server, `/api/v1/payments/${id}/events`, "after"))
  }
  return {
    wishes: merchant.wishes,
    seen: merchant.seen,
    payments,
    timelines,
    events: (await pagesOf<EventShown>(server, "/api/v1/events")).toReversed(),
    followed: follower.followed,
    endpoints: Object.entries(endpoints).map(([name, types]) => ({
      name,
      wants: wantsOf(types),
      heard: receiver.heard.get(name) ?? new Map()
    })),
    books: provider.books
  }
}

/** All of a list in its own order: a list goes on `before` the last row of a page, a timeline `after` it. */
const pagesOf = async <Row>(
  server: ServerProcess,
  path: string,
  direction: "before" | "after" = "before"
): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  let cursor = ""
  // Bounded by the list: each page begins where the one before it ended.
  for (;;) {
    const { body } = await server.request("GET", `${path}?limit=100${cursor}`, { key: apiKey })
    rows.push(...body.data)
    if (!body.has_more) return rows
    cursor = `&${direction}=${body.next_cursor}`
  }
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))
