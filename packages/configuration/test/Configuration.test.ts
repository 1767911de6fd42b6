import { assert, describe, it } from "@effect/vitest"
import {
  contentHash,
  formatMistake,
  openConnectionOf,
  routingSettingsOf,
  understandConfiguration
} from "@pointsman/configuration"
import { formatApiKey } from "@pointsman/core"
import type { ConnectorDefinition, Connectors, Transport } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Effect, Option, Result } from "effect"

const testKey = formatApiKey("sandbox", new Uint8Array(64).fill(1))
const liveKey = formatApiKey("production", new Uint8Array(64).fill(2))

/** Takes an object with a `baseUrl`, and says so as connectors do. */
const definition = (name: string, environments: ConnectorDefinition["environments"]): ConnectorDefinition => ({
  name,
  environments,
  supports: {},
  connect: ({ credentials }) =>
    name === "sandbox" || typeof (credentials as { readonly baseUrl?: unknown }).baseUrl === "string"
      ? Result.succeed({ charge: () => Effect.never, lookUpCharge: () => Effect.never })
      : Result.fail("credentials.baseUrl: expected an absolute http or https URL")
})
const definitions = [definition("http", ["sandbox", "production"]), definition("sandbox", ["sandbox"])]
const connectors: Connectors["Service"] = {
  names: definitions.map(({ name }) => name),
  definition: (name) => Option.fromUndefinedOr(definitions.find((one) => one.name === name))
}
const transport: Transport["Service"] = { send: () => Effect.die("nothing is sent while a file is checked") }

const understand = (json: unknown, environment: Record<string, string> = {}) =>
  understandConfiguration(json, {
    connectors,
    transport,
    claimWindowMillis: 900_000,
    claimWindowSetting: "the claim window",
    providerTimeoutMillis: 30_000,
    environment
  })

const mistakes = (json: unknown, environment: Record<string, string> = {}): ReadonlyArray<string> => {
  const configuration = understand(json, environment)
  return Result.isFailure(configuration) ? configuration.failure.map(formatMistake) : []
}

const full = () => ({
  workspaces: [
    {
      id: "acme",
      name: "Acme",
      country: "NL",
      category: "retail",
      suspended: false,
      partner: { allowance: 2 },
      keys: [
        { environment: "sandbox", secret: testKey, scopes: ["payments:read"] },
        { environment: "production", secret: liveKey }
      ],
      connections: [
        {
          id: "main",
          name: "Main acquirer",
          environment: "production",
          connector: "http",
          active: true,
          priority: 1,
          credentials: { baseUrl: "http://127.0.0.1:9001", apiKey: "visible-api-key" },
          webhookSecret: "whsec_visible",
          previousWebhookSecret: "whsec_visible_before",
          timeout: "2 seconds",
          supports: {
            currencies: ["EUR"],
            payerCountries: ["NL"],
            methods: ["card"],
            cardBrands: ["visa"],
            recurring: true,
            merchantCountries: ["NL"],
            blockedCategories: ["gambling"],
            amount: { EUR: { min: 50, max: 1_000_000 } },
            requiresAuthentication: ["NL"]
          },
          restrictions: [{ when: { initiator: ["mit"] } }],
          circuitBreaker: { failures: 5, open: "30 seconds" }
        },
        {
          id: "backup",
          environment: "production",
          connector: "http",
          credentials: { baseUrl: "http://127.0.0.1:9002" }
        },
        { id: "play", environment: "sandbox" }
      ],
      routing: {
        production: {
          mode: "failover",
          order: ["main", "backup"],
          maxAttempts: 2,
          rules: [
            {
              name: "big tickets",
              when: { currency: ["EUR"], amount: { min: 100_000 } },
              use: { mode: "fixed", order: ["main"] }
            },
            { name: "split", when: { method: ["card"] }, use: { mode: "failover", split: { main: 70, backup: 30 } } }
          ],
          control: { share: 0.05, order: ["backup"] }
        },
        sandbox: {}
      },
      webhooks: [
        { environment: "production", url: "http://127.0.0.1:9002/hook", events: ["*"], secret: "whsec_visible" }
      ]
    }
  ]
})

