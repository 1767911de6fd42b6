import { describe, expect, it } from "vitest"
import { versionRefusal } from "../src/ConnectionMode.ts"

describe("the version of the server", () => {
  it.each([
    ["14.23 (Debian 14.23-1.pgdg12+1)", "the server is PostgreSQL 14.23: expected PostgreSQL 15 or newer"],
    ["13.0", "the server is PostgreSQL 13.0: expected PostgreSQL 15 or newer"],
    ["9.6.24", "the server is PostgreSQL 9.6.24: expected PostgreSQL 15 or newer"]
  ])("%s, which is too old, is refused by its name", (version, refusal) => {
    expect(versionRefusal(version)).toBe(refusal)
  })

  it.each(["15.0", "15.18 (Debian 15.18-1)", "16.14", "18.4", "19beta1"])("%s is not refused", (version) => {
    expect(versionRefusal(version)).toBeUndefined()
  })
})
