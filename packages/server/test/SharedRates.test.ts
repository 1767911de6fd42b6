import { assert, describe, it } from "vitest"
import { makeSharedRates, type SharedRates } from "../src/SharedRates.ts"

const takeMany = (rates: SharedRates, times: number, now: number) =>
  Array.from({ length: times }, () => rates.take("key", 2, now)).filter((wait) => wait === undefined).length

describe("shared rates", () => {
  it("a rate without peers is a limit that fills evenly and says how long to wait", () => {
    const rates = makeSharedRates()
    assert.strictEqual(takeMany(rates, 9, 0), 4)
    assert.strictEqual(rates.take("key", 2, 0), 500)
    assert.strictEqual(rates.take("key", 2, 250), 250)
    assert.strictEqual(takeMany(rates, 9, 500), 1)
    assert.strictEqual(takeMany(rates, 9, 60_000), 4)
    assert.strictEqual(rates.take("other", 2, 60_000), undefined)
  })

  it("a request that counts as several takes all of them, or none", () => {
    const rates = makeSharedRates()
    assert.strictEqual(rates.take("key", 2, 0, 3), undefined)
    assert.strictEqual(rates.take("key", 2, 0, 3), 1_000)
    assert.strictEqual(rates.take("key", 2, 0), undefined)
    assert.deepStrictEqual(rates.takings(), [{ bucket: "key", taken: 4, per_second: 2 }])
  })

  it("what was taken is reported once, and what was refused is not", () => {
    const rates = makeSharedRates()
    takeMany(rates, 9, 0)
    rates.take("other", 50, 0)
    assert.deepStrictEqual(rates.takings(), [
      { bucket: "key", taken: 4, per_second: 2 },
      { bucket: "other", taken: 1, per_second: 50 }
    ])
    assert.deepStrictEqual(rates.takings(), [])
    takeMany(rates, 1, 1_000)
    assert.deepStrictEqual(rates.takings(), [{ bucket: "key", taken: 1, per_second: 2 }])
  })

  it("what others took is reported and gone here, with what was taken meanwhile", () => {
    const rates = makeSharedRates()
    takeMany(rates, 1, 0)
    rates.takings()
    takeMany(rates, 1, 0)
    rates.learn([{ bucket: "key", tokens: 2 }], 0)
    assert.strictEqual(takeMany(rates, 9, 0), 1)
  })

  it("a rate that all overdrew lets none pass before it is made up for", () => {
    const rates = makeSharedRates()
    takeMany(rates, 1, 0)
    rates.takings()
    rates.learn([{ bucket: "key", tokens: -3 }], 0)
    assert.strictEqual(rates.take("key", 2, 0), 2_000)
    assert.strictEqual(takeMany(rates, 9, 1_999), 0)
    assert.strictEqual(takeMany(rates, 9, 2_000), 1)
  })

  it("a level that is not known here is ignored", () => {
    const rates = makeSharedRates()
    rates.learn([{ bucket: "key", tokens: -3 }], 0)
    assert.strictEqual(takeMany(rates, 9, 0), 4)
  })
})
