/** What happens at once; and the control of every race: a ledger without the guard that the race proves. */
import type { Refund } from "@pointsman/core"
import { type Change, Ledger } from "@pointsman/core/ports"
import { Config, Effect, Latch, Option } from "effect"
import { TestClock } from "effect/testing"
import { type Trace, traceOf } from "./Given.ts"

/** Enough that no pool of connections and no batch serves them one after the other by chance. */
export const racers = 64

/**
 * `POINTSMAN_RACES=all` runs a hundred rounds where ten are run otherwise, and the controls with as many writers as the
 * races: without a guard they write over each other, and take their number squared of commits.
 */
const isAll = Effect.runSync(Config.String("POINTSMAN_RACES").pipe(Config.withDefault(""))) === "all"

/**
 * Runs a write again that a busy store refused before it wrote, at most 60 times. It waits for 100 ms of real time before
 * each retry: a store that is full refuses at once.
 */
export const retryRefused = <A, E, R>(write: Effect.Effect<A, E, R>, isRefused: (failure: E) => boolean) =>
  Effect.retry(write, {
    while: (failure) => (isRefused(failure) ? TestClock.withLive(Effect.as(Effect.sleep("100 millis"), true)) : false),
    times: 60
  })

export const atOnce = <A, B, E, R>(all: Iterable<A>, one: (each: A, index: number) => Effect.Effect<B, E, R>) =>
  Effect.forEach(all, one, { concurrency: "unbounded" })

/** Who of those that write at once wins, and what the others hear. */
export const race = Effect.fnUntraced(function* <A, B, E, R>(
  writers: ReadonlyArray<A>,
  write: (writer: A) => Effect.Effect<B, E, R>
) {
  const results = yield* atOnce(writers, (writer) => Effect.result(write(writer)))
  return {
    won: writers.filter((_, index) => results[index]?._tag === "Success"),
    lost: writers.flatMap((writer, index) => {
      const result = results[index]
      return result?._tag === "Failure" ? [{ writer, failure: result.failure }] : []
    })
  }
})

/** All pages of a list, each read after the last entry of the one before. */
export const pagesOf = Effect.fnUntraced(function* <A, E, R>(
  read: (last: A | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>
) {
  const found: Array<A> = []
  // More than any list of this suite has.
  for (let page = 0; page < 1_000; page++) {
    const next = yield* read(found.at(-1))
    if (next.length === 0) return found
    found.push(...next)
  }
  return yield* Effect.die(new Error("the pages do not end"))
})

/** Times far from what other tests write: the store is shared, and what is due is taken across tenants. */
export const timesFrom = (first: number, step = 1_000_000) => {
  let next = first
  return () => {
    next += step
    return next
  }
}

/** How often a race is run that is run more than once. */
export const rounds = isAll ? 100 : 10

/** As many as show several winners. Whom a race of so few finds out, a race of `racers` finds out. */
export const controlRacers = isAll ? racers : 8

/**
 * The first `count` callers wait for each other; later ones continue at once. A control needs no luck then: all of them
 * have read before one of them writes.
 */
export const meeting = (count: number): Effect.Effect<void> => {
  const all = Latch.makeUnsafe()
  let came = 0
  return Effect.suspend(() => (++came >= count ? all.open : all.await)).pipe(
    Effect.timeoutOrElse({
      // A slow database needs seconds for all of them, and a busy machine more.
      duration: "100 seconds",
      orElse: () => Effect.die(new Error(`${came} of ${count} writers reached the barrier within 100 seconds`))
    }),
    TestClock.withLive,
    Effect.asVoid
  )
}

/**
 * Reads, waits until `controlRacers` have read, and then writes over whatever is stored by now: what an adapter without
 * a guard would do. It `forgets` the refunds that others wrote meanwhile, unless configured otherwise: while they
 * remain, the sums give it away.
 */
export const unguarded = (
  ledger: Ledger["Service"],
  { forgets = true }: { readonly forgets?: boolean } = {}
): Ledger["Service"] => ({
  ...ledger,
  commit: unguardedCommit(ledger, forgets, meeting(controlRacers))
})

const unguardedCommit = (ledger: Ledger["Service"], forgets: boolean, met: Effect.Effect<void>) =>
  Effect.fnUntraced(function* (change: Change) {
    const { claim, payment } = change
    const seen = yield* traceOf(change).pipe(Effect.provideService(Ledger, ledger))
    yield* met
    if (claim?.expected === 0 && Option.isSome(seen.claim)) return yield* ledger.commit(change)
    if (payment.expected !== versionOf(seen.payment)) return yield* ledger.commit(change)
    const known = new Set(refundsOf(seen).map(({ id }) => id))
    return yield* Effect.retry(
      Effect.gen(function* () {
        const now = yield* traceOf(change).pipe(Effect.provideService(Ledger, ledger))
        const version = versionOf(now.payment)
        const claimVersion = versionOf(now.claim)
        const meanwhile = forgets ? refundsOf(now).filter(({ id }) => !known.has(id)) : []
        return yield* ledger.commit({
          ...change,
          payment: { expected: version, after: { ...payment.after, version: version + 1 } },
          refunds: [
            ...meanwhile.map((refund) => ({ ...refund, stage: "Refused" as const })),
            ...(change.refunds ?? [])
          ],
          claim: claim && { expected: claimVersion, after: { ...claim.after, version: claimVersion + 1 } }
        })
      }),
      // Each round lets at least one writer through.
      { times: racers }
    )
  })

const versionOf = (stored: Option.Option<{ readonly version: number }>): number =>
  Option.match(stored, { onNone: () => 0, onSome: ({ version }) => version })

const refundsOf = ({ book }: Trace): ReadonlyArray<Refund> =>
  Option.match(book, { onNone: () => [], onSome: ({ refunds }) => refunds })
