/** Reports that are fetched from a provider: what is read, where the next fetch begins, and what a kill leaves. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman, ReportBroken, ReportRefused } from "@pointsman/core"
import type { ListRequest, ReportEntry } from "@pointsman/core/connector"
import { ReportFileUnreadable, ReportReader, Unanswered } from "@pointsman/core/ports"
import { Effect, Exit, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { stored } from "./support/Pages.ts"
import { day, entriesOf, listedPayments, orderOf, pageOf, paidAt, reconcile } from "./support/Reports.ts"
import { assertFields } from "./support/Steps.ts"
import { tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const hour = 60 * minute

const fetch = (more: { readonly from?: number; readonly until?: number; readonly report?: string } = {}) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => reconciliation.fetch({ connectionId: "main", ...more }))

/** Why a fetch ended before it was whole. */
const brokenBy = (...asked: Parameters<typeof fetch>) =>
  Effect.map(Effect.flip(fetch(...asked)), (failure) =>
    failure instanceof ReportBroken ? failure.reason : failure._tag
  )

/** All payments of a report are settled, each by one row. */
const assertSettled = Effect.fnUntraced(function* (payments: ReadonlyArray<Payment>) {
  assert.lengthOf(
    (yield* entriesOf).filter(({ result }) => result === "matched"),
    payments.length
  )
  for (const payment of payments) assert.strictEqual((yield* stored(payment)).state, "Settled")
})

