/** The database's time as a process knows it: between two readings, and where one of the clocks jumps. */
import { assert, describe, it } from "@effect/vitest"
import { Clock } from "effect"
import { type DatabaseClock, makeDatabaseClock } from "../src/DatabaseClock.ts"

const began = 1_800_000_000_000
const day = 24 * 60 * 60_000

/** A machine, of which a test says what its clocks show. */
const given = () => {
  const machine = { wall: began, monotonic: 5_000 }
  const base: Clock.Clock = {
    ...Clock.Clock.defaultValue(),
    currentTimeMillisUnsafe: () => machine.wall,
    monotonicTimeNanosUnsafe: () => BigInt(Math.round(machine.monotonic * 1_000_000))
  }
  const clock = makeDatabaseClock(base)
  const pass = (millis: number, wallMillis = millis) => {
    machine.monotonic += millis
    machine.wall += wallMillis
  }
  /** A round trip; the database reads its clock in the middle of it. */
  const read = (databaseMillis: number, roundTripMillis = 2) => {
    const begun = clock.begin()
    pass(roundTripMillis)
    clock.learn(begun, databaseMillis)
  }
  return { clock, pass, read }
}

const now = ({ clock }: DatabaseClock) => clock.currentTimeMillisUnsafe()

describe("the database's clock", () => {
  for (const aheadMillis of [65_000, -600_000]) {
    it(`the time is the database's on a machine ${aheadMillis / 1_000} s ahead`, () => {
      const { clock, pass, read } = given()
      read(began + 1 - aheadMillis)
      assert.approximately(now(clock), began + 2 - aheadMillis, 1)
      pass(90_000)
      assert.approximately(now(clock), began + 90_002 - aheadMillis, 1)
      assert.approximately(clock.aheadMillis(), aheadMillis, 2)
      assert.isNull(clock.agesFrom())
    })
  }

  it("a slow round trip keeps a good reading, and no uncertain difference", () => {
    const { clock, read } = given()
    read(began + 1)
    // The answer alone took four seconds.
    read(began + 2, 4_000)
    assert.approximately(now(clock), began + 4_002, 1)
    assert.strictEqual(clock.aheadMillis(), 0)
    assert.isNull(clock.agesFrom())
  })

  it("ages count for nothing on a clock set ahead until the database says the time", () => {
    const { clock, pass, read } = given()
    read(began)
    pass(1_000, 61_000)
    assert.strictEqual(clock.agesFrom(), now(clock))
    read(began + 1_003)
    assert.approximately(now(clock), began + 1_004, 2)
    assert.approximately(clock.aheadMillis(), 60_000, 2)
    assert.approximately(clock.agesFrom() ?? 0, began + 1_004, 2)
  })

  it("time continues on a machine whose clock is set back", () => {
    const { clock, pass, read } = given()
    read(began)
    pass(1_000, -59_000)
    assert.approximately(now(clock), began + 1_001, 1)
    read(began + 1_003)
    assert.approximately(now(clock), began + 1_004, 2)
    assert.isNotNull(clock.agesFrom())
  })

  it("no call is sent late after a suspension that stopped the monotonic clock", () => {
    const { clock, pass, read } = given()
    read(began)
    pass(0, 20_000)
    assert.approximately(now(clock), began + 20_001, 1)
    read(began + 20_003)
    assert.approximately(now(clock), began + 20_004, 2)
  })

  it("ages begin anew when the database's clock jumps, and milliseconds take none back", () => {
    const { clock, pass, read } = given()
    read(began + 1)
    pass(2_000)
    const before = now(clock)
    read(began + 1_995)
    assert.isAtLeast(now(clock), before)
    assert.isNull(clock.agesFrom())
    pass(2_000)
    read(began + 64_000)
    assert.approximately(now(clock), began + 64_001, 3)
    assert.approximately(clock.agesFrom() ?? 0, began + 64_001, 3)
  })

  it("ages begin with another timeline, and never earlier again", () => {
    const { clock, read } = given()
    read(began)
    clock.changed(began + 500)
    clock.changed(began + 300)
    assert.strictEqual(clock.agesFrom(), began + 500)
  })

  it("ages begin with the last of a database's jumps days ahead and back", () => {
    const { clock, pass, read } = given()
    read(began + 1)
    pass(2_000)
    read(began + 9 * day)
    clock.changed(began + 9 * day)
    pass(2_000)
    read(began + 4_004)
    assert.approximately(clock.agesFrom() ?? 0, began + 4_005, 3)
    pass(60_000)
    assert.approximately(clock.agesFrom() ?? 0, began + 4_005, 3)
  })

  it("ages begin with a later server's start after a change seen days ahead", () => {
    const { clock, pass, read } = given()
    read(began + 1)
    clock.changed(began + 9 * day)
    pass(60_000)
    read(began + 60_003)
    assert.approximately(clock.agesFrom() ?? 0, began + 2, 2)
  })
})
