import { describe, expect, it } from "vitest"
import { makePositions } from "../src/Standby.ts"

const position = (at: number, lsn: bigint, timeline = "1/00000001") => ({ at, lsn, timeline })

describe("the moment that a standby shows", () => {
  it("a position among those of the primary is the newest one replayed", () => {
    const { add, momentOf } = makePositions(60_000)
    for (const one of [position(1_000, 10n), position(2_000, 10n), position(3_000, 30n)]) add(one)
    expect([9n, 10n, 29n, 30n, 31n].map(momentOf)).toEqual([undefined, 2_000, 2_000, 3_000, 3_000])
  })

  it("positions of the timeline before compare with nothing", () => {
    const { add, latest, momentOf } = makePositions(60_000)
    add(position(1_000, 10n))
    add(position(2_000, 5n, "1/00000002"))
    expect(momentOf(4n)).toBeUndefined()
    expect(momentOf(10n)).toBe(2_000)
    expect(latest()?.timeline).toBe("1/00000002")
  })

  it("positions that are older than what is kept are forgotten", () => {
    const { add, momentOf } = makePositions(60_000)
    add(position(1_000, 10n))
    add(position(61_000, 20n))
    expect(momentOf(10n)).toBe(1_000)
    add(position(61_001, 30n))
    expect(momentOf(10n)).toBeUndefined()
  })
})
