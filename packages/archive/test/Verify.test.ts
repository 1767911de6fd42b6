/** An archive that was changed: each change is found. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentArchive from "@pointsman/archive"
import type { ArchiveReport } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import { acme, closedPayment, idAt, march } from "./support/Payments.ts"

interface Paths {
  readonly object: string
  readonly manifest: string
}

const withChange = (change: (paths: Paths) => void, test: (report: ArchiveReport) => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-verify-"))),
    (folder) =>
      Effect.scoped(
        Effect.gen(function* () {
          const archive = yield* PaymentArchive.make({ folder })
          yield* archive.put([1, 2, 3].map((number) => closedPayment({ number })))
          yield* archive.put([closedPayment({ number: 7 })])
          const pathOf = (top: string) => {
            const month = join(folder, top, "acme", "production", "2019-03")
            return join(month, readdirSync(month).sort()[0] ?? "")
          }
          change({ object: pathOf("payments"), manifest: pathOf("manifests") })
          test(yield* archive.verify(acme))
        })
      ),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const faultsOf = ({ faults }: ArchiveReport) => faults.map(({ fault }) => fault)

const rewrite = (object: string, change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const lines = gunzipSync(readFileSync(object)).toString("utf8").trimEnd().split("\n")
  writeFileSync(
    object,
    gzipSync(
      change(lines)
        .map((line) => `${line}\n`)
        .join("")
    )
  )
}

describe("verifying an archive", () => {
  it.live("an unchanged archive has no fault", () =>
    withChange(
      () => {},
      (report) => {
        assert.deepStrictEqual(faultsOf(report), [])
        assert.strictEqual(report.payments, 4)
        assert.strictEqual(report.sums[0]?.capturedMinor, 3_600)
      }
    )
  )

  it.live("any flipped byte of an object is found", () =>
    Effect.gen(function* () {
      for (const share of [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999]) {
        yield* withChange(
          ({ object }) => {
            const bytes = readFileSync(object)
            const at = Math.floor(bytes.length * share)
            bytes[at] = (bytes[at] ?? 0) ^ 0x10
            writeFileSync(object, bytes)
          },
          (report) => assert.isAbove(report.faultCount, 0, `byte at ${share}`)
        )
      }
    })
  )

  it.live("a missing line changes hashes, counts and sums", () =>
    withChange(
      ({ object }) => rewrite(object, (lines) => lines.toSpliced(1, 1)),
      (report) => {
        const faults = faultsOf(report)
        assert.include(faults, "its contents do not have the hash that its name states")
        assert.include(faults, "payments: the manifest states 3, and the object has 2")
        assert.isTrue(faults.some((fault) => fault.startsWith("sums: the manifest states")))
        assert.isTrue(faults.some((fault) => fault.startsWith("lines_sha256: the manifest states")))
      }
    )
  )

  it.live("lines in another order are found", () =>
    withChange(
      ({ object }) => rewrite(object, (lines) => lines.toReversed()),
      (report) => assert.include(faultsOf(report), `payment ${idAt(march, 2)} is not in the order of ids`)
    )
  )

  it.live("the field of a wrong sum in a manifest is named", () =>
    withChange(
      ({ manifest }) => {
        const text = readFileSync(manifest, "utf8")
        writeFileSync(manifest, text.replace('"captured": 2700', '"captured": 2701'))
      },
      (report) => {
        assert.strictEqual(report.faultCount, 1)
        assert.match(faultsOf(report)[0] ?? "", /^sums: the manifest states .*2701.*, and the object has .*2700/u)
      }
    )
  )

  it.live("the line of an amount that breaks a rule of money is named", () =>
    withChange(
      ({ object }) =>
        rewrite(object, (lines) => lines.map((line) => line.replaceAll('"capturedMinor":900', '"capturedMinor":9001'))),
      (report) => assert.deepStrictEqual(faultsOf(report), ["line 1: captured more than was authorized"])
    )
  )

  for (const [what, change, fault] of [
    ["object", ({ object }: Paths) => rmSync(object), "the object is missing"],
    ["manifest", ({ manifest }: Paths) => rmSync(manifest), "its manifest is missing"]
  ] as const) {
    it.live(`a missing ${what} is found`, () =>
      withChange(change, (report) => assert.deepStrictEqual(faultsOf(report), [fault]))
    )
  }

  it.live("an object that is cut off is found", () =>
    withChange(
      ({ object }) => writeFileSync(object, readFileSync(object).subarray(0, -20)),
      (report) => assert.deepStrictEqual(faultsOf(report), ["it cannot be decompressed (Z_BUF_ERROR)"])
    )
  )

  it.live("an invalid manifest is found, and a list fails", () =>
    Effect.gen(function* () {
      for (const text of ["{}", "null", "not JSON", '{"format":1}']) {
        yield* withChange(
          ({ manifest }) => writeFileSync(manifest, text),
          (report) => assert.deepStrictEqual(faultsOf(report), ["its manifest is malformed"])
        )
      }
    })
  )

  it.live("a stranger's file is named", () =>
    withChange(
      ({ object }) => writeFileSync(join(object, "..", "notes.txt"), "hello"),
      (report) => assert.deepStrictEqual(faultsOf(report), ["its name is not that of an object"])
    )
  )

  it.live("a lookup does not answer with a line of another tenant", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-verify-"))),
      (folder) =>
        Effect.scoped(
          Effect.gen(function* () {
            const archive = yield* PaymentArchive.make({ folder })
            yield* archive.put([closedPayment({ number: 1 })])
            const month = join(folder, "payments", "acme", "production", "2019-03")
            rewrite(join(month, readdirSync(month)[0] ?? ""), (lines) =>
              lines.map((line) => line.replaceAll('"workspaceId":"acme"', '"workspaceId":"evil"'))
            )
            assert.isTrue(Exit.isFailure(yield* Effect.exit(archive.find(acme, idAt(march, 1)))))
          })
        ),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
})