describe("fetched reports", () => {
  itHere("five rows over three pages of a day are each applied once, in one run", function* (whole) {
    const { payments } = yield* listedPayments(whole, 5)
    const [run, ...others] = yield* fetch({ from: paidAt, until: paidAt + day })
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.rowsUnreadable, others.length], ["done", 5, 0, 0])
    assert.strictEqual(run?.format, "scripted-balance")
    assert.strictEqual(run?.fileName, "scripted-balance from 1970-01-11T00:00:00.000Z until 1970-01-12T00:00:00.000Z")
    assert.lengthOf(yield* entriesOf, 5)
    yield* assertSettled(payments)
    const again = yield* fetch({ from: paidAt, until: paidAt + day })
    assert.deepStrictEqual(again, run === undefined ? [] : [run])
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
      assert.strictEqual(yield* brokenBy(window), "the provider gave no complete answer: timed out")
    }
    silent.provider.onListReport = (asked) => Effect.succeed(pageOf(entries, asked))
    const [run] = yield* fetch(window)
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.rowsKnown], ["done", 5, 0])
    yield* assertSettled(payments)
  })

  itHere("rows that change between readings keep the run open, and the next has them all", function* (own) {
    const { entries } = yield* listedPayments(own, 3)
    let pages = 0
    // Two pages are one reading: the first row is missing in the first.
    own.provider.onListReport = (asked) => Effect.succeed(pageOf(++pages === 1 ? entries.slice(1) : entries, asked))
    const window = { from: paidAt, until: paidAt + 3_600_000 }
    assert.strictEqual(yield* brokenBy(window), "the provider's rows changed while they were read")
    const [run] = yield* fetch(window)
    assert.strictEqual(run?.state, "done")
    assert.strictEqual((yield* entriesOf).length, 3)
  })

  itHere("no payment is settled twice by a page that comes under two cursors", function* (own) {
    const { entries, payments } = yield* listedPayments(own, 2)
    own.provider.onListReport = ({ cursor }) =>
      Effect.succeed({ entries, nextCursor: cursor === null ? "again" : null })
    const [run] = yield* fetch({ from: paidAt, until: paidAt + hour })
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.counts.matched], ["done", 4, 2])
    yield* assertSettled(payments)
  })

  itHere("a provider that names the same page again ends the fetch with an explanation", function* (own) {
    yield* listedPayments(own, 1)
    own.provider.onListReport = () => Effect.succeed({ entries: [], nextCursor: "a" })
    assert.include(yield* brokenBy({ from: paidAt, until: paidAt + 1 }), "the provider named the same page again")
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

  const filed = () => {
    const own = world()
    return { ...own, layer: Layer.provide(own.layer, Layer.succeed(ReportReader, reader)) }
  }
  itIn("rows of a page's files are read; a cut or silent file ends the fetch", filed(), function* (own) {
    const { entries, payments } = yield* listedPayments(own, 3)
    const texts = inFiles(own, entries)
    const whole = texts["b"] ?? ""
    texts["b"] = "cut"
    assert.strictEqual(yield* brokenBy(anHour), "the provider gave no complete answer: file b: row 1: it is cut off")
    texts["b"] = whole
    const download = own.provider.onDownloadReport
    // The first reading of the two files, and the second one.
    for (const nth of [2, 4]) {
      let downloads = 0
      own.provider.onDownloadReport = (file) =>
        ++downloads === nth ? Effect.fail(new Unanswered({ reason: "timed out" })) : download(file)
      assert.include(yield* brokenBy(anHour), "timed out")
    }
    own.provider.onDownloadReport = download
    const [run] = yield* fetch(anHour)
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.counts.matched], ["done", 3, 3])
    const byNumber = (yield* entriesOf).toSorted((a, b) => a.number - b.number)
    assertFields(byNumber, "generatedAt", paidAt, paidAt, run?.startedAt)
    yield* assertSettled(payments)
  })

  for (const killedAt of [1, 2, 3, 4]) {
    itIn(`no row is lost or twice after a process died at file ${killedAt}`, filed(), function* (own) {
      const { entries, payments } = yield* listedPayments(own, 3)
      inFiles(own, entries)
      const download = own.provider.onDownloadReport
      let downloads = 0
      own.provider.onDownloadReport = (file) => (++downloads === killedAt ? Effect.interrupt : download(file))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(fetch(anHour))))
      own.provider.onDownloadReport = download
      const [run] = yield* fetch(anHour)
      assert.deepStrictEqual([run?.state, run?.counts.matched], ["done", 3])
      assert.lengthOf(yield* entriesOf, 3)
      yield* assertSettled(payments)
    })
  }

  itIn("a file that the provider did not make has no rows; an empty one ends the fetch", filed(), function* (own) {
    const { entries } = yield* listedPayments(own, 2)
    const texts = inFiles(own, entries)
    const download = own.provider.onDownloadReport
    own.provider.onDownloadReport = (file) => (file === "b" ? Effect.succeed(null) : download(file))
    const [run] = yield* fetch(anHour)
    assert.deepStrictEqual([run?.state, run?.rowsDone, run?.counts.matched], ["done", 2, 2])
    own.provider.onDownloadReport = download
    texts["b"] = ""
    assert.include(yield* brokenBy(anHour), "file b: row 1: it is cut off")
  })

  itHere("a fetch in a program without a reader of files says so", function* (own) {
    const { entries } = yield* listedPayments(own, 1)
    inFiles(own, entries)
    assert.include(yield* brokenBy(anHour), "file a: this program reads no report files")
  })

  itHere("a refused order names the field and what was expected", function* (own) {
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

  itHere("the refusal of a connector without reports says to read files", function* () {
    const failed = yield* Effect.result(fetch())
    assert(Result.isFailure(failed) && failed.failure instanceof ReportRefused)
    assert.include(failed.failure.reason, "fetches no reports; read them from files")
  })
})

/** A test after a first fetch, which found nothing up to an hour before its time. */
const itFetches = (title: string, body: Parameters<typeof itHere>[1]) =>
  itHere(title, function* (own, pointsman) {
    own.provider.onListReport = () => Effect.succeed({ entries: [], nextCursor: null })
    yield* TestClock.setTime(paidAt)
    yield* fetch()
    yield* Effect.gen(() => body(own, pointsman))
  })

