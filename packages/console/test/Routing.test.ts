/** Routing for operators: the settings, success over time, and where a payment would go. */
import type { RoutingSettings } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { plot } from "../src/routing/Plot.ts"
import { successRange } from "../src/routing/SuccessRange.ts"
import { assertFields, pageAt } from "./support/Responses.ts"
import { routedShop, secret } from "./support/RoutedShop.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf } from "./support/World.ts"

const here = usedWorld()

const settings: RoutingSettings = {
  mode: "auto",
  control: { share: 0.25, order: ["euros"] },
  rules: [
    {
      name: "big <ones>",
      when: { currency: ["EUR"], amount: { min: 100_000 } },
      use: { mode: "fixed", order: ["euros"] }
    },
    { name: "bigger", when: { currency: ["EUR"], amount: { min: 200_000 } }, use: { mode: "failover" } },
    {
      name: "split",
      when: { country: ["DE"], initiator: ["mit"] },
      use: { mode: "failover", split: { euros: 1, "acme-sandbox": 3 } }
    }
  ]
}

const shop = async () => {
  await routedShop(here, "sandbox", settings, [
    { id: "euros", supports: { currencies: ["EUR"] } },
    { id: "off", active: false },
    { id: "strict", restrictions: [{ country: ["NL"] }] }
  ])
  return here.signIn("jo", [{ workspaceId: "acme", role: "operations" }])
}

const at = "/routing/acme/sandbox"
const api = "/api/workspaces/acme/sandbox/routing"

const pageOf = async (path: string, cookie: string, status = 200): Promise<string> => {
  const text = await pageAt(here, path, cookie, status)
  assert.notInclude(text, secret)
  return text
}

const dataOf = async (path: string, cookie: string) => {
  const response = await here.send(path, { cookie })
  assert.strictEqual(response.status, 200)
  return (await bodyOf(response)).data
}

describe("roles", () => {
  it("operations are led to the routing of the first workspace", async () => {
    const cookie = await shop()
    assert.include(await pageOf("/payments/acme/sandbox", cookie), 'href="/console/routing/acme/sandbox"')
    assert.notInclude(await pageOf("/payments/acme/sandbox", cookie), "/console/connections")
    const entry = await here.send("/routing", { cookie })
    assert.strictEqual(entry.headers.get("location"), "/console/routing/acme/sandbox")
    await pageOf("/routing/acme/staging", cookie, 404)
  })
})

