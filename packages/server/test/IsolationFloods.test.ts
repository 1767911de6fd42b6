/**
 * What all reads of one tenant cost the payments of another, beside payments of a quiet server: 8 clients of a workspace
 * with 100,000 payments ask for everything that its keys may read, or an operator of it, one endpoint after the other, at
 * the rate of the key or the operator. A long run (`POINTSMAN_LONG=all`): each group takes `POINTSMAN_FLOOD_SECONDS`, 10 unless set.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { runCommand } from "./support/CommandProcess.ts"
import { storages } from "./support/FilledStore.ts"
import { floodingKey, payingKey, startFloodedServer } from "./support/FloodedServer.ts"
import { amountOf } from "./support/LongRuns.ts"
import { floodOf, pay, payBeside, turnsAtMost } from "./support/PayBeside.ts"
import { type ReadEndpoint, readsOfApi, readsOfConsoleApi, readsOfPages } from "./support/ReadEndpoints.ts"
import { readingRival, rivalLiveKey, signInOperator } from "./support/ReadingRival.ts"

const seconds = amountOf("POINTSMAN_FLOOD_SECONDS", { long: 10 })
const clients = 8
/** Requests a second that a key and an operator may make: a tenth more is sent. */
const ofKey = 100
const ofOperator = 20

const grant = ["--role", "admin", "--workspace", "rival"]

/** Records that the workspace has none of are looked for. */
const places = {
  ...{ workspace: "rival", environment: "sandbox", partner: "rival", operator: "rival", connection: "rival-sandbox" },
  ...{ endpoint: "whe_1", dispute: "dsp_1", delivery: "dlv_1", run: "rec_1", key: "key_1", merchant: "mer_1" },
  ...{ token: "none", id: "msg_1", payout: "po_1", amount: "1000", currency: "EUR", country: "NL" }
}

/** These change what a workspace stores; that of `rival` is in the configuration file. */
const formsOfStoredWorkspaces = [
  "routing/{workspace}/{environment}/change",
  "connections/{workspace}/{environment}/new/connection",
  "connections/{workspace}/{environment}/{connection}/credentials",
  "connections/{workspace}/{environment}/{connection}/active",
  "webhooks/{workspace}/{environment}/new/endpoint",
  "webhooks/{workspace}/{environment}/endpoints/{endpoint}/active"
].map((path) => `/console/${path}`)

/** Asked again as often as it is refused for the rate. */
const answerTo = async (ask: (read: ReadEndpoint) => Promise<Response>, read: ReadEndpoint): Promise<Response> => {
  const answer = await ask(read)
  await answer.arrayBuffer()
  if (answer.status !== 429) return answer
  await sleep(1_000 * Number(answer.headers.get("retry-after")))
  return answerTo(ask, read)
}

describe.skipIf(seconds === 0)("all reads of one tenant", () => {
  it.each(storages)(
    "%s hardly slows another workspace, and none of its payments is refused",
    { timeout: 120_000 + turnsAtMost * 3 * 3_000 * seconds },
    async (storage, open) => {
      const { environment, fill, folder } = await open()
      // The rate of keys is the usual one.
      const limits = { ...environment, POINTSMAN_RATE_LIMIT: String(ofKey) }
      const server = await startFloodedServer({ folder, environment: limits, more: readingRival })
      for (let time = 0; time < 50; time++) await pay(server, payingKey)
      const payment: string = (await pay(server, floodingKey)).body.data.payment_id
      await fill()
      const cookie = await signInOperator(server.url, (words) => runCommand(folder, words, environment), grant)
      const ask = ({ name, path }: ReadEndpoint) =>
        fetch(`${server.url}${path}`, {
          redirect: "manual",
          headers: path.startsWith("/console")
            ? { cookie }
            : { authorization: `Bearer ${name.startsWith("/api/v1/merchants") ? rivalLiveKey : floodingKey}` }
        })
      for (const [group, reads, perSecond] of [
        ["API", readsOfApi({ ...places, payment }), ofKey],
        ["console's API", readsOfConsoleApi({ ...places, payment }), ofOperator],
        ["console's pages", readsOfPages({ ...places, payment }), ofOperator]
      ] as const) {
        const inFile: Array<string> = []
        // What is loaded or made once is no part of the rate.
        for (const read of reads) if ((await answerTo(ask, read)).status === 409) inFile.push(read.name)
        assert.deepStrictEqual(inFile, group === "console's pages" ? formsOfStoredWorkspaces : [])
        const flood = floodOf(clients, (turn) => ask(reads[turn % reads.length] as ReadEndpoint), 1.1 * perSecond)
        await payBeside(server, `reads of the ${group} on ${storage}`, seconds, flood, (statuses) => {
          assert.isAbove(statuses["200"] ?? 0, 5 * seconds)
          const allowed = ["200", "303", "403", "404", "429", ...(inFile.length > 0 ? ["409"] : [])]
          assert.containsAllKeys(Object.fromEntries(allowed.map((one) => [one, 0])), Object.keys(statuses))
        })
      }
      // Each reads all payments; two run at once.
      const api = `${server.url}/console/api/workspaces/rival/sandbox`
      const month = new Date().toISOString().slice(0, 7)
      const wholes = [
        "books/balances?before=2100-01-01",
        `books/journal?month=${month}&format=csv`,
        "payments/export.csv"
      ]
      const flood = floodOf(4, (turn) => fetch(`${api}/${wholes[turn % wholes.length]}`, { headers: { cookie } }))
      await payBeside(server, `balances and exports on ${storage}`, seconds, flood, (statuses) =>
        assert.hasAllKeys(statuses, ["200", "429"])
      )
    }
  )
})
