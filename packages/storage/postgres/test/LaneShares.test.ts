/** A node that does not answer, beside others on the same connections. */
import { describe, expect, it } from "vitest"
import { makeLaneShares } from "../src/Connections.ts"

const given = (connections: number) => {
  const shares = makeLaneShares(connections)
  const started: Array<string> = []
  const enter = (node: number | undefined, name: string) => {
    const start = () => void started.push(name)
    shares.enter(node, start)
    return start
  }
  return { shares, started, enter }
}

describe("shares of nodes", () => {
  it("given a node whose statements do not end, then it holds its share, and another one is served", () => {
    const { enter, started } = given(10)
    for (let n = 0; n < 10; n++) enter(1, `silent ${n}`)
    expect(started).toHaveLength(5)
    enter(2, "other")
    enter(undefined, "no node")
    expect(started.slice(5)).toEqual(["other", "no node"])
  })

  it("given statements that wait for their node, when one leaves, then the next that still waits starts", () => {
    const { enter, shares, started } = given(1)
    enter(1, "first")
    const second = enter(1, "second")
    enter(1, "third")
    shares.withdraw(1, second)
    shares.leave(1)
    expect(started).toEqual(["first", "third"])
    shares.leave(1)
    enter(1, "fourth")
    expect(started).toEqual(["first", "third", "fourth"])
  })
})
