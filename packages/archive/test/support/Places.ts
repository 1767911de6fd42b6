/** Where the archives of tests are, each for the life of its test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { startS3 } from "./S3Server.ts"

export type Body = Effect.fn.Return<unknown, unknown, Scope.Scope>

export const itRuns = (title: string, body: () => Body): void => it.live(title, () => Effect.gen(body))

export const newFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-archive-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const newBucket = Effect.acquireRelease(Effect.promise(startS3), ({ close }) => Effect.promise(close))
