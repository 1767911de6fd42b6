/**
 * What the searches of one client cost the payments of another, beside payments of a quiet server: 24 clients, within the
 * rate of their key, look for what none of 100,000 payments is. A long run (`POINTSMAN_LONG=all`): each takes
 * `POINTSMAN_FLOOD_SECONDS`, 10 unless set.
 */
import { assert, describe, it } from "vitest"
import { storages } from "./support/FilledStore.ts"
import { floodingKey, payingKey, startFloodedServer } from "./support/FloodedServer.ts"
import { amountOf } from "./support/LongRuns.ts"
import { floodOf, pay, payBeside, turnsAtMost } from "./support/PayBeside.ts"

const seconds = amountOf("POINTSMAN_FLOOD_SECONDS", { long: 10 })
const clients = 24
/** Requests of a key: more than the clients make. */
const perSecond = "1000"

const searches = [
  "metadata[a]=same&metadata[b]=nope",
  "metadata[a]=same&currency=USD",
  "amount=1000&reference=nope",
  "connection=nope"
]

describe.skipIf(seconds === 0)("searches of one client", () => {
  it.each(storages)(
    "%s hardly slows another client that pays, and none of its payments is refused",
    { timeout: 120_000 + turnsAtMost * 3_000 * seconds },
    async (storage, open) => {
      const { environment, fill, folder } = await open()
      const server = await startFloodedServer({
        folder,
        environment: { ...environment, POINTSMAN_RATE_LIMIT: perSecond }
      })
      for (let time = 0; time < 50; time++) await pay(server, payingKey)
      await pay(server, floodingKey)
      await fill()
      const headers = { authorization: `Bearer ${floodingKey}` }
      const flood = floodOf(clients, (turn) =>
        fetch(`${server.url}/api/v1/payments?${searches[turn % searches.length]}`, { headers })
      )
      await payBeside(server, `searches on ${storage}`, seconds, flood, (statuses) => {
        assert.isAbove(statuses["200"] ?? 0, 10 * seconds)
        assert.hasAllKeys(statuses, ["200", "429"])
      })
    }
  )
})
