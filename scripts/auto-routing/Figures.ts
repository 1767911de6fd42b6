/** What runs come to, as tables. */
import { rateHalfLifeMillis, rateWindow } from "@pointsman/core/internal"
import { table } from "../generate/Markdown.ts"
import { policies, type Results, type Run, seeds } from "./Runs.ts"
import type { World } from "./Worlds.ts"

/** The mean, and the 5th and the 95th percentile of the seeds. */
export interface Band {
  readonly mean: number
  readonly low: number
  readonly high: number
}

export const bandOf = (numbers: ReadonlyArray<number>): Band => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return { mean: numbers.reduce((sum, one) => sum + one, 0) / numbers.length, low: at(0.05), high: at(0.95) }
}

/** No figure is "-0". */
const whole = (value: number): string => String(Math.round(value) + 0)
const percent = (share: number): string => `${Math.round(share * 100)} %`
const told = ({ high, low, mean }: Band, tell = whole): string =>
  low === high ? tell(mean) : `${tell(mean)} (${tell(low)}..${tell(high)})`

const runsOf = (results: Results, world: World, policy: string): ReadonlyArray<Run> =>
  results.get(world)?.get(policy) ?? []

/** One row for each world, one column for each policy. */
const regretTable = (results: Results, lost: (run: Run) => number): string =>
  table(
    ["", ...policies.map(({ name }) => name)],
    [...results.keys()].map((world) => [
      world.title,
      ...policies.map(({ id }) => told(bandOf(runsOf(results, world, id).map(lost))))
    ])
  )

const shareOf = (values: Uint8Array, wanted: number): number =>
  values.filter((value) => value === wanted).length / values.length

const autos = policies.filter(({ id }) => id.startsWith("auto"))
const learning = policies.filter(({ id }) => id !== "fixed" && id !== "priority")
const dropping = (results: Results) => [...results.keys()].filter(({ dropAt }) => dropAt !== undefined)

const afterDrop = [0, 50, 100, 150] as const

/** The greatest share that may go to a dropped connection in payments 150 to 200 since. */
const mayStay = 0.2

const shareSince = (results: Results, world: World, policy: string, since: number): Band => {
  const from = (world.dropAt ?? 0) + since
  return bandOf(runsOf(results, world, policy).map(({ chosen }) => shareOf(chosen.slice(from, from + 50), 0)))
}

/** How soon the default leaves a connection that dropped. */
const dropTable = (results: Results): string =>
  table(
    ["", ...afterDrop.map((since) => `${since} to ${since + 50}`), `Under ${percent(mayStay)} at the end`],
    dropping(results).map((world) => {
      const shares = afterDrop.map((since) => shareSince(results, world, "auto", since))
      const isLeft = (shares.at(-1)?.mean ?? 1) < mayStay
      return [world.title, ...shares.map((share) => told(share, percent)), isLeft ? "yes" : "**no**"]
    })
  )

/** The last of these, for all that learn. */
const leftTable = (results: Results): string =>
  table(
    ["", ...learning.map(({ name }) => name)],
    dropping(results).map((world) => [
      world.title,
      ...learning.map(({ id }) => told(shareSince(results, world, id, 150), percent))
    ])
  )

/** It leads where it gets more than half of the next fifty payments; `undefined` where it did not within the run. */
const leadsAgainAfter = ({ chosen }: Run, backAt: number): number | undefined => {
  for (let from = backAt; from + 50 <= chosen.length; from++) {
    if (shareOf(chosen.subarray(from, from + 50), 0) > 0.5) return from - backAt
  }
  return undefined
}

const recoveryTable = (results: Results): string => {
  const recovering = [...results.keys()].filter(({ backAt }) => backAt !== undefined)
  return table(
    ["", ...recovering.map(({ title }) => title)],
    learning.map(({ id, name }) => [
      name,
      ...recovering.map((world) => {
        const { backAt = 0, payments } = world
        const led = runsOf(results, world, id).flatMap((run) => leadsAgainAfter(run, backAt) ?? [])
        const sorted = led.toSorted((a, b) => a - b)
        const median = sorted[Math.floor(seeds / 2)]
        const within = `in ${led.length} of ${seeds} within ${payments - backAt}`
        return median === undefined ? `half of them later; ${within}` : `${median}; ${within}`
      })
    ])
  )
}

const windowPayments = 1000

const explorationTable = (results: Results): string =>
  table(
    ["", "Explored, least and greatest of all windows", "Windows", "Noise of the draw", "Cost in each 1,000 payments"],
    autos.map(({ id, name }) => {
      const share = configured[id] ?? Number.NaN
      const noise = 1.96 * Math.sqrt(windowPayments * share * (1 - share))
      const [low, high] = [windowPayments * share - noise, windowPayments * share + noise]
      const runs = [...results.keys()].flatMap((world) => runsOf(results, world, id))
      const counts = runs.flatMap(({ explored }) =>
        Array.from({ length: Math.floor(explored.length / windowPayments) }, (_, at) =>
          explored.subarray(at * windowPayments, (at + 1) * windowPayments).reduce((sum, one) => sum + one, 0)
        )
      )
      const within = counts.filter((count) => count >= low && count <= high).length
      const costs = [...results.keys()].map(
        (world) =>
          bandOf(runsOf(results, world, id).map(({ lostExploring }) => (lostExploring * 1000) / world.payments)).mean
      )
      return [
        name,
        `${percent1(Math.min(...counts) / windowPayments)}..${percent1(Math.max(...counts) / windowPayments)}`,
        String(counts.length),
        `${percent(within / counts.length)} of them in ${percent1(low / windowPayments)}..${percent1(high / windowPayments)}`,
        `${Math.min(...costs).toFixed(1)} to ${Math.max(...costs).toFixed(1)} approvals, by world`
      ]
    })
  )

const configured: Readonly<Record<string, number>> = { auto: 0.05, "auto-2": 0.02, "auto-10": 0.1 }
const percent1 = (share: number): string => `${(share * 100).toFixed(1)} %`

const sparseTable = (results: Results): string => {
  const world = [...results.keys()].find(({ secondSegment }) => secondSegment > 0)
  if (world === undefined) throw new Error("no world has a second segment")
  return table(
    ["", "To its worst connection, first 50", "next 50", "To its best, next 50"],
    learning.map(({ id, name }) => {
      const runs = runsOf(results, world, id).map(({ chosen, segment }) => chosen.filter((_, at) => segment[at] === 1))
      const share = (from: number, connection: number) =>
        told(bandOf(runs.map((chosen) => shareOf(chosen.slice(from, from + 50), connection))), percent)
      return [name, share(0, 0), share(50, 0), share(50, 1)]
    })
  )
}

const constants = (): string =>
  `A rate covers about the last ${rateWindow} outcomes, and loses half its weight in ${rateHalfLifeMillis / 86_400_000} days.`

/** The blocks of docs/concepts/auto-routing.md, by name. */
export const blocksOf = (results: Results): Readonly<Record<string, () => string>> => ({
  "auto-routing-constants": constants,
  "auto-routing-oracle": () => regretTable(results, ({ lostToOracle }) => lostToOracle),
  "auto-routing-fixed": () => regretTable(results, ({ lostToFixed }) => lostToFixed),
  "auto-routing-drop": () => dropTable(results),
  "auto-routing-left": () => leftTable(results),
  "auto-routing-recovery": () => recoveryTable(results),
  "auto-routing-exploration": () => explorationTable(results),
  "auto-routing-sparse": () => sparseTable(results)
})
