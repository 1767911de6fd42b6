/**
 * What costly inputs of one client, its searches for what none of 100,000 payments is, and refused sign-ins of somebody
 * without an account cost the payments of another client. A long run (`POINTSMAN_LONG=all`): each takes
 * `POINTSMAN_FLOOD_SECONDS`, 10 unless set.
 */
import { assert, describe, it } from "vitest"
import { storages } from "./support/FilledStore.ts"
import { floodingKey, payingKey, startFloodedServer } from "./support/FloodedServer.ts"
import { amountOf } from "./support/LongRuns.ts"
import { type Flood, floodOf, pay, payBeside, type Statuses, turnsAtMost } from "./support/PayBeside.ts"

const seconds = amountOf("POINTSMAN_FLOOD_SECONDS", { long: 10 })

/** A form of 5 MB in more parts than a form may have, for a dispute that does not exist. */
const parts = `${Array.from({ length: 70_000 }, (_, part) => `--x\r\ncontent-disposition: form-data; name="p${part}"\r\n\r\n${part}\r\n`).join("")}--x--\r\n`

const searches = [
  "metadata[a]=same&metadata[b]=nope",
  "metadata[a]=same&currency=USD",
  "amount=1000&reference=nope",
  "connection=nope"
]

describe.skipIf(seconds === 0)("inputs that cost much", () => {
  it.each(storages)(
    "%s hardly slows another client, and none of its payments is refused",
    { timeout: 120_000 + 3 * turnsAtMost * 3_000 * seconds },
    async (storage, open) => {
      const { environment, fill, folder } = await open()
      const server = await startFloodedServer({ folder, environment: { ...environment, POINTSMAN_RATE_LIMIT: "1000" } })
      const beside = (name: string, flood: Flood, check: (statuses: Statuses) => void) =>
        payBeside(server, `${name} on ${storage}`, seconds, flood, check)
      for (let time = 0; time < 50; time++) await pay(server, payingKey)

      const authorization = `Bearer ${floodingKey}`
      const form = { authorization, "content-type": "multipart/form-data; boundary=x" }
      const forms = floodOf(4, () =>
        fetch(`${server.url}/api/v1/disputes/dp_x/evidence`, { method: "POST", headers: form, body: parts })
      )
      await beside("forms of 70,000 parts", forms, (statuses) =>
        assert.isAbove(
          Object.values(statuses).reduce((sum, count) => sum + count, 0),
          seconds
        )
      )

      const origin = { origin: server.url, "content-type": "application/x-www-form-urlencoded" }
      const signIns = floodOf(60, (turn) =>
        fetch(`${server.url}/console/sign-in`, {
          method: "POST",
          headers: origin,
          body: new URLSearchParams({ login: `login-${turn % 1_000}`, password: "a wrong password" })
        })
      )
      await beside("refused sign-ins", signIns, (statuses) => assert.hasAnyKeys(statuses, ["401", "429"]))

      await pay(server, floodingKey)
      await fill()
      const search = floodOf(24, (turn) =>
        fetch(`${server.url}/api/v1/payments?${searches[turn % searches.length]}`, { headers: { authorization } })
      )
      await beside("searches", search, (statuses) => {
        assert.isAbove(statuses["200"] ?? 0, 10 * seconds)
        assert.hasAllKeys(statuses, ["200", "429"])
      })
    }
  )
})
