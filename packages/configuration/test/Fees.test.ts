/** Fees of connections, as the configuration file states them. */
import { assert, describe, it } from "@effect/vitest"
import { type FeeFile, feeFileOf, feeText } from "@pointsman/configuration"
import type { FeeRule, RoutingSettings } from "@pointsman/core"
import { connection, findings } from "./support/Routes.ts"
import { fileWith, firstConnection, mistakesIn, understand } from "./support/Understand.ts"

const mistakes = (fees: unknown, workspace?: object) => mistakesIn(understand(fileWith({ fees }, workspace)))
const rulesOf = (fees: unknown) => firstConnection(understand(fileWith({ fees })))?.fees

describe("fees in the configuration file", () => {
  const fees: ReadonlyArray<FeeFile> = [
    { when: { cardBrand: ["amex"] }, percent: "3.5" },
    { when: { region: ["domestic", "eea"], method: ["card"] }, percent: "1.4525", fixed: { EUR: 25, JPY: 40 } },
    { when: { country: ["GB"], currency: ["GBP"] }, fixed: { GBP: 20 } },
    { percent: "100" }
  ]
  const rules: ReadonlyArray<FeeRule> = [
    { when: { cardBrand: ["amex"] }, partsPerMillion: 35_000 },
    { when: { region: ["domestic", "eea"], method: ["card"] }, partsPerMillion: 14_525, fixed: { EUR: 25, JPY: 40 } },
    { when: { country: ["GB"], currency: ["GBP"] }, fixed: { GBP: 20 } },
    { partsPerMillion: 1_000_000 }
  ]

  it("percentages as text are whole parts per million, and read back as they were", () => {
    assert.deepStrictEqual(rulesOf(fees), rules)
    assert.deepStrictEqual(rules.map(feeFileOf), fees)
    assert.deepStrictEqual(rules.map(feeText), [
      "3.5 %; cardBrand amex",
      "1.4525 % and €0.25 or ¥40; region domestic, eea; method card",
      "£0.20; country GB; currency GBP",
      "100 %"
    ])
    assert.deepStrictEqual(rulesOf([{ percent: "0" }]), [{ partsPerMillion: 0 }])
    assert.deepStrictEqual(rulesOf([{ percent: "0.0001" }]), [{ partsPerMillion: 1 }])
    assert.isUndefined(firstConnection(understand(fileWith({})))?.fees)
  })

  it.each<[unknown, string, RegExp]>([
    [[{}], "[0]", /`fixed` with at least one currency, `percent`, or both/],
    [[{ fixed: {} }], "[0]", /`fixed` with at least one currency/],
    [[], "", /at least one entry/],
    [[{ fixed: { EUR: -1 } }], "[0].fixed.EUR", /a whole number of minor units from 0 to 100000000/],
    [[{ fixed: { EUR: 0.25 } }], "[0].fixed.EUR", /a whole number of minor units/],
    [[{ fixed: { EUR: 100_000_001 } }], "[0].fixed.EUR", /a whole number of minor units/],
    [[{ fixed: { EURO: 25 } }], "[0].fixed.EURO", /ISO 4217/],
    [[{ percent: "100.0001" }], "[0].percent", /a percentage from 0 to 100 as text/],
    [[{ percent: "-1" }], "[0].percent", /a percentage from 0 to 100 as text/],
    [[{ percent: "1.23456" }], "[0].percent", /at most 4 decimals/],
    [[{ percent: "01" }], "[0].percent", /a percentage from 0 to 100 as text/],
    [[{ percent: 1.45 }], "[0].percent", /a percentage from 0 to 100 as text/],
    [[{ percent: "1", when: { currency: ["XAU"] } }], "[0].when.currency[0]", /ISO 4217/],
    [[{ percent: "1", when: { region: ["europe"] } }], "[0].when.region[0]", /"domestic" or "eea" or "international"/],
    [[{ percent: "1", when: { amount: {} } }], "[0].when.amount", /unknown field/],
    [
      [
        { percent: "1", when: { cardBrand: ["visa", "Amex"], country: ["NL"] } },
        { percent: "2", when: { country: ["NL"], cardBrand: ["amex", "visa"] } }
      ],
      "[1].when",
      /another condition than that of fees\[0\]/
    ],
    [[{ percent: "1" }, { percent: "2" }], "[1]", /another condition than that of fees\[0\]/],
    [[{ percent: "1" }, { percent: "2", when: {} }], "[1].when", /another condition than that of fees\[0\]/],
    [[{ percent: "1" }, { percent: "2", when: { country: ["NL"] } }], "[1]", /before fees\[0\], which has no condition/]
  ])("fees %j: a mistake at %s", (fees, at, expected) => {
    const told = mistakes(fees)
    const line = told.find((mistake) => mistake.startsWith(`workspaces[0].connections[0].fees${at}: `))
    assert.isDefined(line, told.join("\n"))
    assert.match(line as string, expected)
  })

  it("a region in a workspace without a country is reported as a mistake", () => {
    const byRegion = [{ percent: "1", when: { region: ["domestic"] } }]
    assert.deepStrictEqual(mistakes(byRegion), [])
    assert.deepStrictEqual(mistakes(byRegion, {}), [
      "workspaces[0].connections[0].fees[0].when.region: expected the workspace to have a `country`: a region is seen from there"
    ])
  })
})

describe("findings about fees", () => {
  const priced = { fees: [{ partsPerMillion: 10_000 }] }
  const told = (settings: Partial<RoutingSettings>, ...connections: Parameters<typeof connection>[]) =>
    findings(
      { mode: "auto", ...settings },
      connections.map((one) => connection(...one))
    ).map(({ kind, place, reason }) => `${place._tag}: ${kind}: ${reason}`)
  const auto = { objective: "value" } as const

  it("fees of every connection, or the objective approval, have no finding", () => {
    assert.deepStrictEqual(told({ auto }, ["a", priced], ["b", priced], ["c", { active: false }]), [])
    assert.deepStrictEqual(told({}, ["a"], ["b"]), [])
    assert.deepStrictEqual(told({ auto }, ["a"]), [])
  })
  it("connections without fees are named, for the part that asks them", () => {
    assert.deepStrictEqual(told({ auto }, ["a", priced], ["b"]), [
      "Engine: unpriced: b states no fees, so the objective value cannot compare it."
    ])
    assert.deepStrictEqual(told({ auto }, ["a"], ["b"]), [
      "Engine: unpriced: The objective value has no effect: a and b state no fees."
    ])
    const rules = [{ name: "cards", when: { method: ["card"] }, use: { mode: "auto", order: ["b", "c"] } }] as const
    assert.deepStrictEqual(told({ mode: "failover", auto, rules }, ["a"], ["b", priced], ["c"]), [
      "Rule: unpriced: c states no fees, so the objective value cannot compare it."
    ])
  })
  it("a bound without the objective value has no effect", () => {
    assert.deepStrictEqual(told({ auto: { maxApprovalLoss: 0.02 } }, ["a"], ["b"]), [
      "Engine: unused: maxApprovalLoss has no effect: the objective is approval."
    ])
  })
})
