/** An operator takes a connection out of use while a payment is at its first provider. */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { environmentOn, newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

/** For how long a server on PostgreSQL uses its copy of the configuration unseen. */
const trustedForMillis = 1_100

const limited = { status: 429, body: { error: { code: "rate_limited", message: "Too many requests." } } }

describe("a connection that is taken out of use during the first attempt", { timeout: 60_000 }, () => {
  for (const database of ["SQLite", "PostgreSQL"]) {
    for (const change of ["deactivated", "removed"] as const) {
      const isSkipped = database === "PostgreSQL" && postgresMissing !== undefined
      it.skipIf(isSkipped)(
        `given ${database}, when it is ${change}, then no further attempt is sent there`,
        async () => {
          const folder = temporaryFolder()
          const environment = database === "PostgreSQL" ? environmentOn(await newDatabase()) : {}
          const [first, second] = [await startProvider(), await startProvider()]
          const main = connectionTo(first)
          const backup = connectionTo(second, "backup")
          const server = await startServer({ folder, configuration: configurationWith(main, backup), environment })
          const held = first.hold("charge")
          const creating = server.request("POST", "/api/v1/payments", {
            key: liveKey,
            idempotencyKey: randomUUID(),
            body: { amount: 1999, currency: "EUR", country: "NL", debug: true }
          })
          await held.arrived

          const inactive = { ...backup, active: false }
          const configuration = configurationWith(...(change === "removed" ? [main] : [main, inactive]))
          writeFileSync(join(folder, "later.json"), JSON.stringify(configuration))
          const applied = await runHere(folder, ["config", "apply", "later.json"], environment)
          assert.strictEqual(applied.code, 0, applied.stderr)
          // A server that did not hear of the change compares its copy after this.
          if (database === "PostgreSQL") await sleep(trustedForMillis)
          held.release(limited)

          const { body } = await creating
          assert.isEmpty(second.calls)
          assert.strictEqual(body.data.payment_status, "FAILED")
          assert.deepStrictEqual(
            body.data.routing.excluded.map(({ code, providerId }: Record<string, string>) => [providerId, code]),
            [["backup", "CONNECTION_INACTIVE"]]
          )
          const explained = await runHere(folder, ["routing", "explain", body.data.payment_id], environment)
          assert.match(explained.stdout, /\(backup\) was skipped: CONNECTION_INACTIVE\./u)
        }
      )
    }
  }
})