describe("settings", () => {
  it("the page and the API show rules, with one that can never match", async () => {
    const cookie = await shop()
    const text = await pageOf(at, cookie)
    assert.include(text, "<strong>Mode auto</strong>")
    assert.include(text, "25 % of the payments that match no rule: euros")
    assert.include(text, "<strong>big &lt;ones&gt;</strong>: EUR; from €1,000.00")
    assert.include(text, "<strong>split</strong>: customers from DE; started by the merchant")
    assert.include(text, "split 25 % euros, 75 % acme-sandbox")
    assert.include(text, "Every payment that it matches is decided earlier by the rule &quot;big &lt;ones&gt;&quot;.")
    assert.include(text, "All circuits on this server are closed")
    assert.include(text, "Success rates are measured in production.")
    const data = await dataOf(api, cookie)
    assert.deepStrictEqual([data.mode, data.order, data.max_attempts, data.exploration], ["auto", null, 2, 0.05])
    assert.deepStrictEqual(
      data.rules.map(({ findings, name }: (typeof data.rules)[number]) => [
        name,
        findings.map(({ kind }: { kind: string }) => kind)
      ]),
      [
        ["big <ones>", []],
        ["bigger", ["unreachable"]],
        ["split", []]
      ]
    )
    assert.deepStrictEqual(data.control, { share: 0.25, order: ["euros"], findings: [] })
  })

  it("the objective value shows the fee and expected value of each candidate", async () => {
    const fees = [{ partsPerMillion: 29_000, fixed: { EUR: 30 } }]
    const byValue = { mode: "auto", auto: { exploration: 0, objective: "value", maxApprovalLoss: 0.02 } } as const
    await routedShop(here, "sandbox", byValue, [
      { id: "priced", priority: 0, fees },
      { id: "unpriced", priority: 1 }
    ])
    const cookie = await here.signIn("jo", [{ workspaceId: "acme", role: "operations" }])
    const data = await dataOf(api, cookie)
    assert.deepStrictEqual([data.objective, data.max_approval_loss], ["value", 0.02])
    assert.include(
      data.findings.map(({ kind }: { readonly kind: string }) => kind),
      "unpriced"
    )
    assert.include(await pageOf(at, cookie), "value, giving up at most 2 points of approval")
    const { routes } = await dataOf(`${api}/preview?amount=1000&currency=EUR&country=NL`, cookie)
    const [first, second] = routes[0].candidates
    assert.deepStrictEqual(first.value, {
      fee_minor: 59,
      fee_rule: 1,
      approval_ppm: 800_000,
      expected_micros: 752_800_000
    })
    assert.deepInclude(second.value, { fee_minor: null, fee_rule: null, expected_micros: null })
    const preview = await pageOf(`${at}/preview?amount=10&currency=EUR&country=NL`, cookie)
    assert.include(preview, "expected approval 80 %, fee €0.59 by rule 1, expected value 752.8 minor units")
    assert.include(preview, "expected approval 80 %, fee unknown")
    const { id } = await here.pay("acme", "sandbox", "automatic")
    const page = await pageOf(`/payments/acme/sandbox/${id}`, cookie)
    assert.match(
      page,
      /Order: The priced .*?, fee €0\.\d\d by rule 1, expected value [\d.]+ minor units; The acme-sandbox acquirer, expected approval 80 %, fee unknown/u
    )
  })

  it("the defaults are shown without settings", async () => {
    const cookie = await here.signIn("jo", [{ workspaceId: null, role: "operations" }])
    const text = await pageOf("/routing/globex/production", cookie)
    for (const part of [
      "Mode failover",
      "There are no rules",
      "all connections, by priority",
      "Nothing is measured yet."
    ]) {
      assert.include(text, part)
    }
  })

  it("an open circuit is shown where its connection is, and nowhere else", async () => {
    const cookie = await here.signIn("jo", [{ workspaceId: null, role: "operations" }])
    await routedShop(here, "sandbox", { mode: "failover" }, [
      { id: "fragile", priority: 0, circuitBreaker: { failures: 1, openMillis: 60_000 } }
    ])
    await routedShop(here, "sandbox", { mode: "fixed", order: ["fragile"] }, [])
    here.provider.onCharge = () => Effect.succeed({ _tag: "Rejected", code: "E1", message: "no" })
    await here.pay("acme", "sandbox", "automatic")
    const [circuit] = (await dataOf(api, cookie)).circuits
    assert.deepInclude(circuit, { connection_id: "fragile", state: "open", failures: 1 })
    assert.include(await pageOf(at, cookie), `<span class="status bad">open</span>`)
    assert.deepStrictEqual((await dataOf("/api/workspaces/acme/production/routing", cookie)).circuits, [])
    const preview = await pageOf(`${at}/preview?amount=1&currency=EUR&country=NL`, cookie)
    assert.include(preview, "The circuit of every connection is open")
  })
})