type Json = { [key: string]: Json } & Array<Json>

/** The full file with one place changed, `undefined` for taken out. */
const withChange = (path: ReadonlyArray<string | number>, value: unknown): unknown => {
  const json = full()
  const parents = path.slice(0, -1)
  const last = path.at(-1) as string
  const parent = parents.reduce<Json>((at, key) => at[key as string] as Json, json as unknown as Json)
  if (value === undefined) delete parent[last]
  else parent[last] = value as Json
  return json
}

const w = ["workspaces", 0] as const
const c = [...w, "connections", 0] as const
const r = [...w, "routing", "production"] as const

describe("the configuration file", () => {
  it("the documented file has no mistake", () => {
    assert.deepStrictEqual(mistakes(full()), [])
    assert.deepStrictEqual(mistakes({ $schema: "x", workspaces: [] }), [])
  })

  it.each<[ReadonlyArray<string | number>, unknown, string, RegExp]>([
    [["workspaces"], undefined, "workspaces", /missing/],
    [["worksapces"], [], "worksapces", /unknown field; expected one of .*workspaces/],
    [[...w, "id"], undefined, "workspaces[0].id", /missing/],
    [[...w, "id"], "a b", "workspaces[0].id", /an id of 1 to 64/],
    [[...w, "name"], "", "workspaces[0].name", /a name of 1 to 120/],
    [[...w, "country"], "XX", "workspaces[0].country", /ISO 3166-1/],
    [[...w, "country"], "nl", "workspaces[0].country", /ISO 3166-1/],
    [[...w, "suspended"], "no", "workspaces[0].suspended", /expected boolean/],
    [[...w, "partner"], { allowance: -1 }, "workspaces[0].partner.allowance", /0 or more/],
    [[...w, "partner"], { allowance: 1.5 }, "workspaces[0].partner.allowance", /a whole number/],
    [[...w, "conections"], [], "workspaces[0].conections", /unknown field/],
    [["retention"], { payments: "89 days" }, "retention.payments", /"off", or at least "90 days"/],
    [["retention"], { payments: 7 }, "retention.payments", /"off", or at least "90 days"/],
    [[...w, "retention"], { deliveries: "6 days" }, "workspaces[0].retention.deliveries", /at least "7 days"/],
    [[...w, "retention"], { messages: "200 years" }, "workspaces[0].retention.messages", /at least "30 days"/],
    [
      [...w, "retention"],
      { events: "1 year" },
      "workspaces[0].retention.events",
      /one of payments, deliveries, messages/
    ],
    [["fourEyes"], { EUR: -1 }, "fourEyes.EUR", /a whole number of minor units, 0 or more/],
    [["fourEyes"], { EUR: 10.5 }, "fourEyes.EUR", /a whole number of minor units, 0 or more/],
    [[...w, "fourEyes"], { eur: 1 }, "workspaces[0].fourEyes.eur", /an ISO 4217 currency code/],
    [[...w, "brand"], { name: "" }, "workspaces[0].brand.name", /a name of 1 to 120/],
    [[...w, "brand"], { colour: "#000000" }, "workspaces[0].brand.colour", /one of name, logo, color, support, terms/],
    [[...w, "brand"], { color: "red" }, "workspaces[0].brand.color", /# and six hexadecimal digits/],
    [[...w, "brand"], { color: "#fff" }, "workspaces[0].brand.color", /# and six hexadecimal digits/],
    [[...w, "brand"], { color: "#ffcc00" }, "workspaces[0].brand.color", /1\.51:1, .* "#907300"$/],
    [[...w, "brand"], { color: "#FFFFFF" }, "workspaces[0].brand.color", /1\.00:1, .* "#767676"$/],
    [[...w, "brand"], { color: "#777777" }, "workspaces[0].brand.color", /4\.47:1, .* "#767676"$/],
    [[...w, "brand"], { logo: "http://shop.example/x.png" }, "workspaces[0].brand.logo", /an https URL .* data: URL/],
    [[...w, "brand"], { logo: "https://a:b@shop.example/" }, "workspaces[0].brand.logo", /an https URL/],
    [[...w, "brand"], { logo: "https://a;b/x.png" }, "workspaces[0].brand.logo", /an https URL/],
    [
      [...w, "brand"],
      { logo: "data:text/html;base64,AAAA" },
      "workspaces[0].brand.logo",
      /PNG, JPEG, WebP, GIF or SVG/
    ],
    [[...w, "brand"], { logo: "data:image/png;base64," }, "workspaces[0].brand.logo", /in base64/],
    [[...w, "brand"], { logo: "data:image/png;base64,AAA" }, "workspaces[0].brand.logo", /in base64/],
    [[...w, "brand"], { logo: "data:image/svg+xml,<svg/>" }, "workspaces[0].brand.logo", /in base64/],
    [
      [...w, "brand"],
      { logo: `data:image/png;base64,${"A".repeat(32_768)}` },
      "workspaces[0].brand.logo",
      /at most 32768 characters/
    ],
    [[...w, "brand"], { support: "http://shop.example/help" }, "workspaces[0].brand.support", /or a mailto URL/],
    [[...w, "brand"], { support: "mailto:nobody" }, "workspaces[0].brand.support", /or a mailto URL/],
    [[...w, "brand"], { support: "javascript:alert(1)" }, "workspaces[0].brand.support", /an https URL/],
    [[...w, "brand"], { terms: "mailto:help@shop.example" }, "workspaces[0].brand.terms", /an https URL/],
    [[...w, "brand"], { terms: `https://shop.example/${"x".repeat(2_048)}` }, "workspaces[0].brand.terms", /https URL/],
    [[...w, "keys", 0, "environment"], "test", "workspaces[0].keys[0].environment", /"sandbox" or "production"/],
    [[...w, "keys", 0, "secret"], `${testKey.slice(0, -1)}-`, "workspaces[0].keys[0].secret", /ps_test_, 32 letters/],
    [[...w, "keys", 0, "secret"], liveKey, "workspaces[0].keys[0].secret", /begins with ps_test_/],
    [[...w, "keys", 0, "scopes"], ["payments:raed"], "workspaces[0].keys[0].scopes[0]", /"payments:read"/],
    [[...w, "keys", 0, "expires"], "2027-02-29", "workspaces[0].keys[0].expires", /a UTC date or time/],
    [[...w, "keys", 0, "expires"], "2027-02-01T00:00:00", "workspaces[0].keys[0].expires", /a UTC date or time/],
    [[...w, "keys", 0, "networks"], ["10.0.0.0/33"], "workspaces[0].keys[0].networks[0]", /a CIDR range/],
    [[...w, "keys", 0, "networks"], [], "workspaces[0].keys[0].networks", /at least one entry/],
    [[...w, "keys", 0, "scopes"], [], "workspaces[0].keys[0].scopes", /at least one entry/],
    [[...c, "environment"], "live", "workspaces[0].connections[0].environment", /"sandbox" or "production"/],
    [[...c, "connector"], "sandbox", "workspaces[0].connections[0].connector", /connectors for production: http$/],
    [[...c, "connector"], "stripe", "workspaces[0].connections[0].connector", /connectors for production: http$/],
    [[...c, "connector"], undefined, "workspaces[0].connections[0].connector", /connectors for production: http$/],
    [[...c, "priority"], 0, "workspaces[0].connections[0].priority", /1 or more/],
    [[...c, "active"], 1, "workspaces[0].connections[0].active", /boolean/],
    [[...c, "credentials"], "visible", "workspaces[0].connections[0].credentials", /expected an object/],
    [[...c, "credentials"], undefined, "workspaces[0].connections[0].credentials.baseUrl", /http or https URL/],
    [[...c, "webhookSecret"], "", "workspaces[0].connections[0].webhookSecret", /non-empty/],
    [[...c, "webhookSecret"], undefined, "workspaces[0].connections[0].previousWebhookSecret", /that replaces it/],
    [[...c, "previousWebhookSecret"], "", "workspaces[0].connections[0].previousWebhookSecret", /non-empty/],
    [[...c, "timeout"], "2s", "workspaces[0].connections[0].timeout", /a duration such as/],
    [[...c, "timeout"], 2000, "workspaces[0].connections[0].timeout", /a duration such as/],
    [[...c, "timeout"], "15 minutes", "workspaces[0].connections[0].timeout", /less than the claim window/],
    [[...c, "supports", "currencies"], ["EURO"], "workspaces[0].connections[0].supports.currencies[0]", /ISO 4217/],
    [[...c, "supports", "currencies"], ["XAU"], "workspaces[0].connections[0].supports.currencies[0]", /ISO 4217/],
    [[...c, "supports", "currencies"], [], "workspaces[0].connections[0].supports.currencies", /at least one entry/],
    [
      [...c, "supports", "currencies"],
      ["EUR", "EUR"],
      "workspaces[0].connections[0].supports.currencies",
      /duplicates/
    ],
    [
      [...c, "supports", "payerCountries"],
      ["UK"],
      "workspaces[0].connections[0].supports.payerCountries[0]",
      /ISO 3166/
    ],
    [[...c, "supports", "methods"], ["cash"], "workspaces[0].connections[0].supports.methods[0]", /"card" or "bank"/],
    [[...c, "supports", "recuring"], true, "workspaces[0].connections[0].supports.recuring", /unknown field/],
    [
      [...c, "supports", "paymentMethods"],
      { iDEAL: {} },
      "workspaces[0].connections[0].supports.paymentMethods.iDEAL",
      /one of card, apple_pay/
    ],
    [[...c, "supports", "amount"], { eur: {} }, "workspaces[0].connections[0].supports.amount.eur", /ISO 4217/],
    [
      [...c, "supports", "amount"],
      { EUR: { min: 5, max: 4 } },
      "workspaces[0].connections[0].supports.amount.EUR",
      /min not greater than max/
    ],
    [
      [...c, "supports", "amount"],
      { EUR: { min: 0.5 } },
      "workspaces[0].connections[0].supports.amount.EUR.min",
      /minor units/
    ],
    [
      [...c, "restrictions"],
      [{ when: { initiator: ["MIT"] } }],
      "workspaces[0].connections[0].restrictions[0].when.initiator[0]",
      /"cit" or "mit"/
    ],
    [[...c, "restrictions"], [{}], "workspaces[0].connections[0].restrictions[0].when", /missing/],
    [[...c, "circuitBreaker", "failures"], 0, "workspaces[0].connections[0].circuitBreaker.failures", /1 or more/],
    [[...c, "circuitBreaker", "open"], "x", "workspaces[0].connections[0].circuitBreaker.open", /a duration/],
    [[...w, "connections", 1, "id"], "main", "workspaces[0].connections[1].id", /connection id that is unique/],
    [[...w, "connections", 1, "id"], "a/b", "workspaces[0].connections[1].id", /an id of/],
    [[...w, "routing", "live"], {}, "workspaces[0].routing.live", /unknown field/],
    [[...r, "mode"], "automatic", "workspaces[0].routing.production.mode", /"fixed", "priority", "failover", "auto"/],
    [
      [...r, "order"],
      ["main", "play"],
      "workspaces[0].routing.production.order[1]",
      /production connection.*: main, backup/
    ],
    [[...r, "order"], ["main", "main"], "workspaces[0].routing.production.order", /duplicates/],
    [[...r, "maxAttempts"], 0, "workspaces[0].routing.production.maxAttempts", /1 or more/],
    [
      [...r, "rules", 0, "use", "order"],
      ["nope"],
      "workspaces[0].routing.production.rules[0].use.order[0]",
      /main, backup/
    ],
    [[...r, "rules", 0, "use", "mode"], "best", "workspaces[0].routing.production.rules[0].use.mode", /"auto"/],
    [
      [...r, "rules", 0, "use", "split"],
      { backup: 1 },
      "workspaces[0].routing.production.rules[0].use.split.backup",
      /this rule's order/
    ],
    [
      [...r, "rules", 0, "when", "amount"],
      { min: 2, max: 1 },
      "workspaces[0].routing.production.rules[0].when.amount",
      /min not greater/
    ],
    [
      [...r, "rules", 0, "when", "curency"],
      ["EUR"],
      "workspaces[0].routing.production.rules[0].when.curency",
      /unknown field/
    ],
    [
      [...r, "rules", 1, "use", "split"],
      { main: 0 },
      "workspaces[0].routing.production.rules[1].use.split.main",
      /a weight above 0/
    ],
    [
      [...r, "rules", 1, "use", "split"],
      { nope: 1 },
      "workspaces[0].routing.production.rules[1].use.split.nope",
      /main, backup/
    ],
    [[...r, "rules", 1, "use", "split"], {}, "workspaces[0].routing.production.rules[1].use.split", /at least one/],
    [
      [...r, "rules", 1, "name"],
      "big tickets",
      "workspaces[0].routing.production.rules[1].name",
      /rule name that is unique/
    ],
    [[...r, "control", "share"], 1.01, "workspaces[0].routing.production.control.share", /from 0 to 1/],
    [[...r, "control", "order"], ["nope"], "workspaces[0].routing.production.control.order[0]", /main, backup/],
    [[...r, "control", "order"], undefined, "workspaces[0].routing.production.control.order", /missing/],
    [[...r, "auto"], { exploration: 1.5 }, "workspaces[0].routing.production.auto.exploration", /a share from 0 to 1/],
    [[...r, "auto"], { explore: 0.1 }, "workspaces[0].routing.production.auto.explore", /one of exploration/],
    [[...r, "auto"], { objective: "cost" }, "workspaces[0].routing.production.auto.objective", /"approval" or "value"/],
    [[...r, "auto"], { maxApprovalLoss: 2 }, "workspaces[0].routing.production.auto.maxApprovalLoss", /a share from 0/],
    [[...r, "strategy"], "cheapest", "workspaces[0].routing.production.strategy", /unknown field/],
    [
      [...r, "rules", 0, "use", "strategy"],
      "cheapest",
      "workspaces[0].routing.production.rules[0].use.strategy",
      /unknown field/
    ],
    [[...w, "webhooks", 0, "url"], "/hook", "workspaces[0].webhooks[0].url", /http or https URL/],
    [[...w, "webhooks", 0, "events"], ["payment.paid"], "workspaces[0].webhooks[0].events[0]", /"payment.captured"/],
    [[...w, "webhooks", 0, "events"], ["*", "payment.captured"], "workspaces[0].webhooks[0].events", /either/],
    [[...w, "webhooks", 0, "secret"], undefined, "workspaces[0].webhooks[0].secret", /missing/],
    [["workspaces", 1], { id: "acme" }, "workspaces[1].id", /workspace id that is unique/],
    [
      ["workspaces", 1],
      { id: "b", keys: [{ environment: "sandbox", secret: testKey }] },
      "workspaces[1].keys[0].secret",
      /listed only once/
    ],
    [
      ["workspaces", 1],
      { id: "b", connections: [{ id: "play", environment: "sandbox" }] },
      "workspaces[1].connections[0].id",
      /unique across all workspaces/
    ],
    [
      ["workspaces", 1],
      { id: "b", routing: { sandbox: { order: ["play"] } } },
      "workspaces[1].routing.sandbox.order[0]",
      /it has none/
    ],
    [
      [...w, "webhooks", 1],
      { environment: "production", url: "http://127.0.0.1:9002/hook", secret: "s" },
      "workspaces[0].webhooks[1].url",
      /unique among the webhooks/
    ]
  ])("%j = %j is reported", (path, value, where, expected) => {
    const told = mistakes(withChange(path, value))
    const line = told.find((mistake) => mistake.startsWith(`${where}: `))
    assert.isDefined(line, told.join("\n"))
    assert.match(line as string, expected)
    assert.notInclude(told.join("\n"), "visible")
    assert.notInclude(told.join("\n"), testKey)
    assert.notInclude(told.join("\n"), liveKey)
  })

  it("routing gets exactly the options of the mode auto", () => {
    const production = {
      mode: "auto",
      order: ["main", "backup"],
      maxAttempts: 3,
      rules: [{ name: "split", when: {}, use: { mode: "auto", split: { main: 1, backup: 1 } } }],
      control: { share: 0.1, order: ["backup"] },
      auto: { exploration: 0, objective: "value", maxApprovalLoss: 0.02 }
    }
    const routing = Result.getOrThrow(understand(withChange(r, production))).workspaces[0]?.routing?.production
    assert.deepStrictEqual<unknown>(routing && routingSettingsOf(routing), production)
  })

  it("conditions that name payment methods also have their kinds", () => {
    const methods = { paymentMethod: ["ideal", "paypal", "eps"] }
    const kinds = ["bank", "wallet"]
    const rules = [
      { name: "named", when: methods, use: { mode: "failover" } },
      { name: "both", when: { method: ["bank"], ...methods }, use: { mode: "failover" } },
      { name: "kind", when: { method: ["card"] }, use: { mode: "failover" } }
    ]
    const ruled = Result.getOrThrow(understand(withChange(r, { rules }))).workspaces[0]?.routing?.production
    assert.deepStrictEqual<unknown>(ruled && routingSettingsOf(ruled).rules?.map(({ when }) => when), [
      { ...methods, method: kinds },
      { method: ["bank"], ...methods },
      { method: ["card"] }
    ])
    const [workspace] = Result.getOrThrow(
      understand(withChange([...c, "restrictions"], [{ when: { currency: ["EUR"], ...methods } }]))
    ).workspaces
    const [restricted] = workspace?.connections ?? []
    assert.deepStrictEqual<unknown>(workspace && restricted && openConnectionOf(workspace, restricted).restrictions, [
      { currency: ["EUR"], ...methods, method: kinds }
    ])
  })

  it.each([
    [{}],
    [{ name: "Acme Coffee", color: "#0B5FFF", logo: "https://cdn.example:8443/logo.svg?v=2" }],
    [{ logo: "data:image/svg+xml;base64,PHN2Zy8+", support: "mailto:help@shop.example?subject=Order" }],
    [{ color: "#767676", support: "https://shop.example/help", terms: "https://bücher.example/agb" }]
  ])("a workspace has the brand %j", (brand) => {
    assert.deepStrictEqual<unknown>(
      Result.getOrThrow(understand(withChange([...w, "brand"], brand))).workspaces[0]?.brand,
      brand
    )
  })

  it.each([[null], [[]], ["x"], [{ workspaces: {} }]])("%j instead of a file is reported", (json) => {
    assert.strictEqual(mistakes(json).length, 1)
  })

  it("several mistakes are all reported", () => {
    const json = withChange([...w, "country"], "XX") as ReturnType<typeof full>
    const changed = { workspaces: [{ ...json.workspaces[0], suspended: 1, categroy: "x" }] }
    assert.strictEqual(mistakes(changed).length, 3)
  })

  it("one run reports all mistakes of shape, of references and between entries", () => {
    const [acme] = full().workspaces
    const [first, ...others] = acme?.connections ?? []
    const changed = {
      ...acme,
      categroy: "retail",
      connections: [{ ...first, timeout: "1 hour", credentials: { baseUrl: { $env: "UNSET" } } }, ...others],
      routing: { ...acme?.routing, production: { mode: "failover", order: ["gone"] } }
    }
    // The second one has no id: what depends on its sections is not reported, and the rest of the file is.
    const json = { workspaces: [changed, { connections: "none", routing: {} }, { id: "acme" }] }
    assert.deepStrictEqual(
      mistakes(json).map((mistake) => mistake.split(":")[0]),
      [
        "workspaces[0].connections[0].credentials.baseUrl",
        "workspaces[0].categroy",
        "workspaces[1].id",
        "workspaces[1].connections"
      ]
    )
    const [broken, , same] = json.workspaces
    assert.deepStrictEqual(
      mistakes({ workspaces: [broken, same] }).map((mistake) => mistake.split(":")[0]),
      [
        "workspaces[0].connections[0].credentials.baseUrl",
        "workspaces[0].categroy",
        "workspaces[1].id",
        "workspaces[0].connections[0].timeout",
        "workspaces[0].routing.production.order[0]"
      ]
    )
  })

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["a list of connections", "none", ["workspaces[0].connections"]],
    ["a connection's environment", [{ id: "a", environment: "prod" }], ["workspaces[0].connections[0].environment"]]
  ])("%s that is wrong has no further mistake in what depends on it", (_, connections, told) => {
    const routing = { production: { mode: "failover", order: ["a"] } }
    const json = { workspaces: [{ id: "acme", connections, routing }, { id: "acme" }] }
    assert.deepStrictEqual(
      mistakes(json).map((mistake) => mistake.split(":")[0]),
      [...told, "workspaces[1].id"]
    )
  })

  it("references to the environment replace strings anywhere once set", () => {
    const json = withChange([...w, "keys", 0, "secret"], { $env: "ACME_KEY" }) as ReturnType<typeof full>
    const referring = JSON.parse(JSON.stringify(json).replace('"visible-api-key"', '{"$env":"ACME_API_KEY"}'))
    const configuration = Result.getOrThrow(understand(referring, { ACME_KEY: testKey, ACME_API_KEY: "k" }))
    assert.strictEqual(configuration.workspaces[0]?.keys?.[0]?.secret, testKey)
    assert.deepStrictEqual(configuration.workspaces[0]?.connections?.[0]?.credentials, {
      baseUrl: "http://127.0.0.1:9001",
      apiKey: "k"
    })
    assert.deepStrictEqual(mistakes(referring, { ACME_KEY: testKey }), [
      "workspaces[0].connections[0].credentials.apiKey: the environment variable ACME_API_KEY is not set"
    ])
  })

  it("a reference with a wrong value is reported by its field and not its value", () => {
    const told = mistakes(withChange([...w, "country"], { $env: "COUNTRY" }), { COUNTRY: "visible" })
    assert.deepStrictEqual(told, ['workspaces[0].country: expected an ISO 3166-1 alpha-2 country code, such as "NL"'])
  })

  it.each([[{ $env: "A", more: 1 }], [{ $env: 1 }], [{ $env: "" }]])("%j is no reference", (reference) => {
    const told = mistakes(withChange([...w, "country"], reference), { A: "NL" })
    assert.deepStrictEqual(told, [
      'workspaces[0].country: expected {"$env": "NAME"} with the name of an environment variable and no ' +
        "other field"
    ])
  })

  it("fields with the names of an object's own machinery are unknown fields", () => {
    const json = JSON.parse('{"workspaces": [{"id": "a", "__proto__": {"suspended": true}, "constructor": 1}]}')
    assert.deepStrictEqual(
      mistakes(json).map((mistake) => mistake.split(":")[0]),
      ["workspaces[0].__proto__", "workspaces[0].constructor"]
    )
    assert.strictEqual(mistakes(withChange([...w, "country"], { $env: "constructor" })).length, 1)
  })
})

