/** Connections for operators: their health, and nothing that is secret of them. */
import { assert, describe, it } from "vitest"
import { pageAt } from "./support/Responses.ts"
import { routedShop, secret } from "./support/RoutedShop.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, silence } from "./support/World.ts"

const here = usedWorld()

const at = "/connections/acme/sandbox"
const api = "/api/workspaces/acme/sandbox/connections"

const pageOf = async (path: string, cookie: string, status = 200): Promise<string> => {
  const text = await pageAt(here, path, cookie, status)
  assert.notInclude(text, secret)
  return text
}

const admin = () => here.signIn("jo", [{ workspaceId: "acme", role: "admin" }])

describe("connections", () => {
  it("an admin sees the connections of its workspace and environment", async () => {
    const cookie = await admin()
    assert.include(await pageOf("/payments/acme/sandbox", cookie), 'href="/console/connections/acme/sandbox"')
    assert.strictEqual(
      (await here.send("/connections", { cookie })).headers.get("location"),
      "/console/connections/acme/sandbox"
    )
    await pageOf("/connections/acme/staging", cookie, 404)
    await pageOf(`${at}/acme-production`, cookie, 404)
    assert.strictEqual((await here.send(`${api}/globex-sandbox`, { cookie })).status, 404)
  })

  it("limits, a webhook secret and a missing connector are in words, without secrets", async () => {
    await routedShop(here, "sandbox", { mode: "failover" }, [
      {
        id: "limited",
        supports: {
          currencies: ["EUR", "USD"],
          recurring: false,
          amount: { EUR: { min: 50, max: 100_000 } },
          requiresAuthentication: ["FR"]
        },
        restrictions: [{ country: ["BR"], captureMethod: ["manual"], amount: { max: 500 } }],
        sealedWebhookSecret: secret,
        timeoutMillis: 9_000,
        circuitBreaker: { failures: 3, openMillis: 20_000 },
        fees: [{ when: { region: ["domestic"] }, partsPerMillion: 14_500, fixed: { EUR: 25 } }]
      },
      { id: "broken", connector: "nowhere" },
      { id: "off", active: false, priority: 1 }
    ])
    const cookie = await admin()
    const list = await pageOf(at, cookie)
    const places = ["acme-sandbox", "limited", "broken", "off"].map((id) =>
      list.indexOf(`<span class="soft">${id}</span>`)
    )
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    for (const part of ["The limited &lt;acquirer&gt;", "Cannot be used", "Not active", "No recent payments"]) {
      assert.include(list, part)
    }
    const text = await pageOf(`${at}/limited`, cookie)
    for (const part of [
      "Accepts EUR, USD.",
      "Accepts no payments that the merchant starts.",
      "In EUR: from €0.50 up to €1,000.00.",
      "Accepts customers from FR only with authentication.",
      "Excluded: up to 500 minor units; customers from BR; captured manually.",
      "1.45 % and €0.25; region domestic",
      "9000 ms",
      "Opens for 20 s after 3 consecutive failures.",
      "<code>/api/v1/psp-webhooks/limited</code>, with a secret"
    ]) {
      assert.include(text, part)
    }
    assert.include(await pageOf(`${at}/broken`, cookie), "connector &quot;nowhere&quot; is not installed.")
    const response = await here.send(api, { cookie })
    const body = await response.text()
    assert.notInclude(body, secret)
    assert.notInclude(body, "sealed")
    const limited = (await bodyOf(await here.send(`${api}/limited`, { cookie }))).data
    assert.deepInclude(limited, {
      id: "limited",
      timeout_ms: 9_000,
      circuit_breaker: { failures: 3, open_ms: 20_000 },
      fees: [{ when: { region: ["domestic"] }, percent: "1.45", fixed: { EUR: 25 } }],
      webhook: { path: "/api/v1/psp-webhooks/limited", has_secret: true, has_previous_secret: false }
    })
    assert.deepStrictEqual(limited.supports.amount, { EUR: { min: 50, max: 100_000 } })
  })

  it("the last payment that succeeded and the last that failed are shown by name", async () => {
    const cookie = await admin()
    const { id: first } = await here.pay("acme", "sandbox", "automatic")
    here.provider.onCharge = () => silence
    const { id: second } = await here.pay("acme", "sandbox", "automatic")
    const { circuit, health } = (await bodyOf(await here.send(`${api}/acme-sandbox`, { cookie }))).data
    assert.deepStrictEqual([health.succeeded, health.failed, health.fault], [1, 1, null])
    assert.deepInclude(health.last_success, { payment_id: first, outcome: "Captured" })
    assert.deepInclude(health.last_failure, { payment_id: second, outcome: "Unanswered" })
    assert.deepInclude(circuit, { state: "closed", failures: 1 })
    const text = await pageOf(`${at}/acme-sandbox`, cookie)
    assert.include(text, `href="/console/payments/acme/sandbox/${second}"`)
    assert.include(text, "Working")
    assert.include(text, "1 of 2")
    assert.include(text, "not known: the provider has not named it")
  })
})
