import { assert, describe, it } from "@effect/vitest"
import type { RuleFinding } from "@pointsman/configuration"
import type { Condition, Connection, RoutingRule } from "@pointsman/core"
import { connection, findings } from "./support/Routes.ts"

const rule = (name: string, when: Condition, use: Partial<RoutingRule["use"]> = {}): RoutingRule => ({
  name,
  when,
  use: { mode: "failover", ...use }
})

const placeName = ({ place }: RuleFinding): string => (place._tag === "Rule" ? place.name : place._tag)

/** `name: kind: reason` */
const told = (...given: Parameters<typeof findings>): ReadonlyArray<string> =>
  findings(...given).map((finding) => `${placeName(finding)}: ${finding.kind}: ${finding.reason}`)

describe("findings about rules", () => {
  it("rules that all do something have no finding", () => {
    const rules = [
      rule("big", { currency: ["EUR"], amount: { min: 100_000 } }, { mode: "fixed", order: ["main"] }),
      rule("cards", { method: ["card"] }, { split: { main: 70, backup: 30 } }),
      rule("rest", {})
    ]
    const connections = [connection("main", { supports: { currencies: ["EUR"] } }), connection("backup")]
    const control = { share: 0, order: ["gone"] }
    assert.deepStrictEqual(told({ rules, control }, connections), [])
    assert.deepStrictEqual(
      told({ order: ["main", "backup"], mode: "auto", auto: { exploration: 0.1 } }, connections),
      []
    )
  })

  it("each condition that no payment matches is reported as contradictory", () => {
    const rules = [
      rule("turned", { amount: { min: 200, max: 100 } }),
      rule("tiny", { amount: { max: 49 } }),
      rule("huge", { amount: { min: 100_000_001 } }),
      rule("empty", { country: [] }),
      rule("metal", { currency: ["XAU"] }),
      rule("small letters", { currency: ["eur"], country: ["nl"], cardBrand: ["VISA"], method: ["bank"] })
    ]
    assert.deepStrictEqual(told({ rules }), [
      "turned: contradictory: Its minimum amount 200 is above its maximum 100.",
      "tiny: contradictory: Its amount range is outside the amounts that a payment can have.",
      "huge: contradictory: Its amount range is outside the amounts that a payment can have.",
      "empty: contradictory: Its condition has an empty list for country.",
      "metal: contradictory: No payment can match its condition on currency: XAU."
    ])
  })

  it("the rules that leave another one nothing are named, and no others", () => {
    const rules = [
      rule("mit", { initiator: ["mit"] }),
      rule("cards", { method: ["card"] }),
      rule("big cards", { method: ["card"], amount: { min: 1000 } }),
      rule("others", { method: ["bank", "wallet", "crypto"] }),
      rule("rest", {})
    ]
    assert.deepStrictEqual(told({ rules, order: ["main"], control: { share: 0.1, order: ["main"] } }), [
      'big cards: unreachable: Every payment that it matches is decided earlier by the rule "cards".',
      'rest: unreachable: Every payment that it matches is decided earlier by the rules "cards" and "others" together.',
      'Control: unreachable: It never receives a payment: every payment is decided earlier by the rules "cards" and "others" together.',
      'Engine: unreachable: Its order has no effect: every payment is decided earlier by the rules "cards" and "others" together.'
    ])
  })

  it("one unit decides whether amounts that meet leave a gap for the rule after them", () => {
    const upTo = (max: number) => [
      rule("low", { amount: { max } }),
      rule("high", { amount: { min: 1000 } }),
      rule("rest", { currency: ["EUR"] })
    ]
    assert.deepStrictEqual(told({ rules: upTo(998) }), [])
    assert.lengthOf(told({ rules: upTo(999) }), 1)
  })

  it.each<[Partial<Connection>, Condition, string]>([
    [{ supports: { currencies: ["EUR"] } }, { currency: ["USD", "GBP"] }, "does not accept USD or GBP"],
    [{ supports: { payerCountries: ["NL"] } }, { country: ["DE"] }, "does not accept customers from DE"],
    [{ supports: { methods: ["bank"] } }, { method: ["card"] }, "does not accept the method card"],
    [{}, { paymentMethod: ["ideal"] }, "does not accept the payment method ideal"],
    [
      { supports: { paymentMethods: { ideal: { currencies: ["EUR"] } } } },
      { paymentMethod: ["ideal"], currency: ["USD"] },
      "accepts the payment method ideal only in EUR"
    ],
    [
      { supports: { paymentMethods: { ideal: { manualCapture: false } } } },
      { paymentMethod: ["ideal"], captureMethod: ["manual"] },
      "captures the payment method ideal at once"
    ],
    [
      { supports: { cardBrands: ["visa"] } },
      { method: ["card"], cardBrand: ["Amex"] },
      "does not accept the card brand amex"
    ],
    [{ supports: { recurring: false } }, { initiator: ["mit"] }, "does not accept merchant-initiated payments"],
    [{ supports: { merchantCountries: ["DE"] } }, {}, "does not accept merchants registered in NL"],
    [{ supports: { blockedCategories: ["Retail"] } }, {}, "does not accept the merchant category retail"],
    [
      { supports: { amount: { EUR: { max: 999 } } } },
      { currency: ["EUR"], amount: { min: 1000 } },
      "does not accept such amounts in EUR"
    ],
    [
      { supports: { requiresAuthentication: ["NL"] } },
      { country: ["NL"], initiator: ["cit"] },
      "accepts customers from NL only with authentication"
    ],
    [
      { restrictions: [{ initiator: ["cit"] }, { method: ["card"] }] },
      { method: ["card"] },
      "is excluded by its restriction 2"
    ],
    [
      { supports: { currencies: ["EUR"] }, restrictions: [{ currency: ["EUR"] }] },
      {},
      "accepts only EUR and is excluded by its restriction 1"
    ],
    [{ active: false }, {}, "is not active"]
  ])("the limit %j is named for a rule for %j", (change, when, because) => {
    const rules = [rule("wanted", when, { order: ["main"] })]
    const connections = [
      connection("main", change),
      connection("backup", { supports: { paymentMethods: { ideal: {} } } })
    ]
    assert.deepStrictEqual(told({ rules }, connections), [
      `wanted: dead: No connection can accept the payments that it decides: main ${because}.`
    ])
    const both = [rule("wanted", when, { order: ["main", "backup"] })]
    assert.deepStrictEqual(told({ rules: both }, connections), [
      `wanted: unused: main is never tried by this rule: it ${because}.`
    ])
  })

  it("limits of the provider and an unknown merchant count for a rule as well", () => {
    const rules = [rule("dollars", { currency: ["USD"] })]
    const euros = { providerSupports: () => ({ currencies: ["EUR"] }), merchantCountry: null, merchantCategory: null }
    assert.deepStrictEqual(told({ rules }, [connection("main")], euros), [
      "dollars: dead: No connection can accept the payments that it decides: main does not accept USD."
    ])
    const connections = [connection("main", { supports: { merchantCountries: ["NL"] } })]
    assert.match(
      told({}, connections, { merchantCountry: null })[0] ?? "",
      /^Engine: dead: .*merchant's country is not set\.$/u
    )
  })

  it("both are named of limits and earlier rules that leave one nothing", () => {
    const rules = [
      rule("euros", { currency: ["EUR"] }, { order: ["backup"] }),
      rule("cards", { method: ["card"] }, { order: ["main"] })
    ]
    assert.deepStrictEqual(
      told({ rules }, [connection("main", { supports: { currencies: ["EUR"] } }), connection("backup")]),
      [
        'cards: dead: No connection can accept the payments that it decides: main accepts only EUR, and the rule "euros" decides the rest before.'
      ]
    )
  })

  it("the connections that mode fixed never tries are reported", () => {
    const connections = [connection("main"), connection("backup"), connection("third")]
    const rules = [
      rule("one", { method: ["card"] }, { mode: "fixed", order: ["main", "backup"], maxAttempts: 3 }),
      rule(
        "drawn",
        { method: ["bank"] },
        { mode: "fixed", order: ["main", "backup", "third"], split: { main: 1, third: 1 } }
      ),
      rule("farther", { method: ["wallet"] })
    ]
    assert.deepStrictEqual(
      told({ rules, mode: "fixed", maxAttempts: 2, control: { share: 1, order: ["main", "third"] } }, connections),
      [
        "one: unused: backup is never tried by this rule: mode fixed tries only main.",
        "one: unused: Its maxAttempts of 3 has no effect: mode fixed makes one attempt.",
        "drawn: unused: backup is never tried by this rule: mode fixed tries only the connections of the split.",
        "Control: unused: third is never tried by the control group: mode fixed tries only main."
      ]
    )
    assert.deepStrictEqual(told({ mode: "fixed", order: ["main"], maxAttempts: 2, auto: {} }, connections), [
      "Engine: unused: Its maxAttempts of 2 has no effect: mode fixed makes one attempt.",
      "Engine: unused: The settings under auto have no effect: no mode here is auto."
    ])
    assert.deepStrictEqual(told({ order: ["main"], control: { share: 1, order: ["main"] } }, connections), [
      "Engine: unreachable: Its order has no effect: every payment is decided earlier by the control group, whose share is 1."
    ])
  })

  it("a split that draws a connection without a route loses its share in mode fixed", () => {
    const connections = [connection("main"), connection("night", { active: false })]
    const split = { main: 9, night: 1 }
    assert.deepStrictEqual(told({ rules: [rule("drawn", {}, { mode: "fixed", split })] }, connections), [
      "drawn: unused: night is never tried by this rule, so payments that the split assigns to it have no " +
        "route: it is not active."
    ])
    assert.deepStrictEqual(told({ rules: [rule("drawn", {}, { split })] }, connections), [
      "drawn: unused: night is never tried by this rule: it is not active."
    ])
  })

  it("an engine is dead whose order names no connection that could be asked", () => {
    assert.deepStrictEqual(told({ order: ["gone"] }), [
      "Engine: dead: No connection can accept the payments that match no rule: gone is not a connection of " +
        "this workspace."
    ])
    assert.deepStrictEqual(told({}, []), [
      "Engine: dead: No connection can accept the payments that match no rule: no connection is active."
    ])
    // What a rule leaves over may have no connection, unless an order says that it should.
    const rules = [rule("euros", { currency: ["EUR"] })]
    const euros = [connection("main", { supports: { currencies: ["EUR"] } })]
    assert.deepStrictEqual(told({ rules }, euros), [])
    assert.deepStrictEqual(told({ rules, order: ["main"] }, euros), [
      "Engine: dead: No connection can accept the payments that match no rule: main accepts only EUR, and the " +
        'rule "euros" decides the rest before.'
    ])
  })
})
