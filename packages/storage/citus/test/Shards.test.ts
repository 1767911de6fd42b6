/** Workspaces that move between nodes: what is written and read meanwhile, and afterwards. */
import { describe, expect, it } from "@effect/vitest"
import { type Change, Ids } from "@pointsman/core/ports"
import { openShards, type Shards } from "@pointsman/storage-citus"
import { Effect, Fiber, Option, Redacted } from "effect"
import { newChange, tenant } from "../../postgres/test/Given.ts"
import { openNode } from "../src/Coordinator.ts"
import { opened as openedAt } from "./Opened.ts"
import { runOn } from "./support/CitusCluster.ts"
import { hasCluster, newNodes } from "./support/CitusDatabase.ts"

const { workspaceId } = tenant
const due = { now: 10, leaseMillis: 1, limit: 10, limitPerConnection: 10, underWay: new Map() }

const checked = (change: Change): Change => ({ ...change, checkAt: 1 })

/** A store by the node of this URL, the moves of its cluster, and how many commits it sent. */
const opened = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sent = { commits: 0 }
  const { ledger } = yield* openedAt(url, (db) => ({
    ...db,
    write: (operation, ...rest) =>
      Effect.suspend(() => {
        sent.commits += 1
        return db.write(operation, ...rest)
      })
  }))
  return { ledger, sent, shards: yield* openShards({ url }) }
})

const placeOf = (shards: Shards) =>
  Effect.map(shards.list, ({ groups }) => groups.find(({ workspaces }) => workspaces.includes(workspaceId)))

/** The workspaces that are listed are those of the directory. */
const withWorkspace = (url: Redacted.Redacted) =>
  Effect.promise(() =>
    runOn(Redacted.value(url), `insert into workspaces (id, name, suspended) values ('${workspaceId}', 'Acme', false)`)
  )

const hostOf = (url: Redacted.Redacted | undefined): string => new URL(Redacted.value(url as Redacted.Redacted)).host

/** What one node answers about a setting is replaced: one needs a restart, and not every version has the other. */
const answering = (url: Redacted.Redacted, node: string, setting: string, value: string) =>
  Effect.promise(() =>
    runOn(
      Redacted.value(url),
      `create function public.run_command_on_all_nodes(command text)
        returns table (nodeid integer, success boolean, result text) language sql as $$
          select r.nodeid, r.success, case when command like '%''${setting}''%' and n.nodename || ':' || n.nodeport =
            '${node}' then '${value}' else r.result end
          from pg_catalog.run_command_on_all_nodes(command) as r join pg_dist_node as n on n.nodeid = r.nodeid
        $$`,
      `alter database ${new URL(Redacted.value(url)).pathname.slice(1)} set search_path = public, pg_catalog`
    )
  )

