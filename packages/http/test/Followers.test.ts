/**
 * Whoever follows `GET /events` by `after` sees every event once and in the order of their ids, however commits
 * overtake each other (decisions, section 11; docs/decisions/0002). A commit is held up where a store lets it be: before
 * it reaches the store, and between the drawing of its events' ids and the write. The controls are ledgers that give ids
 * before they wait, as a database with several writers at a time does by itself: there a follower misses events.
 */
import { type Change, type Event, Ids, type Ledger } from "@pointsman/core"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { answerOf, create, get, operate, type WireEvent } from "./support/Payments.ts"
import { inMemory, newShared, type Store, stores } from "./support/Stores.ts"
import { own } from "./support/Workspaces.ts"
import { keys, openWorld, type World } from "./support/World.ts"

/** Smaller than every id that is written: who sends it begins with the first event. */
const fromTheStart = "evt_00000000-0000-0000-0000-000000000000"

const aPaymentsId = fromTheStart.slice("evt_".length)

/** One turn of the loop: whatever else can run, runs. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Turns that anybody waits at most: the last of all has nobody left who could overtake it. */
const turnsAtMost = 100
/** Milliseconds at most, on a machine whose turns are long: a claim that is older than five seconds is not sent any more. */
const heldAtMostMillis = 1_000

/** Holds up every third of those who come, until three that came later are through and a follower has looked since. */
const overtaking = () => {
  const order: Array<number> = []
  let came = 0
  const gate = {
    /** Counted by those who follow. */
    looks: 0,
    /** How often somebody was through before one that had come earlier. */
    overtakes: () => order.filter((number, index) => order.slice(0, index).some((before) => before > number)).length,
    hold: <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.gen(function* () {
        const number = came++
        if (number % 3 === 0) {
          const { looks } = gate
          const since = performance.now()
          const isOvertaken = () => order.filter((other) => other > number).length >= 3 && gate.looks >= looks + 3
          const mayWait = () => performance.now() - since < heldAtMostMillis && !isOvertaken()
          for (let turns = 0; turns < turnsAtMost && mayWait(); turns++) yield* turn
        }
        const done = yield* work
        order.push(number)
        return done
      })
  }
  return gate
}

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

