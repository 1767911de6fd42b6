/** A reader that continues from its last event misses none, however many writers there are. */
import { expect } from "@effect/vitest"
import type { Event } from "@pointsman/core"
import { Effect, Fiber } from "effect"
import { firstChange, moveAlong, rowOf } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

const writers = 40
/** Each writer's two moves write one event each. */
const expected = 2 * writers
/** Far more than the writers can take, so that a missed event ends the test. */
const maxPolls = 100_000

export const followers = chapter("followers", (it) => {
  it(`a follower misses nothing of ${writers} writers from its last event`, function* ({ ledger, tenant }) {
    const seen: Array<Event> = []
    const follower = yield* Effect.gen(function* () {
      for (let poll = 0; poll < maxPolls && seen.length < expected; poll++) {
        seen.push(...(yield* ledger.events(tenant, { after: seen.at(-1)?.id ?? "", limit: 7 })))
        yield* Effect.yieldNow
      }
    }).pipe(Effect.forkChild)

    yield* Effect.forEach(
      Array(writers).keys(),
      Effect.fnUntraced(function* () {
        const first = yield* firstChange(tenant)
        yield* ledger.commit(first.change)
        const { change } = yield* moveAlong(first.after, rowOf("Charging", "ChargeCaptured"))
        yield* ledger.commit(change)
      }),
      { concurrency: "unbounded", discard: true }
    )
    yield* Fiber.join(follower)

    const all = (yield* ledger.events(tenant, { limit: expected + 1 })).toReversed()
    expect(all).toHaveLength(expected)
    expect(seen).toStrictEqual(all)
    const order = all.map(({ id }) => id)
    expect(order).toEqual([...new Set(order)].toSorted())
  })
})
