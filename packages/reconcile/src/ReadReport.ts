/**
 * Reads a report from its bytes, row by row. Neither the bytes nor the rows are ever all in memory: what is read ahead is one
 * piece of the input.
 */

import { createGunzip, type Gunzip } from "node:zlib"
import type { ReportEntry } from "@pointsman/core/connector"
import { CsvError, Parser } from "csv-parse"
import { Data, Effect, Stream } from "effect"
import type { ReadRecord, ReportFormat } from "./ReportFormat.ts"

/** The report cannot be read, or cannot be read on. Entries before may have been read. */
export class ReportUnreadable extends Data.TaggedError("pointsman/ReportUnreadable")<{
  /** Where reading stopped, counted from 1 with the header. */
  readonly row: number
  /** The column that is missing. */
  readonly column: string | null
  /** A sentence, without anything that was read. */
  readonly reason: string
}> {
  override get message(): string {
    return this.reason
  }
}

export interface NumberedEntry {
  /** The row of the file, counted from 1 with the header, as a spreadsheet counts. */
  readonly row: number
  readonly entry: ReportEntry
}

/** Entries of a chunk: what a consumer writes in one transaction. */
export const entriesAtMost = 1_000

/** Of one record, in bytes. A report's longest rows have some kilobytes; without a limit, one quote takes the whole file. */
const recordAtMost = 65_536

/** Of the input that is read at once, in bytes: some hundred rows. */
const pieceAtMost = 65_536

/** Compressed: one piece may become a thousand times as long. */
const compressedAtMost = 4_096

/** How many times as long a report may become. 20,000 rows in each of our formats become 3 to 11 times as long. */
const expansionAtMost = 200

/** Decompressed bytes of which that is not asked. */
const expansionFree = 1_048_576

