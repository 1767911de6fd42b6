/**
 * Three servers on one PostgreSQL, under load: servers and the database itself are killed and come back. What was
 * acknowledged is on every server, the provider was asked for everything once, and service is back in seconds.
 *
 * A long run (`POINTSMAN_LONG=all`). `POINTSMAN_MANY_SERVERS` sets how often a server and then the database are killed: 6
 * unless set. `POINTSMAN_KILL_SEED` repeats the plan of a run.
 */
import { isDeepStrictEqual } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { EmbeddedPostgres } from "../../storage/postgres/test/support/EmbeddedPostgres.ts"
import { disagreements } from "./support/kill/Agreement.ts"
import type { Evidence } from "./support/kill/Evidence.ts"
import { type Back, backWithinMillis, type ManyServers, startManyServers } from "./support/kill/ManyServers.ts"
import { amountOf } from "./support/LongRuns.ts"
import { newDatabase, postgresMissing, startPostgresServer } from "./support/PostgresServer.ts"

const rounds = amountOf("POINTSMAN_MANY_SERVERS", { long: 6 })
const seed = Number(process.env["POINTSMAN_KILL_SEED"] ?? Date.now() % 1_000_000)
const servers = 3

/** Between two kills. */
const acknowledgements = 100

/** Milliseconds for which the database is down. With the longer ones, a server gives up writing its answers down. */
const downMillis = [0, 4_500, 500]

/** Kills one server while the others go on, and then the database under all of them. */
const run = async (world: ManyServers): Promise<ReadonlyArray<Back>> => {
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

describe.skipIf(postgresMissing !== undefined || rounds === 0)("many servers on one database", () => {
  let postgres: EmbeddedPostgres
  beforeAll(async () => {
    // On a disk that is waited for: otherwise nothing would have to survive.
    postgres = await startPostgresServer({ fsync: true })
  }, 60_000)
  afterAll(() => postgres?.stop())

  it(`given ${rounds} kills of a server and of the database, when all are back, then nothing was lost, doubled or changed, and service was back within 5 seconds`, {
    timeout: 300_000 + rounds * 60_000
  }, async () => {
    const world = await startManyServers(postgres, await newDatabase(postgres), seed, servers)
    const back = await run(world).catch((cause: unknown) => {
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
        ...world.merchant.unreadable,
        ...world.follower.refused.map((answer) => `the follower was answered ${answer}`),
        ...world.provider.refusedMessages.map((message) => `the provider's message was refused: ${message}`),
        ...world.receiver.unsigned.map((event) => `not signed as the guide says: ${event}`),
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
  })
})
