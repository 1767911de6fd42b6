/** How many requests one process works on at once. The time of places stands still: a busy machine takes longer than they wait. */
import { assert, it } from "@effect/vitest"
import { NotAdmitted, Pointsman } from "@pointsman/core"
import { Admission, makeAdmission } from "@pointsman/core/internal"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { vi } from "vitest"
import { caller, request, world } from "./support/World.ts"

const places = 2

const admitting = () => {
  const { layer, provider } = world()
  const made = makeAdmission({ places })
  let entered = 0
  const admission: Admission = {
    ...made,
    enter: (begin, refuse) => {
      entered += 1
      made.enter(begin, refuse)
    }
  }
  return {
    admission,
    layer: Layer.provide(layer, Layer.succeed(Admission, admission)),
    provider,
    /** How many have asked for a place. */
    entered: () => entered
  }
}

/** Lets others run until it is so. */
const until = (isSo: () => boolean) => Effect.repeat(Effect.yieldNow, { until: isSo })

/** Has a place until `leave`, as a request does. */
const takePlace = (admission: Admission) => Effect.sync(() => admission.enter(nothing, nothing))
const nothing = () => {}

const withStoppedTime = <A, E, R>(test: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })),
    () => test,
    () => Effect.sync(() => vi.useRealTimers())
  )

const itAdmits = (
  title: string,
  body: (own: ReturnType<typeof admitting>) => Effect.fn.Return<unknown, unknown, Pointsman>
): void => {
  const own = admitting()
  it.live(title, () => Effect.gen(() => body(own)).pipe(Effect.provide(own.layer), withStoppedTime))
}

const creating = (count: number) =>
  Effect.flatMap(Pointsman, (pointsman) =>
    Effect.forEach(Array.from({ length: count }), () =>
      Effect.forkChild(Effect.result(pointsman.create(caller, request())))
    )
  )

const ends = (fibers: ReadonlyArray<Fiber.Fiber<{ readonly _tag: "Success" | "Failure" }>>) =>
  Effect.map(Effect.forEach(fibers, Fiber.join), (results) => results.map(({ _tag }) => _tag))

itAdmits("requests that wait for a slow provider take no place", function* (asked) {
  const answer = yield* Deferred.make<void>()
  const { onCharge } = asked.provider
  asked.provider.onCharge = (...charge) => Effect.andThen(Deferred.await(answer), onCharge(...charge))
  const fibers = yield* creating(3 * places)
  yield* until(() => asked.provider.charges.length === 3 * places)
  yield* Deferred.succeed(answer, undefined)
  assert.deepStrictEqual(yield* ends(fibers), Array(3 * places).fill("Success"))
  // All places are free again.
  assert.deepStrictEqual(yield* ends(yield* creating(1)), ["Success"])
})

itAdmits("a request without a free place waits for one, and is refused unbegun later", function* (full) {
  for (let place = 0; place < places; place++) yield* takePlace(full.admission)
  const refused = yield* Effect.forkChild(Effect.flip((yield* Pointsman).create(caller, request())))
  yield* until(() => full.entered() === places + 1)
  vi.advanceTimersByTime(999)
  yield* Effect.yieldNow
  assert.isUndefined(refused.pollUnsafe())
  vi.advanceTimersByTime(1)
  assert.instanceOf(yield* Fiber.join(refused), NotAdmitted)
  const waiting = yield* creating(1)
  yield* until(() => full.entered() === places + 2)
  vi.advanceTimersByTime(100)
  assert.lengthOf(full.provider.charges, 0)
  full.admission.leave()
  assert.deepStrictEqual(yield* ends(waiting), ["Success"])
})

itAdmits("a queue that stays full refuses one more at once, and serves the newest next", function* (lasting) {
  const { admission } = lasting
  for (let place = 0; place < places; place++) yield* takePlace(admission)
  const [begun, refused]: [Array<string>, Array<string>] = [[], []]
  const offer = (name: string) =>
    admission.enter(
      () => begun.push(name),
      () => refused.push(name)
    )
  offer("burst")
  offer("burst")
  vi.advanceTimersByTime(400)
  assert.deepStrictEqual([begun, refused], [[], []])
  // Four wait for each place.
  for (const name of ["1", "2", "3", "4", "5", "6", "7", "8", "last"]) offer(name)
  assert.deepStrictEqual(refused, ["burst", "burst", "1"])
  admission.leave()
  assert.deepStrictEqual(begun, ["last"])
  vi.advanceTimersByTime(700)
  assert.deepStrictEqual(refused.slice(3), ["2", "3", "4", "5", "6", "7", "8"])
  for (let place = 0; place < places; place++) admission.leave()
  assert.deepStrictEqual(yield* ends(yield* creating(1)), ["Success"])
})

it.effect("thousands that leave as they begin each have a turn when a place is free", () =>
  Effect.sync(() => {
    const admission = makeAdmission({ places: 1 })
    admission.enter(nothing, nothing)
    const waiting = 20_000
    let begun = 0
    for (let more = 0; more < waiting; more++) {
      admission.enter(() => {
        begun += 1
        admission.leave()
      }, nothing)
    }
    admission.leave()
    assert.strictEqual(begun, waiting)
    admission.enter(() => {
      begun += 1
    }, nothing)
    assert.strictEqual(begun, waiting + 1)
  }).pipe(withStoppedTime)
)

itAdmits("no place is lost by requests interrupted while they wait", function* (cut) {
  const { admission } = cut
  for (let place = 0; place < places; place++) yield* takePlace(admission)
  const fibers = yield* creating(places)
  yield* until(() => cut.entered() === 2 * places)
  for (const fiber of fibers) fiber.interruptUnsafe()
  for (let place = 0; place < places; place++) admission.leave()
  yield* Effect.forEach(fibers, Fiber.await)
  let taken = 0
  for (let place = 0; place <= places; place++) admission.enter(() => taken++, nothing)
  assert.strictEqual(taken, places)
})