describe("success", () => {
  it("the rates of production payments are shown now and over time, with ranges", async () => {
    const cookie = await here.signIn("jo", [{ workspaceId: "acme", role: "operations" }])
    for (let number = 0; number < 4; number++) await here.pay("acme", "production", "automatic")
    here.provider.onCharge = ({ attemptId }) =>
      Effect.succeed({ _tag: "Declined", providerRef: attemptId, category: "do_not_honor", code: "05", soft: false })
    await here.pay("acme", "production", "automatic")
    // What was learned is written when learning ends.
    await here.ask(({ keepLearning }) => Effect.ignore(Effect.timeout(keepLearning(10), 50)))
    const [all, segment] = await dataOf("/api/workspaces/acme/production/routing/rates", cookie)
    assert.deepStrictEqual(
      [all.connection_id, all.segment, segment.segment],
      ["acme-production", null, "EUR NL card -"]
    )
    assert.closeTo(all.rate, 0.8, 0.01)
    assert.isTrue(all.low < 0.45 && all.high > 0.95)
    const page = await pageOf("/routing/acme/production", cookie)
    assert.include(page, `<svg class="range"`)
    assert.include(page, "EUR NL card -")

    const history = await dataOf("/api/workspaces/acme/production/routing/history?period=7d", cookie)
    assert.deepStrictEqual([history.payments, history.is_sampled, history.step_seconds], [5, false, 21_600])
    const [series] = history.series
    assert.lengthOf(series.steps, 28)
    assert.deepInclude(series.steps.at(-1), { succeeded: 4, failed: 1, rate: 0.8, low: 0.3755, high: 0.9638 })
    assert.deepInclude(series.steps[0], { succeeded: 0, failed: 0, rate: null, low: null, high: null })
    const text = await pageOf("/routing/acme/production/history?period=7d&segment=EUR+NL+card+-", cookie)
    assert.include(text, "Counted from all 5 payments of the period.")
    assert.include(text, `<option value="7d" selected>`)
    assert.include(text, `<option value="EUR NL card -" selected>`)
    assert.include(text, "Success of acme-production: from 80 % to 80 %.")
    assert.include(text, "37.6 % to 96.4 %")
    assert.include(text, `href="/console/routing/acme/production/history?period=7d&amp;segment=EUR+NL+card+-"`)
  })

  it("the page says that there are no payments, and an unknown segment stays chosen", async () => {
    const cookie = await here.signIn("jo", [{ workspaceId: "acme", role: "operations" }])
    const text = await pageOf(`${at}/history?period=1y&segment=%3Cb%3E`, cookie)
    for (const part of [
      "No attempts in this period.",
      `<option value="24h" selected>`,
      `<option value="&lt;b&gt;" selected>`
    ]) {
      assert.include(text, part)
    }
    for (const query of ["period=1y", `segment=${"x".repeat(81)}`]) {
      const response = await here.send(`${api}/history?${query}`, { cookie })
      assert.strictEqual(response.status, 422)
      assert.include((await bodyOf(response)).error.message, `\`${query.split("=")[0]}\` must be`)
    }
  })

  it("the range of counts is that of Wilson, and stays within 0 and 1", () => {
    const rounded = (succeeded: number, failed: number) =>
      Object.values(successRange({ succeeded, failed }) ?? {}).map((value) => Math.round(value * 10_000) / 10_000)
    // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29; and 20 of 20.
    assert.deepStrictEqual(rounded(81, 182), [0.308, 0.2553, 0.3662])
    assert.deepStrictEqual(rounded(15, 133), [0.1014, 0.0624, 0.1605])
    assert.deepStrictEqual(rounded(0, 20), [0, 0, 0.1611])
    assert.deepStrictEqual(rounded(1, 28), [0.0345, 0.0061, 0.1718])
    assert.deepStrictEqual(rounded(20, 0), [1, 0.8389, 1])
    assert.isUndefined(successRange({ succeeded: 0, failed: 0 }))
  })

  it("the line breaks at steps without outcomes, and its axis begins below the ranges", () => {
    const known = { rate: 0.9, low: 0.85, high: 0.95 }
    const empty = new InProcess.Html("")
    const { text } = plot({ points: [known, known, undefined, known], label: "<label>", ends: [empty, empty] })
    assert.include(text, `aria-label="&lt;label&gt;"`)
    assert.include(text, `d="M0.5 50L1.5 50M3.5 50"`)
    assert.include(text, "<span>100 %</span><span>90 %</span><span>80 %</span>")
    assert.include(text, `<rect class="span" x="0.1" width="0.8" y="25" height="50"></rect>`)
  })
})