const windowNames = (runs: ReadonlyArray<{ readonly fileName: string }>) => runs.map(({ fileName }) => fileName)

const named = (from: number, until: number) =>
  `scripted-balance from ${new Date(from).toISOString()} until ${new Date(until).toISOString()}`

describe("where the next fetch begins", () => {
  itFetches("a day fetched by hand behind a gap lets the next fetch read the gap and continue", function* () {
    yield* TestClock.setTime(paidAt + 4 * day)
    yield* fetch({ from: paidAt + 2 * day, until: paidAt + 3 * day })
    assert.deepStrictEqual(windowNames(yield* fetch()), [
      named(paidAt - hour, paidAt),
      named(paidAt, paidAt + day),
      named(paidAt + day, paidAt + 2 * day),
      named(paidAt + 2 * day, paidAt + 3 * day),
      named(paidAt + 3 * day, paidAt + 4 * day - hour)
    ])
    assert.deepStrictEqual(yield* fetch(), [])
  })

  itFetches("the next fetch begins behind what followed a gap that was filled by hand", function* () {
    yield* TestClock.setTime(paidAt + 4 * day)
    yield* fetch({ from: paidAt + 2 * day, until: paidAt + 3 * day })
    yield* fetch({ from: paidAt - 2 * hour, until: paidAt + 2 * day })
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt + 3 * day, paidAt + 4 * day - hour)])
  })

  itFetches("three days are fetched again once a clock that was ahead of them is right", function* () {
    yield* TestClock.setTime(paidAt + 3 * day)
    yield* fetch()
    yield* TestClock.setTime(paidAt + 4 * hour)
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt, paidAt + 3 * hour)])
  })

  itFetches("the next fetch begins behind a window read from a file of its name", function* () {
    yield* TestClock.setTime(paidAt + day)
    const format = { name: "scripted-balance", kinds: ["scripted"], delayMillis: 0 }
    yield* reconcile(orderOf([], { format, fileName: named(paidAt - hour, paidAt + hour) }))
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt + hour, paidAt + day - hour)])
  })

  itFetches("the next fetch begins at its own end, behind 1,000 newer runs of another report", function* () {
    yield* TestClock.setTime(paidAt + hour)
    for (let at = 0; at < 1_000; at++) yield* reconcile(orderOf([], { sha256: `other ${at}` }))
    assert.deepStrictEqual(windowNames(yield* fetch()), [named(paidAt - hour, paidAt)])
  })

  itFetches("a fetch a year after the last end reads a year, and the one after it the rest", function* () {
    yield* TestClock.setTime(paidAt + 400 * day)
    const year = yield* fetch()
    assert.lengthOf(year, 366)
    assert.strictEqual(year.at(-1)?.fileName, named(paidAt + 364 * day, paidAt + 365 * day))
    const rest = yield* fetch()
    assert.strictEqual(rest.at(-1)?.fileName, named(paidAt + 399 * day, paidAt + 400 * day - hour))
  })

  itHere("the next fetch ends the run of a first one killed while it is applied", function* (own) {
    yield* TestClock.setTime(paidAt)
    let pages = 0
    own.provider.onListReport = () => {
      // A day in part: 1 hour, read twice.
      pages += 1
      return pages === 2 ? Effect.interrupt : Effect.succeed({ entries: [], nextCursor: null })
    }
    assert.isTrue(Exit.isFailure(yield* Effect.exit(fetch())))
    yield* TestClock.setTime(paidAt + 10 * minute)
    const [run] = yield* fetch()
    assert.strictEqual(run?.fileName, named(paidAt - 7 * day - hour, paidAt - 7 * day))
    const { reconciliation } = yield* Pointsman
    const runs = yield* reconciliation.list({ tenant, connectionId: "main", limit: 100 })
    assert.deepStrictEqual(
      runs.filter(({ state }) => state !== "done"),
      []
    )
  })
})
