/**
 * Three servers on one PostgreSQL, or one at each node of a Citus cluster, under load: servers and the database itself are killed and come back. What was
 * acknowledged is on every server, the provider was asked for everything once, and service is back in seconds.
 *
 * A long run (`POINTSMAN_LONG=all`). `POINTSMAN_MANY_SERVERS` sets how often a server and then the database are killed: 6
 * unless set; `POINTSMAN_MANY_SERVERS_CITUS` on a cluster, where one can be started: 3 unless set. `POINTSMAN_KILL_SEED` repeats the plan of a run.
 */
import { isDeepStrictEqual } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { missingOwnCitus, type OwnCluster, startOwnCluster } from "../../storage/citus/test/support/CitusNodes.ts"
import type { EmbeddedPostgres } from "../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { killedCluster } from "./support/citus/KilledCluster.ts"
import { disagreements, wrongIn } from "./support/kill/Agreement.ts"
import type { Evidence } from "./support/kill/Evidence.ts"
import {
  type Back,
  backWithinMillis,
  type KilledDatabase,
  type ManyServers,
  startManyServers
} from "./support/kill/ManyServers.ts"
import { killedPostgres } from "./support/kill/PostgresStorage.ts"
import { amountOf } from "./support/LongRuns.ts"
import { postgresMissing, startPostgresServer } from "./support/PostgresServer.ts"

const onPostgres = amountOf("POINTSMAN_MANY_SERVERS", { long: 6 })
const onCitus = amountOf("POINTSMAN_MANY_SERVERS_CITUS", { long: 3 })
const seed = Number(process.env["POINTSMAN_KILL_SEED"] ?? Date.now() % 1_000_000)
const servers = 3

/** Between two kills. */
const acknowledgements = 100

/** Milliseconds for which the database is down. With the longer ones, a server gives up writing its answers down. */
const downMillis = [0, 4_500, 500]

/** Kills one server while the others go on, and then the database under all of them. */
const run = async (world: ManyServers, rounds: number): Promise<ReadonlyArray<Back>> => {
  const back: Array<Back> = []
  world.open()
  for (let round = 0; round < rounds; round++) {
    await world.busy(acknowledgements)
    await world.killServer(round % servers)
    await world.busy(acknowledgements)
    await world.startServer(round % servers)
    await world.busy(acknowledgements)
    back.push(...(await world.crashDatabase(downMillis[round % downMillis.length] ?? 0)))
  }
  await world.busy(acknowledgements)
  return back
}

const differences = (one: Evidence, other: Evidence): ReadonlyArray<string> => [
  ...(isDeepStrictEqual(one.payments, other.payments) ? [] : ["two servers show different payments"]),
  ...(isDeepStrictEqual(one.events, other.events) ? [] : ["two servers show different events"]),
  ...(isDeepStrictEqual(one.timelines, other.timelines) ? [] : ["two servers show different timelines"])
]

/** Nothing is lost, doubled or changed, and service is back in time. */
const survives = async (database: KilledDatabase, rounds: number): Promise<void> => {
  const world = await startManyServers(database, seed, servers)
  const back = await run(world, rounds).catch((cause: unknown) => {
    throw new Error(`POINTSMAN_KILL_SEED=${seed}`, { cause })
  })
  const [first, ...others] = await world.rest()
  const shown = back.map(({ createMillis, readMillis }) => `${createMillis}/${readMillis}`).join(", ")
  process.stdout.write(
    `many servers: ${first.payments.length} payments, ${first.wishes.length} wishes; ` +
      `milliseconds to the first create/read after the database was back: ${shown}\n`
  )
  assert.deepStrictEqual(
    [
      ...disagreements(first),
      ...others.flatMap((other) => differences(first, other)),
      ...wrongIn(world),
      ...back.flatMap(({ createMillis, readMillis }) =>
        Math.max(createMillis, readMillis) <= backWithinMillis ? [] : [`back after ${createMillis}/${readMillis} ms`]
      )
    ],
    [],
    `POINTSMAN_KILL_SEED=${seed}`
  )
  // There was something to lose, and somebody was refused meanwhile.
  assert.strictEqual(back.length, rounds * servers)
  assert.isNotEmpty(first.wishes.filter(({ lost }) => lost > 0))
  assert.isNotEmpty(
    first.wishes.filter(({ answers }) =>
      answers.some(({ code, duringOutage }) => duringOutage && code === "internal_error")
    )
  )
}

const options = (rounds: number) => ({ timeout: 300_000 + rounds * 60_000 })

describe.skipIf(postgresMissing !== undefined || onPostgres === 0)("many servers on one database", () => {
  let postgres: EmbeddedPostgres
  beforeAll(async () => {
    // On a disk that is waited for: otherwise nothing would have to survive.
    postgres = await startPostgresServer({ fsync: true })
  }, 60_000)
  afterAll(() => postgres?.stop())

  it(`${onPostgres} kills of a server and the database change nothing, back in 5 s`, options(onPostgres), async () =>
    survives(await killedPostgres(postgres), onPostgres)
  )
})

describe.skipIf(missingOwnCitus() !== undefined || onCitus === 0)("many servers on one Citus cluster", () => {
  let cluster: OwnCluster
  beforeAll(async () => {
    cluster = await startOwnCluster()
  }, 60_000)
  afterAll(() => cluster?.stop())

  it(`${onCitus} kills of a server and of nodes change nothing, back within 5 seconds`, options(onCitus), async () =>
    survives(await killedCluster(cluster), onCitus)
  )
})
