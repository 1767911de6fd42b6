import { assert, describe, it } from "@effect/vitest"
import { contentHash, routingSettingsOf } from "@pointsman/configuration"
import { formatApiKey } from "@pointsman/core"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Effect, Result } from "effect"
import { definition, firstConnection, mistakesIn, understand as understandWith } from "./support/Understand.ts"

const testKey = formatApiKey("sandbox", new Uint8Array(64).fill(1))
const liveKey = formatApiKey("production", new Uint8Array(64).fill(2))

/** Of an object without a `baseUrl`, as connectors say it. */
const refusal = (credentials: unknown) =>
  typeof (credentials as { readonly baseUrl?: unknown }).baseUrl === "string"
    ? null
    : "credentials.baseUrl: expected an absolute http or https URL"
const definitions = [definition("http", ["sandbox", "production"], { refusal }), definition("sandbox", ["sandbox"])]

const understand = (json: unknown, environment?: Readonly<Record<string, string>>) =>
  understandWith(json, { environment, definitions })
const mistakes = (json: unknown, environment?: Readonly<Record<string, string>>) =>
  mistakesIn(understand(json, environment))
/** Where its mistakes are. */
const places = (json: unknown) => mistakes(json).map((mistake) => mistake.split(":")[0])

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

interface Json {
  [key: string]: Json
}

/** The full file with one place changed, `undefined` for taken out. Objects that lead there are made. */
const withChange = (path: string, value: unknown): unknown => {
  const json = full()
  const keys = path.split(/[.[\]]+/u).filter((key) => key !== "")
  const last = keys.pop() ?? ""
  let parent = json as unknown as Json
  for (const key of keys) parent = parent[key] ??= {}
  if (value === undefined) delete parent[last]
  else parent[last] = value as Json
  return json
}

