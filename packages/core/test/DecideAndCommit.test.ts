/** The one loop that writes decisions: what it does with each end of a commit, and when it gives up. */
import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { decideAndCommit, done, write } from "../src/commit/DecideAndCommit.ts"
import { DeliveryWake } from "../src/commit/WakeDelivery.ts"
import type { Payment } from "../src/model/Payment.ts"
import { type CommitFailure, Ledger, Stale } from "../src/ports/Ledger.ts"
import { CommitUnknown, StorageError } from "../src/ports/StorageError.ts"
import { itRuns } from "./support/ItIn.ts"
import { runOut, tenant } from "./support/World.ts"

const storageError = new StorageError({ operation: "commit", cause: new Error("the store is away") })
const commitUnknown = new CommitUnknown({ operation: "commit", cause: new Error("the answer was lost") })

/** The loop reads no more of a payment than this. */
const paymentAt = (version: number) =>
  ({ id: "p", tenant, version, state: "Captured", refundPendingMinor: 0, routing: null }) as unknown as Payment

/** A store of one payment, of which a test says how each commit ends. */
const scripted = (end: (number: number) => Effect.Effect<void, CommitFailure> | "written" | "unheard") => {
  const seen = { version: 0, commits: [] as Array<number>, reads: 0, isHeld: false, canRead: true }
  const commit: Ledger["Service"]["commit"] = Effect.fnUntraced(function* ({ payment }) {
    seen.commits.push(yield* Clock.currentTimeMillis)
    // A loop that never ends must not hang the test.
    if (seen.commits.length > 100) return yield* Effect.die(new Error("more than 100 commits"))
    const ends = end(seen.commits.length)
    if (typeof ends !== "string") return yield* Effect.as(ends, false)
    if (payment.expected !== seen.version) return yield* new Stale()
    seen.version = payment.after.version
    if (ends === "unheard") return yield* commitUnknown
    return false
  })
  const layer = Layer.merge(
    Layer.succeedContext(Context.make(Ledger, { commit } as unknown as Ledger["Service"])),
    DeliveryWake.layer
  )
  const loop = (options: { readonly stops?: boolean; readonly retries?: boolean }) =>
    decideAndCommit({
      first: 0,
      decide: (version: number) =>
        Effect.succeed(
          version > 50
            ? done("enough" as const)
            : write(
                {
                  tenant,
                  payment: { expected: version, after: paymentAt(version + 1) },
                  attempts: [],
                  events: []
                },
                `written on ${version}`
              )
        ),
      read: () =>
        Effect.suspend(() => {
          seen.reads += 1
          return seen.canRead ? Effect.succeed(seen.version) : Effect.fail(storageError)
        }),
      afterUnknown: options.stops === true ? "stop" : (version, step) => version === step.payment.after.version,
      storageErrors: options.retries === true ? "retry" : "fail",
      withLock: (work) =>
        Effect.suspend(() => {
          seen.isHeld = true
          return Effect.ensuring(
            work,
            Effect.sync(() => (seen.isHeld = false))
          )
        })
    }).pipe(Effect.provide(layer))
  return { seen, loop }
}

/** What was written, or the failure with what it may have written. */
const tagOf = <A, E extends { readonly _tag: string; readonly value?: unknown }>(end: Result.Result<A, E>) =>
  Result.isSuccess(end)
    ? end.success
    : [end.failure._tag, end.failure.value].filter((one) => one !== undefined).join(" ")

const ending = Effect.fnUntraced(function* <A, E extends { readonly _tag: string; readonly value?: unknown }>(
  loop: Effect.Effect<A, E>
) {
  return tagOf(yield* runOut(yield* Effect.forkChild(Effect.result(loop))))
})

const writes = (failure: CommitFailure, times: number) => (number: number) =>
  number > times ? "written" : Effect.fail(failure)
const slowly = Effect.andThen(Effect.sleep(2_000), Effect.fail(storageError))
const retries = { retries: true }

const rows: ReadonlyArray<
  readonly [
    title: string,
    end: Parameters<typeof scripted>[0],
    options: Parameters<ReturnType<typeof scripted>["loop"]>[0],
    told: string,
    seen: Partial<ReturnType<typeof scripted>["seen"]> & { readonly tries?: number }
  ]
