/** Reads of nodes whose shards move meanwhile, without a cluster: nodes answer what the test says. */

import { describe, expect, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { StorageError } from "@pointsman/core/ports"
import type { Database } from "@pointsman/storage-postgres/internal"
import { Effect } from "effect"
import { inWorkspace } from "../src/ByWorkspace.ts"
import { makeNodeReads, type NodeReads } from "../src/NodeReads.ts"
import { shardedDatabase } from "../src/ShardedDatabase.ts"

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
  ] as const)("%s is found out when all nodes are read, and all are read again", ([, round]) =>
    Effect.gen(function* () {
      const { asked, reads } = nodesThat([round, whole])
      expect(yield* reads.all("test", list)).toEqual([{ id: "a" }, { id: "b" }])
      expect(asked).toEqual({ nodes: 2, answers: 4 })
    })
  )

  itRuns("the others' rows are there at once when a node of some does not answer", function* () {
    const { asked, reads } = nodesThat([[first, "08006"]])
    expect(yield* reads.some("test", list)).toEqual([{ id: "a" }])
    expect(asked).toEqual({ nodes: 1, answers: 2 })
    const { reads: others } = nodesThat([[first, "08006"]])
    expect((yield* Effect.flip(others.all("test", list))).cause).toMatchObject({ message: "08006" })
  })

  itRuns("a read of all nodes fails in words if shards never come to rest", function* () {
    const round = [first, at(2, "b", [100, highest])]
    const { asked, reads } = nodesThat(Array.from({ length: 10 }, () => round))
    const failure = yield* Effect.flip(reads.some("test", list))
    expect(failure.cause).toMatchObject({ message: "shards moved to other nodes while the nodes were read" })
    expect(asked).toEqual({ nodes: 5, answers: 10 })
  })
})

describe("a workspace that moves", () => {
  const here = { node: 1, rows: [{ id: "a" }], ranges: [[lowest, highest]] }
  const elsewhere = { node: 2, rows: [], ranges: [] }
  /** `answers`: of one statement after the other; the last one again and again. */
  const nodeThat = (answers: Array<unknown>) => {
    const asked = { begun: 0, statements: 0 }
    const answer = () =>
      Effect.sync(() => {
        asked.statements++
        return [{ told: answers.length > 1 ? answers.shift() : answers[0] }]
      })
    const transaction: Database["transaction"] = (_, body) =>
      Effect.suspend(() => {
        asked.begun++
        return body(answer) as never
      })
    const db = { read: answer, update: answer, write: answer, transaction } as unknown as Database
    return { asked, db: shardedDatabase(db, { lanes: db, nodes: {} as NodeReads, base: () => "0" }) }
  }
  const statement = "delete from due where t = 1 returning payment"
  const ways = [
    ["read", (db: Database) => db.read("test", list)],
    ["update", (db: Database) => db.update("test", statement)],
    ["write", (db: Database) => db.write("test", statement)],
    ["transaction", (db: Database) => db.transaction("test", (query) => query(statement))]
  ] as const

  it.effect.each(ways)("the answer of the new node counts when there is a %s", ([way, ask]) =>
    Effect.gen(function* () {
      const { asked, db } = nodeThat([elsewhere, here])
      expect(yield* inWorkspace("acme")(ask(db))).toEqual([{ id: "a" }])
      expect(asked).toEqual({ begun: way === "transaction" ? 2 : 0, statements: 2 })
    })
  )

  it.effect("every statement at a node that always denies it fails in words after eight looks", () =>
    Effect.forEach(
      ways,
      Effect.fnUntraced(function* ([, ask]) {
        const { asked, db } = nodeThat([elsewhere])
        const failure = (yield* Effect.flip(inWorkspace("acme")(ask(db)))) as StorageError
        expect(failure.cause).toMatchObject({ message: "the workspace moved while it was asked for" })
        expect(asked.statements).toBe(8)
      }),
      { concurrency: "unbounded", discard: true }
    )
  )

  itRuns("a statement about workspaces that is for none is not sent", function* () {
    const { asked, db } = nodeThat([here])
    const exit = yield* Effect.exit(db.read("test", list))
    expect(String(exit)).toContain("names none")
    expect(asked.statements).toBe(0)
  })
})
