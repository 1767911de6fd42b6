/** An operator takes a connection out of use while a payment is at its first provider. */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

/** For how long a server on PostgreSQL uses its copy of the configuration unseen. */
const trustedForMillis = 1_000

const limited = { status: 429, body: { error: { code: "rate_limited", message: "Too many requests." } } }

/** A payment at `main`, a configuration that is applied meanwhile, and then the rejection of `main`. */
const whileAtMain = async (
  database: string,
  [main, before]: readonly [Connected, Connected],
  later: ReadonlyArray<object>,
  first: ScriptedProvider
) => {
  const folder = temporaryFolder()
  const environment = database === "PostgreSQL" ? environmentOn(await newDatabase()) : {}
  const { clock, push } = makeMovedClock()
  const server = await startServerHere({ folder, configuration: configurationWith(main, before), environment, clock })
  const held = first.hold("charge")
  const creating = pay(server, randomUUID(), { debug: true })
  await held.arrived
  writeFileSync(join(folder, "later.json"), JSON.stringify(configurationWith(main, ...(later as Array<Connected>))))
  const applied = await runHere(folder, ["config", "apply", "later.json"], environment)
  assert.strictEqual(applied.code, 0, applied.stderr)
  // A server that did not hear of the change compares its copy after this.
  if (database === "PostgreSQL") push(trustedForMillis)
  held.release(limited)
  const { data } = (await creating).body
  const explained = await runHere(folder, ["routing", "explain", data.payment_id], environment)
  return { data, explained: explained.stdout }
}

type Connected = ReturnType<typeof connectionTo>

describe("a configuration that changes during the first attempt", () => {
  for (const database of ["SQLite", "PostgreSQL"]) {
    const isSkipped = database === "PostgreSQL" && postgresMissing !== undefined
    for (const change of ["deactivated", "removed"] as const) {
      const name = `nothing is sent on ${database} to a next connection that is ${change}`
      it.skipIf(isSkipped)(name, async () => {
        const [first, second] = [await startProvider(), await startProvider()]
        const [main, backup] = [connectionTo(first), connectionTo(second, "backup")] as const
        const later = change === "removed" ? [] : [{ ...backup, active: false }]
        const { data, explained } = await whileAtMain(database, [main, backup], later, first)
        assert.isEmpty(second.calls)
        assert.strictEqual(data.payment_status, "FAILED")
        assert.deepStrictEqual(
          data.routing.excluded.map(({ code, providerId }: Record<string, string>) => [providerId, code]),
          [["backup", "CONNECTION_INACTIVE"]]
        )
        assert.match(explained, /\(backup\) was skipped: CONNECTION_INACTIVE\./u)
      })
    }

    const rotated = `the next connection's other credentials are used on ${database}`
    it.skipIf(isSkipped)(rotated, async () => {
      const [first, second] = [await startProvider(), await startProvider({ apiKey: "the-new-key" })]
      const [main, backup] = [connectionTo(first), connectionTo(second, "backup")] as const
      const before = { ...backup, credentials: { ...backup.credentials, apiKey: "the-old-key" } }
      const { data } = await whileAtMain(database, [main, before], [backup], first)
      assert.lengthOf(second.charges, 1)
      assert.strictEqual(data.payment_status, "CAPTURED")
      assert.isEmpty(data.routing.excluded)
    })
  }
})