> = [
  [
    "a decision of which nothing was sent fails at once",
    () => Effect.fail(storageError),
    {},
    "NotWritten",
    { commits: [0] }
  ],
  [
    "a sent request is asked for ever more slowly, last after three seconds",
    () => Effect.fail(storageError),
    retries,
    "NotWritten",
    { commits: [0, 50, 150, 350, 750, 1550, 3000], reads: 0 }
  ],
  ["no third try begins when each takes two seconds", () => slowly, retries, "NotWritten", { commits: [0, 2050] }],
  [
    "20 tries and no more follow when another writer comes first every time",
    () => Effect.fail(new Stale()),
    retries,
    "Contended",
    { tries: 20, reads: 19 }
  ],
  [
    "a commit on which a request waits may be written, and nothing follows",
    () => "unheard",
    { stops: true, retries: true },
    "MaybeWritten written on 0",
    { commits: [0], reads: 0 }
  ],
  [
    "a commit that is written is read once and not written again",
    () => "unheard",
    {},
    "written on 0",
    { commits: [0], reads: 1, version: 1 }
  ],
  [
    "an unwritten commit is written again, after a pause from the second time on",
    writes(commitUnknown, 3),
    {},
    "written on 0",
    { commits: [0, 0, 50, 150], version: 1 }
  ]
]
for (const [title, end, options, told, expected] of rows) {
  itRuns(title, function* () {
    const { loop, seen } = scripted(end)
    assert.strictEqual(yield* ending(loop(options)), told)
    assert.deepInclude({ ...seen, tries: seen.commits.length }, expected)
  })
}

itRuns("what is stored is read and decided on when another writer comes first once", function* () {
  const { loop, seen } = scripted(() => "written")
  seen.version = 7
  assert.strictEqual(yield* ending(loop({})), "written on 7")
  assert.deepInclude(seen, { commits: [0, 0], reads: 1 })
})

itRuns("a second try follows a first one of an hour", function* () {
  const { loop, seen } = scripted((number) =>
    number > 1 ? "written" : Effect.andThen(Effect.sleep(3_600_000), Effect.fail(new Stale()))
  )
  const writing = yield* Effect.forkChild(loop({}))
  yield* TestClock.adjust(3_600_000)
  assert.strictEqual(yield* Fiber.join(writing), "written on 0")
  assert.lengthOf(seen.commits, 2)
})

itRuns("a pause does not hold its turn", function* () {
  const { loop, seen } = scripted((number) => (number > 1 ? "written" : Effect.fail(storageError)))
  const writing = yield* Effect.forkChild(loop({ retries: true }), { startImmediately: true })
  yield* TestClock.adjust(10)
  assert.isUndefined(writing.pollUnsafe())
  assert.isFalse(seen.isHeld)
  assert.strictEqual(yield* runOut(writing), "written on 0")
})

itRuns("a commit that lands after the read refuses the next one, and is known again", function* () {
  const { loop, seen } = scripted((number) => {
    if (number === 1) return Effect.fail(commitUnknown)
    seen.version = 1
    return "written"
  })
  assert.strictEqual(yield* ending(loop({})), "written on 0")
  assert.deepInclude(seen, { commits: [0, 0], reads: 2, version: 1 })
})

itRuns("a commit may be written when the store then goes away", function* () {
  const { loop, seen } = scripted((number) => Effect.fail(number === 1 ? commitUnknown : storageError))
  assert.strictEqual(yield* ending(loop({})), "MaybeWritten written on 0")
  assert.strictEqual(seen.commits.at(-1), 3000)
  const blind = scripted(() => Effect.fail(commitUnknown))
  blind.seen.canRead = false
  assert.strictEqual(yield* ending(blind.loop({})), "MaybeWritten written on 0")
  assert.lengthOf(blind.seen.commits, 1)
})

itRuns("the inner one gets no more time when the outer one is at its end", function* () {
  const inner = scripted(() => Effect.fail(storageError))
  const outer = decideAndCommit({
    first: 0,
    decide: () => Effect.andThen(Effect.sleep(2_000), Effect.as(inner.loop({ retries: true }), done(Option.none()))),
    read: () => Effect.succeed(0),
    afterUnknown: "stop",
    storageErrors: "fail"
  }).pipe(Effect.provide(DeliveryWake.layer), Effect.provideService(Ledger, {} as unknown as Ledger["Service"]))
  assert.strictEqual(yield* ending(outer), "NotWritten")
  assert.deepStrictEqual(inner.seen.commits, [2000, 2050, 2150, 2350, 2750, 3000])
})
