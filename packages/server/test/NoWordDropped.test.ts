/**
 * Every documented message about money of every connector, without our ids, at a socket: each is stored with the payment that it
 * is about, whose outcome is a change, a review, a lookup, or that it says what is recorded.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { configurationAt } from "./support/Configurations.ts"
import { listenAs } from "./support/journeys/StandIn.ts"
import { pay } from "./support/Pay.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { type Sent, type TalkingProvider, talkingProviders, tellServer } from "./support/TalkingProviders.ts"

const openPayment = async ({ answer, connection, connectors, token }: TalkingProvider) => {
  const folder = temporaryFolder()
  const own = connection(await listenAs(Date.now, answer))
  const server = await startServerHere({ folder, configuration: configurationAt(own, connectors) })
  const { body } = await pay(server, "no-word-dropped-1", {
    amount: 1234,
    instruments: [{ connection: own["id"], token }]
  })
  assert.deepInclude(body.data, { status: "CAPTURED" }, JSON.stringify(body))
  const store = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"), { readOnly: true })
  const all = store.prepare("select event_id, payment_id, outcome, reason from messages")
  const known = new Set<unknown>()
  return {
    id: body.data.payment_id as string,
    /** What is stored of the message. */
    hear: async (message: Sent) => {
      const posted = await tellServer(server.url, own["id"], message)
      assert.strictEqual(posted.status, 200, await posted.text())
      const [stored, ...others] = all.all().filter(({ event_id }) => !known.has(event_id))
      assert.isEmpty(others)
      known.add(stored?.["event_id"])
      return { ...stored }
    },
    close: () => store.close()
  }
}

/** A change, a review, a lookup, or what is recorded. */
const heard: ReadonlySet<unknown> = new Set(["applied", "contradicts", "waits", "confirmed", "older"])

describe("no word about money is dropped", () => {
  for (const [name, provider] of Object.entries(talkingProviders)) {
    it(`the payment of a charge at ${name} has each of its messages without our ids`, async () => {
      const { close, hear, id } = await openPayment(provider)
      const silent: Array<unknown> = []
      for (const [nth, type] of provider.types.entries()) {
        const stored = await hear(provider.message(type, nth))
        const isHeard = stored["payment_id"] === id && heard.has(stored["outcome"])
        if (isHeard === provider.quiet.includes(type)) silent.push({ type, ...stored })
      }
      close()
      assert.deepStrictEqual(silent, [])
    })
  }
})
