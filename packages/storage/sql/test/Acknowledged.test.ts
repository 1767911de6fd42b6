/** Which acknowledged commits are remembered, to notice that a store lacks some of them. */
import type { Change } from "@pointsman/core/ports"
import { describe, expect, it } from "vitest"
import { makeAcknowledged, missingSince } from "../src/Acknowledged.ts"

const change = (workspaceId: string, id: string) =>
  ({ payment: { after: { id, version: 1 } }, tenant: { workspaceId, environment: "sandbox" } }) as Change

const given = () => {
  const acknowledged = makeAcknowledged({ isCompared: true })
  let at = 0
  const note = (workspace: string, count: number) => {
    for (let n = 0; n < count; n++) acknowledged.note(change(workspace, `${workspace}-${at}`), ++at)
  }
  /** The store has those of all other workspaces; the node of this one does not answer. */
  const compareWithout = (workspace: string) =>
    acknowledged.compared(acknowledged.newest().filter(({ workspaceId }) => workspaceId !== workspace))
  const kept = (workspace: string) => acknowledged.newest().filter(({ workspaceId }) => workspaceId === workspace)
  return { acknowledged, compareWithout, kept, note }
}

describe("acknowledged commits", () => {
  it("newest commits of a silent node stay to be compared when others commit", () => {
    const { acknowledged, compareWithout, kept, note } = given()
    note("lost", 100)
    for (let turn = 0; turn < 50; turn++) {
      note("other", 500)
      compareWithout("lost")
    }
    expect(kept("lost").map(({ at }) => at)).toEqual(Array.from({ length: 64 }, (_, n) => 37 + n))
    expect(acknowledged.newest()).toHaveLength(128)
    // It is back, and has them.
    acknowledged.compared(acknowledged.newest())
    expect(kept("lost")).toEqual([])
    expect(acknowledged.newest()).toHaveLength(64)
  })

  it("the newest of one database stay when all were compared", () => {
    const { acknowledged, note } = given()
    note("ws", 200)
    acknowledged.compared(acknowledged.newest())
    expect(acknowledged.newest().map(({ at }) => at)).toEqual(Array.from({ length: 64 }, (_, n) => 137 + n))
  })

  it("another workspace's records do not show what a node of this one had", () => {
    const { acknowledged, note } = given()
    const minute = 60_000
    note("lost", 1)
    const [first] = acknowledged.newest()
    const all = [
      { ...first, at: minute },
      { ...first, at: 3 * minute, workspaceId: "other" },
      { ...first, at: 4 * minute }
    ] as ReturnType<typeof acknowledged.newest>
    expect(missingSince(all, new Set([2]))).toBe(3 * minute - 30_000)
    expect(missingSince(all, new Set([2]), true)).toBe(minute - 30_000)
  })

  it("commits of a silent node stay when a loss on another is forgotten", () => {
    const { acknowledged, kept, note } = given()
    note("silent", 2)
    note("lost", 2)
    note("silent", 1)
    acknowledged.forgetBefore(5, new Set(kept("silent")))
    expect(kept("lost")).toEqual([])
    expect(kept("silent").map(({ at }) => at)).toEqual([1, 2, 5])
    expect(acknowledged.all().map(({ at }) => at)).toEqual([1, 2, 5])
    acknowledged.forgetBefore(5)
    expect(acknowledged.all().map(({ at }) => at)).toEqual([5])
  })
})
