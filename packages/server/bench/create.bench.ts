/**
 * How many payments one process creates on a SQLite file, 32 at once and one at a time, each durable when it is
 * answered, over a provider that answers at once. `npm run bench`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ManagedRuntime } from "effect"
import { expect, test } from "vitest"
import { createAtOnce, sqliteWorld } from "../test/support/SqliteWorld.ts"

const payments = 64

test("32 creates at once against one at a time", { timeout: 60_000 }, async ({ bench }) => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"))
  const world = sqliteWorld(join(folder, "pointsman.db"))
  const runtime = ManagedRuntime.make(world.layer)
  const create = (concurrency: number) => runtime.runPromise(createAtOnce(payments, concurrency))
  try {
    await create(32)
    const single = await bench("one at a time", () => create(1)).run({ time: 2_000 })
    world.durable.length = 0
    const grouped = await bench("32 at once", () => create(32)).run({ time: 2_000 })

    const rate = (latencyMillis: number) => Math.round((payments * 1000) / latencyMillis)
    const ratio = single.latency.mean / grouped.latency.mean
    const changes = world.durable.reduce((sum, one) => sum + one, 0)
    console.log(
      `one at a time ${rate(single.latency.mean)} payments/s, 32 at once ${rate(grouped.latency.mean)} payments/s: ` +
        `${ratio.toFixed(2)} times; ${(changes / world.durable.length).toFixed(1)} changes in one durable write`
    )
    expect(changes / world.durable.length).toBeGreaterThanOrEqual(16)
    expect(ratio).toBeGreaterThan(1)
  } finally {
    await runtime.dispose()
    rmSync(folder, { recursive: true })
  }
})
