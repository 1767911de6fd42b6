/**
 * Checkout.com in the simulator's world: requests that are executed and not answered, resets, errors after the execution,
 * messages that come late, twice and out of order, processes that die at every point, and stores that are restored.
 * `POINTSMAN_CHECKOUT_SEEDS` says how many seeds, and `POINTSMAN_CHECKOUT_FIRST_SEED` with which they begin.
 */

import { assert, describe, it } from "@effect/vitest"
import { simulate } from "@pointsman/contracts/simulator"
import { layer } from "@pointsman/storage-memory"
import { type Spoken, speakingCheckout } from "./SimulatedCheckout.ts"

const seeds = Number(process.env["POINTSMAN_CHECKOUT_SEEDS"] ?? 4)
const first = Number(process.env["POINTSMAN_CHECKOUT_FIRST_SEED"] ?? 1)

describe("a simulated Checkout.com", () => {
  it(`its books and ours agree in ${seeds} seeds of faults from ${first}`, async () => {
    const spoken: Spoken = { overWire: 0, passedOn: 0 }
    for (let seed = first; seed < first + seeds; seed++) {
      const run = await simulate({
        seed,
        storage: layer({ yieldBetween: seed % 2 === 0 }),
        reached: speakingCheckout(spoken)
      })
      assert.deepStrictEqual(run.wrong, [], `seed ${seed}`)
    }
    // Most of what is said goes over Checkout.com's wire.
    assert.isAbove(spoken.overWire, 4 * spoken.passedOn)
  }, 3_600_000)
})
