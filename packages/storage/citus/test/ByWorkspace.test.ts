/** What is asked of many workspaces while the node of some of them is down. */

import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { allWorkspaces, someWorkspaces } from "../src/ByWorkspace.ts"

/** More than are asked at once, and those of the node that is down first. */
const workspaces = Array.from({ length: 12 }, (_, n) => `${n < 8 ? "lost" : "other"}-${n}`)

const asking = () => {
  const written: Array<string> = []
  const ask = ([workspace = ""]: ReadonlyArray<string>) =>
    workspace.startsWith("lost")
      ? Effect.fail(new StorageError({ operation: "write", cause: new Error("the node does not answer") }))
      : Effect.sync(() => void written.push(workspace))
  return { ask, written }
}

const others = workspaces.filter((workspace) => workspace.startsWith("other"))

describe("workspaces of a node that is down", () => {
  itRuns("a write of all nodes fails only for those that do not answer", function* () {
    const { ask, written } = asking()
    const failure = yield* Effect.flip(allWorkspaces(workspaces, (one) => one, ask))
    expect(failure._tag).toBe("pointsman/StorageError")
    expect(written).toEqual(others)
  })

  itRuns("the answer to a question to all is that of the other nodes", function* () {
    const { ask } = asking()
    expect(yield* someWorkspaces(workspaces, (one) => one, ask)).toHaveLength(others.length)
    const lost = workspaces.filter((one) => !others.includes(one))
    expect((yield* Effect.flip(someWorkspaces(lost, (one) => one, ask)))._tag).toBe("pointsman/StorageError")
  })
})
