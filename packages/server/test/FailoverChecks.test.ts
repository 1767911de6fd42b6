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
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

/** For how long a server on PostgreSQL uses its copy of the configuration unseen. */
const trustedForMillis = 1_000

type Connected = ReturnType<typeof connectionTo>

const limited = { status: 429, body: { error: { code: "rate_limited", message: "Too many requests." } } }

describe("a configuration that changes during the first attempt", () => {
  for (const database of ["SQLite", "PostgreSQL"]) {
    const isSkipped = database === "PostgreSQL" && postgresMissing !== undefined
    it.skipIf(isSkipped)(`next connections are used on ${database} as they are by then`, async () => {
      const [first, unasked, second] = [await startProvider(), await startProvider(), await startProvider()]
      const [main, removed, inactive] = ["main", "removed", "inactive"].map((id) =>
        connectionTo(id === "main" ? first : unasked, id)
      ) as [Connected, Connected, Connected]
      const rotated = connectionTo(second, "rotated")
      const before = { ...rotated, credentials: { ...rotated.credentials, apiKey: "the-old-key" } }
      const folder = temporaryFolder()
      const environment = database === "PostgreSQL" ? environmentOn(await newDatabase()) : {}
      const { clock, push } = makeMovedClock()
      const [workspace] = configurationWith(main, removed, inactive, before).workspaces
      const routing = { production: { ...workspace?.routing.production, maxAttempts: 4 } }
      const configuration = { workspaces: [{ ...workspace, routing }] }
      const server = await startServerHere({ folder, configuration, environment, clock })
      const held = first.hold("charge")
      const creating = pay(server, randomUUID(), { debug: true })
      await held.arrived
      const later = configurationWith(main, { ...inactive, active: false } as Connected, rotated)
      writeFileSync(join(folder, "later.json"), JSON.stringify(later))
      const applied = await runHere(folder, ["config", "apply", "later.json"], environment)
      assert.strictEqual(applied.code, 0, applied.stderr)
      // A server that did not hear of the change compares its copy after this.
      if (database === "PostgreSQL") push(trustedForMillis)
      held.release(limited)
      const { data } = (await creating).body
      assert.deepStrictEqual([unasked.calls.length, second.charges.length, data.payment_status], [0, 1, "CAPTURED"])
      assert.sameDeepMembers(
        data.routing.excluded.map(({ code, providerId }: Record<string, string>) => [providerId, code]),
        [
          ["removed", "CONNECTION_INACTIVE"],
          ["inactive", "CONNECTION_INACTIVE"]
        ]
      )
      const explained = await runHere(folder, ["routing", "explain", data.payment_id], environment)
      assert.match(explained.stdout, /\(inactive\) was skipped: CONNECTION_INACTIVE\./u)
    })
  }
})
