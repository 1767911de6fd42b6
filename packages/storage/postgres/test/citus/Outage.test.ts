/** A node that is killed: workspaces on others go on. On a cluster of its own (`POINTSMAN_CITUS=all POINTSMAN_LONG=all`). */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import { type Change, Ids, Ledger, StorageCondition, SuccessRates } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-postgres"
import { Context, Effect, Exit, Layer, Option, Redacted, References, Schedule } from "effect"
import { newChange, rate } from "../Given.ts"
import { databaseOn, joinedDatabase, missingCitus, newName, runOn, startCluster } from "../support/CitusCluster.ts"

const isLong = process.env["POINTSMAN_LONG"] === "all"
const isPossible = isLong && missingCitus() === undefined && !process.env["POINTSMAN_CITUS_URL"]

const kill = (folder: string): void => {
  const server = Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0])
  const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8")
    .split(" ")
    .map(Number)
    .filter(Boolean)
  for (const pid of [server, ...children]) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It ended by itself.
    }
  }
}

const start = (folder: string): void => {
  const args = ["-D", folder, "-w", "-l", `${folder}.log`, "start"]
  execFileSync(
    "setpriv",
    ["--reuid=postgres", "--regid=postgres", "--init-groups", "/usr/lib/postgresql/15/bin/pg_ctl", ...args],
    {
      cwd: "/",
      stdio: "ignore"
    }
  )
}

const cluster = Effect.acquireRelease(
  Effect.promise(() => startCluster(["citus.shard_count = 4"])),
  ({ stop }) => Effect.promise(stop)
)

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

const storageAt = (url: string) =>
  Effect.map(
    Layer.build(
      layer({ url: Redacted.make(url), distributed: true, statementTimeoutMillis: 2_000 }).pipe(
        Layer.provide([Ids.layer, quiet])
      )
    ),
    (context) => ({ ledger: Context.get(context, Ledger), rates: Context.get(context, SuccessRates), context })
  )

/** A workspace on each worker, by its port. */
const workspacesOn = async (url: string): Promise<ReadonlyMap<number, Tenant>> => {
  const rows = await runOn(
    url,
    `select distinct on (n.nodeport) n.nodeport as port, 'ws' || k as id
     from generate_series(1, 200) as k join pg_dist_placement as p
         on p.shardid = get_shard_id_for_distribution_column('payments', 'ws' || k)
       join pg_dist_node as n on n.groupid = p.groupid
     order by n.nodeport, k`
  )
  return new Map(rows.map(({ id, port }) => [Number(port), { workspaceId: String(id), environment: "sandbox" }]))
}

const changeOf = (tenant: Tenant): Effect.Effect<Change> =>
  Effect.map(Effect.provide(newChange(), Ids.layer), (change) => ({
    ...change,
    tenant,
    payment: { ...change.payment, after: { ...change.payment.after, tenant } },
    checkAt: 1
  }))

/** A node needs seconds to start, and what is asked of one that is gone has to end. */
const everyTenth = Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))

const due = { now: 10, leaseMillis: 1, limit: 10, limitPerConnection: 10, underWay: new Map() }

describe.skipIf(!isPossible)("a node that is killed (POINTSMAN_LONG=all)", () => {
  it.live(
    "given two workers, when one is killed, then workspaces of the other go on, and those of the first are back with it",
    () =>
      Effect.gen(function* () {
        const { home, nodes } = yield* cluster
        const url = yield* Effect.promise(() => joinedDatabase(nodes, newName()))
        const { context, ledger, rates } = yield* storageAt(url)
        const at = yield* Effect.promise(() => workspacesOn(url))
        const [lost, other] = nodes.slice(1).map((node) => at.get(Number(new URL(node).port)) as Tenant) as [
          Tenant,
          Tenant
        ]
        const [before, beside] = [yield* changeOf(lost), yield* changeOf(other)]
        yield* ledger.commit(before)
        yield* ledger.commit(beside)
        yield* rates.write([{ ...rate, tenant: other, version: 1 }])

        kill(join(home, "worker-1"))
        const next = yield* changeOf(lost)
        const failed = yield* Effect.exit(ledger.commit(next))
        const tag = Option.map(Exit.findErrorOption(failed), ({ _tag }) => _tag)
        expect(["pointsman/CommitUnknown", "pointsman/StorageError"]).toContain(Option.getOrUndefined(tag))
        expect(Exit.isFailure(yield* Effect.exit(ledger.payment(lost, before.payment.after.id)))).toBe(true)

        const meanwhile = yield* changeOf(other)
        yield* ledger.commit(meanwhile)
        expect(Option.isSome(yield* ledger.payment(other, meanwhile.payment.after.id))).toBe(true)
        const taken = yield* ledger.takeDue(due)
        expect(taken.map(({ paymentId }) => paymentId).toSorted()).toEqual(
          [beside.payment.after.id, meanwhile.payment.after.id].toSorted()
        )
        expect(yield* rates.changedSince(0)).toHaveLength(1)
        // What lists all workspaces does not leave some of them out.
        expect(Exit.isFailure(yield* Effect.exit(ledger.reviews({ limit: 10 })))).toBe(true)
        const condition = Context.getOrUndefined(context, StorageCondition)
        if (condition === undefined) return yield* Effect.die("there is no condition")
        yield* Effect.repeat(condition.read, {
          until: ({ warnings }) => warnings.some((warning) => warning.includes("does not answer")),
          schedule: everyTenth
        })

        start(join(home, "worker-1"))
        yield* Effect.retry(ledger.payment(lost, before.payment.after.id), { schedule: everyTenth })
        expect(Option.isSome(yield* ledger.payment(lost, before.payment.after.id))).toBe(true)
        expect(Option.isNone(yield* ledger.payment(lost, next.payment.after.id))).toBe(true)
        yield* ledger.commit(next)
      }),
    120_000
  )

  it.live(
    "given a server at a worker, when the coordinator is killed, then payments go on on every node, and a new server starts",
    () =>
      Effect.gen(function* () {
        const { home, nodes } = yield* cluster
        const name = newName()
        const url = yield* Effect.promise(() => joinedDatabase(nodes, name))
        // The first start makes the tables, by way of the coordinator.
        const atWorker = databaseOn(nodes[1] as string, name)
        const { ledger } = yield* storageAt(atWorker)
        const tenants = [...(yield* Effect.promise(() => workspacesOn(url))).values()]
        kill(join(home, "coordinator"))
        const another = yield* storageAt(databaseOn(nodes[2] as string, name))
        for (const tenant of tenants) {
          for (const { commit, payment } of [ledger, another.ledger]) {
            const change = yield* changeOf(tenant)
            yield* commit(change)
            expect(Option.isSome(yield* payment(tenant, change.payment.after.id))).toBe(true)
          }
        }
        expect(yield* ledger.takeDue(due)).toHaveLength(4)
      }),
    120_000
  )
})
