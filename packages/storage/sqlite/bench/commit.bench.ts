/**
 * What group commit gains: the same changes, 32 at once and one after the other, each durable when it is answered.
 * `npx vitest bench --run --project 'storage-sqlite*'`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "@effect/vitest"
import { Ids, Ledger } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-sqlite"
import { Effect, Layer, ManagedRuntime } from "effect"
import { newChange } from "../test/Given.ts"

const changes = 32

test("32 commits at once against one at a time", { timeout: 60_000 }, async ({ bench }) => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"))
  const durable = { writes: 0, changes: 0 }
  const count = (written: { readonly changes: number }) => {
    durable.writes++
    durable.changes += written.changes
  }
  const storage = layer({ filename: join(folder, "pointsman.db"), onCommit: count })
  const runtime = ManagedRuntime.make(Layer.provideMerge(storage, Ids.layer))
  const commit = (concurrency: number) =>
    Effect.forEach(
      Array(changes).keys(),
      () => Effect.andThen(Ledger, (ledger) => Effect.andThen(newChange(), ledger.commit)),
      {
        concurrency,
        discard: true
      }
    )
  try {
    const single = await bench("one at a time", () => runtime.runPromise(commit(1))).run({ time: 2_000 })
    durable.writes = durable.changes = 0
    const grouped = await bench("32 at once", () => runtime.runPromise(commit(changes))).run({ time: 2_000 })

    const rate = (latencyMillis: number) => Math.round((changes * 1000) / latencyMillis)
    const ratio = single.latency.mean / grouped.latency.mean
    console.log(
      `one at a time ${rate(single.latency.mean)} commits/s, 32 at once ${rate(grouped.latency.mean)} commits/s: ` +
        `${ratio.toFixed(2)} times; ${(durable.changes / durable.writes).toFixed(1)} changes in one durable write`
    )
    expect(durable.changes / durable.writes).toBeGreaterThanOrEqual(16)
    expect(ratio).toBeGreaterThan(1)
  } finally {
    await runtime.dispose()
    rmSync(folder, { recursive: true })
  }
})
