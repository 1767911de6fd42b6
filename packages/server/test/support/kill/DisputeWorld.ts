/**
 * Servers that are killed with SIGKILL while merchants answer disputes and deadlines come near: one server on a SQLite
 * file, or two on one PostgreSQL, of which one is killed or both. Time goes ahead by days while no server is up. Provider,
 * receiver and merchant outlive them all.
 */
import { type ServerHere, startServerHere } from "../ServerHere.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../ServerProcess.ts"
import {
  type DisputeEvidence,
  type DisputeShown,
  type DisputeWish,
  missedReminder,
  type Watched
} from "./DisputesAgree.ts"
import { startDisputingProvider } from "./DisputingProvider.ts"
import { type Draw, drawFrom } from "./Draw.ts"
import type { EventShown } from "./Evidence.ts"
import type { KillStorage } from "./KillWorld.ts"
import { startMoodyReceiver } from "./MoodyReceiver.ts"
import { pagesOf } from "./Rest.ts"
import { apiKey, configurationFor, environment, muchMillis, pause } from "./Setting.ts"

const hour = 60 * 60_000
const day = 24 * hour

/** Disputes that each life begins with, in milliseconds until their deadlines. */
const deadlines = [8 * day, 4 * day, 30 * hour, 7 * day + hour]
/** How long the last servers may take, on a busy machine. */
const restWithinMillis = 60_000
/** Between two looks a server waits for ten seconds. */
const lookWithinMillis = 25_000
/** Starts at rest: each looks at once, and what it finds unknown is looked up by the next. */
const startsAtRest = 6

interface Wish {
  readonly disputeId: string
  readonly kind: "submit" | "accept"
  readonly key: string
}

export interface DisputeWorldOptions {
  readonly seed: number
  readonly storage: KillStorage
  readonly servers: 1 | 2
  /** Two disputes in each life, and at rest a server in the test's process that deadlines pass under at once. */
  readonly isShort?: boolean
}

