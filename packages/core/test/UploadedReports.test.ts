/** Reports that an operator uploads: read after the answer, also where the process dies meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import type { ReportEntry } from "@pointsman/core/connector"
import { type ReportReader as Reader, ReportReader } from "@pointsman/core/ports"
import { Effect, Option, Stream } from "effect"
import { stored } from "./support/Pages.ts"
import { entriesOf, listedPayments } from "./support/Reports.ts"
import { tenant, world } from "./support/World.ts"

const bytes = new TextEncoder().encode("the file")
const begin = Effect.flatMap(Pointsman, ({ reconciliation }) =>
  reconciliation.beginFile({ connectionId: "main", fileName: "november.csv", bytes })
)

const inspect: Reader["inspect"] = () =>
  Effect.succeed({ format: { name: "test", kinds: ["scripted"], delayMillis: 0 }, sha256: "sha of the file" })

/** The run, after what is read in the background had time to end. */
const runAfterwards = Effect.fnUntraced(function* (id: string) {
  for (let turns = 0; turns < 500; turns++) yield* Effect.yieldNow
  return Option.getOrThrow(yield* (yield* Pointsman).reconciliation.find(tenant, id))
})

describe("uploaded reports", () => {
  for (const chunk of [1, 2, 3]) {
    const own = world()
    const file: { entries: ReadonlyArray<ReportEntry>; dies: boolean } = { entries: [], dies: true }
    const reader: Reader = {
      inspect,
      read: () =>
        Stream.fromIterable(file.entries.map((entry) => [entry])).pipe(
          Stream.mapEffect((entries, at) =>
            file.dies && at === chunk ? Effect.interrupt : Effect.succeed<ReadonlyArray<ReportEntry>>(entries)
          )
        )
    }
    it.effect(`no row is lost or twice when a file is sent again after a death at row ${chunk}`, () =>
      Effect.gen(function* () {
        const { entries, payments } = yield* listedPayments(own, 4)
        file.entries = entries
        const first = yield* begin
        assert.notStrictEqual((yield* runAfterwards(first.id)).state, "done")
        file.dies = false
        const again = yield* begin
        assert.strictEqual(again.id, first.id)
        const run = yield* runAfterwards(again.id)
        assert.deepStrictEqual([run.rowsDone, run.counts.matched], [4, 4])
        assert.lengthOf(yield* entriesOf, 4)
        for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
        assert.strictEqual((yield* begin).state, "done")
      }).pipe(Effect.provide(own.layer), Effect.provideService(ReportReader, reader))
    )
  }

  const full = world()
  it.effect("a fifth file during four that are read is refused, and nothing is written", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 4; count++) yield* Effect.forkChild(begin)
      for (let turns = 0; turns < 20; turns++) yield* Effect.yieldNow
      assert.strictEqual((yield* Effect.flip(begin))._tag, "pointsman/TooManyReports")
      assert.deepStrictEqual(yield* entriesOf, [])
    }).pipe(
      Effect.provide(full.layer),
      Effect.provideService(ReportReader, { inspect: () => Effect.never, read: () => Stream.never })
    )
  )
})
