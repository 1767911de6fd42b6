/** A provider's report in a file: which format it has, and its rows with the hash of its bytes. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import type { ReportEntry } from "@pointsman/core/connector"
import { Data, Effect, Result, Stream } from "effect"
import { formatNamed, formatOfHeader, formatsOf } from "./formats/index.ts"
import { readReport } from "./ReadReport.ts"
import type { DocumentedFormat } from "./ReportFormat.ts"

/** Of the file that is read at once, in bytes. */
const pieceBytes = 256 * 1024

/** Characters of the first line that are looked at. */
export const headerAtMost = 64 * 1024

const bytesOf = (path: string): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: pieceBytes })

export interface ReportFile {
  /** Without its folder. */
  readonly fileName: string
  /** In lower-case hexadecimal. */
  readonly sha256: string
  readonly header: string
}

/** Reads the file once, for its hash. Rejects as Node does where it cannot be read. */
export const inspectReport = async (path: string): Promise<ReportFile> => {
  const hash = createHash("sha256")
  const utf8 = new TextDecoder()
  let first = ""
  for await (const bytes of bytesOf(path)) {
    hash.update(bytes)
    if (first.length < headerAtMost && !first.includes("\n")) first += utf8.decode(bytes, { stream: true })
  }
  return { fileName: basename(path), sha256: hash.digest("hex"), header: headerOf(first) }
}

/** The first line of a text. */
export const headerOf = (text: string): string => text.replace(/^\uFEFF/u, "").split(/\r?\n/u, 1)[0] ?? ""

/** What is wrong, and of which argument: the reason says what was expected. */
export interface FormatFault {
  readonly field: "connection" | "format"
  readonly reason: string
}

/** The format of that name; else the one that the first line of the file has, of those of the connection's provider. */
export const formatOf = (
  name: string | undefined,
  connector: string,
  { header }: Pick<ReportFile, "header">
): Result.Result<DocumentedFormat, FormatFault> => {
  const formats = formatsOf(connector)
  const names = formats.map((format) => format.name).join(", ")
  if (formats.length === 0) {
    return Result.fail({ field: "connection", reason: `no report of the connector ${connector} can be read` })
  }
  if (name !== undefined) {
    const named = formatNamed(name)
    return named === undefined
      ? Result.fail({ field: "format", reason: `expected one of ${names}` })
      : Result.succeed(named)
  }
  const [only] = formats
  if (formats.length === 1 && only !== undefined) return Result.succeed(only)
  const delimiters = [...new Set(formats.map(({ delimiter }) => delimiter))]
  for (const delimiter of delimiters) {
    const cells = header.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/u, "$1"))
    const found = formatOfHeader(
      cells,
      formats.filter((one) => one.delimiter === delimiter)
    )
    if (found !== undefined) return Result.succeed(found)
  }
  const reason = `expected one of ${names}; the first line of the file does not tell which`
  return Result.fail({ field: "format", reason })
}

class ReportFileBroken extends Data.TaggedError("pointsman/ReportFileBroken")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** Its entries. It rejects where the file is no such report, or is another file by now. */
export const entriesOf = (
  path: string,
  format: DocumentedFormat,
  { sha256 }: Pick<ReportFile, "sha256">
): AsyncIterable<ReadonlyArray<ReportEntry>> => {
  const hash = createHash("sha256")
  const unreadable = (cause: unknown) => new ReportFileBroken({ message: "the file cannot be read", cause })
  const bytes = Stream.fromAsyncIterable(bytesOf(path), unreadable).pipe(
    Stream.tap((piece) => Effect.sync(() => hash.update(piece)))
  )
  const isSame = Effect.suspend(() =>
    hash.digest("hex") === sha256
      ? Effect.succeed<ReadonlyArray<ReportEntry>>([])
      : Effect.fail(new ReportFileBroken({ message: "the file changed while it was read" }))
  )
  return readReport(bytes, format).pipe(
    Stream.map((entries) => entries.map(({ entry }) => entry)),
    Stream.mapError((failure) =>
      "row" in failure ? new ReportFileBroken({ message: `row ${failure.row}: ${failure.reason}` }) : failure
    ),
    Stream.concat(Stream.fromEffect(isSame)),
    Stream.toAsyncIterable
  )
}

// A report that was downloaded, for `ReportReader` of core: its entries by the name of its format.
