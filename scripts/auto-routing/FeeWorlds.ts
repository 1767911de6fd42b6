/** Connections with fees, whose true success rates are known to the simulation alone. */
import type { FeeRule, PaymentDetails } from "@pointsman/core"
import { seeds } from "./Runs.ts"

export interface FeeWorld {
  readonly title: string
  readonly payments: number
  readonly seeds: number
  /** By priority. */
  readonly fees: ReadonlyArray<ReadonlyArray<FeeRule>>
  /** The true success rates of the n-th payment, by priority. */
  readonly truth: (payment: number, details: PaymentDetails) => ReadonlyArray<number>
  /** Of the n-th payment. */
  readonly details: (chance: () => number) => PaymentDetails
}

const dropAt = 1000
const backAt = 1600
const outageUntil = 1300

const euros =
  (least: number, most: number, brands: ReadonlyArray<string> = ["visa"]): FeeWorld["details"] =>
  (chance) => ({
    reference: null,
    money: { minorUnits: least + Math.floor(chance() * (most - least)), currency: "EUR" },
    country: "NL",
    method: "card",
    cardBrand: brands[Math.floor(chance() * brands.length)] ?? null,
    initiator: "cit",
    captureMethod: "automatic",
    simulation: null
  })

const fee = (percent: number, cents: number, when?: FeeRule["when"]): FeeRule => ({
  partsPerMillion: percent * 10_000,
  fixed: { EUR: cents },
  ...(when === undefined ? {} : { when })
})

/** Where the gain is close to 2 %: so many that its standard error is below 0.1 %. */
const near = { seeds: 160 }
const recovery = { payments: 3500 }

/** 2.9 % and 30 cents beside 1.2 % and 5 cents: between 8.4 and 4.2 points of amounts from 3 to 10 euros. */
const dear = [fee(2.9, 30)]
const cheap = [fee(1.2, 5)]

const world = (
  title: string,
  fees: FeeWorld["fees"],
  truth: FeeWorld["truth"],
  details = euros(300, 1000),
  more: Partial<Pick<FeeWorld, "payments" | "seeds">> = {}
): FeeWorld => ({ title, payments: 2500, seeds, fees, truth, details, ...more })

/** The cheaper one approves as often as the other, except from the drop until a payment: there it approves at this rate. */
const dropsTo =
  (rate: number, until: number): FeeWorld["truth"] =>
  (payment) => [0.92, payment >= dropAt && payment < until ? rate : 0.92]

export const feeWorlds: ReadonlyArray<FeeWorld> = [
  world("€1 to €5; the cheaper one approves as often: 92, 92 %", [dear, cheap], () => [0.92, 0.92], euros(100, 500)),
  world("€3 to €10; the cheaper one approves as often: 92, 92 %", [dear, cheap], () => [0.92, 0.92]),
  world("€3 to €10; half a point less: 92.5, 92 %", [dear, cheap], () => [0.925, 0.92], euros(300, 1000), near),
  world("€3 to €10; three connections: 92, 92, 92 %", [dear, dear, cheap], () => [0.92, 0.92, 0.92]),
  world(
    "€3 to €10; the cheaper one depends on the brand: 92, 92 %",
    [
      [fee(2.9, 30, { cardBrand: ["amex"] }), fee(1.2, 5)],
      [fee(1.2, 5, { cardBrand: ["amex"] }), fee(2.9, 30)]
    ],
    () => [0.92, 0.92],
    euros(300, 1000, ["visa", "amex"]),
    near
  ),
  world(
    "€3 to €10; 15 points less for one brand of two: 92, 92 and 77 %",
    [dear, cheap],
    (_, { cardBrand }) => [0.92, cardBrand === "amex" ? 0.77 : 0.92],
    euros(300, 1000, ["visa", "amex"])
  ),
  world(
    `€3 to €10; the cheaper one drops for ${backAt - dropAt} payments: 92 %, 92 → 60 → 92 %`,
    [dear, cheap],
    dropsTo(0.6, backAt),
    euros(300, 1000),
    recovery
  ),
  world(
    `€3 to €10; an outage of the cheaper one for ${outageUntil - dropAt} payments: 92 %, 92 → 0 → 92 %`,
    [dear, cheap],
    dropsTo(0, outageUntil),
    euros(300, 1000),
    recovery
  ),
  world("€3 to €10; the cheaper one approves 3 points less: 95, 92 %", [dear, cheap], () => [0.95, 0.92]),
  world("€3 to €10; 5 points less: 95, 90 %", [dear, cheap], () => [0.95, 0.9]),
  world("€3 to €10; the cheaper one drops: 92 %, 92 → 60 %", [dear, cheap], dropsTo(0.6, 2500)),
  world("€20 to €80; fees differ little: 92, 92 %", [dear, cheap], () => [0.92, 0.92], euros(2000, 8000))
]
