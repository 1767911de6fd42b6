/** Reads of nodes whose shards move meanwhile, without a cluster: nodes answer what the test says. */
import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { nodeHorizon } from "../src/Horizon.ts"
import { makeNodeReads } from "../src/NodeReads.ts"
import type { Database } from "../../src/Database.ts"
import { tenant } from "../../postgres/test/Given.ts"

const lowest = -(2 ** 31)
const highest = 2 ** 31 - 1

interface Answer {
  readonly node: number
  readonly rows: ReadonlyArray<{ readonly id: string }>
  readonly ranges: ReadonlyArray<readonly [low: number, high: number]>
}

/** Each round of a read is answered by one entry, node by node; where the shards are is counted. */
const nodesThat = (rounds: ReadonlyArray<ReadonlyArray<Answer | "42P01" | "08006">>) => {
  const asked = { nodes: 0, answers: 0 }
  const all = rounds.flat()
  const db = {
    read: (operation: string) => {
      if (operation === "nodes") {
        const round = rounds[asked.nodes++] ?? []
        return Effect.succeed(
          round.map((_, index) => ({ node: index + 1, name: `node-${index + 1}`, key: `${index}` }))
        )
      }
      const answer = all[asked.answers++]
      return typeof answer === "string"
        ? Effect.fail(new StorageError({ operation, cause: Object.assign(new Error(answer), { code: answer }) }))
        : Effect.succeed([{ told: answer }])
    }
  } as unknown as Database
  return { asked, reads: makeNodeReads(db) }
}

const at = (node: number, id: string, ...ranges: Answer["ranges"]): Answer => ({ node, rows: [{ id }], ranges })

const first = at(1, "a", [lowest, -1])
const second = at(2, "b", [0, highest])
const whole = [first, second]

const list = "select id from payments"

describe("reads of nodes while shards move", () => {
  it.effect.each([
    ["a shard at neither node", [first, at(2, "b", [100, highest])]],
    ["a shard at both nodes", [at(1, "a", [lowest, -1], [0, 99]), second]],
    ["another node than was meant", [first, at(1, "a", [lowest, -1])]],
    ["a table that was dropped after its shard moved", [first, "42P01"]]
  ] as const)(
    "given %s, when all nodes are read, then it is found out where shards are, and all are read again",
    ([, round]) =>
      Effect.gen(function* () {
        const { asked, reads } = nodesThat([round, whole])
        expect(yield* reads.all("test", list)).toEqual([{ id: "a" }, { id: "b" }])
        expect(asked).toEqual({ nodes: 2, answers: 4 })
      })
  )

  it.effect("given a node that does not answer, when some are read, then the others' rows are there at once", () =>
    Effect.gen(function* () {
      const { asked, reads } = nodesThat([[first, "08006"]])
      const { failure, rows } = yield* reads.found("test", list)
      expect(rows).toEqual([{ id: "a" }])
      expect(failure?.cause).toMatchObject({ message: "08006" })
      expect(asked).toEqual({ nodes: 1, answers: 2 })
    })
  )

  it.effect("given shards that never come to rest, when all nodes are read, then the read fails in words", () =>
    Effect.gen(function* () {
      const round = [first, at(2, "b", [100, highest])]
      const { asked, reads } = nodesThat(Array.from({ length: 10 }, () => round))
      const failure = yield* Effect.flip(reads.some("test", list))
      expect(failure.cause).toMatchObject({ message: "shards moved to other nodes while the nodes were read" })
      expect(asked).toEqual({ nodes: 5, answers: 10 })
    })
  )
})

describe("the horizon of a workspace that moves", () => {
  it.effect(
    "given a node that the workspace left, when its events are read, then the answer of the new node counts",
    () =>
      Effect.gen(function* () {
        const answers = [
          { newest: "evt_2", announced: null, is_here: false },
          { newest: "evt_1", announced: null, is_here: true }
        ]
        const db = { read: () => Effect.sync(() => [{ told: answers.shift() }]) } as unknown as Database
        expect(yield* nodeHorizon(db, "events", tenant)).toBe("evt_1 ")
        expect(answers).toEqual([])
      })
  )

  it.effect("given a node that always denies it, when its events are read, then the read fails in words", () =>
    Effect.gen(function* () {
      const db = { read: () => Effect.succeed([{ told: { newest: null, announced: null, is_here: false } }]) }
      const failure = yield* Effect.flip(nodeHorizon(db as unknown as Database, "events", tenant))
      expect(failure.cause).toMatchObject({ message: "the workspace moved while its events were read" })
    })
  )
})
