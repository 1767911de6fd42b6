/** The parties that outlive every server, and the comparison of their records once all work has ended. */
import type { ServerProcess } from "../ServerProcess.ts"
import { drawFrom } from "./Draw.ts"
import { followEvents } from "./EventFollower.ts"
import type { EventShown, Evidence, PaymentShown } from "./Evidence.ts"
import { merchantOf } from "./Merchant.ts"
import { type Surroundings, startMoodyProvider } from "./MoodyProvider.ts"
import { startMoodyReceiver } from "./MoodyReceiver.ts"
import { apiKey, endpoints, pause, wantsOf } from "./Setting.ts"

/** How long the last server may take to bring everything to rest, on a busy machine. */
const restWithinMillis = 180_000

export const openTown = async (seed: number, surroundings: Surroundings) => ({
  provider: await startMoodyProvider(drawFrom(seed + 1), surroundings),
  receiver: await startMoodyReceiver(drawFrom(seed + 2), surroundings),
  merchant: merchantOf(`run-${seed}`, apiKey),
  follower: followEvents(surroundings.target, apiKey, surroundings.isExcused)
})

export type Town = Awaited<ReturnType<typeof openTown>>

/** Fails with what is still open when it takes too long. */
export const untilAtRest = async (server: ServerProcess, town: Town): Promise<void> => {
  const deadline = Date.now() + restWithinMillis
  for (;;) {
    const open = await openAt(server, town)
    if (open === undefined) return
    if (Date.now() > deadline) throw new Error(`not at rest: ${open}\n${server.stderr()}`)
    await pause(200)
  }
}

/** What is still open, in words; `undefined` when nothing is. */
const openAt = async (server: ServerProcess, { follower, provider, receiver }: Town): Promise<string | undefined> => {
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

export const evidenceFrom = async (
  server: ServerProcess,
  { follower, merchant, provider, receiver }: Town
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

/** All of a list in its own order: a list continues `before` the last row of a page, a timeline `after` it. */
export const pagesOf = async <Row>(
  { request }: Pick<ServerProcess, "request">,
  path: string,
  direction: "before" | "after" = "before",
  key = apiKey
): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  const first = `${path}${path.includes("?") ? "&" : "?"}limit=100`
  let cursor = ""
  // Bounded by the list: each page begins where the one before it ended.
  for (;;) {
    const { body } = await request("GET", `${first}${cursor}`, { key })
    rows.push(...body.data)
    if (!body.has_more) return rows
    cursor = `&${direction}=${body.next_cursor}`
  }
}
