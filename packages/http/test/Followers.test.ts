/**
 * A client that follows `GET /events` by `after` sees every event once and in the order of their ids, however commits
 * overtake each other (decision 2). A commit is held up where a store lets it be: before it reaches the store, and
 * between the drawing of its events' ids and the write. The controls are ledgers that give ids before they wait, as a
 * database with several writers at a time does by itself: there a follower misses events.
 */
import type { Event } from "@pointsman/core"
import { type Change, Ids, type Ledger } from "@pointsman/core/ports"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { stepOf } from "./support/Faults.ts"
import { answerOf, create, get, operate, type WireEvent } from "./support/Payments.ts"
import { inMemory, newShared, type Store, stores } from "./support/Stores.ts"
import type { Reply } from "./support/Web.ts"
import { type Owned, own } from "./support/Workspaces.ts"
import { keys, openWorld, type World } from "./support/World.ts"

/** Smaller than every id that is written: who sends it begins with the first event. */
const fromTheStart = "evt_00000000-0000-0000-0000-000000000000"

const aPaymentsId = fromTheStart.slice("evt_".length)

/** One turn of the loop: whatever else can run, runs. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** A commit waits for no more than some hundred reads, seconds on a slow machine. */
const heldAtMostMillis = 100_000

/** What the gate holds up. Every other of these waits. */
interface Holding {
  readonly mayHold?: (change: Change) => boolean
}

/**
 * Holds up every other commit of the followed workspace that has events, until a commit that came later is written and
 * every follower has since read to the end. When all writers are held up and none has been overtaken, nothing else can
 * come: then the newest goes on, and overtakes all others.
 */
const overtaking = ({ mayHold = () => true }: Holding = {}) => {
  let followed: string | undefined
  let writers = 0
  let came = 0
  let candidates = 0
  /** Numbers of commits in the order of their writes. */
  const written: Array<number> = []
  /** By follower: how many commits were written when it asked and there was nothing more. */
  const readTo = new Map<string, number>()
  const held = new Map<number, (isOvertaken: boolean) => void>()
  /** Ids of the events of commits that were overtaken, where they were drawn before. */
  const overtakenIds: Array<string> = []
  let overtakes = 0
  let fail = (_: Error) => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})

  const review = (): void => {
    let isAnyPassed = false
    for (const [number, open] of [...held]) {
      const index = written.findIndex((other) => other > number)
      if (index >= 0) isAnyPassed = true
      const isRead = index >= 0 && [...readTo.values()].every((read) => read > index)
      if (readTo.size === 0) open(false)
      else if (isRead) open(true)
    }
    if (!isAnyPassed && held.size > 0 && held.size >= writers) held.get(Math.max(...held.keys()))?.(false)
  }

  const untilOvertaken = (number: number, ids: ReadonlyArray<string>) =>
    Effect.callback<void>((resume) => {
      const timer = setTimeout(() => {
        const state = `written: ${written.join(" ")}; held: ${[...held.keys()].join(" ")}; ${writers} writers`
        const reads = [...readTo].map(([name, read]) => `${name}: ${read}`).join("; ")
        fail(new Error(`commit ${number} was not overtaken within ${heldAtMostMillis} ms (${state}; read: ${reads})`))
        open(false)
      }, heldAtMostMillis)
      const open = (isOvertaken: boolean) => {
        clearTimeout(timer)
        held.delete(number)
        if (isOvertaken) {
          overtakes += 1
          overtakenIds.push(...ids)
        }
        resume(Effect.void)
      }
      held.set(number, open)
      review()
      return Effect.sync(() => open(false))
    })

  return {
    overtakenIds,
    /** How many commits waited until one that came later was written and read. */
    overtakes: () => overtakes,
    /** Rejects when a commit waited too long. */
    failed,
    follows: (workspaceId: string) => {
      followed = workspaceId
    },
    /** Somebody who writes one commit after the other, until `work` ends. */
    writes: async <A>(work: () => Promise<A>): Promise<A> => {
      writers += 1
      try {
        return await work()
      } finally {
        writers -= 1
        review()
      }
    },
    /** A follower asks; what it calls when the answer showed that there was nothing more. */
    asks: (follower: string) => {
      readTo.set(follower, readTo.get(follower) ?? 0)
      const count = written.length
      return () => {
        readTo.set(follower, count)
        review()
      }
    },
    leaves: (follower: string) => {
      readTo.delete(follower)
      review()
    },
    hold: <A, E>(change: Change, work: Effect.Effect<A, E>, ids: ReadonlyArray<string> = []): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        if (readTo.size === 0 || change.tenant.workspaceId !== followed || change.events.length === 0) return work
        const number = came++
        const isHeld = mayHold(change) && candidates++ % 2 === 0
        return (isHeld ? untilOvertaken(number, ids) : Effect.void).pipe(
          Effect.andThen(work),
          Effect.tap(() =>
            Effect.sync(() => {
              written.push(number)
              review()
            })
          )
        )
      })
  }
}

