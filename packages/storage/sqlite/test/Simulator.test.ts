/** Seeds over SQLite, on a database in memory. `npm run simulate -- --storage sqlite` runs more of them. */
import { createHash } from "node:crypto"
import { simulate } from "@pointsman/contracts/simulator"
import { layer } from "@pointsman/storage-sqlite"
import { assert, describe, it } from "vitest"

const seeds = 3

const storage = layer({ filename: ":memory:" })

describe("simulations over SQLite", () => {
  it(`all is well when ${seeds} seeds have come to rest`, async () => {
    const wrong: Array<string> = []
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await simulate({ storage, seed })
      if (run.wrong.length > 0) wrong.push(`seed ${seed}: ${run.wrong.join("; ")}`)
    }
    assert.deepStrictEqual(wrong, [], "npm run simulate -- --storage sqlite --seed … explains it")
  })

  it("the same seed does the same again, though the store takes its turns", async () => {
    const hashOf = async (seed: number) => {
      const hash = createHash("sha256")
      await simulate({ storage, seed, listen: (line) => hash.update(`${line}\n`) })
      return hash.digest("hex")
    }
    for (const seed of [3, 17]) assert.strictEqual(await hashOf(seed), await hashOf(seed))
  })
})
