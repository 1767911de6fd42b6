/**
 * Nodes of a Citus cluster that are killed under two servers and load: workspaces on other nodes go on as before, those of
 * the node that is down are refused and nothing is sent for them, and they are back by themselves when the node is.
 *
 * They run with `POINTSMAN_CITUS=all`, on a cluster of their own; with `POINTSMAN_LONG=all` the stretches that are compared
 * are longer, and a node that hears and does not answer is tried as well. `POINTSMAN_KILL_SEED` repeats which server
 * each client asks.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import {
  type CitusNode,
  missingOwnCitus,
  type OwnCluster,
  startOwnCluster
} from "../../storage/postgres/test/support/CitusNodes.ts"
import {
  answeredWithinMillis,
  answersIn,
  backWithinMillis,
  type OutageWorld,
  openOutageWorld,
  rateIn
} from "./support/citus/OutageWorld.ts"
import type { Asked } from "./support/citus/WorkspaceLoad.ts"
import { isLong } from "./support/LongRuns.ts"

const seed = Number(process.env["POINTSMAN_KILL_SEED"] ?? Date.now() % 1_000_000)
/** Of the stretches before the kill and after it. */
const stretchMillis = isLong ? 10_000 : 4_000
const warmMillis = isLong ? 3_000 : 2_000
/** A machine that is busy with other work makes one stretch slower than the other. */
const leastShare = 0.9

/** Of each workspace: those of one worker are more than both servers have connections. */
const clientsOfSilent = 16

interface Outage {
  readonly asked: ReadonlyArray<Asked>
  readonly before: readonly [number, number]
  readonly during: readonly [number, number]
  /** When the node was back, by `performance.now()`. */
  readonly backAt: number
  /** When the outage began, by the machine's clock. */
  readonly since: number
  /** Of each server, in the middle of it. */
  readonly ready: ReadonlyArray<{ readonly status: number; readonly body: unknown; readonly millis: number }>
}

const readyAt = async ({ servers }: OutageWorld): Promise<Outage["ready"]> =>
  Promise.all(
    servers.map(async (server) => {
      const began = performance.now()
      const { body, status } = await server.request("GET", "/health/ready", { key: null })
      return { body, status, millis: Math.round(performance.now() - began) }
    })
  )

/** Load, and in the midst of it a node that goes away and comes back. */
const outage = async (
  world: OutageWorld,
  goAway: () => unknown,
  comeBack: () => unknown,
  clientsEach = 2
): Promise<Outage> => {
  const load = world.load(clientsEach)
  const pass = (millis: number) => Promise.race([sleep(millis), load.done])
  await pass(warmMillis)
  const begun = performance.now()
  await pass(stretchMillis)
  const since = Date.now()
  const away = performance.now()
  await goAway()
  await pass(stretchMillis - (performance.now() - away))
  const ready = await readyAt(world)
  const ended = performance.now()
  await comeBack()
  const backAt = performance.now()
  await pass(backWithinMillis)
  load.end()
  await load.done
  return { asked: load.asked, before: [begun, away], during: [away, ended], backAt, since, ready }
}

const figuresOf = (
  { asked, backAt, before, during, ready }: Outage,
  groups: Readonly<Record<string, ReadonlyArray<string>>>
) => ({
  seed,
  ...Object.fromEntries(
    Object.entries(groups).map(([name, workspaces]) => [
      name,
      {
        perSecond: [before, during].map((stretch) => Math.round(rateIn(asked, workspaces, stretch))),
        answers: answersIn(asked, workspaces, during),
        slowest: Math.round(
          Math.max(
            ...asked
              .filter(({ workspace }) => workspaces.includes(workspace))
              .map(({ answeredAt, sentAt }) => answeredAt - sentAt)
          )
        ),
        backAfter: Math.max(...workspaces.map((workspace) => backOf(asked, workspace, backAt)))
      }
    ])
  ),
  ready: ready.map(({ millis, status }) => `${status} in ${millis} ms`)
})

/** Milliseconds until the first payment of the workspace that was sent after the node was back. */
const backOf = (asked: ReadonlyArray<Asked>, workspace: string, backAt: number): number => {
  const first = asked.find((one) => one.workspace === workspace && one.code === null && one.answeredAt >= backAt)
  return first === undefined ? Number.POSITIVE_INFINITY : Math.round(first.answeredAt - backAt)
}

