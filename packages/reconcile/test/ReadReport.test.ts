/** Files as they come: in pieces, compressed, cut off, and of something else. */
import { gzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import { type NumberedEntry, ReportUnreadable, readReport } from "@pointsman/reconcile"
import { Effect, Stream } from "effect"
import { mixed } from "./support/Movements.ts"
import { entriesOf, entriesOfText, itRuns, named, textBytes } from "./support/Read.ts"
import { lineOf, reportBytes, reportFiles } from "./support/ReportFiles.ts"

const http = named("http")
const header = "row_id,kind,gross,currency,occurred_at,reference"
const row = (id: string, rest = "order 1") => `${id},charge,1999,EUR,2026-01-31T12:00:00Z,${rest}`

/** Ids of rows, and of others the row, the field and the reason. */
const told = (entries: ReadonlyArray<NumberedEntry>) =>
  entries.map(({ entry }) =>
    entry._tag === "Row"
      ? entry.row.id
      : `${entry.unreadable.row} ${entry.unreadable.field}: ${entry.unreadable.reason}`
  )

const refused = (text: string, format = http, size?: number) =>
  Effect.map(Effect.flip(entriesOfText(text, format, size)), ({ column, reason, row }) => ({ row, column, reason }))

describe("readReport", () => {
  itRuns("marks, quotes, CRLF, empty lines and small pieces read as they are written", function* () {
    const text = `\uFEFF${header}\r\n${row("a", '"two ""lines"",\r\nof ünïcode"')}\r\n\r\n${row("b")}`
    const entries = yield* entriesOfText(text, http, 3)
    assert.deepStrictEqual(
      entries.map(({ entry, row }) => [row, entry._tag === "Row" ? entry.row.names.reference : entry.unreadable.field]),
      [
        [2, 'two "lines",\r\nof ünïcode'],
        [4, "order 1"]
      ]
    )
  })

  itRuns("a format with other delimiters reads its rows", function* () {
    for (const delimiter of [";", "\t"]) {
      const text = `${header}\n${row("a")}\n`.replaceAll(",", delimiter)
      assert.deepStrictEqual(told(yield* entriesOfText(text, { ...http, delimiter })), ["a"])
    }
  })

  itRuns("the rows of UTF-16 with its mark, as spreadsheets export, are read", function* () {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`${header}\n${row("a")}\n`, "utf16le")])
    assert.deepStrictEqual(told(yield* entriesOf(Stream.make(new Uint8Array(bytes)), http)), ["a"])
  })

  itRuns("2,345 rows come in chunks of 1,000 and in their order", function* () {
    const lines = Array.from({ length: 2_345 }, (_, index) => row(String(index)))
    const chunks = yield* Stream.runCollect(readReport(textBytes([header, ...lines].join("\n"), 1_000), http))
    assert.deepStrictEqual(
      chunks.map(({ length }) => length),
      [1_000, 1_000, 345]
    )
    assert.deepStrictEqual(
      chunks.flat().map(({ row }) => row),
      lines.map((_, index) => index + 2)
    )
  })

  itRuns("the rest of a report is not read if only its first chunk is taken", function* () {
    let pulled = 0
    const line = `${row("a")}\n`
    const pieces = function* () {
      yield Buffer.from(`${header}\n`)
      for (; pulled < 1_000; pulled++) yield Buffer.from(line.repeat(100))
    }
    const chunks = yield* readReport(Stream.fromIterable(pieces(), { chunkSize: 1 }), http).pipe(
      Stream.take(1),
      Stream.runCollect
    )
    assert.strictEqual(chunks.flat().length, 1_000)
    assert.isBelow(pulled, 30)
  })

  itRuns("the rows of a report in gzip are read; cut off it is refused", function* () {
    const lines = Array.from({ length: 5_000 }, (_, index) => row(String(index)))
    const bytes = new Uint8Array(gzipSync([header, ...lines].join("\n")))
    assert.strictEqual((yield* entriesOf(Stream.make(bytes), http)).length, 5_000)
    const cut = yield* Effect.flip(entriesOf(Stream.make(bytes.subarray(0, bytes.length - 100)), http))
    assert.strictEqual(cut.reason, "the report is not readable as gzip; it may be incomplete")
    const broken = bytes.map((byte, index) => (index === 5_000 ? byte ^ 0xff : byte))
    assert.instanceOf(yield* Effect.flip(entriesOf(Stream.make(broken), http)), ReportUnreadable)
  })

  itRuns("a last line that is cut off is an entry that names the first cell it lacks", function* () {
    const text = `${header}\n${row("a")}\nb,charge,19`
    assert.deepStrictEqual(told(yield* entriesOfText(text, http)), ["a", "3 currency: the row ends before it"])
    const within = `${header}\n${row("a")}\n${row("b").slice(0, -15)}`
    assert.deepStrictEqual(told(yield* entriesOfText(within, http)), ["a", "3 reference: the row ends before it"])
  })

  itRuns("a row with an unquoted delimiter is an entry that is not readable", function* () {
    const text = `${header}\n${row("a", "order 1, of 2")}\n${row("b")},,\n`
    assert.deepStrictEqual(told(yield* entriesOfText(text, http)), [
      "2 column 7: the row has more cells than the header has columns",
      "b"
    ])
  })

  itRuns("files that are no report of the format are refused with what was expected", function* () {
    const missing = yield* refused(`${header.replace("gross", "Betrag")}\n${row("a")}\n`)
    assert.deepStrictEqual(missing, {
      row: 1,
      column: "gross",
      reason: 'the column "gross" is missing: expected a report of the format http (docs/reference/report-formats.md)'
    })
    assert.strictEqual((yield* refused("")).reason, "the report is empty")
    assert.strictEqual((yield* refused("\n\n")).reason, "the report is empty")
    assert.strictEqual((yield* refused("PK\u0003\u0004\u0000\u0000binary")).column, "row_id")
    const payPal = yield* refused("Transaction ID,Invoice ID\n1,2\n", named("paypal-settlement"))
    assert.strictEqual(payPal.column, "RH")
  })

  itRuns("the error says where quotation marks are not CSV", function* () {
    const good = `${header}\n${row("a")}\n`
    for (const [text, reason] of [
      [`${row("b", '"never closed')}\n${row("c")}`, "is not closed; the report may be incomplete"],
      [`${row("b", '"closed"here')}\n`, "is followed by something else than a delimiter or the end of the row"],
      [`${row("b", 'in"side')}\n`, "is inside a cell that does not begin with one"]
    ] as const) {
      assert.deepStrictEqual(yield* refused(`${good}${text}`), {
        row: 3,
        column: null,
        reason: `a quotation mark ${reason}`
      })
    }
  })

  itRuns("a row of 70,000 bytes refuses the report there, and its size is the limit", function* () {
    const long = "x".repeat(70_000)
    for (const cell of [long, `"${long}"`]) {
      assert.deepStrictEqual(yield* refused(`${header}\n${row("a")}\n${row("b", cell)}\n`, http, 10_000), {
        row: 3,
        column: null,
        reason: "the row is longer than 65536 bytes"
      })
    }
  })

  itRuns("a small file that becomes large is refused before it does", function* () {
    const head = `${header}\n${row("a")}\n`
    const tooLong = "the row is longer than 65536 bytes"
    assert.strictEqual((yield* refused(head + ",".repeat(200_000))).reason, tooLong)
    const compressed = (filler: string) => Stream.make(new Uint8Array(gzipSync(head + filler.repeat(20_000_000))))
    const files = [compressed(","), compressed("\n")]
    const before = process.memoryUsage().rss
    const reasons = yield* Effect.forEach(files, (file) => Effect.flip(entriesOf(file, http)))
    assert.deepStrictEqual(
      reasons.map(({ reason }) => reason),
      [tooLong, "the report is compressed to less than 1/200 of its size"]
    )
    assert.isBelow(process.memoryUsage().rss - before, 100_000_000)
  })

  itRuns("empty lines count as rows of the file and are none of the report", function* () {
    const text = `\n${header}\n\n""\n${row("a")}${"\n".repeat(100_000)}${row("b")}\nc,charge`
    const entries = yield* entriesOfText(text, http)
    assert.deepStrictEqual(
      entries.map(({ row: number }) => number),
      [5, 100_005, 100_006]
    )
  })

  itRuns("the error of a source that fails comes through", function* () {
    const bytes = Stream.concat(textBytes(`${header}\n`), Stream.fail("disk" as const))
    assert.strictEqual(yield* Effect.flip(entriesOf(bytes, http)), "disk")
  })
})