/**
 * On a real clock: a claim that is older than five seconds is not sent any more, and how long a follower takes depends on
 * the machine. What the provider answered may be written late.
 */
const onRealClock: Holding = { mayHold: (change) => stepOf(change) === "settle" }

type Gate = ReturnType<typeof overtaking>

/** A store that lets time pass between the drawing of an event's id and the write. */
const slowToWrite = (store: Store): Store => {
  const slow = Layer.effect(
    Ids,
    Effect.map(Ids, (ids) => {
      let drawn = 0
      return Ids.of({ ...ids, event: Effect.tap(ids.event, () => Effect.repeat(turn, { times: drawn++ % 4 })) })
    })
  ).pipe(Layer.provide(Ids.layer))
  return Layer.provide(store, slow)
}

/**
 * Sends again where nothing was sent to the provider, as a client may. A busy machine lets claims wait for more than a
 * second (503), and a claim that it takes more than five seconds to write is not sent any more (500).
 */
const untilAdmitted = async (send: () => Promise<Reply>): Promise<Reply> => {
  for (let refusals = 0; ; refusals++) {
    const reply = await send()
    if ((reply.status !== 503 && reply.status !== 500) || refusals === 20) return reply
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Writers at all servers at once: payments of several kinds, each with events of its own. */
const write = async (worlds: ReadonlyArray<World>, key: string, payments: number, gate?: Gate): Promise<void> => {
  const one = async (number: number) => {
    const world = worlds[number % worlds.length] as World
    const asked = { key, server: number % world.servers.length }
    const capture_method = number % 2 === 0 ? "automatic" : "manual"
    const created = await untilAdmitted(() => create(world, { capture_method }, asked))
    expect(created.status).toBe(201)
    const id = created.body.data.payment_id
    const operated = async (operation: "capture" | "refund") =>
      expect(answerOf(await untilAdmitted(() => operate(world, operation, id, asked)))).toBe("200")
    if (capture_method === "manual") await operated("capture")
    if (number % 4 === 0) await operated("refund")
  }
  await Promise.all(
    Array.from({ length: payments }, (_, number) => (gate === undefined ? one(number) : gate.writes(() => one(number))))
  )
}

/**
 * Draws the ids of a change's events, and then has it wait and written, as several writers of one database do. It may
 * show an event only when no smaller id is still on its way, which is what the port asks of it.
 */
const stampingFirst = (ledger: Ledger["Service"], gate: Gate, holdsBack: boolean): Ledger["Service"] => {
  const written: Array<{ readonly owner: string; readonly event: Event }> = []
  const onTheirWay = new Set<string>()
  let drawn = 0
  return {
    ...ledger,
    commit: (change) =>
      Effect.suspend(() => {
        const events = change.events.map((draft) => {
          drawn += 1
          return { ...draft, id: `evt_00000000-0000-7000-8000-${String(drawn).padStart(12, "0")}` }
        })
        for (const { id } of events) onTheirWay.add(id)
        const ids = events.map(({ id }) => id)
        return gate.hold(change, ledger.commit(change), ids).pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              for (const event of events) written.push({ owner: change.tenant.workspaceId, event })
            })
          ),
          Effect.ensuring(
            Effect.sync(() => {
              for (const { id } of events) onTheirWay.delete(id)
            })
          )
        )
      }),
    events: (tenant, { after, before, limit, type }) =>
      Effect.sync(() => {
        const [smallest] = holdsBack ? [...onTheirWay].sort() : []
        const found = written
          .filter(({ owner }) => owner === tenant.workspaceId)
          .map(({ event }) => event)
          .filter(({ id }) => (after === undefined || id > after) && (before === undefined || id < before))
          .filter((event) => type === undefined || event.type === type)
          .filter(({ id }) => smallest === undefined || id < smallest)
          .sort((a, b) => (a.id < b.id ? -1 : 1))
        return (after === undefined ? found.reverse() : found).slice(0, limit)
      })
  }
}

interface Following {
  readonly name: string
  readonly after: string
  readonly limit: number
  readonly type?: string
  /** Which answers are lost on their way, so that the same is asked again, elsewhere. */
  readonly loses?: (poll: number) => boolean
}