/** Writers at all servers at once: payments of several kinds, each with events of its own. */
const write = async (worlds: ReadonlyArray<World>, key: string, payments: number): Promise<void> => {
  const one = async (number: number) => {
    const world = worlds[number % worlds.length] as World
    const asked = { key, server: number % world.servers.length }
    const capture_method = number % 2 === 0 ? "automatic" : "manual"
    const created = await create(world, { capture_method }, asked)
    expect(created.status).toBe(201)
    const id = created.body.data.payment_id
    if (capture_method === "manual") expect(answerOf(await operate(world, "capture", id, asked))).toBe("200")
    if (number % 4 === 0) expect(answerOf(await operate(world, "refund", id, asked))).toBe("200")
  }
  await Promise.all(Array.from({ length: payments }, (_, number) => one(number)))
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
        return gate.hold(ledger.commit(change)).pipe(
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
  { after: begin, limit, loses = () => false, type }: Following,
  writing: { isOver: boolean; readonly gate?: Gate }
): Promise<ReadonlyArray<WireEvent>> => {
  const servers = worlds.flatMap((world) => world.servers)
  const seen: Array<WireEvent> = []
  let after = begin
  for (let poll = 0; poll < 20_000; poll++) {
    const wasOver = writing.isOver
    const query = `after=${after}&limit=${limit}${type === undefined ? "" : `&type=${type}`}`
    const { body, status } = (await servers[poll % servers.length]?.send(`/api/v1/events?${query}`, { key })) ?? {}
    expect(status).toBe(200)
    if (writing.gate !== undefined) writing.gate.looks += 1
    // Who follows as fast as it can leaves the writers no time.
    if (!wasOver) await new Promise((resolve) => setTimeout(resolve, 2))
    if (loses(poll)) continue
    const events: ReadonlyArray<WireEvent> = body.data
    expect(events.length).toBeLessThanOrEqual(limit)
    after = events.at(-1)?.id ?? after
    expect(body.next_cursor).toBe(body.has_more ? after : null)
    seen.push(...events)
    if (wasOver && events.length === 0) return seen
  }
  throw new Error("the follower never came to an end")
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

const followers: Readonly<Record<string, Omit<Following, "after">>> = {
  "by one": { limit: 1 },
  "by seven": { limit: 7 },
  "by three, losing two answers of three": { limit: 3, loses: (poll) => poll % 3 !== 0 },
  "of captures, by two": { limit: 2, type: "payment.captured", loses: (poll) => poll % 3 === 0 }
}

const payments = 24
/** Two for each payment, another one for what is captured later, and one or two for a refund. */
const eventsAtLeast = payments * 2 + payments / 2 + payments / 4

/** Everybody follows from the start and from the middle while everybody writes; what each saw, and should have seen. */
const followAll = async (worlds: ReadonlyArray<World>, key: string, gate: Gate) => {
  const [world] = worlds as [World, ...Array<World>]
  await write(worlds, key, 6)
  const middle = await newest(world, key)
  const writing = { isOver: false, gate }
  const following = [fromTheStart, middle].flatMap((after) =>
    Object.entries(followers).map(async ([name, following]) => ({
      name: `${name}, ${after === middle ? "from the middle" : "from the start"}`,
      after,
      type: following.type,
      seen: await follow(worlds, key, { ...following, after }, writing)
    }))
  )
  await write(worlds, key, payments).finally(() => {
    writing.isOver = true
  })
  const seen = await Promise.all(following)
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
  const gate = overtaking()
  let world: World
  beforeAll(async () => {
    world = await openWorld(slowToWrite(store), {
      servers: 2,
      ledger: (ledger) => ({ ...ledger, commit: (change) => gate.hold(ledger.commit(change)) })
    })
  })
  afterAll(() => world.close())

  test("given commits that overtake each other, when many follow, then each sees every event once, in order", async () => {
    const [{ key }, other] = await Promise.all([own(world, [{ name: "main" }]), own(world, [{ name: "main" }])])
    const [followed] = await Promise.all([followAll([world], key, gate), write([world], other.key, 12)])
    expectNoneMissed(followed)
    expect(gate.overtakes()).toBeGreaterThanOrEqual(10)
    const seen = new Set(followed.all.map(({ id }) => id))
    expect((await stored(world, other.key)).filter(({ id }) => seen.has(id))).toEqual([])
  })

  test("given an id that nobody has, when it is followed, then what is greater comes, and nothing is refused", async () => {
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
  test.each(malformed)("given %j, when it is followed, then it is refused by name", async (after) => {
    const reply = await get(world, `/events?after=${after}`, keys.acme)
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toContain("`after` must be ")
  })
})

describe("followers over a store that two processes write", () => {
  const scope = Scope.makeUnsafe()
  const gate = overtaking()
  const worlds: Array<World> = []
  beforeAll(async () => {
    const store = await Effect.runPromise(Scope.provide(newShared, scope))
    const ledger = (ledger: Ledger["Service"]) => ({
      ...ledger,
      commit: (change: Change) => gate.hold(ledger.commit(change))
    })
    // The clock of the second one stands at 1970: each id that it draws is smaller than all that are there.
    for (const testClock of [false, true]) worlds.push(await openWorld(slowToWrite(store), { ledger, testClock }))
  })
  afterAll(async () => {
    for (const world of worlds) await world.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  test("given clocks that differ, when many follow at both, then each sees every event once, in order", async () => {
    const { key } = await own(worlds[0] as World, [{ name: "main" }])
    const followed = await followAll(worlds, key, gate)
    expectNoneMissed(followed)
    expect(gate.overtakes()).toBeGreaterThanOrEqual(10)
    const years = new Set(followed.all.map(({ created }) => created.slice(0, 4)))
    expect([years.size, years.has("1970")]).toEqual([2, true])
  })
})

describe("followers over a ledger that gives ids before it waits", () => {
  const gate = overtaking()
  const open = (holdsBack: boolean) =>
    openWorld(inMemory, { servers: 2, ledger: (ledger) => stampingFirst(ledger, gate, holdsBack) })

  test("given nothing else (control), when commits overtake each other, then a follower misses events", async () => {
    const world = await open(false)
    try {
      const { key } = await own(world, [{ name: "main" }])
      const followed = await followAll([world], key, gate)
      expect(() => expectNoneMissed(followed)).toThrow()
      for (const name of ["by one, from the start", "by seven, from the middle"]) {
        const one = followed.followed.find((one) => one.name === name)
        const seen = new Set(one?.seen.map(({ id }) => id))
        expect(one?.expected.filter(({ id }) => !seen.has(id)).length).toBeGreaterThan(0)
      }
    } finally {
      await world.close()
    }
  })

  test("given that it holds back what a smaller id may still come before, then nobody misses any", async () => {
    const world = await open(true)
    try {
      const { key } = await own(world, [{ name: "main" }])
      expectNoneMissed(await followAll([world], key, gate))
    } finally {
      await world.close()
    }
  })
})
