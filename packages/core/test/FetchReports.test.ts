/** Reports that are fetched from a provider: what is read, where the next fetch begins, and what a kill leaves. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman, ReportBroken, ReportRefused } from "@pointsman/core"
import type { ListRequest, ReportEntry } from "@pointsman/core/connector"
import { ReportFileUnreadable, ReportReader, Unanswered } from "@pointsman/core/ports"
import { Effect, Exit, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { stored } from "./support/Pages.ts"
import { day, entriesOf, listedPayments, pageOf, paidAt } from "./support/Reports.ts"
import { assertFields } from "./support/Steps.ts"
import { type World, world } from "./support/World.ts"

const hour = 60 * 60_000

const fetch = (more: { readonly from?: number; readonly until?: number; readonly report?: string } = {}) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => reconciliation.fetch({ connectionId: "main", ...more }))

/** Windows that were asked for, each once. */
const askedFor = ({ provider }: World) => [...new Set(provider.lists.map(({ createdFrom }) => createdFrom))]

describe("fetched reports", () => {
  const whole = world()
  itIn("five rows over three pages of a day are each applied once, in one run", whole, function* () {
    const { payments } = yield* listedPayments(whole, 5)
    const [run, ...others] = yield* fetch({ from: paidAt, until: paidAt + day })
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.rowsUnreadable, others.length], ["done", 5, 0, 0])
    assert.strictEqual(run?.format, "scripted-balance")
    assert.strictEqual(run?.fileName, "scripted-balance from 1970-01-11T00:00:00.000Z until 1970-01-12T00:00:00.000Z")
    for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
    assert.strictEqual((yield* entriesOf).length, 5)
    const again = yield* fetch({ from: paidAt, until: paidAt + day })
    assert.deepStrictEqual(again, run === undefined ? [] : [run])
  })

  itIn("the next fetch begins where the last one ended", world(), function* (own) {
    yield* listedPayments(own, 1)
    const first = yield* fetch()
    // Seven days up to an hour ago: the first and the last one are parts of days.
    assert.strictEqual(first.length, 8)
    assert.strictEqual(askedFor(own)[0], paidAt - 4 * day - hour)
    own.provider.lists.length = 0
    yield* TestClock.setTime(paidAt + 4 * day)
    assert.strictEqual((yield* fetch()).length, 2)
    assert.strictEqual(askedFor(own)[0], paidAt + 3 * day - hour)
    assert.deepStrictEqual(yield* fetch(), [])
  })

  const silent = world()
  itIn("no row of an unanswered page counts, and the next fetch reads it again", silent, function* () {
    const { entries, payments } = yield* listedPayments(silent, 5)
    let pages = 0
    const failing = (nth: number) => (asked: ListRequest) =>
      ++pages === nth ? Effect.fail(new Unanswered({ reason: "timed out" })) : Effect.succeed(pageOf(entries, asked))
    const window = { from: paidAt, until: paidAt + 3_600_000 }
    // The second page of the first reading, then of the second one: three pages are one reading.
    for (const nth of [2, 5]) {
      pages = 0
      silent.provider.onListReport = failing(nth)
      const failed = yield* Effect.result(fetch(window))
      assert(Result.isFailure(failed) && failed.failure instanceof ReportBroken)
      assert.strictEqual(failed.failure.reason, "the provider gave no complete answer: timed out")
    }
    silent.provider.onListReport = (asked) => Effect.succeed(pageOf(entries, asked))
    const [run] = yield* fetch(window)
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.rowsKnown], ["done", 5, 0])
    for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
  })

  for (const killedAt of [1, 2, 3, 4, 5, 6]) {
    itIn(`no row is lost or twice after a process died at page ${killedAt}`, world(), function* (own) {
      const { entries, payments } = yield* listedPayments(own, 5)
      let pages = 0
      own.provider.onListReport = (asked) =>
        ++pages === killedAt ? Effect.interrupt : Effect.succeed(pageOf(entries, asked))
      const window = { from: paidAt, until: paidAt + 3_600_000 }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(fetch(window))))
      own.provider.onListReport = (asked) => Effect.succeed(pageOf(entries, asked))
      const [run] = yield* fetch(window)
      assert.deepStrictEqual([run?.state, run?.counts.matched], ["done", 5])
      assert.strictEqual((yield* entriesOf).length, 5)
      for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
    })
  }

  itIn("rows that change between readings keep the run open, and the next has them all", world(), function* (own) {
    const { entries } = yield* listedPayments(own, 3)
    let pages = 0
    // Two pages are one reading: the first row is missing in the first.
    own.provider.onListReport = (asked) => Effect.succeed(pageOf(++pages === 1 ? entries.slice(1) : entries, asked))
    const window = { from: paidAt, until: paidAt + 3_600_000 }
    const failed = yield* Effect.result(fetch(window))
    assert(Result.isFailure(failed) && failed.failure instanceof ReportBroken)
    assert.strictEqual(failed.failure.reason, "the provider's rows changed while they were read")
    const [run] = yield* fetch(window)
    assert.strictEqual(run?.state, "done")
    assert.strictEqual((yield* entriesOf).length, 3)
  })

  itIn("no payment is settled twice by a page that comes under two cursors", world(), function* (own) {
    const { entries, payments } = yield* listedPayments(own, 2)
    own.provider.onListReport = ({ cursor }) =>
      Effect.succeed({ entries, nextCursor: cursor === null ? "again" : null })
    const [run] = yield* fetch({ from: paidAt, until: paidAt + hour })
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.counts.matched], ["done", 4, 2])
    for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
    assert.strictEqual((yield* entriesOf).filter(({ result }) => result === "matched").length, 2)
  })

  itIn("a provider that names the same page again ends the fetch with an explanation", world(), function* (own) {
    yield* listedPayments(own, 1)
    own.provider.onListReport = () => Effect.succeed({ entries: [], nextCursor: "a" })
    const failed = yield* Effect.result(fetch({ from: paidAt, until: paidAt + 1 }))
    assert(Result.isFailure(failed) && failed.failure instanceof ReportBroken)
    assert.include(failed.failure.reason, "the provider named the same page again")
  })

  const reader: ReportReader = {
    inspect: () => Effect.die("the provider names the format"),
    read: (format, text) =>
      format === "scripted-balance" && typeof text === "string" && text.startsWith("[")
        ? Stream.fromIterable<ReadonlyArray<ReportEntry>>(JSON.parse(text))
        : Stream.fail(new ReportFileUnreadable({ reason: "row 1: it is cut off" }))
  }

  /** Two files of a day, each with its rows in chunks of one. */
  const inFiles = (own: World, entries: ReadonlyArray<ReportEntry>) => {
    const texts: Record<string, string> = {
      a: JSON.stringify(entries.slice(0, 2).map((entry) => [entry])),
      b: JSON.stringify(entries.slice(2).map((entry) => [entry]))
    }
    const files = [{ name: "a", generatedAt: paidAt }, { name: "b" }]
    own.provider.onListReport = () => Effect.succeed({ entries: [], files, nextCursor: null })
    own.provider.onDownloadReport = (file) => Effect.succeed(texts[file] ?? "")
    return texts
  }
  const anHour = { from: paidAt, until: paidAt + hour }

  const filed = world()
  it.effect("rows of a page's files are read; a cut or silent file ends the fetch", () =>
    Effect.gen(function* () {
      const { entries, payments } = yield* listedPayments(filed, 3)
      const texts = inFiles(filed, entries)
      const whole = texts["b"] ?? ""
      texts["b"] = "cut"
      const cut = yield* Effect.result(fetch(anHour))
      assert(Result.isFailure(cut) && cut.failure instanceof ReportBroken)
      assert.strictEqual(cut.failure.reason, "the provider gave no complete answer: file b: row 1: it is cut off")
      texts["b"] = whole
      const download = filed.provider.onDownloadReport
      // The first reading of the two files, and the second one.
      for (const nth of [2, 4]) {
        let downloads = 0
        filed.provider.onDownloadReport = (file) =>
          ++downloads === nth ? Effect.fail(new Unanswered({ reason: "timed out" })) : download(file)
        const silent = yield* Effect.result(fetch(anHour))
        assert(Result.isFailure(silent) && silent.failure instanceof ReportBroken)
        assert.include(silent.failure.reason, "timed out")
      }
      filed.provider.onDownloadReport = download
      const [run] = yield* fetch(anHour)
      assert.deepStrictEqual([run?.state, run?.rowsDone, run?.counts.matched], ["done", 3, 3])
      const byNumber = (yield* entriesOf).toSorted((a, b) => a.number - b.number)
      assertFields(byNumber, "generatedAt", paidAt, paidAt, run?.startedAt)
      for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
    }).pipe(Effect.provide(filed.layer), Effect.provideService(ReportReader, reader))
  )

  for (const killedAt of [1, 2, 3, 4]) {
    const killed = world()
    it.effect(`no row is lost or twice after a process died at file ${killedAt}`, () =>
      Effect.gen(function* () {
        const { entries, payments } = yield* listedPayments(killed, 3)
        inFiles(killed, entries)
        const download = killed.provider.onDownloadReport
        let downloads = 0
        killed.provider.onDownloadReport = (file) => (++downloads === killedAt ? Effect.interrupt : download(file))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(fetch(anHour))))
        killed.provider.onDownloadReport = download
        const [run] = yield* fetch(anHour)
        assert.deepStrictEqual([run?.state, run?.counts.matched], ["done", 3])
        assert.lengthOf(yield* entriesOf, 3)
        for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
      }).pipe(Effect.provide(killed.layer), Effect.provideService(ReportReader, reader))
    )
  }

  const notMade = world()
  it.effect("a file that the provider did not make has no rows; an empty one ends the fetch", () =>
    Effect.gen(function* () {
      const { entries } = yield* listedPayments(notMade, 2)
      const texts = inFiles(notMade, entries)
      const download = notMade.provider.onDownloadReport
      notMade.provider.onDownloadReport = (file) => (file === "b" ? Effect.succeed(null) : download(file))
      const [run] = yield* fetch(anHour)
      assert.deepStrictEqual([run?.state, run?.rowsDone, run?.counts.matched], ["done", 2, 2])
      notMade.provider.onDownloadReport = download
      texts["b"] = ""
      const failed = yield* Effect.result(fetch(anHour))
      assert(Result.isFailure(failed) && failed.failure instanceof ReportBroken)
      assert.include(failed.failure.reason, "file b: row 1: it is cut off")
    }).pipe(Effect.provide(notMade.layer), Effect.provideService(ReportReader, reader))
  )

  itIn("a fetch in a program without a reader of files says so", world(), function* (own) {
    const { entries } = yield* listedPayments(own, 1)
    inFiles(own, entries)
    const failed = yield* Effect.result(fetch(anHour))
    assert(Result.isFailure(failed) && failed.failure instanceof ReportBroken)
    assert.include(failed.failure.reason, "file a: this program reads no report files")
  })

  itIn("a refused order names the field and what was expected", world(), function* (own) {
    yield* listedPayments(own, 0)
    const now = paidAt + 3 * day
    const reasonOf = Effect.fnUntraced(function* (order: Parameters<typeof fetch>[0]) {
      const failed = yield* Effect.result(fetch(order))
      return Result.isFailure(failed) && failed.failure instanceof ReportRefused ? failed.failure.reason : "none"
    })
    assert.strictEqual(yield* reasonOf({ report: "other" }), "report: expected one of scripted-balance")
    const ago = "until: expected a time that was 60 minutes ago or earlier: rows of scripted-balance may still come"
    assert.strictEqual(yield* reasonOf({ until: now - hour + 1 }), ago)
    assert.include(yield* reasonOf({ from: now }), "from: expected a time before the end")
    assert.include(yield* reasonOf({ from: now - 400 * day }), "from: expected a period of at most 366 days")
    assert.deepStrictEqual(own.provider.lists, [])
  })

  itIn("the refusal of a connector without reports says to read files", world(), function* () {
    const failed = yield* Effect.result(fetch())
    assert(Result.isFailure(failed) && failed.failure instanceof ReportRefused)
    assert.include(failed.failure.reason, "fetches no reports; read them from files")
  })
})