describe("bytes that were changed", () => {
  const changes = process.env["POINTSMAN_LONG"] === "all" ? 100_000 : 4_000

  itRuns(`${changes} changed bytes in reports of every format throw and show nothing`, function* () {
    const secret = "order"
    let read = 0
    let changed = 0
    for (let round = 0; changed < changes; round++) {
      const file = reportFiles[round % reportFiles.length]
      if (file === undefined) throw new Error("no file")
      const chunks = yield* Stream.runCollect(reportBytes(file, { count: 12, seed: round }))
      const bytes = Buffer.concat(chunks)
      for (let change = 0; change < 50; change++, changed++) {
        bytes[mixed(changed, 3) % bytes.length] = mixed(changed, 4) & 0xff
      }
      // Some are cut off as well.
      const cut = round % 3 === 0 ? bytes.subarray(0, mixed(round, 5) % bytes.length) : bytes
      const result = yield* Effect.result(entriesOf(Stream.make(new Uint8Array(cut)), named(file.format)))
      if (result._tag === "Failure") {
        assert.instanceOf(result.failure, ReportUnreadable)
        assert.notInclude(result.failure.reason, secret)
        continue
      }
      for (const { entry } of result.success) {
        if (entry._tag === "Unreadable") assert.notInclude(entry.unreadable.reason, secret)
        else {
          assert.isTrue(Number.isSafeInteger(entry.row.gross.minorUnits))
          assert.isTrue(entry.row.id.length > 0 && entry.row.id.length <= 255)
        }
        read += 1
      }
    }
    assert.isAbove(read, changes / 50)
  })

  itRuns("only a header of every format has no rows", function* () {
    for (const { after, before, format } of reportFiles) {
      const text = [...before, ...after].map(lineOf).join("")
      assert.deepStrictEqual(yield* entriesOfText(text, named(format)), [])
    }
  })
})