describe("console.requirePasskey", () => {
  it("roles are read, and what is no list of roles is refused by its path", () => {
    const of = (requirePasskey: unknown) => ({ ...full(), console: { requirePasskey } })
    const configuration = Result.getOrThrow(understand(of(["operations", "admin"]), {}))
    assert.deepStrictEqual(configuration.console?.requirePasskey, ["operations", "admin"])
    assert.deepStrictEqual(
      [["owner"], [], ["admin", "admin"], "admin"].flatMap((roles) =>
        mistakes(of(roles), {}).map((mistake) => mistake.split(":")[0])
      ),
      ["console.requirePasskey[0]", ...Array(3).fill("console.requirePasskey")]
    )
  })
})

describe("console.refundLimits", () => {
  it("limits are read, and what is no limit is refused by its path", () => {
    const of = (refundLimits: unknown) => ({ ...full(), console: { refundLimits } })
    const configuration = Result.getOrThrow(understand(of({ EUR: 50_000, JPY: 0 }), {}))
    assert.deepStrictEqual(configuration.console?.refundLimits, { EUR: 50_000, JPY: 0 })
    assert.deepStrictEqual(
      [{ EUR: -1 }, { EUR: 0.5 }, { eur: 1 }, 500].flatMap((limits) =>
        mistakes(of(limits), {}).map((mistake) => mistake.split(":")[0])
      ),
      ["console.refundLimits.EUR", "console.refundLimits.EUR", "console.refundLimits.eur", "console.refundLimits"]
    )
  })
})