/** What has to be true of every outage. `refusals`: what less than a tenth of the others' payments may be answered. */
const assertServed = async (
  world: OutageWorld,
  { asked, ...outage }: Outage,
  others: ReadonlyArray<string>,
  refusals: ReadonlyArray<string> = []
) => {
  const { backAt, before, during, ready, since } = outage
  assert.deepStrictEqual(await world.wrong(asked), [], `POINTSMAN_KILL_SEED=${seed}`)
  const share = rateIn(asked, others, during) / rateIn(asked, others, before)
  assert.isAtLeast(share, leastShare, "payments of other nodes a second, of those before")
  const answers = answersIn(asked, others, during)
  const refused = Object.keys(answers).filter((word) => word !== "201")
  assert.deepStrictEqual(
    refused.filter((word) => !refusals.includes(word)),
    []
  )
  assert.isAtMost(answers["internal_error"] ?? 0, (answers["201"] ?? 0) / 10)
  const slow = asked.filter(({ answeredAt, sentAt }) => answeredAt - sentAt > answeredWithinMillis)
  assert.deepStrictEqual(slow, [])
  for (const workspace of world.workspaces.flat()) {
    assert.isAtMost(backOf(asked, workspace, backAt), backWithinMillis, `${workspace} is back`)
  }
  assert.isAbove(world.heardSince(since, others), 0, "webhooks of other nodes during the outage")
  for (const { status } of ready) assert.strictEqual(status, 200)
}

describe.skipIf(missingOwnCitus() !== undefined)("a node of a Citus cluster that is killed", () => {
  let cluster: OwnCluster
  beforeAll(async () => {
    cluster = await startOwnCluster()
  }, 60_000)
  afterAll(() => cluster?.stop())

  const tell = (name: string, figures: object) => process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`)
  const answered: ReadonlySet<string> = new Set([
    "201",
    "internal_error",
    "payment_result_unknown",
    "idempotency_in_progress"
  ])

  it("given a worker that is killed, then workspaces of the other go on, nothing is sent for its own, and they are back with it", {
    timeout: 180_000
  }, async () => {
    const { coordinator, workers } = cluster
    const [victim, other] = workers
    const world = await openOutageWorld(cluster, [coordinator, other], seed)
    const [lost, others] = world.workspaces
    const seen = await outage(world, victim.kill, victim.restart)
    tell("worker killed", figuresOf(seen, { lost, others }))
    await assertServed(world, seen, others)
    const answers = answersIn(seen.asked, lost, seen.during)
    assert.isAbove(answers["internal_error"] ?? 0, 0)
    assert.deepStrictEqual(
      Object.keys(answers).filter((word) => !answered.has(word)),
      []
    )
    for (const { body } of seen.ready)
      assert.include(JSON.stringify(body), `:${victim.port} of the database does not answer`)
  })

  it("given servers at both workers, when the coordinator is killed, then all payments go on, and the directory is written when it is back", {
    timeout: 180_000
  }, async () => {
    const { coordinator, workers } = cluster
    const world = await openOutageWorld(cluster, workers, seed)
    const all = world.workspaces.flat()
    const seen = await outage(world, coordinator.kill, coordinator.restart)
    tell("coordinator killed", figuresOf(seen, { all }))
    await assertServed(world, seen, all)
    const { key, server } = await world.startAnother(coordinator as CitusNode)
    const { status } = await server.request("GET", "/api/v1/payments?limit=1", { key })
    assert.strictEqual(status, 200)
  })

  it.skipIf(!isLong)(
    "given a worker that hears and does not answer, and more clients than connections, then workspaces of the other go on",
    {
      timeout: 240_000
    },
    async () => {
      const { coordinator, workers } = cluster
      const [victim, other] = workers
      const world = await openOutageWorld(cluster, [coordinator, other], seed)
      const [lost, others] = world.workspaces
      let thaw = () => {}
      onTestFinished(() => thaw())
      const freeze = () => {
        thaw = victim.freeze()
      }
      const seen = await outage(world, freeze, () => thaw(), clientsOfSilent)
      tell("worker silent", figuresOf(seen, { lost, others }))
      // Until the share of the silent node is full, others wait for a connection, and longer than a second is a refusal.
      await assertServed(world, seen, others, ["internal_error"])
    }
  )
})
