/**
 * A report that a caller hands in as bytes. A report is read twice, first for its hash, and an iterable can be read once:
 * so its bytes go to a file that only this user can read, and that is gone when the report is read.
 */
import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, type Scope } from "effect"

/** The caller's iterable failed, or gave something else than bytes. */
export class BytesUnreadable {
  readonly _tag = "BytesUnreadable"
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

const checked = async function* (bytes: AsyncIterable<unknown>) {
  for await (const piece of bytes) {
    if (!(piece instanceof Uint8Array)) throw new TypeError("expected an iterable of Uint8Array")
    yield piece
  }
}

/** The path of a file with the bytes, which goes with the scope. */
export const fileOfBytes = (bytes: AsyncIterable<unknown>): Effect.Effect<string, BytesUnreadable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "pointsman-report-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.flatMap((folder) => {
      const path = join(folder, "report")
      return Effect.tryPromise({
        try: () => pipeline(Readable.from(checked(bytes)), createWriteStream(path, { mode: 0o600 })),
        catch: (cause) => new BytesUnreadable(cause)
      }).pipe(Effect.as(path))
    })
  )