export const openDisputeWorld = async ({ isShort = false, seed, servers, storage }: DisputeWorldOptions) => {
  const folders = Array.from({ length: servers }, temporaryFolder)
  const database = await storage.open(folders[0] ?? "")
  const up = new Map<number, ServerProcess | ServerHere>()
  let aheadMillis = 0
  const now = () => Date.now() + aheadMillis
  const anyServer = () => [...up.values()].at(-1)
  const provider = await startDisputingProvider(drawFrom(seed + 1), { now, target: () => anyServer()?.url })
  const receiver = await startMoodyReceiver(drawFrom(seed + 2), { now })
  const wishes: Array<Wish> = []
  const watched: Array<Watched> = []
  /** Our ids of the disputes that the merchant has seen. */
  const known = new Set<string>()

  let isHere = false
  const startAt = async (at: number) => {
    const options = {
      folder: folders[at] ?? "",
      configuration: configurationFor(provider, receiver),
      environment: { ...environment, ...database.environment() },
      clockAheadMillis: aheadMillis
    }
    up.set(at, await (isHere ? startServerHere(options) : startServer(options)))
  }
  const startAll = () => Promise.all(folders.map((_, at) => (up.has(at) ? undefined : startAt(at))))
  const killAt = async (at: number) => {
    const server = up.get(at)
    up.delete(at)
    if (server !== undefined) await ("kill" in server ? server.kill("SIGKILL") : server.stop())
  }
  const killAll = () => Promise.all(folders.map((_, at) => killAt(at)))
  const passTime = async (millis: number) => {
    await provider.idle()
    aheadMillis += millis
    await database.goAhead?.(aheadMillis)
  }

  const request: ServerProcess["request"] = (method, path, options = {}) => {
    const server = anyServer()
    if (server === undefined) throw new TypeError("no server is up")
    return server.request(method, `/api/v1${path}`, { key: apiKey, ...options })
  }
  const shown = () => pagesOf<DisputeShown>({ request }, "/disputes", "before", apiKey)
  const unanswered = async () => (await shown()).filter(({ status }) => status === "needs_response")
  const eventsOf = async ({ id, payment_id: paymentId }: DisputeShown) => {
    const all = await pagesOf<EventShown>({ request }, `/payments/${paymentId}/events`, "after", apiKey)
    return all.filter(({ data }) => data["dispute_id"] === id)
  }

  /** A captured payment, disputed; gives our id of the dispute. */
  const dispute = async (dueIn: number): Promise<string> => {
    const body = { amount: 1999, currency: "EUR", country: "NL" }
    const made = await request("POST", "/payments", { body })
    const { payment_id: paymentId } = made.body.data
    provider.open(paymentId, dueIn)
    // Bounded by the life of the server.
    for (;;) {
      const { body: list } = await request("GET", `/disputes?payment=${paymentId}`)
      if (list.data.length > 0) {
        known.add(list.data[0].id)
        return list.data[0].id
      }
      await pause(10)
    }
  }

  const keep = async (id: string): Promise<void> => {
    const form = new FormData()
    form.set("product_description", `A chair, for ${id}.`)
    const answer = await fetch(`${anyServer()?.url}/api/v1/disputes/${id}/evidence`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      body: form
    })
    await answer.arrayBuffer()
  }

  const ask = ({ disputeId, key, kind }: Wish) =>
    request("POST", `/disputes/${disputeId}/${kind}`, { idempotencyKey: key })

  /** Several requests at once, under one key or under two. */
  const answerOne = async (id: string, draw: Draw): Promise<void> => {
    const kind = draw.chance(0.75) ? ("submit" as const) : ("accept" as const)
    if (kind === "submit") await keep(id)
    const made = Array.from({ length: draw.chance(0.2) ? 2 : 1 }, () => {
      const wish = { disputeId: id, kind, key: `answer-${String(wishes.length).padStart(6, "0")}` }
      wishes.push(wish)
      return wish
    })
    const times = draw.chance(0.4) ? 2 : 1
    await lost(Promise.all(made.flatMap((wish) => Array.from({ length: times }, () => ask(wish)))))
  }

  const work = async (draw: Draw): Promise<void> => {
    const ids = await Promise.all(deadlines.slice(0, isShort ? 2 : deadlines.length).map(dispute))
    const older = [...known].filter(() => draw.chance(0.15))
    // Some are never answered: their deadlines pass.
    const answered = [...new Set([...ids.filter(() => draw.chance(0.7)), ...older])]
    await Promise.all(answered.map((id) => answerOne(id, draw)))
  }

  /** The servers look at what is due, until all of it is announced, or for longer than they wait between two looks. */
  const watch = async () => {
    const at = now()
    const waiting = await unanswered()
    const deadline = Date.now() + lookWithinMillis
    for (let left = waiting; left.length > 0 && Date.now() < deadline; await pause(50)) {
      const told = await Promise.all(left.map(eventsOf))
      left = left.filter((one, index) => missedReminder(one, told[index] ?? [], at) !== undefined)
    }
    // A look that finds an answer at the provider reminds nobody.
    const still = new Set((await unanswered()).map(({ id }) => id))
    watched.push({ at, waiting: new Set(waiting.flatMap(({ id }) => (still.has(id) ? [id] : []))) })
  }

  /** Answers that reached the provider. */
  const arrivals = () => [...provider.disputes.values()].reduce((sum, { arrived }) => sum + arrived.length, 0)

  /** Disputes are opened and answered, until the servers are killed. */
  const round = async (number: number): Promise<void> => {
    const draw = drawFrom(seed + 1_000 * number)
    if (up.size === 0) await passTime(draw.between(hour, 30 * hour))
    await startAll()
    if (draw.chance(0.4)) await watch()
    const before = arrivals()
    let isAtWork = true
    const working = lost(work(draw)).finally(() => {
      isAtWork = false
    })
    // Of the shortest run, too, there is something to compare.
    while (number === 1 && known.size === 0) await Promise.race([pause(5), working])
    // However slow the machine, answers are under way in every other round.
    while (number % 2 === 0 && isAtWork && arrivals() === before) await pause(5)
    await pause(draw.between(40, 500))
    const isOfAll = servers === 1 || draw.chance(0.6)
    await (isOfAll ? killAll() : killAt(draw.between(0, servers - 1)))
    await working
  }

  const openAnswers = async (): Promise<number> => {
    const answers = await Promise.all(wishes.map(ask))
    return answers.filter(({ body }) => isOpen.has(body.error?.code)).length
  }

  /** Stops all faults and passes every deadline; returns the records to compare. */
  const rest = async (): Promise<DisputeEvidence> => {
    provider.calm()
    receiver.calm()
    await killAll()
    isHere = isShort
    for (let starts = 0; starts < startsAtRest; starts++) {
      await killAll()
      await passTime(muchMillis)
      await startAll()
      await pause(300)
      if (provider.opening() === 0 && (await openAnswers()) === 0) break
    }
    // Every deadline passes, a day and a half at a time, under a server that looks.
    for (const millis of isShort ? [9 * day] : [36 * hour, 4 * day, 4 * day]) {
      await killAll()
      await passTime(millis)
      await startAll()
      await watch()
    }
    const all = await shown()
    const events = new Map(await Promise.all(all.map(async (one) => [one.id, await eventsOf(one)] as const)))
    const deadline = Date.now() + restWithinMillis
    const heard = () => receiver.heard.get("all") ?? new Map()
    while ([...events.values()].flat().some(({ id }) => !heard().has(id)) && Date.now() < deadline) await pause(20)
    const last: Array<DisputeWish> = []
    for (const wish of wishes) {
      const { body, status } = await ask(wish)
      last.push({ ...wish, last: `${status} ${body.error?.code ?? ""}` })
    }
    for (const server of up.values()) await server.stop()
    return { books: provider.disputes, shown: all, events, wishes: last, watched, heard: heard() }
  }

  return { round, rest }
}

const isOpen: ReadonlySet<string | undefined> = new Set(["dispute_pending", "dispute_result_unknown"])

/** A server that is killed answers nobody: `fetch` fails so. */
const lost = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
  }
}
