/**
 * Many requests at once, at several servers over one store, while the provider takes its time: the money moves once.
 * Its control is the same race over a ledger that does not look at versions: there it moves more often,
 * or the race would prove nothing.
 *
 * `POINTSMAN_RACES=all` runs a hundred rounds of each race, where ten are run otherwise.
 */
import type { Change, Ledger, PaymentBook } from "@pointsman/core/ports"
import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { stepOf } from "./support/Faults.ts"
import {
  answerOf,
  authorized,
  captured,
  expectSound,
  type OperationName,
  operate,
  retrieve
} from "./support/Payments.ts"
import { anyStore, stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import type { World } from "./support/World.ts"

const racers = 64
const rounds = process.env["POINTSMAN_RACES"] === "all" ? 100 : 10
const timeout = 60_000 + rounds * 2_000
/** Inside one server, operations on a payment take turns: it takes several for their commits to meet. */
const servers = 4

/** What reached the provider in a round, whatever it was. */
const calls = ({ provider }: World) => [...provider.captures, ...provider.voids, ...provider.refunds].length

/** All at once, spread over the servers; the provider responds when each of them has ended or reached the provider. */
const race = async (world: World, id: string, names: ReadonlyArray<OperationName>): Promise<ReadonlyArray<Reply>> => {
  world.reset()
  const { onCapture, onRefund, onVoid } = world.provider
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let ended = 0
  const look = () => {
    if (ended + calls(world) >= racers) release()
  }
  const wait = Effect.suspend(() => {
    look()
    return Effect.promise(() => released)
  })
  world.provider.onCapture = (asked) => Effect.andThen(wait, onCapture(asked))
  world.provider.onVoid = (asked) => Effect.andThen(wait, onVoid(asked))
  world.provider.onRefund = (asked) => Effect.andThen(wait, onRefund(asked))
  return Promise.all(
    Array.from({ length: racers }, async (_, racer) => {
      const name = names[racer % names.length] as OperationName
      const reply = await operate(world, name, id, { server: Math.floor(racer / names.length) % servers })
      ended += 1
      look()
      return reply
    })
  )
}

/** How often each answer was given. */
const tally = (replies: ReadonlyArray<Reply>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const reply of replies) counts[answerOf(reply)] = (counts[answerOf(reply)] ?? 0) + 1
  return counts
}

const refusals: ReadonlyArray<string> = [
  "409 not_capturable",
  "409 not_voidable",
  "409 capture_conflict",
  "409 void_conflict"
]

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { servers })

  test(
    `one of ${racers} full refunds at once reaches the provider, ${rounds} times`,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const id = await captured(world)
        const counts = tally(await race(world, id, ["refund"]))
        expect(world.provider.refunds.map(({ money }) => money.minorUnits)).toEqual([1000])
        expect(counts["200"]).toBe(1)
        expect((counts["409 refund_pending"] ?? 0) + (counts["409 refund_conflict"] ?? 0)).toBe(racers - 1)
        expect(await retrieve(world, id)).toMatchObject({ status: "REFUNDED", refunded_amount: 1000 })
        await expectSound(world, id)
      }
    },
    timeout
  )

  test(
    `one of ${racers} captures and voids reaches the provider, ${rounds} times`,
    async () => {
      for (let round = 0; round < rounds; round++) {
        const id = await authorized(world)
        const { "200": confirmed, ...others } = tally(await race(world, id, ["capture", "void"]))
        expect(calls(world)).toBe(1)
        expect(confirmed).toBe(1)
        for (const answer of Object.keys(others)) expect(refusals).toContain(answer)
        const { captured_amount, status } = await retrieve(world, id)
        expect([status, captured_amount]).toEqual(
          world.provider.captures.length === 1 ? ["CAPTURED", 1000] : ["CANCELLED", 0]
        )
        await expectSound(world, id)
      }
    },
    timeout
  )
})

/**
 * The first `count` who come wait for each other; who comes later goes on at once. So each server has read the payment
 * before one of them writes, and the control needs no luck.
 */
const meeting = (count: number): Effect.Effect<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let came = 0
  return Effect.suspend(() => {
    came += 1
    if (came >= count) resolve()
    return Effect.promise(() => promise)
  }).pipe(
    Effect.timeoutOrElse({
      duration: "100 seconds",
      orElse: () => Effect.die(new Error(`${came} of ${count} servers reached the barrier within 100 seconds`))
    })
  )
}

/** Writes over whatever is stored by now, and adds nothing up: what a store without any guard would do. */
const unguarded = (ledger: Ledger["Service"], met: () => Effect.Effect<void>): Ledger["Service"] => {
  const books = new Map<string, PaymentBook>()
  const book: Ledger["Service"]["book"] = (tenant, id) =>
    Effect.suspend(() => {
      const written = books.get(id)
      return written === undefined ? ledger.book(tenant, id) : Effect.succeedSome(written)
    })
  return {
    ...ledger,
    book,
    commit: Effect.fnUntraced(function* (change: Change) {
      if (stepOf(change) === "other" || change.attempts.length > 0) return yield* ledger.commit(change)
      if (stepOf(change) === "claim") yield* met()
      const before = yield* Effect.flatMap(book(change.tenant, change.payment.after.id), Effect.fromOption).pipe(
        Effect.orDie
      )
      books.set(change.payment.after.id, {
        ...before,
        payment: change.payment.after,
        operations: [...before.operations, ...(change.operations ?? [])],
        refunds: [...before.refunds, ...(change.refunds ?? [])]
      })
      return false
    })
  }
}

describe("control: over a ledger that does not look at versions", () => {
  let met: Effect.Effect<void>
  const world = usedWorld(anyStore, { servers, ledger: (ledger) => unguarded(ledger, () => met) })
  beforeEach(() => {
    met = meeting(servers)
  })

  test("one full refund of each server reaches the provider at once", async () => {
    await race(world, await captured(world), ["refund"])
    expect(world.provider.refunds.length).toBeGreaterThanOrEqual(servers)
  })

  test("one capture or void of each server reaches the provider at once", async () => {
    await race(world, await authorized(world), ["capture", "void"])
    expect(calls(world)).toBeGreaterThanOrEqual(servers)
  })
})
