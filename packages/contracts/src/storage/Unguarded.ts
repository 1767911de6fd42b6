/** The control of every race: a ledger without the guard that the race proves. */
import { type Change, Ledger } from "@pointsman/core"
import { Effect, Option } from "effect"
import { traceOf } from "./Given.ts"

/** Enough that no pool of connections and no batch serves them one after the other by chance. */
export const racers = 64

/** Reads, and then writes over whatever is stored by now: what an adapter without a guard would do. */
export const unguarded = (ledger: Ledger["Service"]): Ledger["Service"] => ({
  ...ledger,
  commit: Effect.fnUntraced(function* (change: Change) {
    const { claim, payment } = change
    const seen = yield* traceOf(change).pipe(Effect.provideService(Ledger, ledger))
    yield* Effect.yieldNow
    if (claim?.expected === 0 && Option.isSome(seen.claim)) return yield* ledger.commit(change)
    if (payment.expected !== versionOf(seen.payment)) return yield* ledger.commit(change)
    yield* Effect.retry(
      Effect.gen(function* () {
        const now = yield* traceOf(change).pipe(Effect.provideService(Ledger, ledger))
        const version = versionOf(now.payment)
        const claimVersion = versionOf(now.claim)
        yield* ledger.commit({
          ...change,
          payment: { expected: version, after: { ...payment.after, version: version + 1 } },
          claim: claim && { expected: claimVersion, after: { ...claim.after, version: claimVersion + 1 } }
        })
      }),
      // Each round lets at least one writer through.
      { times: racers }
    )
  })
})

const versionOf = (stored: Option.Option<{ readonly version: number }>): number =>
  Option.match(stored, { onNone: () => 0, onSome: ({ version }) => version })
