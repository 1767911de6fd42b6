/** An amount that a provider's API cannot express, from the API to Checkout.com's wire: no failure of the connection. */
import { assert, describe, it } from "vitest"
import { connectionTo, workspaceWith } from "./support/Configurations.ts"
import { sendJson, serveHttp } from "./support/HttpHere.ts"
import { pay as create } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { each } from "./support/ServerProcess.ts"

/** Approves every payment, by the answer that Checkout.com documents. */
const startCheckout = async () => {
  const amounts: Array<number> = []
  const { url } = await serveHttp((_request, response, text) => {
    const { amount, currency, reference } = JSON.parse(String(text))
    amounts.push(amount)
    const id = "pay_mbabizu24mvu3mela5njyhpit4"
    const approved = { approved: true, status: "Authorized", response_code: "10000" }
    sendJson(response, 201, { id, amount, currency, reference, ...approved })
  })
  return { amounts, url }
}

describe("an amount that a provider cannot express", () => {
  it("only 1.990 KWD reaches Checkout.com after as many of 1.995 as open a circuit", async () => {
    const [checkout, backup] = [await startCheckout(), await startProvider()]
    const workspace = {
      ...workspaceWith([]),
      connections: [
        {
          id: "checkout",
          environment: "production",
          connector: "checkout",
          credentials: { secretKey: "sk_made_up_0123456789", prefix: "vkuhvk4v", baseUrl: checkout.url }
        },
        connectionTo(backup, "backup")
      ],
      routing: { production: { mode: "failover", order: ["checkout", "backup"] } }
    }
    const server = await startServerHere({ configuration: { workspaces: [workspace] } })
    const pay = async (amount: number, of: number) => {
      const instruments = [
        { connection: "checkout", token: "src_wmlfc3zyhqzehihu7giusaaawu" },
        { connection: "backup", token: "tok_1" }
      ]
      const order = { amount, currency: "KWD", country: "KW", instruments, capture_method: "manual", debug: true }
      const { body, status } = await create(server, `order-${amount}-${of}`, order)
      const { attempts, excluded } = body.data.routing
      return {
        status,
        state: body.data.status,
        attempts: each(attempts, "connection_id"),
        excluded: excluded.map(({ code, providerId }: { code: string; providerId: string }) => [providerId, code])
      }
    }

    const authorized = { status: 201, state: "AUTHORIZED" }
    for (let of = 1; of <= 5; of++) {
      const excluded = [["checkout", "AMOUNT_OUT_OF_RANGE"]]
      assert.deepStrictEqual(await pay(1995, of), { ...authorized, attempts: ["backup"], excluded })
    }
    assert.deepStrictEqual(await pay(1990, 6), { ...authorized, attempts: ["checkout"], excluded: [] })
    assert.deepStrictEqual(checkout.amounts, [1990])

    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    assert.include(metrics, 'pointsman_attempts_total{connection="checkout",outcome="Authorized"} 1\n')
    assert.notMatch(metrics, /pointsman_attempts_total\{connection="checkout",outcome="NotSent"\}/u)
    assert.notMatch(metrics, /pointsman_circuit_(?:opened_total|state)\{/u)
  })
})