/** Polls one server after the other until nobody writes any more and nothing is left. */
const follow = async (
  worlds: ReadonlyArray<World>,
  key: string,
  { after: begin, limit, loses = () => false, name, type }: Following,
  writing: { isOver: boolean; readonly gate: Gate }
): Promise<ReadonlyArray<WireEvent>> => {
  const servers = worlds.flatMap((world) => world.servers)
  const seen: Array<WireEvent> = []
  let after = begin
  for (let poll = 0; poll < 20_000; poll++) {
    const wasOver = writing.isOver
    const hasReadToTheEnd = writing.gate.asks(name)
    const query = `after=${after}&limit=${limit}${type === undefined ? "" : `&type=${type}`}`
    const { body, status } = (await servers[poll % servers.length]?.send(`/api/v1/events?${query}`, { key })) ?? {}
    expect(status).toBe(200)
    // Who follows as fast as it can leaves the writers no time.
    if (!wasOver) await new Promise((resolve) => setTimeout(resolve, 2))
    if (loses(poll)) continue
    const events: ReadonlyArray<WireEvent> = body.data
    expect(events.length).toBeLessThanOrEqual(limit)
    after = events.at(-1)?.id ?? after
    expect(body.next_cursor).toBe(body.has_more ? after : null)
    seen.push(...events)
    if (!body.has_more) hasReadToTheEnd()
    if (wasOver && events.length === 0) return seen
  }
  throw new Error("the follower never ended")
}

/** All that is stored, oldest first, as the list shows it. */
const stored = async (world: World, key: string): Promise<ReadonlyArray<WireEvent>> => {
  const all: Array<WireEvent> = []
  for (let before = ""; ; before = `&before=${all.at(-1)?.id}`) {
    const { body } = await get(world, `/events?limit=100${before}`, key)
    all.push(...body.data)
    if (!body.has_more) return all.reverse()
  }
}

const newest = async (world: World, key: string): Promise<string> =>
  (await get(world, "/events?limit=1", key)).body.data[0].id

const followers: Readonly<Record<string, Omit<Following, "after" | "name">>> = {
  "by one": { limit: 1 },
  "by seven": { limit: 7 },
  "by three, losing two answers of three": { limit: 3, loses: (poll) => poll % 3 !== 0 },
  "of captures, by two": { limit: 2, type: "payment.captured", loses: (poll) => poll % 3 === 0 }
}

const payments = 24
/** Two for each payment, another one for what is captured later, and one or two for a refund. */
const eventsAtLeast = payments * 2 + payments / 2 + payments / 4

/** Everybody follows from the start and from the middle while everybody writes; what each saw, and should have seen. */
const followAll = async (worlds: ReadonlyArray<World>, { id, key }: Owned, gate: Gate) => {
  const [world] = worlds as [World, ...Array<World>]
  await write(worlds, key, 6)
  const middle = await newest(world, key)
  const writing = { isOver: false, gate }
  gate.follows(id)
  const following = [fromTheStart, middle].flatMap((after) =>
    Object.entries(followers).map(async ([kind, following]) => {
      const name = `${kind}, ${after === middle ? "from the middle" : "from the start"}`
      const seen = await follow(worlds, key, { ...following, name, after }, writing).finally(() => gate.leaves(name))
      return { name, after, type: following.type, seen }
    })
  )
  const written = write(worlds, key, payments, gate).finally(() => {
    writing.isOver = true
  })
  const [seen] = await Promise.race([gate.failed, Promise.all([Promise.all(following), written])])
  const all = await stored(world, key)
  return {
    all,
    followed: seen.map(({ after, name, seen, type }) => ({
      name,
      seen,
      expected: all.filter((event) => event.id > after && (type === undefined || event.type === type))
    }))
  }
}

/** Each event once, in the order of ids, and just as the list shows it. */
const expectNoneMissed = ({ all, followed }: Awaited<ReturnType<typeof followAll>>): void => {
  expect(all.length).toBeGreaterThanOrEqual(eventsAtLeast)
  const ids = all.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort())
  for (const { expected, name, seen } of followed) {
    expect(
      seen.map(({ id }) => id),
      name
    ).toEqual(expected.map(({ id }) => id))
    expect(seen, name).toEqual(expected)
  }
}

