import { assert, describe, it } from "vitest"
import { makeSharedRates, type SharedRates } from "../src/SharedRates.ts"

const takeMany = (rates: SharedRates, times: number, now: number) =>
  Array.from({ length: times }, () => rates.take("key", 2, now)).filter((wait) => wait === undefined).length

describe("shared rates", () => {
  it("given nobody to tell, then they are a limit by themselves, which fills up evenly and says how long to wait", () => {
    const rates = makeSharedRates()
    assert.strictEqual(takeMany(rates, 9, 0), 4)
    assert.strictEqual(rates.take("key", 2, 0), 500)
    assert.strictEqual(rates.take("key", 2, 250), 250)
    assert.strictEqual(takeMany(rates, 9, 500), 1)
    assert.strictEqual(takeMany(rates, 9, 60_000), 4)
    assert.strictEqual(rates.take("other", 2, 60_000), undefined)
  })

  it("given a request that counts as several, then they are taken together, or none of them", () => {
    const rates = makeSharedRates()
    assert.strictEqual(rates.take("key", 2, 0, 3), undefined)
    assert.strictEqual(rates.take("key", 2, 0, 3), 1_000)
    assert.strictEqual(rates.take("key", 2, 0), undefined)
    assert.deepStrictEqual(rates.takings(), [{ bucket: "key", taken: 4, per_second: 2 }])
  })

  it("given what was taken, then it is reported once, and what was refused is not", () => {
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

  it("given what others took, when it is reported, then it is gone here too, with what was taken meanwhile", () => {
    const rates = makeSharedRates()
    takeMany(rates, 1, 0)
    rates.takings()
    takeMany(rates, 1, 0)
    rates.learn([{ bucket: "key", tokens: 2 }], 0)
    assert.strictEqual(takeMany(rates, 9, 0), 1)
  })

  it("given more taken by all than there was, then nobody takes before that is made up for", () => {
    const rates = makeSharedRates()
    takeMany(rates, 1, 0)
    rates.takings()
    rates.learn([{ bucket: "key", tokens: -3 }], 0)
    assert.strictEqual(rates.take("key", 2, 0), 2_000)
    assert.strictEqual(takeMany(rates, 9, 1_999), 0)
    assert.strictEqual(takeMany(rates, 9, 2_000), 1)
  })

  it("given a level that is not known here, then nothing is made of it", () => {
    const rates = makeSharedRates()
    rates.learn([{ bucket: "key", tokens: -3 }], 0)
    assert.strictEqual(takeMany(rates, 9, 0), 4)
  })
})
