/** Reports of every format as a provider may send them: nearly right ones, and all that a reader may stumble on. */
import { gzipSync } from "node:zlib"
import { formatOf, type NumberedEntry, readReport, reportFormats } from "@pointsman/reconcile"
import { Effect, Result, Stream } from "effect"
import * as fc from "fast-check"
import { reportFiles, writtenOf } from "../../../reconcile/test/support/ReportFiles.ts"
import { budgetOf, collectGarbage, type Receiver } from "./Judge.ts"
import { often, scratched, text } from "./Values.ts"

export interface Report {
  /** Of `reportFormats`. */
  readonly format: number
  /** Each character is one byte. */
  readonly content: string
  /** How often it is compressed. */
  readonly layers: number
  /** How many bytes are left away at the end of the file. */
  readonly cut: number
  /** Of the file that is read at once, in bytes. */
  readonly piece: number
}

/** Of a report, in bytes: nothing that is kept of it may grow with it. */
const heapBytes = 100_000_000

const used = () => {
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

const sound = ({ entry }: NumberedEntry): boolean => {
  if (entry._tag === "Unreadable") return true
  const { converted, fee, gross, id, net } = entry.row
  const amounts = [converted, fee, gross, net].flatMap((money) => (money === null ? [] : [money.minorUnits]))
  return amounts.every(Number.isSafeInteger) && id.length > 0 && id.length <= 255
}

/** Reads a report. Fails if a piece makes it keep more than that, or if an amount is not a whole number of minor units. */
export const openReader = async (): Promise<Receiver<Report>> => ({
  send: async ({ content, cut, format: at, layers, piece }) => {
    const [any] = reportFormats
    const format = reportFormats[at] ?? any
    if (format === undefined) throw new Error("no format")
    let file: Uint8Array = Buffer.from(content, "latin1")
    for (let layer = 0; layer < layers; layer++) file = gzipSync(file)
    file = file.subarray(0, Math.max(0, file.length - cut))
    const before = used()
    const look = Effect.sync(() => {
      if (used() - before > heapBytes) collectGarbage()
      if (used() - before > heapBytes) throw new Error(`keeps ${Math.round((used() - before) / 1e6)} MB`)
    })
    const [kind = ""] = format.kinds
    formatOf(undefined, kind, { header: content.split(/\r?\n/u, 1)[0] ?? "" })
    const pieces = Array.from({ length: Math.ceil(file.length / piece) }, (_, nth) =>
      file.subarray(nth * piece, (nth + 1) * piece)
    )
    let entries = 0
    const rows = readReport(Stream.fromIterable(pieces, { chunkSize: 1 }).pipe(Stream.tap(() => look)), format)
    const end = await Effect.runPromise(
      Effect.result(
        Stream.runForEach(rows, (chunk) => {
          if (!chunk.every(sound)) throw new Error("a row has an invalid amount or id")
          entries += chunk.length
          return look
        })
      )
    )
    return { status: Result.isFailure(end) ? 422 : entries === 0 ? 400 : 200, code: undefined }
  },
  close: async () => {}
})

export const budgetOfReport = ({ content }: Report): number => budgetOf(content.length)

type Table = ReadonlyArray<ReadonlyArray<string>>

/** Of each format, with its header. */
const tables = reportFormats.map(({ name }): Table => {
  const file = reportFiles.find(({ format }) => format === name)
  if (file === undefined) throw new Error(`no file of ${name}`)
  const records = [...writtenOf(file, { count: 8 })].map(({ record }) => record)
  return [...file.before, ...records, ...file.after]
})

const cell = fc.oneof(
  { weight: 4, arbitrary: text(20_000) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...["0", "-0", "+1", "-0.00", "1.", ".5", "1,99", "1.000,00", "1e3", "9007199254740993", "9007199254740.991"],
      ...["999999999999999", "-999999999999999.99", "1.000000000001", "(1.00)", "٣", "1_000", " 1.00 ", "0x10"],
      ...["2026-02-30 12:00:00", "2026-11-21T12:00:00+99:99", "0000-00-00", "9999-12-31 23:59:60"],
      ...["2026-03-29 02:30:00"],
      ...["EUR", "eur", "XXX", "JPY", "KWD", "CET", "America/New_York", "Etc/GMT+99", "DR", "CR", "CH", "SB", "RH"],
      ...["charge"]
    )
  },
  { weight: 1, arbitrary: fc.constantFrom("9", "0", "-", "0.").map((unit) => unit.repeat(40_000)) }
)