describe.each(stores)("followers over %s", (_name, store) => {
  const gate = overtaking(onRealClock)
  let world: World
  beforeAll(async () => {
    world = await openWorld(slowToWrite(store), {
      servers: 2,
      ledger: (ledger) => ({ ...ledger, commit: (change) => gate.hold(change, ledger.commit(change)) })
    })
  })
  afterAll(() => world.close())

  test("each of many followers sees every event once, in order, though commits overtake", async () => {
    const [owned, other] = await Promise.all([own(world, [{ name: "main" }]), own(world, [{ name: "main" }])])
    const [followed] = await Promise.all([followAll([world], owned, gate), write([world], other.key, 12)])
    expectNoneMissed(followed)
    expect(gate.overtakes()).toBeGreaterThanOrEqual(10)
    const seen = new Set(followed.all.map(({ id }) => id))
    expect((await stored(world, other.key)).filter(({ id }) => seen.has(id))).toEqual([])
  })

  test("an unused id is followed by what is greater, and nothing is refused", async () => {
    const { key } = await own(world, [{ name: "main" }])
    await write([world], key, 3)
    const all = (await stored(world, key)).map(({ id }) => id)
    const idsAfter = async (id: string) =>
      (await get(world, `/events?after=${id}`, key)).body.data.map((event: WireEvent) => event.id)
    // Another tenant's id is a place in the order, like any other: it shows nothing of its owner.
    const { key: stranger } = await own(world, [{ name: "main" }])
    await write([world], stranger, 1)
    const [middle = ""] = all.slice(2)
    const between = `${middle.slice(0, -1)}${middle.endsWith("0") ? "1" : "0"}`
    expect(all).not.toContain(between)
    expect(await idsAfter(between)).toEqual(all.filter((id) => id > between))
    expect(await idsAfter(middle.toUpperCase().replace("EVT_", "evt_"))).toEqual(all.slice(3))
    expect(await idsAfter(fromTheStart)).toEqual(all)
    expect(await idsAfter(await newest(world, stranger))).toEqual([])
    expect(await idsAfter("evt_ffffffff-ffff-ffff-ffff-ffffffffffff")).toEqual([])
    expect(await idsAfter(all.at(-1) ?? "")).toEqual([])
  })

  const malformed = ["", "0", "last", "evt_", "evt_x", aPaymentsId, `${fromTheStart}0`, ` ${fromTheStart}`, "%00"]
  test.each(malformed)("%j to follow is refused by name", async (after) => {
    const reply = await get(world, `/events?after=${after}`, keys.acme)
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toContain("`after` must be ")
  })
})

describe("followers over a store that two processes write", () => {
  const scope = Scope.makeUnsafe()
  const gate = overtaking(onRealClock)
  const worlds: Array<World> = []
  beforeAll(async () => {
    const store = await Effect.runPromise(Scope.provide(newShared, scope))
    const ledger = (ledger: Ledger["Service"]) => ({
      ...ledger,
      commit: (change: Change) => gate.hold(change, ledger.commit(change))
    })
    // The clock of the second one is set to 1970: each id that it generates is smaller than all existing ones.
    for (const testClock of [false, true]) worlds.push(await openWorld(slowToWrite(store), { ledger, testClock }))
  })
  afterAll(async () => {
    for (const world of worlds) await world.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  test("each follower of two sees every event once, in order, though clocks differ", async () => {
    const followed = await followAll(worlds, await own(worlds[0] as World, [{ name: "main" }]), gate)
    expectNoneMissed(followed)
    expect(gate.overtakes()).toBeGreaterThanOrEqual(10)
    const years = new Set(followed.all.map(({ created }) => created.slice(0, 4)))
    expect([years.size, years.has("1970")]).toEqual([2, true])
  })
})

describe("followers over a ledger that gives ids before it waits", () => {
  /** On a stopped clock: no claim becomes too old to be sent, however long a commit is held up. */
  const followOver = async (holdsBack: boolean) => {
    const gate = overtaking()
    const ledger = (ledger: Ledger["Service"]) => stampingFirst(ledger, gate, holdsBack)
    const world = await openWorld(inMemory, { servers: 2, testClock: true, ledger })
    try {
      const followed = await followAll([world], await own(world, [{ name: "main" }]), gate)
      expect(gate.overtakes()).toBeGreaterThanOrEqual(10)
      return { followed, overtakenIds: gate.overtakenIds }
    } finally {
      await world.close()
    }
  }

  test("control: followers miss all that were overtaken if nothing else is done", async () => {
    const { followed, overtakenIds } = await followOver(false)
    expect(() => expectNoneMissed(followed)).toThrow()
    const unfiltered = followed.followed.filter(({ name }) => !name.startsWith("of captures"))
    expect(unfiltered).toHaveLength(6)
    for (const { expected, name, seen } of unfiltered) {
      const seenIds = new Set(seen.map(({ id }) => id))
      expect(
        overtakenIds.filter((id) => seenIds.has(id)),
        name
      ).toEqual([])
      expect(
        expected.map(({ id }) => id),
        name
      ).toEqual(expect.arrayContaining(overtakenIds))
    }
  })

  test("no event is missed if what a smaller id may still precede is held back", async () => {
    const { followed } = await followOver(true)
    expectNoneMissed(followed)
  })
})
