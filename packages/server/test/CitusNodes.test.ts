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
} from "../../storage/citus/test/support/CitusNodes.ts"
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
/** A machine that is busy with other work makes one stretch slower than the other. What an outage costs, it costs each time. */
const leastShare = 0.9
const mostTries = 3

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

const shareOf = ({ asked, before, during }: Outage, workspaces: ReadonlyArray<string>): number =>
  rateIn(asked, workspaces, during) / rateIn(asked, workspaces, before)

interface Tried {
  readonly world: OutageWorld
  readonly seen: Outage
}

/** An outage, again in a new world where the others were slower than before it; everything else is asserted of each. */
const tried = async (
  of: string,
  open: () => Promise<OutageWorld>,
  bring: (world: OutageWorld) => Promise<Outage>,
  groupsOf: (world: OutageWorld) => { readonly others: ReadonlyArray<string> } & Record<string, ReadonlyArray<string>>,
  refusals?: ReadonlyArray<string>
): Promise<Tried> => {
  for (let number = 1; ; number++) {
    const world = await open()
    const seen = await bring(world)
    const groups = groupsOf(world)
    process.stdout.write(`${of}: ${JSON.stringify(figuresOf(seen, groups))}\n`)
    await assertServed(world, seen, groups.others, refusals)
    const share = shareOf(seen, groups.others)
    if (share >= leastShare) return { world, seen }
    if (number === mostTries) assert.isAtLeast(share, leastShare, "payments of other nodes a second, of those before")
  }
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
  const { backAt, during, ready, since } = outage
  assert.deepStrictEqual(await world.wrong(asked), [], `POINTSMAN_KILL_SEED=${seed}`)
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

  const answered: ReadonlySet<string> = new Set([
    "201",
    "internal_error",
    "payment_result_unknown",
    "idempotency_in_progress"
  ])

  it("only workspaces of a killed worker stop, unsent, until the worker is back", {
    timeout: 300_000
  }, async () => {
    const { coordinator, workers } = cluster
    const [victim, other] = workers
    const { seen, world } = await tried(
      "worker killed",
      () => openOutageWorld(cluster, [coordinator, other], seed),
      (world) => outage(world, victim.kill, victim.restart),
      ({ workspaces: [lost, others] }) => ({ lost, others })
    )
    const [lost] = world.workspaces
    const answers = answersIn(seen.asked, lost, seen.during)
    assert.isAbove(answers["internal_error"] ?? 0, 0)
    assert.deepStrictEqual(
      Object.keys(answers).filter((word) => !answered.has(word)),
      []
    )
    for (const { body } of seen.ready)
      assert.include(JSON.stringify(body), `:${victim.port} of the database does not answer`)
  })

  it("payments continue without the coordinator, and the directory once it is back", {
    timeout: 300_000
  }, async () => {
    const { coordinator, workers } = cluster
    const { world } = await tried(
      "coordinator killed",
      () => openOutageWorld(cluster, workers, seed),
      (world) => outage(world, coordinator.kill, coordinator.restart),
      ({ workspaces }) => ({ others: workspaces.flat() })
    )
    const { key, server } = await world.startAnother(coordinator as CitusNode)
    const { status } = await server.request("GET", "/api/v1/payments?limit=1", { key })
    assert.strictEqual(status, 200)
  })

  it.skipIf(!isLong)(
    "workspaces of others continue when a worker hangs and clients exceed connections",
    {
      timeout: 240_000
    },
    async () => {
      const { coordinator, workers } = cluster
      const [victim, other] = workers
      let thaw = () => {}
      onTestFinished(() => thaw())
      const freeze = () => {
        thaw = victim.freeze()
      }
      await tried(
        "worker silent",
        () => openOutageWorld(cluster, [coordinator, other], seed),
        (world) => outage(world, freeze, () => thaw(), clientsOfSilent),
        ({ workspaces: [lost, others] }) => ({ lost, others }),
        // Until the share of the silent node is full, others wait for a connection, and longer than a second is a refusal.
        ["internal_error"]
      )
    }
  )
})
