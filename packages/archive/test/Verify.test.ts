/** An archive that was changed: each change is found. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import * as PaymentArchive from "@pointsman/archive"
import type { ArchiveReport } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import { acme, closedPayment, idAt, march } from "./support/Payments.ts"
import { itRuns, newFolder } from "./support/Places.ts"

interface Paths {
  readonly object: string
  readonly manifest: string
}

const reportAfter = Effect.fnUntraced(function* (change: (paths: Paths) => void) {
  const folder = yield* newFolder
  const archive = yield* PaymentArchive.make({ folder })
  yield* archive.put([1, 2, 3].map((number) => closedPayment({ number })))
  yield* archive.put([closedPayment({ number: 7 })])
  const pathOf = (top: string) => {
    const month = join(folder, top, "acme", "production", "2019-03")
    return join(month, readdirSync(month).sort()[0] ?? "")
  }
  change({ object: pathOf("payments"), manifest: pathOf("manifests") })
  return yield* archive.verify(acme)
})

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

const spoilt = (text: string) =>
  [({ manifest }: Paths) => writeFileSync(manifest, text), "its manifest is malformed"] as const

describe("verifying an archive", () => {
  itRuns("an unchanged archive has no fault", function* () {
    const report = yield* reportAfter(() => {})
    assert.deepStrictEqual(faultsOf(report), [])
    assert.strictEqual(report.payments, 4)
    assert.strictEqual(report.sums[0]?.capturedMinor, 3_600)
  })

  itRuns("any flipped byte of an object is found", function* () {
    for (const share of [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999]) {
      const { faultCount } = yield* reportAfter(({ object }) => {
        const bytes = readFileSync(object)
        const at = Math.floor(bytes.length * share)
        bytes[at] = (bytes[at] ?? 0) ^ 0x10
        writeFileSync(object, bytes)
      })
      assert.isAbove(faultCount, 0, `byte at ${share}`)
    }
  })

  itRuns("a missing line changes hashes, counts and sums", function* () {
    const faults = faultsOf(yield* reportAfter(({ object }) => rewrite(object, (lines) => lines.toSpliced(1, 1))))
    assert.include(faults, "its contents do not have the hash that its name states")
    assert.include(faults, "payments: the manifest states 3, and the object has 2")
    assert.isTrue(faults.some((fault) => fault.startsWith("sums: the manifest states")))
    assert.isTrue(faults.some((fault) => fault.startsWith("lines_sha256: the manifest states")))
  })

  itRuns("lines in another order are found", function* () {
    const faults = faultsOf(yield* reportAfter(({ object }) => rewrite(object, (lines) => lines.toReversed())))
    assert.include(faults, `payment ${idAt(march, 2)} is not in the order of ids`)
  })

  itRuns("the field of a wrong sum in a manifest is named", function* () {
    const report = yield* reportAfter(({ manifest }) => {
      const text = readFileSync(manifest, "utf8")
      writeFileSync(manifest, text.replace('"captured": 2700', '"captured": 2701'))
    })
    assert.strictEqual(report.faultCount, 1)
    assert.match(faultsOf(report)[0] ?? "", /^sums: the manifest states .*2701.*, and the object has .*2700/u)
  })

  for (const [what, change, fault] of [
    [
      "an amount that breaks a rule of money",
      ({ object }) =>
        rewrite(object, (lines) => lines.map((line) => line.replaceAll('"capturedMinor":900', '"capturedMinor":9001'))),
      "line 1: captured more than was authorized"
    ],
    ["a missing object", ({ object }) => rmSync(object), "the object is missing"],
    ["a missing manifest", ({ manifest }) => rmSync(manifest), "its manifest is missing"],
    [
      "an object that is cut off",
      ({ object }) => writeFileSync(object, readFileSync(object).subarray(0, -20)),
      "it cannot be decompressed (Z_BUF_ERROR)"
    ],
    [
      "a stranger's file",
      ({ object }) => writeFileSync(join(object, "..", "notes.txt"), "hello"),
      "its name is not that of an object"
    ],
    ["a manifest without fields", ...spoilt("{}")],
    ["a manifest that is null", ...spoilt("null")],
    ["a manifest that is no JSON", ...spoilt("not JSON")],
    ["a manifest with its format alone", ...spoilt('{"format":1}')]
  ] satisfies ReadonlyArray<readonly [string, (paths: Paths) => void, string]>) {
    itRuns(`${what} is the only fault that is found`, function* () {
      assert.deepStrictEqual(faultsOf(yield* reportAfter(change)), [fault])
    })
  }

  itRuns("a lookup does not answer with a line of another tenant", function* () {
    const folder = yield* newFolder
    const archive = yield* PaymentArchive.make({ folder })
    yield* archive.put([closedPayment({ number: 1 })])
    const month = join(folder, "payments", "acme", "production", "2019-03")
    rewrite(join(month, readdirSync(month)[0] ?? ""), (lines) =>
      lines.map((line) => line.replaceAll('"workspaceId":"acme"', '"workspaceId":"evil"'))
    )
    assert.isTrue(Exit.isFailure(yield* Effect.exit(archive.find(acme, idAt(march, 1)))))
  })
})
