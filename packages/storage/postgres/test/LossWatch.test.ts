/** Losses of records on several nodes, some of which do not answer. */

import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Change, declaredLoss, type RecordLoss, type RecordLosses } from "@pointsman/core/ports"
import { makeAcknowledged } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Comparison, watchLosses } from "../src/RecordLoss.ts"

const minute = 60_000

const change = (workspaceId: string, id: string) =>
  ({ payment: { after: { id, version: 1 } }, tenant: { workspaceId, environment: "sandbox" } }) as Change

/** Servers on nodes with a workspace each. A test sets which nodes lack their commits, and which do not answer. */
const given = () => {
  let loss: RecordLoss | null = null
  let time = 0
  const nodes = { lost: new Set<string>(), silent: new Set<string>(), silentAfterOne: new Set<string>() }
  const losses: RecordLosses = {
    known: Effect.sync(() => loss),
    newest: Effect.sync(() => loss),
    declare: (declared) =>
      Effect.sync(() => {
        loss = declaredLoss(loss, declared)
        return loss
      }),
    markRecovered: () => Effect.succeed(false),
    releaseRefunds: () => Effect.succeed(false),
    end: () => Effect.succeed(false),
    fileKey: () => Effect.void
  }
  const comparison: Comparison = {
    isOfEach: true,
    compare: (commits) =>
      Effect.sync(() => {
        const placesOf = (on: ReadonlySet<string>, off: ReadonlySet<string>) =>
          commits.flatMap(({ workspaceId }, n) => (on.has(workspaceId) && !off.has(workspaceId) ? [n] : []))
        const compared = { missing: placesOf(nodes.lost, nodes.silent), unanswered: placesOf(nodes.silent, new Set()) }
        for (const one of nodes.silentAfterOne) nodes.silent.add(one)
        return compared
      })
  }
  const server = () => {
    const acknowledged = makeAcknowledged({ isCompared: true })
    return {
      commit: (workspace: string, at: number) => acknowledged.note(change(workspace, `${workspace}-${at}`), at),
      watch: watchLosses(comparison, acknowledged, losses, () => time)
    }
  }
  const at = (now: number) => {
    time = now
  }
  return { at, known: () => loss, nodes, server }
}

const commitBoth = ({ commit }: ReturnType<ReturnType<typeof given>["server"]>) => {
  commit("b", 10 * minute)
  commit("a", 20 * minute)
}

describe("losses on several nodes", () => {
  itRuns("another node that returns without its commits is a loss too", function* () {
    const { at, known, nodes, server } = given()
    const servers = [server(), server()]
    for (const one of servers) commitBoth(one)
    for (const { watch } of servers) yield* watch
    nodes.lost.add("a")
    nodes.silent.add("b")
    at(30 * minute)
    for (const { watch } of servers) yield* watch
    const first = known()
    expect(first?.declaredAt).toBe(30 * minute)
    // It is declared once, however often it is looked at.
    for (const { watch } of servers) yield* watch
    expect(known()).toEqual(first)
    nodes.lost.add("b")
    nodes.silent.clear()
    at(40 * minute)
    // The server that had it from the other one has not forgotten them either.
    yield* servers[1]?.watch ?? Effect.die("there is no second server")
    const second = known()
    expect(second?.declaredAt).toBe(40 * minute)
    expect(second?.since).toBeLessThan(10 * minute)
    for (const { watch } of servers) yield* watch
    expect(known()).toEqual(second)
  })

  itRuns("a loss covers the commits of a node that lacked them and is silent again", function* () {
    const { at, known, nodes, server } = given()
    const one = server()
    one.commit("a", 10 * minute)
    one.commit("b", 20 * minute)
    nodes.lost.add("a")
    nodes.silentAfterOne.add("a")
    at(30 * minute)
    yield* one.watch
    expect(known()?.since).toBeLessThan(10 * minute)
  })

  itRuns("a payment that retention removed is no loss once its last commit is old", function* () {
    const { at, known, nodes, server } = given()
    const one = server()
    one.commit("a", 0)
    nodes.lost.add("a")
    at(90 * 24 * 60 * minute)
    yield* one.watch
    expect(known()).toBeNull()
  })
})
