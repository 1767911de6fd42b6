/**
 * A gateway in front of a provider that answers lookups by itself, through the server, over sockets and on PostgreSQL. Its
 * words are no answer about a charge or a refund: only the provider's own "never received" settles one.
 */
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { sendJson, serveHttp } from "./support/HttpHere.ts"
import { environmentOn, newDatabase, postgresMissing, query } from "./support/PostgresServer.ts"
import { type ProviderCall, type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { startServer } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"

interface Gateway {
  readonly id: string
  readonly currency: string
  /** Its own answer to each lookup; absent for one that passes them on. */
  readonly answer?: (response: ServerResponse) => void
}

const json = { "content-type": "application/json; charset=utf-8" }

const gateways: ReadonlyArray<Gateway> = [
  {
    id: "kong",
    currency: "EUR",
    answer: (response) => response.writeHead(404, json).end('{"message":"no Route matched with those values"}')
  },
  { id: "empty", currency: "USD", answer: (response) => response.writeHead(404).end() },
  {
    id: "down",
    currency: "GBP",
    answer: (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>502 Bad Gateway</h1>")
  }
]
/** The control: the provider itself says that it never received what it did not execute. */
const open: Gateway = { id: "open", currency: "CHF" }

/** Counts lookups; everything else goes to the provider and back. */
const startGateway = async ({ answer }: Gateway, provider: ScriptedProvider) => {
  let lookUps = 0
  const { url } = await serveHttp(async ({ headers: from, method = "", url: at = "" }, response, body) => {
    const isLookup = /^\/(?:charges|refunds)\?/u.test(at)
    if (isLookup) lookUps += 1
    if (isLookup && answer !== undefined) return answer(response)
    const headers = { authorization: from.authorization ?? "", "idempotency-key": String(from["idempotency-key"]) }
    const sent = body.length === 0 ? {} : { body: String(body) }
    const came = await fetch(new URL(at, provider.url), { method, headers, ...sent })
    sendJson(response, came.status, await came.json())
  })
  return { url, lookUps: () => lookUps }
}

describe.skipIf(postgresMissing !== undefined)("a gateway that answers lookups", () => {
  it("a 404 or 502 of a gateway settles nothing; the provider's word does", async () => {
    const [provider, database] = await Promise.all([startProvider(), newDatabase()])
    const all = await Promise.all(
      [...gateways, open].map(async (gateway) => ({ ...gateway, ...(await startGateway(gateway, provider)) }))
    )
    const server = await startServer({
      environment: {
        ...environmentOn(database),
        POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
        POINTSMAN_REFUND_CHECK_INTERVAL: "1 second"
      },
      configuration: configurationWith(
        ...all.map(({ currency, id, url }) => ({
          ...connectionTo({ url, apiKey: provider.apiKey }, id),
          supports: { currencies: [currency] }
        }))
      )
    })
    let keys = 0
    const post = (at: string, body: object) =>
      server.request("POST", at, { key: liveKey, idempotencyKey: `gateway-answers-${++keys}`, body })
    const read = async (id: string) => (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data
    const refund = (id: string) => post(`${path}/${id}/refunds`, { amount: 1999 })

    const made = await Promise.all(
      all.map(async (gateway) => {
        const order = { amount: 1999, currency: gateway.currency, country: "NL" }
        const refunded = (await post(path, order)).body.data.payment_id
        return { ...gateway, order, refunded }
      })
    )
    // Executed and not answered; of the open gateway they are lost on the way.
    const ofOpen = provider.charges.find(({ currency }) => currency === open.currency)
    const lose = (call: ProviderCall) => {
      const isOfOpen = call.body.currency === open.currency || call.path.includes(ofOpen?.providerReference ?? "?")
      if (!isOfOpen) call.execute()
      return "drop" as const
    }
    provider.always("charge", lose)
    provider.always("refund", lose)
    const unknown = await Promise.all(
      made.map(async (one) => {
        const [charge, refunded] = await Promise.all([post(path, one.order), refund(one.refunded)])
        assert.strictEqual(charge.body.data.status, "UNKNOWN", one.id)
        assert.strictEqual(refunded.body.error?.code, "refund_result_unknown", one.id)
        return { ...one, charged: charge.body.data.payment_id }
      })
    )
    // Old enough for "never received" to be believed: when something was sent is stored as a time since the creation.
    await query(database, "update payments set created_at = created_at - 3600000")
    const before = unknown.map(({ lookUps }) => lookUps())
    const isAskedTwice = () => unknown.slice(0, -1).every(({ lookUps }, at) => lookUps() >= (before[at] ?? 0) + 4)
    const isSettled = async () => (await read(unknown.at(-1)?.refunded)).refund_pending_amount === 0
    await until("all are asked twice, and one is settled", async () => isAskedTwice() && (await isSettled()))

    for (const { charged, id, refunded } of unknown.slice(0, -1)) {
      const [charge, payment] = [await read(charged), await read(refunded)]
      assert.deepStrictEqual([charge.status, charge.captured_amount], ["UNKNOWN", 0], id)
      assert.deepInclude(payment, { status: "CAPTURED", refunded_amount: 0, refund_pending_amount: 1999 }, id)
      const again = await refund(refunded)
      assert.deepStrictEqual([again.status, again.body.error.code], [409, "refund_pending"], id)
    }
    const [charge, payment] = [await read(unknown.at(-1)?.charged), await read(unknown.at(-1)?.refunded)]
    assert.strictEqual(charge.status, "FAILED")
    assert.deepInclude(payment, { status: "CAPTURED", refunded_amount: 0, refund_pending_amount: 0 })
    const executed = provider.charges.map(({ currency, refunds }) => `${currency} ${[...refunds.values()].join()}`)
    assert.sameMembers(executed, ["EUR 1999", "EUR ", "USD 1999", "USD ", "GBP 1999", "GBP ", "CHF "])
  })
})
