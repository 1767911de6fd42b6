/** Archives whose bucket or disk fails: what `put` reported as written is there, and every failure can be repeated. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentArchive from "@pointsman/archive"
import { ArchiveError, type ArchiveService } from "@pointsman/core/ports"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { acme, asRead, closedPayment, idAt, march } from "./support/Payments.ts"
import { type Body, itRuns, newBucket, newFolder } from "./support/Places.ts"
import type { S3Server } from "./support/S3Server.ts"

/** Where the bucket answers: longer than a machine under load takes. */
const limits = { findWithinMillis: 30_000, writeWithinMillis: 30_000, findsAtOnce: 2 }
/** Of an archive over a bucket that hangs, in milliseconds by the test's clock: its calls are to run into them. */
const short = { findWithinMillis: 250, writeWithinMillis: 400, findsAtOnce: 2 }

/** A second archive over the same bucket, which does not wait for long. */
const impatient = (server: S3Server) => PaymentArchive.make({ s3: server.options }, short)

/** Until the bucket has been asked so often. A request hangs from then on. */
const untilAsked = ({ requests }: S3Server, count: number) =>
  TestClock.withLive(Effect.repeat(Effect.sleep("1 millis"), { until: () => requests.length >= count }))

const storesBy = (run: typeof it.live) => (title: string, body: (server: S3Server, archive: ArchiveService) => Body) =>
  run(title, () =>
    Effect.gen(function* () {
      const server = yield* newBucket
      yield* body(server, yield* PaymentArchive.make({ s3: server.options }, limits))
    })
  )
const itStores = storesBy(it.live)
/** By the test's clock. */
const itWaits = storesBy(it.effect)

const payments = [closedPayment({ number: 1 }), closedPayment({ number: 2 })]
const second = Option.some(asRead(payments[1] ?? closedPayment({ number: 2 })))
const isManifest = (key: string) => key.includes("/manifests/")

const isWhole = Effect.fnUntraced(function* (archive: ArchiveService) {
  const { faults, objects, payments } = yield* archive.verify(acme)
  assert.deepStrictEqual({ faults, objects, payments }, { faults: [], objects: 1, payments: 2 })
})

describe("a bucket that fails", () => {
  for (const fate of ["refused", "failed", "lost"] as const) {
    itStores(`a put that is ${fate} once is repeated under the same name, and there once`, function* (server, archive) {
      const seen = new Set<string>()
      server.decide((method, key) => {
        if (method !== "PUT" || seen.has(key)) return "served"
        seen.add(key)
        return fate
      })
      yield* archive.put(payments)
      assert.lengthOf(server.requests, 4)
      assert.strictEqual(new Set(server.requests).size, 2)
      yield* isWhole(archive)
    })
  }

  for (const fate of ["refused", "failed", "lost", "hangs"] as const) {
    const itEnds = fate === "hangs" ? itWaits : itStores
    itEnds(`the next put completes one that ended before its manifest (${fate})`, function* (server, archive) {
      server.decide((method, key) => (method === "PUT" && isManifest(key) ? fate : "served"))
      const failing = fate === "hangs" ? yield* impatient(server) : archive
      const putting = yield* Effect.forkChild(Effect.flip(failing.put(payments)))
      if (fate === "hangs") {
        yield* untilAsked(server, 2)
        yield* TestClock.adjust(short.writeWithinMillis)
      }
      assert.instanceOf(yield* Fiber.join(putting), ArchiveError)
      server.decide(() => "served")
      if (fate === "refused") {
        const { faults } = yield* archive.verify(acme)
        assert.deepStrictEqual(
          faults.map(({ fault }) => fault),
          ["its manifest is missing"]
        )
      }
      assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 2)), second)
      yield* archive.put(payments)
      yield* isWhole(archive)
    })
  }

  itStores("a put that never succeeds fails, and sends no manifest", function* (server, archive) {
    server.decide(() => "failed")
    const failure = yield* Effect.flip(archive.put(payments))
    assert.include(failure.message, "the service answered 500")
    assert.isFalse(server.requests.some(isManifest))
  })

  itWaits("lookups of a bucket that hangs end in time, and waiting ones do not add up", function* (server, archive) {
    yield* archive.put(payments)
    server.decide(() => "hangs")
    const hung = yield* impatient(server)
    const asked = server.requests.length
    const lookups = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 60 }, () => Effect.flip(hung.find(acme, idAt(march, 2)))),
        { concurrency: "unbounded" }
      )
    )
    yield* untilAsked(server, asked + short.findsAtOnce)
    yield* TestClock.adjust(short.findWithinMillis - 1)
    assert.isUndefined(lookups.pollUnsafe())
    yield* TestClock.adjust(1)
    // The clock stands still from here: two at a time, one after the other, would take 30 limits.
    for (const failure of yield* Fiber.join(lookups)) assert.include(failure.message, "no answer within 250 ms")
    server.decide(() => "served")
    assert.deepStrictEqual(yield* archive.find(acme, idAt(march, 2)), second)
  })

  itWaits("a lookup ends in time for an uninterruptible caller too", function* (server) {
    server.decide(() => "hangs")
    const archive = yield* impatient(server)
    const lookup = yield* Effect.forkChild(Effect.uninterruptible(Effect.flip(archive.find(acme, idAt(march, 2)))))
    yield* untilAsked(server, 1)
    yield* TestClock.adjust(short.findWithinMillis)
    assert.include((yield* Fiber.join(lookup)).message, "no answer within 250 ms")
  })

  itStores("the failure of wrong credentials names no secret", function* ({ options }) {
    const credentials = { ...options.credentials, accessKeyId: "AKIAWRONG" }
    const archive = yield* PaymentArchive.make({ s3: { ...options, credentials } as typeof options }, limits)
    const failure = yield* Effect.flip(archive.reach)
    assert.strictEqual(failure.message, "archive: reach: the service answered 403 (SignatureDoesNotMatch)")
  })
})

describe("a folder that fails", () => {
  const canMount = process.getuid?.() === 0 && process.platform === "linux"
  const why = canMount ? "" : " (skipped: only root on Linux mounts a small one)"
  it.live.skipIf(!canMount)(`a full disk leaves nothing of the object${why}`, () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status, 0)
        }),
        () => Effect.sync(() => spawnSync("umount", [folder]))
      )
      const archive = yield* PaymentArchive.make({ folder })
      yield* archive.put(payments)
      // Text that does not compress.
      const reference = Array.from({ length: 60_000 }, (_, at) => ((at * 48_271) % 65_521).toString(36)).join("")
      const failure = yield* Effect.flip(archive.put([closedPayment({ number: 3, reference })]))
      assert.strictEqual(failure.message, "archive: write: the disk is full (ENOSPC)")
      assert.deepStrictEqual(readdirSync(folder).toSorted(), ["manifests", "payments"])
      yield* isWhole(archive)
    })
  )

  itRuns("what a process that died during its write left is no part of the archive", function* () {
    const folder = yield* newFolder
    const archive = yield* PaymentArchive.make({ folder })
    yield* archive.put(payments)
    mkdirSync(join(folder, ".writing-abc123"))
    mkdirSync(join(folder, "payments", "acme", "production", "2019-03", ".writing-abc123"))
    assert.deepStrictEqual(yield* archive.tenants, [acme])
    yield* isWhole(archive)
  })
})