const reasons: Readonly<Record<string, string>> = {
  GZIP: "the report is not readable as gzip; it may be incomplete",
  CSV_MAX_RECORD_SIZE: `the row is longer than ${recordAtMost} bytes`,
  CSV_QUOTE_NOT_CLOSED: "a quotation mark is not closed; the report may be incomplete",
  CSV_INVALID_CLOSING_QUOTE: "a quotation mark is followed by something else than a delimiter or the end of the row",
  EXPANSION: `the report is compressed to less than 1/${expansionAtMost} of its size`,
  INVALID_OPENING_QUOTE: "a quotation mark is inside a cell that does not begin with one"
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * csv-parse compares the length of each record with that of the first, and makes an error with a stack and a copy of the record
 * where it differs, although `relax_column_count` drops it: half of the time that a report of several kinds of records takes. A
 * record is expected to be as long as the one before. Where a later version keeps the length elsewhere, reading is slower.
 */
interface WithLength {
  readonly state?: { expectedRecordLength?: number }
}

/** What reads one report. Pieces are given to it one after the other. */
class Reader {
  readonly #format: ReportFormat
  readonly #parser: Parser
  #gunzip: Gunzip | undefined
  #isBegun = false
  /** Of the piece that is being read. */
  #waiting: (() => void) | undefined
  #failure: ReportUnreadable | undefined
  #read: ReadRecord | undefined
  #row = 0
  #received = 0
  #parsed = 0
  /** How many records and empty lines had ended, and how many bytes were parsed then. */
  #ended = { count: 0, at: 0 }
  #entries: Array<NumberedEntry> = []

  constructor(format: ReportFormat) {
    this.#format = format
    this.#parser = new Parser({
      bom: true,
      delimiter: format.delimiter,
      max_record_size: recordAtMost,
      skip_empty_lines: true,
      relax_column_count: true,
      // Records are taken here, and none goes into the stream: a stream of objects costs as much again.
      on_record: (record: ReadonlyArray<string>, { empty_lines, records }) => {
        const { state } = this.#parser as WithLength
        if (state !== undefined) state.expectedRecordLength = record.length
        this.#row = records + empty_lines
        this.#take(record)
        return null
      }
    })
    this.#parser.on("error", (error) => this.#failBy(error))
    this.#parser.resume()
  }

  readonly take = (piece: Uint8Array): Effect.Effect<ReadonlyArray<ReadonlyArray<NumberedEntry>>, ReportUnreadable> =>
    this.#entriesAfter((done) => {
      if (!this.#isBegun && isGzip(piece)) this.#gunzip = this.#decompressor()
      this.#isBegun = true
      this.#received += piece.length
      if (this.#gunzip === undefined) this.#parse(piece, done)
      else this.#gunzip.write(piece, done)
    }, false)

  readonly finish: Effect.Effect<ReadonlyArray<ReadonlyArray<NumberedEntry>>, ReportUnreadable> = Effect.suspend(() =>
    this.#entriesAfter((done) => {
      if (this.#gunzip === undefined) this.#parser.end(done)
      // Closed after its last bytes are out, or after it failed.
      else this.#gunzip.once("close", () => this.#parser.end(done)).end()
    }, true)
  )

  get isCompressed(): boolean {
    return this.#gunzip !== undefined
  }

  readonly close = Effect.sync(() => {
    this.#gunzip?.destroy()
    this.#parser.destroy()
  })

  #decompressor(): Gunzip {
    const gunzip = createGunzip()
    gunzip.on("data", (bytes: Uint8Array) => {
      if (this.#failure === undefined) this.#parse(bytes, () => {})
    })
    gunzip.on("error", (error) => {
      this.#failBy(error)
      // Where decompression fails, Node does not call the callback of the write.
      this.#waiting?.()
    })
    return gunzip
  }

  /** The parser counts what is in the cells of a record, and not the delimiters, so that these have no limit there. */
  #parse(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    const { empty_lines, records } = this.#parser.info
    if (records + empty_lines > this.#ended.count) this.#ended = { count: records + empty_lines, at: this.#parsed }
    if (this.#parsed - this.#ended.at >= recordAtMost) this.#refuse("CSV_MAX_RECORD_SIZE")
    this.#parsed += bytes.length
    if (this.#parsed > expansionFree + this.#received * expansionAtMost) this.#refuse("EXPANSION")
    if (this.#failure === undefined) this.#parser.write(bytes, done)
    else done()
  }

  #entriesAfter(
    act: (done: (error?: Error | null) => void) => void,
    isLast: boolean
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<NumberedEntry>>, ReportUnreadable> {
    return Effect.flatMap(
      Effect.callback<void>((resume) => {
        const done = (error?: Error | null) => {
          if (error) this.#failBy(error)
          resume(Effect.void)
        }
        this.#waiting = done
        if (this.#failure === undefined) act(done)
        else done()
      }),
      () => {
        if (isLast && this.#read === undefined) this.#fail("the report is empty")
        return this.#failure === undefined ? Effect.succeed(this.#chunks(isLast)) : Effect.fail(this.#failure)
      }
    )
  }

  /** Full chunks, and at the end what is left. */
  #chunks(isLast: boolean): ReadonlyArray<ReadonlyArray<NumberedEntry>> {
    const chunks: Array<ReadonlyArray<NumberedEntry>> = []
    while (this.#entries.length >= entriesAtMost || (isLast && this.#entries.length > 0)) {
      chunks.push(this.#entries.splice(0, entriesAtMost))
    }
    return chunks
  }

  #take(record: ReadonlyArray<string>): void {
    // A line of two quotation marks is empty too.
    if (this.#failure !== undefined || (record.length === 1 && record[0] === "")) return
    if (this.#read === undefined) {
      this.#open(record)
      return
    }
    const entry = this.#read(record, this.#row)
    if (entry !== undefined) this.#entries.push({ row: this.#row, entry })
  }

  #open(header: ReadonlyArray<string>): void {
    const read = this.#format.open(header)
    if (typeof read === "function") {
      this.#read = read
      return
    }
    const { name, page } = this.#format
    this.#fail(
      `the column "${read.missing}" is missing: expected a report of the format ${name} (${page})`,
      read.missing
    )
  }

  #failBy(error: Error): void {
    const code = error instanceof CsvError ? error.code : undefined
    const isCompressed = this.#gunzip !== undefined && code === undefined
    this.#refuse(isCompressed ? "GZIP" : (code ?? ""))
  }

  #refuse(code: string): void {
    this.#fail(reasons[code] ?? "the row is not readable as CSV")
  }

  #fail(reason: string, column: string | null = null): void {
    this.#failure ??= new ReportUnreadable({ row: this.#row + (column === null ? 1 : 0), column, reason })
  }
}

const piecesOf = function* (bytes: Uint8Array, atMost: () => number) {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + atMost())
    yield piece
    at += piece.length
  }
}

/**
 * The entries of a report in its order, in chunks of 1,000. `bytes`: the file, which may be compressed by gzip. Fails where the
 * file is no report of the format, or is not readable as CSV; a single row that cannot be read is an entry.
 */
export const readReport = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  format: ReportFormat
): Stream.Stream<ReadonlyArray<NumberedEntry>, E | ReportUnreadable, R> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Reader(format)),
        (reader) => reader.close
      ),
      (reader) => {
        const atMost = () => (reader.isCompressed ? compressedAtMost : pieceAtMost)
        const read = bytes.pipe(
          Stream.flatMap((chunk) => Stream.fromIterable(piecesOf(chunk, atMost), { chunkSize: 1 })),
          Stream.mapEffect(reader.take)
        )
        return Stream.concat(read, Stream.fromEffect(reader.finish)).pipe(Stream.flatMap(Stream.fromIterable))
      }
    )
  )