interface Edit {
  readonly row: number
  readonly column: number
  readonly how: "cell" | "without" | "added" | "column" | "double" | "row" | "empty" | "shift"
  readonly value: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  row: fc.nat(20),
  column: fc.nat(20),
  how: fc.constantFrom<Edit["how"]>(
    "cell",
    "cell",
    "cell",
    "cell",
    "without",
    "added",
    "column",
    "double",
    "row",
    "empty",
    "shift"
  ),
  value: cell
})

const edits: fc.Arbitrary<ReadonlyArray<Edit>> = fc.oneof(
  fc.constant([]),
  fc.array(edit, { minLength: 1, maxLength: 4 })
)

const edited = (table: Table, { column, how, row, value }: Edit): Table => {
  const nth = row % table.length
  if (how === "column") return table.map((record) => record.toSpliced(column % record.length, 1))
  if (how === "row") return table.toSpliced(nth, 1)
  if (how === "shift") return [...table.slice(nth), ...table.slice(0, nth)]
  return table.flatMap((record, at) => {
    if (at !== nth) return [record]
    const place = column % (record.length || 1)
    if (how === "double") return [record, record]
    if (how === "empty") return [record, ...Array.from({ length: value.length }, () => [])]
    const put = how === "without" ? [] : [value]
    return [record.toSpliced(place, how === "added" ? 0 : 1, ...put)]
  })
}

interface Style {
  readonly delimiter: string
  readonly line: string
  readonly quote: (text: string) => string
}

const written = (table: Table, { delimiter, line, quote }: Style): string =>
  table.map((record) => record.map(quote).join(delimiter) + line).join("")

const always = (text: string): string => `"${text.replaceAll('"', '""')}"`
const needed = (text: string): string => (/[",\r\n;\t]/u.test(text) ? always(text) : text)

const style = (delimiter: string): fc.Arbitrary<Style> =>
  fc.record({
    delimiter: often(fc.constant(delimiter), fc.constantFrom(",", ";", "\t", "|", " ", "")),
    line: fc.constantFrom("\n", "\n", "\n", "\r\n", "\r\n", "\r", "\n\n", "\r\r\n", "\u2028", " \n"),
    quote: often(
      fc.constantFrom(needed, needed, always),
      fc.constantFrom<Style["quote"]>(
        (text) => text,
        (text) => `"${text}`,
        (text) => `"${text}"x`,
        (text) => `'${text}'`,
        (text) => ` "${text}"`
      )
    )
  })

const encodings: ReadonlyArray<(text: string) => string> = [
  (text) => Buffer.from(`\uFEFF${text}`).toString("latin1"),
  (text) => Buffer.from(`\uFEFF${text}`, "utf16le").toString("latin1"),
  (text) => Buffer.from(text, "utf16le").toString("latin1"),
  (text) => Buffer.from(text, "latin1").toString("latin1")
]
const utf8 = (text: string) => Buffer.from(text).toString("latin1")

/** One unit again and again, in place of a report or behind its header. */
const filled = (header: string) =>
  fc
    .tuple(
      fc.constantFrom("", header),
      fc.constantFrom('"', "\n", ",", ";", "\t", "\r", '""', '"\n', "a", "1,", "\0", "\x1f\x8b\x08", '"",', " "),
      fc.constantFrom(300, 65_536, 65_537, 1_000_000)
    )
    .map(([before, unit, length]) => before + unit.repeat(length / unit.length))

const contentOf = (format: number): fc.Arbitrary<string> => {
  const table = tables[format] ?? []
  const delimiter = reportFormats[format]?.delimiter ?? ","
  const nearly = fc
    .record({
      edits,
      style: style(delimiter),
      encode: often(fc.constant(utf8), fc.constantFrom(...encodings))
    })
    .map(({ edits, encode, style }) => encode(written(edits.reduce(edited, table), style)))
  return fc.oneof(
    { weight: 30, arbitrary: scratched(nearly) },
    { weight: 1, arbitrary: filled(written(table.slice(0, 1), { delimiter, line: "\n", quote: needed })) },
    { weight: 2, arbitrary: text(20_000).map(utf8) }
  )
}

export const reports: fc.Arbitrary<Report> = fc.nat(reportFormats.length - 1).chain((format) =>
  fc.record({
    format: often(fc.constant(format), fc.nat(reportFormats.length - 1)),
    content: contentOf(format),
    layers: fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 3),
    cut: often(fc.constant(0), fc.nat(40), 5),
    piece: fc.constantFrom(262_144, 262_144, 262_144, 4_096, 997, 61)
  })
)
