import { describe, expect, it } from "@effect/vitest"
import { Ids, StorageAllowance } from "@pointsman/core/ports"
import { Effect } from "effect"
import { drawnChange } from "../src/DrawnChange.ts"
import { makeGatheringLine } from "../src/GatheringLine.ts"
import { newChange } from "./Given.ts"

/** A line with so many changes of requests, or of work that no client waits for. */
const lineOf = Effect.fnUntraced(function* (counts: { readonly awaited: number; readonly unawaited: number }) {
  const line = makeGatheringLine({ answerMillis: 100 }, () => {})
  const join = Effect.fnUntraced(function* (allowance: StorageAllowance | undefined) {
    const change = yield* newChange()
    const joined = line.join(drawnChange(change, []), [change.payment.after.id])
    yield* Effect.forkChild(Effect.provideService(joined, StorageAllowance, allowance), { startImmediately: true })
  })
  for (let count = 0; count < counts.unawaited; count++) yield* join(undefined)
  for (let count = 0; count < counts.awaited; count++) yield* join({ leftMillis: 60_000 })
  const taken = (tookMillis: number) => {
    const batch = line.take()
    line.release(batch, tookMillis)
    return batch.length
  }
  return { join, line, taken }
})

const awaited: StorageAllowance = { leftMillis: 60_000 }

describe("makeGatheringLine", () => {
  it.live(
    "given changes that no client waits for, then a statement takes twice as many of them, and with others as many as of those",
    () =>
      Effect.gen(function* () {
        const { join, taken } = yield* lineOf({ unawaited: 400, awaited: 0 })
        expect([taken(10), taken(10), taken(10), taken(10), taken(10)]).toEqual([8, 16, 32, 64, 128])
        yield* join(awaited)
        expect([taken(10), taken(10)]).toEqual([64, 89])
      }).pipe(Effect.provide(Ids.layer))
  )

  it.live(
    "given fast statements that are full, then the next take more; and given a slow one, then they take few",
    () =>
      Effect.gen(function* () {
        const { taken } = yield* lineOf({ awaited: 300, unawaited: 0 })
        expect([taken(10), taken(10), taken(10), taken(10)]).toEqual([8, 16, 32, 64])
        // 20 milliseconds for each of them: ten in the time that a statement may take.
        expect([taken(1_280), taken(150), taken(150)]).toEqual([64, 10, 10])
        // Fewer would not be faster where the disk is slow.
        expect([taken(2_000), taken(300), taken(10), taken(10)]).toEqual([10, 8, 8, 16])
      }).pipe(Effect.provide(Ids.layer))
  )

  it.live(
    "given changes of a report, when a client's change comes after them, then it goes first, and it alone counts as a wait",
    () =>
      Effect.gen(function* () {
        const { join, line } = yield* lineOf({ unawaited: 100, awaited: 0 })
        yield* Effect.sleep("30 millis")
        expect(line.longestWaitMillis()).toBe(0)
        const joining = performance.now()
        yield* join(awaited)
        yield* Effect.sleep("10 millis")
        expect(line.longestWaitMillis()).toBeGreaterThan(5)
        expect(line.longestWaitMillis()).toBeLessThan(performance.now() - joining)
        expect(line.take().map(({ isAwaited }) => isAwaited)).toEqual([true, ...Array(7).fill(false)])
        expect(line.longestWaitMillis()).toBe(0)
      }).pipe(Effect.provide(Ids.layer))
  )

  it.live(
    "given clients that always wait, then every fourth statement begins with the oldest change that none waits for",
    () =>
      Effect.gen(function* () {
        const { line } = yield* lineOf({ unawaited: 2, awaited: 100 })
        const first = () => {
          const batch = line.take()
          line.release(batch, 300)
          return [batch[0]?.isAwaited, batch.length]
        }
        expect([first(), first(), first(), first(), first()]).toEqual([
          [true, 8],
          [true, 8],
          [true, 8],
          [false, 8],
          [true, 8]
        ])
      }).pipe(Effect.provide(Ids.layer))
  )
})
