/** A few seeds over storage in memory. `.ci/run` runs 1,000, and `npm run simulate` explains the one that fails. */
import { createHash } from "node:crypto"
import { report, shrink, simulate } from "@pointsman/contracts/simulator"
import { Ledger } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-memory"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

const seeds = 8

/** What a run does, to the last call and the last answer. */
const traceOf = async (seed: number) => {
  const hash = createHash("sha256")
  let lines = 0
  const { happened, wrong } = await simulate({
    storage: layer(),
    seed,
    listen: (line) => {
      lines += 1
      hash.update(`${line}\n`)
    }
  })
  return { hash: hash.digest("hex"), lines, happened, wrong }
}

/** A store that forgets one row: of each payment's second write it keeps no event. */
const forgetful = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({
    ...ledger,
    commit: (change) => ledger.commit(change.payment.expected === 1 ? { ...change, events: [] } : change)
  }))
).pipe(Layer.provideMerge(layer()))

describe("simulations over storage in memory", () => {
  it(`all is well when ${seeds} seeds have come to rest`, async () => {
    const wrong: Array<string> = []
    for (let seed = 1; seed <= seeds; seed++) {
      const storage = layer({ yieldBetween: seed % 2 === 0 })
      const run = await simulate({ storage, seed })
      if (run.wrong.length > 0) wrong.push(`seed ${seed}: ${run.wrong.join("; ")}`)
    }
    assert.deepStrictEqual(wrong, [], "npm run simulate -- --storage memory --seed … explains it")
  })

  it("the same seed does the same again to the last call", async () => {
    for (const seed of [2, 3, 17]) {
      const first = await traceOf(seed)
      assert.isAbove(first.lines, 100)
      assert.deepStrictEqual(await traceOf(seed), first)
    }
    assert.notStrictEqual((await traceOf(3)).hash, (await traceOf(17)).hash)
  })

  it("a store that forgets is caught, made small and replayed by what is left", async () => {
    const options = { storage: forgetful, seed: 3 }
    const first = await simulate(options)
    assert.isNotEmpty(first.wrong)
    const shrunk = await shrink(options, first)
    assert.isBelow(shrunk.run.happened.length, 4, shrunk.run.happened.map(({ what }) => what).join("\n"))
    const again = await simulate({ ...options, only: shrunk.only })
    assert.deepStrictEqual([again.wrong, again.happened], [shrunk.run.wrong, shrunk.run.happened])

    const text = report(first, shrunk, { command: "npm run simulate -- --storage memory" })
    assert.include(text, `npm run simulate -- --storage memory --seed 3 --only ${[...shrunk.only].join(",")}`)
    for (const { what } of shrunk.run.happened) assert.include(text, what)
    for (const sentence of shrunk.run.wrong) assert.include(text, sentence)
  })
})
