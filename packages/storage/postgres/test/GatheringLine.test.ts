import { describe, expect, it } from "@effect/vitest"
import { Ids, StorageAllowance } from "@pointsman/core/ports"
import { Cause, Effect, Exit, Fiber } from "effect"
import { vi } from "vitest"
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

/** Time passes where the test says so: on a busy machine more passes than a claim may wait. */
const withStoppedTime = <A, E, R>(test: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })),
    () => test,
    () => Effect.sync(() => vi.useRealTimers())
  )

const awaited: StorageAllowance = { leftMillis: 60_000 }

describe("makeGatheringLine", () => {
  it.live("changes without a waiting client share twice as large a statement on their own", () =>
    Effect.gen(function* () {
      const { join, taken } = yield* lineOf({ unawaited: 400, awaited: 0 })
      expect([taken(10), taken(10), taken(10), taken(10), taken(10)]).toEqual([8, 16, 32, 64, 128])
      yield* join(awaited)
      expect([taken(10), taken(10)]).toEqual([64, 89])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("takes grow after fast full statements, and shrink after a slow one", () =>
    Effect.gen(function* () {
      const { taken } = yield* lineOf({ awaited: 300, unawaited: 0 })
      expect([taken(10), taken(10), taken(10), taken(10)]).toEqual([8, 16, 32, 64])
      // 20 milliseconds for each of them: ten in the time that a statement may take.
      expect([taken(1_280), taken(150), taken(150)]).toEqual([64, 10, 10])
      // Fewer would not be faster where the disk is slow.
      expect([taken(2_000), taken(300), taken(10), taken(10)]).toEqual([10, 8, 8, 16])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("a client's change goes first, and only it is a wait, behind a report's", () =>
    Effect.gen(function* () {
      const { join, line } = yield* lineOf({ unawaited: 100, awaited: 0 })
      vi.advanceTimersByTime(30)
      expect(line.longestWaitMillis()).toBe(0)
      yield* join(awaited)
      vi.advanceTimersByTime(10)
      expect(line.longestWaitMillis()).toBe(10)
      expect(line.take().map(({ isAwaited }) => isAwaited)).toEqual([true, ...Array(7).fill(false)])
      expect(line.longestWaitMillis()).toBe(0)
      // Nobody answers those that were taken: their time-out ends them.
      vi.advanceTimersByTime(1_000)
    }).pipe(Effect.provide(Ids.layer), withStoppedTime)
  )

  it.live("a provider's answer to record goes before claims that wait", () =>
    Effect.gen(function* () {
      const { line } = yield* lineOf({ awaited: 100, unawaited: 0 })
      const change = yield* newChange()
      const { after } = change.payment
      const outcome = drawnChange({ ...change, payment: { expected: 1, after: { ...after, version: 2 } } }, [])
      yield* Effect.forkChild(Effect.provideService(line.join(outcome, [after.id]), StorageAllowance, { ...awaited }), {
        startImmediately: true
      })
      expect(line.take()[0]?.drawn).toBe(outcome)
      expect(line.take().map(({ isClaim }) => isClaim)).toEqual(Array(8).fill(true))
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live.each([
    ["no other change", 0, [false, false, false, true, false]],
    ["changes that none waits for", 50, [false, false, false, false, true, false]]
  ] as const)("claims have turns beside results without end, and %s", ([, unawaited, turns]) =>
    Effect.gen(function* () {
      const { line } = yield* lineOf({ awaited: 100, unawaited: 0 })
      for (let count = 0; count < 50 + unawaited; count++) {
        const change = yield* newChange()
        const { after } = change.payment
        const outcome = drawnChange({ ...change, payment: { expected: 1, after: { ...after, version: 2 } } }, [])
        const joined = line.join(outcome, [after.id])
        yield* Effect.forkChild(count < 50 ? Effect.provideService(joined, StorageAllowance, { ...awaited }) : joined, {
          startImmediately: true
        })
      }
      const isClaims = () => {
        const batch = line.take()
        line.release(batch, 300)
        return batch[0]?.isAwaited === true && batch[0].isClaim
      }
      expect(turns.map(isClaims)).toEqual(turns)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("a claim that waits for its turn is refused after a second, not before", () =>
    Effect.gen(function* () {
      const { line } = yield* lineOf({ awaited: 0, unawaited: 0 })
      const allowance: StorageAllowance = { leftMillis: 7_000 }
      const change = yield* newChange()
      const waiting = yield* Effect.forkChild(
        Effect.provideService(
          Effect.exit(line.join(drawnChange(change, []), [change.payment.after.id])),
          StorageAllowance,
          allowance
        ),
        { startImmediately: true }
      )
      vi.advanceTimersByTime(999)
      expect([line.longestWaitMillis(), line.isEmpty()]).toEqual([999, false])
      vi.advanceTimersByTime(1)
      expect([line.longestWaitMillis(), line.isEmpty()]).toEqual([0, true])
      const exit = yield* Fiber.join(waiting)
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
        _tag: "pointsman/StorageError",
        cause: { _tag: "pointsman/NotAdmitted" }
      })
      expect(allowance.leftMillis).toBe(6_000)
      expect(line.take()).toEqual([])
    }).pipe(Effect.provide(Ids.layer), withStoppedTime)
  )

  it.live("every fourth statement begins with the oldest change that no client waits for", () =>
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