describe("where a payment would go", () => {
  const query = "currency=eur&country=nl&method=card&card_brand=&initiator=cit&capture_method=automatic"

  it("a payment shows candidates in order with scores, and why others were excluded", async () => {
    const cookie = await shop()
    assert.notInclude(await pageOf(`${at}/preview`, cookie), "The route")
    const text = await pageOf(`${at}/preview?amount=19,99&${query}`, cookie)
    assert.include(text, `value="19,99"`)
    assert.include(text, "No rule matches. Mode auto")
    assert.match(text, /<ol><li><strong>The acme-sandbox acquirer<\/strong>.*score 0.8.*measured nothing/u)
    assert.include(text, "The strict &lt;acquirer&gt;</strong>: A restriction of the connection matches the payment.")
    assert.include(text, "The off &lt;acquirer&gt;</strong>: The connection is not active.")
    assert.include(text, "No rule matches, and the payment is in the control group.")
    const fixed = await pageOf(`${at}/preview?amount=1000&${query}`, cookie)
    assert.include(fixed, "The rule “big &lt;ones&gt;” is the first that matches.")
    assert.include(fixed, "The order of this route does not name it.")
    const dollars = await pageOf(`${at}/preview?amount=5&currency=USD&country=NL`, cookie)
    assert.include(dollars, "The connection does not accept USD.")
    const named = await pageOf(`${at}/preview?amount=5&${query}&payment_method=ideal`, cookie)
    assert.include(named, "The connection does not accept the payment method ideal.")
    assert.lengthOf(here.provider.charges, 0)
  })

  it("the API's shares add up, its amounts are minor units, and a split is routes", async () => {
    const cookie = await shop()
    const { routes } = await dataOf(`${api}/preview?amount=1999&currency=EUR&country=DE&initiator=mit`, cookie)
    assert.deepStrictEqual(
      routes.map(({ candidates, rule }: (typeof routes)[number]) => [rule, candidates[0].connection_id]),
      [
        ["split", "acme-sandbox"],
        ["split", "euros"]
      ]
    )
    assert.strictEqual(routes[0].share + routes[1].share, 1)
    assert.closeTo(routes[0].share, 0.75, 0.06)
    assertFields(routes[0].not_named, "connection_id", "strict")
  })

  it("the page says that no connection can take it", async () => {
    await routedShop(here, "production", { mode: "failover" }, [
      { id: "acme-production", supports: { methods: ["bank"] } }
    ])
    const cookie = await here.signIn("jo", [{ workspaceId: "acme", role: "operations" }])
    const text = await pageOf(`/routing/acme/production/preview?amount=1&currency=EUR&country=NL`, cookie)
    assert.include(text, "No connection can accept the payment.")
    assert.include(text, "METHOD_NOT_SUPPORTED")
  })

  it("the form and the API name the field of a wrong value and what was expected", async () => {
    const cookie = await shop()
    const wrong = [
      ["amount=0&currency=EUR&country=NL", "Amount: expected an amount in EUR, such as 10.00, and at least 0.50."],
      ["amount=0.49&currency=EUR&country=NL", "at least 0.50."],
      ["amount=1.5&currency=JPY&country=NL", "Amount: expected an amount in JPY, such as 10, and at least 50."],
      ["amount=1&currency=XXY&country=NL", "`currency` must be an ISO 4217"],
      ["amount=1&currency=EUR&country=", "`country` must be an ISO 3166-1"],
      ["amount=1&currency=EUR&country=NL&method=cash", "`method` must be one of card"],
      [`amount=1&currency=EUR&country=NL&card_brand=${"x".repeat(21)}`, "`card_brand` must be text of at most 20"],
      ["amount=1&currency=EUR&country=NL&initiator=x", "`initiator` must be one of"],
      ["amount=1&currency=EUR&country=NL&capture_method=x", "`capture_method` must be one of"]
    ] as const
    for (const [given, message] of wrong) assert.include(await pageOf(`${at}/preview?${given}`, cookie, 422), message)
    for (const [given, field] of [
      ["currency=EUR&country=NL", "amount"],
      ["amount=1.5&currency=EUR&country=NL", "amount"],
      ["amount=49&currency=EUR&country=NL", "amount"],
      ["amount=100000001&currency=EUR&country=NL", "amount"],
      ["amount=100&currency=eur&country=NL", "currency"],
      ["amount=100&currency=EUR&country=NLD", "country"]
    ] as const) {
      const response = await here.send(`${api}/preview?${given}`, { cookie })
      assert.strictEqual(response.status, 422)
      assert.include((await bodyOf(response)).error.message, `\`${field}\` must be`)
    }
  })
})
