/** A database whose clock differs from this machine's. */
import { describe, expect, it } from "@effect/vitest"
import { StorageClock, StorageCondition } from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import { withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, until } from "./support/Waiting.ts"

/** A database that finds a clock of ours before PostgreSQL's own. */
const databaseAhead = Effect.fnUntraced(function* (seconds: number) {
  const url = yield* newDatabase
  const sql = yield* clientOf(url, 1)
  yield* sql.unsafe(`create function public.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + interval ''${seconds} seconds'''`)
  yield* sql.unsafe(`do $$ begin
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
  end $$`)
  return url
})

describe.skipIf(!hasServer)("a database's clock", () => {
  it.live.each([
    [10, "warns"],
    [-10, "warns"],
    [40, "refuses"],
    [-40, "refuses"]
  ] as const)("a database %d s ahead makes the storage %s, and its time is the database's", ([seconds, what]) =>
    Effect.gen(function* () {
      const url = yield* databaseAhead(seconds)
      yield* Effect.gen(function* () {
        const { admit, read } = yield* StorageCondition
        // A busy machine hears late, and knows the difference at the least: it reads the clock every two seconds.
        yield* until(
          `the difference is ${seconds} s`,
          Effect.map(read, ({ clockAheadMillis }) => Math.abs((clockAheadMillis ?? 0) + seconds * 1_000) < 500)
        )
        const { refusal, warnings } = yield* read
        const found = `this machine's clock is ${Math.abs(seconds)} s ${seconds < 0 ? "ahead of" : "behind"} the database's`
        if (what === "warns") {
          expect(warnings.join()).toContain(found)
          expect(refusal).toBeNull()
          yield* admit
        } else {
          expect(refusal).toContain(found)
          expect((yield* Effect.flip(admit)).reason).toContain(found)
        }
        const clock = (yield* StorageClock)?.clock
        yield* until(
          "the time is the database's",
          Effect.map(Clock.currentTimeMillis, (machine) => {
            const time = clock?.currentTimeMillisUnsafe() ?? 0
            return Math.abs(time - machine - seconds * 1_000) < 1_000
          })
        )
      }).pipe(withStorage({ url }))
    })
  )
})