describe("console.recentSignIn", () => {
  it("minutes and limits are read, and what is neither is refused by its path", () => {
    const of = (recentSignIn: unknown) => ({ ...full(), console: { recentSignIn } })
    const recentSignIn = { minutes: 5, refunds: { EUR: 10_000 } }
    const configuration = Result.getOrThrow(understand(of(recentSignIn), {}))
    assert.deepStrictEqual(configuration.console?.recentSignIn, recentSignIn)
    assert.deepStrictEqual(
      [{ minutes: 0 }, { minutes: "5" }, { refunds: { eur: 1 } }].flatMap((wrong) =>
        mistakes(of(wrong), {}).map((mistake) => mistake.split(":")[0])
      ),
      ["console.recentSignIn.minutes", "console.recentSignIn.minutes", "console.recentSignIn.refunds.eur"]
    )
  })
})

describe("console.oidc", () => {
  const oidc = {
    issuer: "https://login.example.com/tenant",
    clientId: "console",
    clientSecret: { $env: "OIDC_SECRET" },
    scopes: ["openid", "email"],
    name: "Example",
    loginClaim: "email",
    rolesClaim: "groups",
    roles: { refunds: { workspace: "acme", role: "support" }, admins: { role: "admin" } }
  }
  const environment = { OIDC_SECRET: "visible-secret" }
  /** A field that is `undefined` is left out. */
  const withOidc = (change: object) => {
    const json = { ...full(), console: { oidc: { ...oidc, ...change } } }
    return mistakes(JSON.parse(JSON.stringify(json)), environment)
  }

  it("a file with all oidc fields has no mistake, and the variable's secret", () => {
    const configuration = Result.getOrThrow(understand({ ...full(), console: { oidc } }, environment))
    assert.deepStrictEqual(configuration.console?.oidc, { ...oidc, clientSecret: "visible-secret" } as never)
  })

  it("an issuer on this machine may use http", () => {
    for (const issuer of ["http://localhost:9000", "http://127.0.0.1:9000/a", "http://[::1]:9000"]) {
      assert.deepStrictEqual(withOidc({ issuer }), [])
    }
  })

  it("a wrong issuer is refused with what was expected, and not the value", () => {
    for (const issuer of [
      "http://login.example.com",
      "login.example.com",
      "https://visible@login.example.com",
      "https://login.example.com/?visible",
      "https://login.example.com/#visible",
      "https://login.example.com/.well-known/openid-configuration"
    ]) {
      assert.deepStrictEqual(withOidc({ issuer }), [
        "console.oidc.issuer: expected an https URL, or http on this machine, without user, query, fragment and /.well-known"
      ])
    }
  })

  it("roles that no claim decides, and a claim without roles, are refused", () => {
    const expected = "console.oidc.roles: expected `rolesClaim` and `roles` together, or neither"
    assert.deepStrictEqual(withOidc({ rolesClaim: undefined }), [expected])
    assert.deepStrictEqual(withOidc({ roles: undefined }), [expected])
  })

  it("an unknown workspace or role, or a scope with a space, is named by its field", () => {
    assert.deepStrictEqual(withOidc({ roles: { a: { workspace: "nowhere", role: "viewer" } } }), [
      "console.oidc.roles.a.workspace: expected the id of a configured workspace"
    ])
    assert.deepStrictEqual(
      [...withOidc({ roles: { a: { role: "root" } } }), ...withOidc({ scopes: ["openid email"] })].map(
        (mistake) => mistake.split(":")[0]
      ),
      ["console.oidc.roles.a.role", "console.oidc.scopes[0]"]
    )
  })

  it("another console leaves the configuration's content the same", async () => {
    const hashOf = (json: unknown) =>
      Effect.runPromise(
        contentHash(Result.getOrThrow(understand(json, environment))).pipe(Effect.provide(openSecretsLayer))
      )
    assert.strictEqual(await hashOf(full()), await hashOf({ ...full(), console: { oidc } }))
  })
})
