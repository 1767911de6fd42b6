/**
 * `kill -9` at any moment, under mixed load, with a provider that times out, drops connections and finishes late, and a
 * receiver of webhooks that fails. When nothing fails any more, the API and the provider agree to the cent.
 *
 * A long run (`POINTSMAN_LONG=all`). `POINTSMAN_KILL_ROUNDS` and `POINTSMAN_KILL_ROUNDS_POSTGRES` set the number of
 * rounds on each storage: 50 and 25 unless set. `POINTSMAN_KILL_ROUNDS_CITUS` does so on a cluster, where there is one, with
 * servers at each of its nodes: 10 unless set. One kill of each is in Kill.test.ts. `POINTSMAN_KILL_SEED` repeats the plan of a run: when which server is killed and how everybody is inclined,
 * though not which request meets which mood.
 */
import { assert, describe, it } from "vitest"
import { hasCluster } from "../../storage/citus/test/support/CitusDatabase.ts"
import { citusDatabase } from "./support/citus/KilledCluster.ts"
import { disagreements, wrongIn } from "./support/kill/Agreement.ts"
import type { Evidence } from "./support/kill/Evidence.ts"
import { type KillStorage, type KillWorld, openKillWorld, sqliteFile } from "./support/kill/KillWorld.ts"
import { postgresDatabase } from "./support/kill/PostgresStorage.ts"
import { amountOf } from "./support/LongRuns.ts"
import { sharedPostgres } from "./support/PostgresServer.ts"

const seed = Number(process.env["POINTSMAN_KILL_SEED"] ?? Date.now() % 1_000_000)

const run = async (world: KillWorld, rounds: number): Promise<Evidence> => {
  await world.killWhileMigrating()
  for (let round = 1; round <= rounds; round++) await world.round(round)
  return world.rest()
}

const testOn = (storage: KillStorage, rounds: number) =>
  it(`${rounds} killed servers leave nothing lost, doubled or invented`, {
    timeout: 300_000 + rounds * 20_000
  }, async () => {
    const world = await openKillWorld(seed, storage)
    const evidence = await run(world, rounds).catch((cause: unknown) => {
      throw new Error(`POINTSMAN_KILL_SEED=${seed}`, { cause })
    })
    assert.deepStrictEqual([...disagreements(evidence), ...wrongIn(world)], [], `POINTSMAN_KILL_SEED=${seed}`)
    // There was something to lose.
    assert.isNotEmpty(evidence.wishes.filter(({ answers }) => answers.some(({ payment }) => payment !== null)))
    assert.isNotEmpty(evidence.wishes.filter(({ lost }) => lost > 0))
  })

const onSqlite = amountOf("POINTSMAN_KILL_ROUNDS", { long: 50 })
describe.skipIf(onSqlite === 0)("kill -9 under mixed load", () => {
  testOn(sqliteFile, onSqlite)
})

const onPostgres = amountOf("POINTSMAN_KILL_ROUNDS_POSTGRES", { long: 25 })
describe.skipIf(sharedPostgres.url === "" || onPostgres === 0)("kill -9 under mixed load, on PostgreSQL", () => {
  testOn(postgresDatabase, onPostgres)
})

const onCitus = amountOf("POINTSMAN_KILL_ROUNDS_CITUS", { long: 10 })
describe.skipIf(!hasCluster || onCitus === 0)("kill -9 under mixed load, on a Citus cluster", () => {
  testOn(citusDatabase, onCitus)
})