describe.skipIf(!hasCluster)("shards that move", () => {
  it.live(
    "a commit that waits for a move is taken back and written at the new node",
    () =>
      Effect.gen(function* () {
        const nodes = yield* newNodes
        const [url, ...workers] = nodes as [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
        yield* withWorkspace(url)
        const { ledger, sent, shards } = yield* opened(url)
        yield* ledger.commit(yield* newChange())
        const before = yield* placeOf(shards)
        const old = workers.find((one) => hostOf(one) === before?.node) as Redacted.Redacted
        const target = workers.find((one) => one !== old)
        // A move takes the shards' lock for itself, a write shares it. What a move that ended leaves behind waits for others.
        const waiting = (mode: "ExclusiveLock" | "ShareLock") =>
          Effect.promise(() =>
            runOn(
              Redacted.value(old),
              `select count(*)::integer as n from pg_locks
                where locktype = 'advisory' and mode = '${mode}' and not granted`
            )
          ).pipe(Effect.map(([row]) => Number(row?.["n"])))
        const until = (mode: "ExclusiveLock" | "ShareLock", wanted: number) =>
          Effect.repeat(Effect.delay(waiting(mode), "20 millis"), { until: (count) => count === wanted })

        // A write that is under way: the move waits for it, and the commit for the move.
        const holder = yield* openNode({ url: old, maxConnections: 3 })
        const beside = yield* openShards({ url })
        const change = checked(yield* newChange())
        const { move, commit } = yield* holder
          .transaction(
            "test",
            Effect.fnUntraced(function* (query) {
              yield* query("set local idle_in_transaction_session_timeout = 0")
              yield* query(`select lock_shard_metadata(5, array[${before?.shard}::bigint])`)
              const begin = Effect.gen(function* () {
                const move = yield* Effect.forkDetach(
                  shards.move({ of: { workspaceId }, to: hostOf(target), blockWrites: false })
                )
                yield* until("ExclusiveLock", 1)
                return move
              })
              const interrupted = yield* begin
              const second = yield* Effect.flip(
                beside.move({ of: { workspaceId }, to: hostOf(target), blockWrites: false })
              )
              expect(second).toMatchObject({ message: expect.stringMatching(/^another move of these shards/u) })
              yield* Fiber.interrupt(interrupted)
              expect((yield* placeOf(shards))?.node).toBe(before?.node)
              yield* until("ExclusiveLock", 0)
              const move = yield* begin
              sent.commits = 0
              const commit = yield* Effect.forkDetach(ledger.commit(change))
              yield* until("ShareLock", 1)
              return { move, commit }
            })
          )
          .pipe(Effect.orDie)
        expect(yield* Fiber.join(move)).toMatchObject({ isMoved: true, from: before?.node, to: hostOf(target) })
        yield* Fiber.join(commit)
        // Twice, and more often where the move took so long that the node gave up waiting for its lock.
        expect(sent.commits).toBeGreaterThanOrEqual(2)
        expect((yield* placeOf(shards))?.node).toBe(hostOf(target))
        expect(yield* ledger.takeDue(due)).toHaveLength(1)
      }).pipe(Effect.provide(Ids.layer)),
    60_000
  )

  it.live(
    "a node with the shards of only one workspace is read with all nodes",
    () =>
      Effect.gen(function* () {
        const nodes = yield* newNodes
        const [url, first, second] = nodes as [Redacted.Redacted, Redacted.Redacted, Redacted.Redacted]
        yield* withWorkspace(url)
        // By a worker: the moves are made by the coordinator all the same.
        const { ledger, shards } = yield* opened(first)
        const change = checked(yield* newChange())
        yield* ledger.commit(change)
        // It is known where the shards are, for ten seconds.
        expect(yield* ledger.reviews({ limit: 10 })).toHaveLength(0)
        const isolated = yield* shards.isolate({ workspaceId, blockWrites: false })
        expect(isolated).toMatchObject({ isIsolated: true, isMoved: false, workspaces: [workspaceId] })
        for (const group of (yield* shards.list).groups) {
          const to = hostOf(group.isOwn ? second : first)
          if (group.node !== to) yield* shards.move({ of: { shard: group.shard }, to, blockWrites: false })
        }
        const { groups } = yield* shards.list
        expect(groups.filter(({ node }) => node === hostOf(second))).toMatchObject([
          { shard: isolated.shard, isOwn: true, workspaces: [workspaceId] }
        ])
        expect((yield* ledger.reviews({ limit: 10 })).length).toBe(0)
        expect((yield* ledger.takeDue(due)).map(({ paymentId }) => paymentId)).toEqual([change.payment.after.id])
        expect(Option.isSome(yield* ledger.payment(tenant, change.payment.after.id))).toBe(true)
        const again = yield* shards.isolate({ workspaceId, to: hostOf(second), blockWrites: false })
        expect(again).toMatchObject({ isIsolated: false, isMoved: false, to: hostOf(second) })

        const refused = (order: Parameters<Shards["move"]>[0]) =>
          Effect.map(Effect.flip(shards.move(order)), (failure) => (failure as { readonly message: string }).message)
        const to = hostOf(second)
        expect(yield* refused({ of: { workspaceId }, to: "10.0.0.9:1", blockWrites: false })).toMatch(
          /^no node "10\.0\.0\.9:1" in the cluster: expected one of 127/u
        )
        expect(yield* refused({ of: { workspaceId }, to: hostOf(url), blockWrites: false })).toMatch(
          /^the node 127\.0\.0\.1:\d+ takes no shards: expected one of/u
        )
        expect(yield* refused({ of: { workspaceId: "nobody" }, to, blockWrites: false })).toMatch(
          /^no workspace "nobody"/u
        )
        expect(yield* refused({ of: { shard: 1 }, to, blockWrites: false })).toMatch(/^no shard group 1:/u)
        expect(yield* shards.stopRebalance).toBe(false)
      }).pipe(Effect.provide(Ids.layer)),
    60_000
  )

  it.live(
    "a move from a node without a replicable log is refused, unless writes may wait",
    () =>
      Effect.gen(function* () {
        const nodes = yield* newNodes
        const [url, first, second] = nodes as [Redacted.Redacted, Redacted.Redacted, Redacted.Redacted]
        yield* withWorkspace(url)
        yield* answering(url, hostOf(second), "wal_level", "replica")
        const { ledger, shards } = yield* opened(first)
        const change = checked(yield* newChange())
        yield* ledger.commit(change)
        const from = (yield* placeOf(shards))?.node
        const to = hostOf([first, second].find((node) => hostOf(node) !== from))
        const refusal = {
          message:
            `the node ${hostOf(second)} has wal_level=replica, and a move that does not block writes needs ` +
            "wal_level=logical: set it and restart the node, or accept with --block-writes that writes wait until the move is over"
        }
        expect(yield* Effect.flip(shards.move({ of: { workspaceId }, to, blockWrites: false }))).toMatchObject(refusal)
        expect(yield* Effect.flip(shards.isolate({ workspaceId, to, blockWrites: false }))).toMatchObject(refusal)
        expect(yield* Effect.flip(shards.rebalance({ blockWrites: false }))).toMatchObject(refusal)
        expect((yield* placeOf(shards))?.node).toBe(from)

        const isolated = yield* shards.isolate({ workspaceId, to, blockWrites: true })
        expect(isolated).toMatchObject({ isIsolated: true, isMoved: true, from, to })
        const back = yield* shards.move({ of: { workspaceId }, to: String(from), blockWrites: true })
        expect(back).toMatchObject({ isMoved: true, from: to, to: from })
        expect((yield* placeOf(shards))?.node).toBe(from)
        expect(Option.isSome(yield* ledger.payment(tenant, change.payment.after.id))).toBe(true)
        expect(yield* ledger.takeDue(due)).toHaveLength(1)
      }).pipe(Effect.provide(Ids.layer)),
    60_000
  )

  it.live(
    "isolating is refused by name if a node does not allow the engine's library",
    () =>
      Effect.gen(function* () {
        const nodes = yield* newNodes
        const [url, first, second] = nodes as [Redacted.Redacted, Redacted.Redacted, Redacted.Redacted]
        yield* withWorkspace(url)
        yield* answering(url, hostOf(second), "output_plugin_libraries", "pgoutput, test_decoding")
        const { ledger, shards } = yield* opened(first)
        const change = yield* newChange()
        yield* ledger.commit(change)
        const from = (yield* placeOf(shards))?.node
        const to = hostOf([first, second].find((node) => hostOf(node) !== from))
        expect(yield* Effect.flip(shards.isolate({ workspaceId, to, blockWrites: false }))).toMatchObject({
          message:
            `the node ${hostOf(second)} has output_plugin_libraries=pgoutput, test_decoding, and a new group that does ` +
            "not block writes needs citus in that list: add it and reload the node's configuration, or accept with " +
            "--block-writes that writes wait until the move is over"
        })
        expect(yield* placeOf(shards)).toMatchObject({ node: from, isOwn: false })

        // A move copies by a library that PostgreSQL allows by itself, and a split that blocks writes copies without one.
        const moved = yield* shards.move({ of: { workspaceId }, to, blockWrites: false })
        expect(moved).toMatchObject({ isMoved: true, from, to })
        expect(yield* shards.isolate({ workspaceId, blockWrites: true })).toMatchObject({ isIsolated: true })
        expect(Option.isSome(yield* ledger.payment(tenant, change.payment.after.id))).toBe(true)
      }).pipe(Effect.provide(Ids.layer)),
    60_000
  )
})
