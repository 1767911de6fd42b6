/** Which errors of a cluster say that nothing was written. */
import { describe, expect, it } from "vitest"
import { isTakenBackByNode } from "../src/Coordinator.ts"

const isCertain = (code: string, severityUnlocalized = "ERROR") => isTakenBackByNode({ code, severityUnlocalized })

describe("errors of a distributed database", () => {
  it.each([
    ["a lost connection between nodes", "08006"],
    ["an error without a code of the other node", "XX000"],
    ["a cancelled statement", "57014"],
    ["a node that shuts down", "57P01"],
    ["a deadlock, which may be one of several nodes", "40P01"],
    ["too many connections", "53300"]
  ])("%s makes the commit unknown", (_, code) => {
    expect(isCertain(code)).toBe(false)
  })

  it.each([
    ["a broken constraint", "23505"],
    ["a bad value", "22P02"],
    ["a lock that was given up", "55P03"],
    ["a write that came between", "PM001"]
  ])("%s writes nothing", (_, code) => {
    expect(isCertain(code)).toBe(true)
    expect(isCertain(code, "FATAL")).toBe(false)
  })
})