/** By the place above: what is changed to what, what is expected there, and where it is reported if elsewhere. */
const wrong: Readonly<Record<string, ReadonlyArray<readonly [at: string, value: unknown, RegExp, where?: string]>>> = {
  "": [
    ["workspaces", undefined, /missing/],
    ["worksapces", [], /unknown field; expected one of .*workspaces/],
    ["retention.payments", "89 days", /"off", or at least "90 days"/],
    ["retention.payments", 7, /"off", or at least "90 days"/],
    ["fourEyes.EUR", -1, /a whole number of minor units, 0 or more/],
    ["fourEyes.EUR", 10.5, /a whole number of minor units, 0 or more/]
  ],
  "workspaces[0].": [
    ["id", undefined, /missing/],
    ["id", "a b", /an id of 1 to 64/],
    ["name", "", /a name of 1 to 120/],
    ["country", "XX", /ISO 3166-1/],
    ["country", "nl", /ISO 3166-1/],
    ["suspended", "no", /expected boolean/],
    ["partner.allowance", -1, /0 or more/],
    ["partner.allowance", 1.5, /a whole number/],
    ["conections", [], /unknown field/],
    ["retention.deliveries", "6 days", /at least "7 days"/],
    ["retention.messages", "200 years", /at least "30 days"/],
    ["retention.events", "1 year", /one of payments, deliveries, messages/],
    ["fourEyes.eur", 1, /an ISO 4217 currency code/],
    ["connections[1].id", "main", /connection id that is unique/],
    ["connections[1].id", "a/b", /an id of/],
    ["routing.live", {}, /unknown field/]
  ],
  "workspaces[0].brand.": [
    ["name", "", /a name of 1 to 120/],
    ["colour", "#000000", /one of name, logo, color, support, terms/],
    ["color", "red", /# and six hexadecimal digits/],
    ["color", "#fff", /# and six hexadecimal digits/],
    ["color", "#ffcc00", /1\.51:1, .* "#907300"$/],
    ["color", "#FFFFFF", /1\.00:1, .* "#767676"$/],
    ["color", "#777777", /4\.47:1, .* "#767676"$/],
    ["logo", "http://shop.example/x.png", /an https URL .* data: URL/],
    ["logo", "https://a:b@shop.example/", /an https URL/],
    ["logo", "https://a;b/x.png", /an https URL/],
    ["logo", "data:text/html;base64,AAAA", /PNG, JPEG, WebP, GIF or SVG/],
    ["logo", "data:image/png;base64,", /in base64/],
    ["logo", "data:image/png;base64,AAA", /in base64/],
    ["logo", "data:image/svg+xml,<svg/>", /in base64/],
    ["logo", `data:image/png;base64,${"A".repeat(32_768)}`, /at most 32768 characters/],
    ["support", "http://shop.example/help", /or a mailto URL/],
    ["support", "mailto:nobody", /or a mailto URL/],
    ["support", "javascript:alert(1)", /an https URL/],
    ["terms", "mailto:help@shop.example", /an https URL/],
    ["terms", `https://shop.example/${"x".repeat(2_048)}`, /https URL/]
  ],
  "workspaces[0].keys[0].": [
    ["environment", "test", /"sandbox" or "production"/],
    ["secret", `${testKey.slice(0, -1)}-`, /ps_test_, 32 letters/],
    ["secret", liveKey, /begins with ps_test_/],
    ["scopes[0]", "payments:raed", /"payments:read"/],
    ["scopes", [], /at least one entry/],
    ["expires", "2027-02-29", /a UTC date or time/],
    ["expires", "2027-02-01T00:00:00", /a UTC date or time/],
    ["networks", ["10.0.0.0/33"], /a CIDR range/, "networks[0]"],
    ["networks", [], /at least one entry/]
  ],
  "workspaces[0].connections[0].": [
    ["environment", "live", /"sandbox" or "production"/],
    ["connector", "sandbox", /connectors for production: http$/],
    ["connector", "stripe", /connectors for production: http$/],
    ["connector", undefined, /connectors for production: http$/],
    ["priority", 0, /1 or more/],
    ["active", 1, /boolean/],
    ["credentials", "visible", /expected an object/],
    ["credentials", undefined, /http or https URL/, "credentials.baseUrl"],
    ["webhookSecret", "", /non-empty/],
    ["webhookSecret", undefined, /that replaces it/, "previousWebhookSecret"],
    ["previousWebhookSecret", "", /non-empty/],
    ["timeout", "2s", /a duration such as/],
    ["timeout", 2000, /a duration such as/],
    ["timeout", "15 minutes", /less than the claim window/],
    ["supports.currencies[0]", "EURO", /ISO 4217/],
    ["supports.currencies[0]", "XAU", /ISO 4217/],
    ["supports.currencies", [], /at least one entry/],
    ["supports.currencies", ["EUR", "EUR"], /duplicates/],
    ["supports.payerCountries[0]", "UK", /ISO 3166/],
    ["supports.methods[0]", "cash", /"card" or "bank"/],
    ["supports.recuring", true, /unknown field/],
    ["supports.paymentMethods.iDEAL", {}, /one of card, apple_pay/],
    ["supports.amount.eur", {}, /ISO 4217/],
    ["supports.amount.EUR", { min: 5, max: 4 }, /min not greater than max/],
    ["supports.amount.EUR.min", 0.5, /minor units/],
    ["restrictions[0].when.initiator[0]", "MIT", /"cit" or "mit"/],
    ["restrictions[0]", {}, /missing/, "restrictions[0].when"],
    ["circuitBreaker.failures", 0, /1 or more/],
    ["circuitBreaker.open", "x", /a duration/]
  ],
  "workspaces[0].routing.production.": [
    ["mode", "automatic", /"fixed", "priority", "failover", "auto"/],
    ["order[1]", "play", /production connection.*: main, backup/],
    ["order", ["main", "main"], /duplicates/],
    ["maxAttempts", 0, /1 or more/],
    ["rules[0].use.order[0]", "nope", /main, backup/],
    ["rules[0].use.mode", "best", /"auto"/],
    ["rules[0].use.split.backup", 1, /this rule's order/],
    ["rules[0].use.strategy", "cheapest", /unknown field/],
    ["rules[0].when.amount", { min: 2, max: 1 }, /min not greater/],
    ["rules[0].when.curency", ["EUR"], /unknown field/],
    ["rules[1].use.split.main", 0, /a weight above 0/],
    ["rules[1].use.split.nope", 1, /main, backup/],
    ["rules[1].use.split", {}, /at least one/],
    ["rules[1].name", "big tickets", /rule name that is unique/],
    ["control.share", 1.01, /from 0 to 1/],
    ["control.order[0]", "nope", /main, backup/],
    ["control.order", undefined, /missing/],
    ["auto.exploration", 1.5, /a share from 0 to 1/],
    ["auto.explore", 0.1, /one of exploration/],
    ["auto.objective", "cost", /"approval" or "value"/],
    ["auto.maxApprovalLoss", 2, /a share from 0/],
    ["strategy", "cheapest", /unknown field/]
  ],
  "workspaces[0].webhooks": [
    ["[0].url", "/hook", /http or https URL/],
    ["[0].events[0]", "payment.paid", /"payment.captured"/],
    ["[0].events", ["*", "payment.captured"], /either/],
    ["[0].secret", undefined, /missing/],
    ["[1]", { ...full().workspaces[0]?.webhooks[0], secret: "s" }, /unique among the webhooks/, "[1].url"]
  ],
  // A second workspace.
  "workspaces[1]": [
    ["", { id: "acme" }, /workspace id that is unique/, ".id"],
    ["", { id: "b", keys: [{ environment: "sandbox", secret: testKey }] }, /listed only once/, ".keys[0].secret"],
    ["", { id: "b", connections: [{ id: "play", environment: "sandbox" }] }, /unique across all/, ".connections[0].id"],
    ["", { id: "b", routing: { sandbox: { order: ["play"] } } }, /it has none/, ".routing.sandbox.order[0]"]
  ]
}

describe("the configuration file", () => {
  it("the documented file has no mistake", () => {
    assert.deepStrictEqual(mistakes(full()), [])
    assert.deepStrictEqual(mistakes({ $schema: "x", workspaces: [] }), [])
  })

  for (const [above, rows] of Object.entries(wrong)) {
    for (const [at, value, expected, where = at] of rows) {
      it(`${above}${at} = ${JSON.stringify(value)?.slice(0, 60)} is reported`, () => {
        const told = mistakes(withChange(`${above}${at}`, value))
        const line = told.find((mistake) => mistake.startsWith(`${above}${where}: `))
        assert.isDefined(line, told.join("\n"))
        assert.match(line as string, expected)
        for (const secret of ["visible", testKey, liveKey]) assert.notInclude(told.join("\n"), secret)
      })
    }
  }

  it("routing gets exactly the options of the mode auto", () => {
    const production = {
      mode: "auto",
      order: ["main", "backup"],
      maxAttempts: 3,
      rules: [{ name: "split", when: {}, use: { mode: "auto", split: { main: 1, backup: 1 } } }],
      control: { share: 0.1, order: ["backup"] },
      auto: { exploration: 0, objective: "value", maxApprovalLoss: 0.02 }
    }
    const routing = Result.getOrThrow(understand(withChange("workspaces[0].routing.production", production)))
      .workspaces[0]?.routing?.production
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
    const ruled = Result.getOrThrow(understand(withChange("workspaces[0].routing.production", { rules }))).workspaces[0]
      ?.routing?.production
    assert.deepStrictEqual<unknown>(ruled && routingSettingsOf(ruled).rules?.map(({ when }) => when), [
      { ...methods, method: kinds },
      { method: ["bank"], ...methods },
      { method: ["card"] }
    ])
    const restrictions = [{ when: { currency: ["EUR"], ...methods } }]
    const restricted = understand(withChange("workspaces[0].connections[0].restrictions", restrictions))
    assert.deepStrictEqual<unknown>(firstConnection(restricted)?.restrictions, [
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
      Result.getOrThrow(understand(withChange("workspaces[0].brand", brand))).workspaces[0]?.brand,
      brand
    )
  })

  it.each([[null], [[]], ["x"], [{ workspaces: {} }]])("%j instead of a file is reported", (json) => {
    assert.strictEqual(mistakes(json).length, 1)
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
    const shape = ["workspaces[0].connections[0].credentials.baseUrl", "workspaces[0].categroy", "workspaces[1].id"]
    assert.deepStrictEqual(places(json), [...shape, "workspaces[1].connections"])
    const [broken, , same] = json.workspaces
    assert.deepStrictEqual(places({ workspaces: [broken, same] }), [
      ...shape,
      "workspaces[0].connections[0].timeout",
      "workspaces[0].routing.production.order[0]"
    ])
  })

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["a list of connections", "none", ["workspaces[0].connections"]],
    ["a connection's environment", [{ id: "a", environment: "prod" }], ["workspaces[0].connections[0].environment"]]
  ])("%s that is wrong has no further mistake in what depends on it", (_, connections, told) => {
    const routing = { production: { mode: "failover", order: ["a"] } }
    const json = { workspaces: [{ id: "acme", connections, routing }, { id: "acme" }] }
    assert.deepStrictEqual(places(json), [...told, "workspaces[1].id"])
  })

  it("references to the environment replace strings anywhere once set", () => {
    const json = withChange("workspaces[0].keys[0].secret", { $env: "ACME_KEY" }) as ReturnType<typeof full>
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
    const told = mistakes(withChange("workspaces[0].country", { $env: "COUNTRY" }), { COUNTRY: "visible" })
    assert.deepStrictEqual(told, ['workspaces[0].country: expected an ISO 3166-1 alpha-2 country code, such as "NL"'])
  })

  it.each([[{ $env: "A", more: 1 }], [{ $env: 1 }], [{ $env: "" }]])("%j is no reference", (reference) => {
    const told = mistakes(withChange("workspaces[0].country", reference), { A: "NL" })
    assert.deepStrictEqual(told, [
      'workspaces[0].country: expected {"$env": "NAME"} with the name of an environment variable and no ' +
        "other field"
    ])
  })

  it("fields with the names of an object's own machinery are unknown fields", () => {
    const json = JSON.parse('{"workspaces": [{"id": "a", "__proto__": {"suspended": true}, "constructor": 1}]}')
    assert.deepStrictEqual(places(json), ["workspaces[0].__proto__", "workspaces[0].constructor"])
    assert.strictEqual(mistakes(withChange("workspaces[0].country", { $env: "constructor" })).length, 1)
  })
})

describe("console", () => {
  it.each([
    [
      "requirePasskey",
      ["operations", "admin"],
      [["owner"], [], ["admin", "admin"], "admin"],
      ["console.requirePasskey[0]", ...Array(3).fill("console.requirePasskey")]
    ],
    [
      "refundLimits",
      { EUR: 50_000, JPY: 0 },
      [{ EUR: -1 }, { EUR: 0.5 }, { eur: 1 }, 500],
      ["console.refundLimits.EUR", "console.refundLimits.EUR", "console.refundLimits.eur", "console.refundLimits"]
    ],
    [
      "recentSignIn",
      { minutes: 5, refunds: { EUR: 10_000 } },
      [{ minutes: 0 }, { minutes: "5" }, { refunds: { eur: 1 } }],
      ["console.recentSignIn.minutes", "console.recentSignIn.minutes", "console.recentSignIn.refunds.eur"]
    ]
  ] as const)("%s is read, and another value is refused by its path", (field, right, others, at) => {
    const of = (value: unknown) => ({ ...full(), console: { [field]: value } })
    assert.deepStrictEqual<unknown>(Result.getOrThrow(understand(of(right))).console?.[field], right)
    assert.deepStrictEqual(
      others.flatMap((value) => places(of(value))),
      [...at]
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

  it("an issuer here may use http, and a wrong one is refused without its value", () => {
    for (const issuer of ["http://localhost:9000", "http://127.0.0.1:9000/a", "http://[::1]:9000"]) {
      assert.deepStrictEqual(withOidc({ issuer }), [])
    }
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

  it("roles without a claim, or unknown, and a scope with a space are refused by field", () => {
    const expected = "console.oidc.roles: expected `rolesClaim` and `roles` together, or neither"
    assert.deepStrictEqual(withOidc({ rolesClaim: undefined }), [expected])
    assert.deepStrictEqual(withOidc({ roles: undefined }), [expected])
    assert.deepStrictEqual(withOidc({ roles: { a: { workspace: "nowhere", role: "viewer" } } }), [
      "console.oidc.roles.a.workspace: expected the id of a configured workspace"
    ])
    for (const [change, field] of [
      [{ roles: { a: { role: "root" } } }, "console.oidc.roles.a.role"],
      [{ scopes: ["openid email"] }, "console.oidc.scopes[0]"]
    ] as const) {
      assert.deepStrictEqual(
        withOidc(change).map((mistake) => mistake.split(":")[0]),
        [field]
      )
    }
  })

  it("another console leaves the configuration's content the same", async () => {
    const hashOf = (json: unknown) =>
      Effect.runPromise(
        contentHash(Result.getOrThrow(understand(json, environment))).pipe(Effect.provide(openSecretsLayer))
      )
    assert.strictEqual(await hashOf(full()), await hashOf({ ...full(), console: { oidc } }))
  })
})
