/** What the objective `value` gains and loses against approval alone, as a table. */

import { table } from "../generate/Markdown.ts"
import { oracle } from "./FeeOracle.ts"
import { exploration, type FeeResults, type FeeRun, feePolicies } from "./FeeRuns.ts"
import { bandOf } from "./Figures.ts"

const [approvalAlone, ...others] = feePolicies

/** Each seed against the same seed of approval alone. */
const against = (
  runs: ReadonlyArray<FeeRun>,
  before: ReadonlyArray<FeeRun>,
  compare: (one: FeeRun, other: FeeRun) => number
) => bandOf(runs.map((one, seed) => compare(one, before[seed] ?? one)))

/** In percent. */
const gainOf = (one: FeeRun, other: FeeRun): number => 100 * (one.value / other.value - 1)

const oracles = [
  { name: "Oracle", explored: 0 },
  { name: `Oracle that explores ${100 * exploration} %`, explored: exploration }
]

const signed = (value: number, digits: number): string => {
  const text = value.toFixed(digits)
  return Number(text) === 0 ? (0).toFixed(digits) : value > 0 ? `+${text}` : text
}

const feeTable = (results: FeeResults): string =>
  table(
    [
      "",
      "Approval, by approval alone",
      ...others.flatMap(({ name }) => [`Expected value, ${name}`, "Approval, points"]),
      ...oracles.map(({ name }) => name)
    ],
    [...results].map(([world, runs]) => {
      const before = runs.get(approvalAlone.name) ?? []
      return [
        world.title,
        `${(100 * bandOf(before.map(({ approval }) => approval)).mean).toFixed(1)} %`,
        ...others.flatMap(({ name }) => {
          const after = runs.get(name) ?? []
          const gain = against(after, before, gainOf)
          const loss = against(after, before, (one, other) => 100 * (one.approval - other.approval))
          return [`${signed(gain.mean, 1)} % (${signed(gain.low, 1)}..${signed(gain.high, 1)})`, signed(loss.mean, 2)]
        }),
        ...oracles.map(({ explored }) => {
          const after = before.map((alone, seed) => oracle(world, seed + 1, explored, alone))
          return `${signed(against(after, before, gainOf).mean, 1)} %`
        })
      ]
    })
  )

/** The blocks of docs/concepts/auto-routing.md that are about fees, by name. */
export const feeBlocksOf = (results: FeeResults): Readonly<Record<string, () => string>> => ({
  "auto-routing-value": () => feeTable(results)
})
