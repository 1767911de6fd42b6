/** Messages that fail verification: anybody can send them, so the log has one line for each connection and minute. */
import { describe, expect, test } from "vitest"
import { deliver } from "./support/Messages.ts"
import { answerOf } from "./support/Payments.ts"
import { anyStore } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

describe("the log of refused messages", () => {
  const world = usedWorld(anyStore, { testClock: true })

  const refuse = async (connectionId: string) =>
    expect(answerOf(await deliver(world, "{}", { connectionId, signature: "t=1,v1=00" }))).toBe("401 unauthorized")
  const linesOf = (connectionId: string) =>
    world.servers[0]?.log.filter((line) => line.includes(`a message to connection ${connectionId} was refused`)).length

  test("each connection has one line a minute of refused messages, and one afterwards", async () => {
    for (let time = 0; time < 3; time++) await refuse("main")
    expect([linesOf("main"), linesOf("live")]).toEqual([1, 0])
    await refuse("live")
    expect([linesOf("main"), linesOf("live")]).toEqual([1, 1])
    await world.adjust("59999 millis")
    await refuse("main")
    expect(linesOf("main")).toBe(1)
    await world.adjust("1 millis")
    for (let time = 0; time < 3; time++) await refuse("main")
    expect([linesOf("main"), linesOf("live")]).toEqual([2, 1])
  })
})
