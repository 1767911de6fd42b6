import { describe, expect, it } from "vitest"
import { versionRefusal } from "../src/ConnectionMode.ts"

describe("the version of the server", () => {
  it.each([
    [140_023, "the server is PostgreSQL 14.23: expected PostgreSQL 15 or newer"],
    [130_000, "the server is PostgreSQL 13.0: expected PostgreSQL 15 or newer"],
    [90_624, "the server is PostgreSQL 9.6.24: expected PostgreSQL 15 or newer"]
  ])("given %i, which is too old, then it is refused by its name", (number, refusal) => {
    expect(versionRefusal(number)).toBe(refusal)
  })

  it.each([150_000, 150_018, 160_014, 170_010, 180_004, 190_000])("given %i, then it is not refused", (number) => {
    expect(versionRefusal(number)).toBeUndefined()
  })
})
