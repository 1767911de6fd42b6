/** Regret over payments. */
import { svg } from "../generate/Svg.ts"
import { bandOf } from "./Figures.ts"
import { curveStep, policies, type Results, type Run } from "./Runs.ts"
import type { World } from "./Worlds.ts"

/** Colours that people with any colour vision tell apart (Okabe and Ito). */
const colours: Readonly<Record<string, string>> = {
  auto: "#0072b2",
  thompson: "#d55e00",
  hedging: "#009e73",
  ucb: "#cc79a7",
  priority: "#64748b"
}

const panels = ["drop", "recovery"]
const width = 800
const left = 56
const right = 620
const height = 250
const head = 40
/** Approvals lost; what does not learn leaves the picture. */
const most = 200

export const chartOf = (results: Results): string => {
  const shown = [...results].filter(([{ id }]) => panels.includes(id))
  const total = shown.length * (head + height + 52)
  const title =
    "Approvals lost against asking the best connection each time: the mean of all seeds, with a band from the 5th to the 95th percentile"
  return svg(
    { width, height: total },
    title,
    shown.map(([world, runs], index) => panelAt(world, runs, index * (head + height + 52)))
  )
}

const rounded = (value: number) => Math.round(value * 10) / 10

const panelAt = (world: World, runs: ReadonlyMap<string, ReadonlyArray<Run>>, top: number): string => {
  const bottom = top + head + height
  const x = (payment: number) => rounded(left + (payment / world.payments) * (right - left))
  const y = (lost: number) => rounded(bottom - (Math.min(lost, most) / most) * height)
  const marks = [
    ...(world.dropAt === undefined ? [] : [[world.dropAt, "it drops"] as const]),
    ...(world.backAt === undefined ? [] : [[world.backAt, "it is back"] as const])
  ]
  const curves = policies.flatMap(({ id, name }) => {
    const colour = colours[id]
    const all = runs.get(id)?.map(({ curve }) => curve) ?? []
    if (colour === undefined) return []
    const points = (all[0] ?? []).map((_, at) => ({
      payment: (at + 1) * curveStep,
      band: bandOf(all.map((curve) => curve[at] ?? 0))
    }))
    const inside = points.filter(({ band }) => band.mean <= most)
    const line = inside.map(({ band, payment }) => `${x(payment)} ${y(band.mean)}`).join("L")
    const upper = inside.map(({ band, payment }) => `${x(payment)} ${y(band.high)}`)
    const lower = inside.map(({ band, payment }) => `${x(payment)} ${y(band.low)}`).toReversed()
    const last = inside.at(-1)
    return [
      {
        drawn: [
          `<path d="M${[...upper, ...lower].join("L")}Z" fill="${colour}" fill-opacity="0.12"/>`,
          `<path d="M${left} ${bottom}L${line}" stroke="${colour}" stroke-width="2" fill="none"/>`
        ].join("\n"),
        colour,
        label: name.replaceAll("`", ""),
        at: last === undefined ? bottom : y(last.band.mean)
      }
    ]
  })
  // From the lowest curve's end upwards, so that no two are on one line.
  let free = bottom
  const labels = curves
    .toSorted((a, b) => b.at - a.at)
    .map(({ at, colour, label }) => {
      const line = Math.min(at + 4, free)
      free = line - 14
      return `<text x="${right + 8}" y="${line}" fill="${colour}" font-size="11">${label}</text>`
    })
  return [
    `<text x="${left}" y="${top + 20}" font-weight="bold">${world.title}</text>`,
    `<text x="${left}" y="${bottom + 34}" fill="#475569">approvals lost, by payments since the start</text>`,
    ...[0, 50, 100, 150, 200].map(
      (lost) =>
        `<path d="M${left} ${y(lost)}H${right}" stroke="#e2e8f0" fill="none"/><text x="${left - 8}" y="${y(lost) + 4}" text-anchor="end">${lost}</text>`
    ),
    ...curves.map(({ drawn }) => drawn),
    ...marks.map(
      ([payment, words]) =>
        `<path d="M${x(payment)} ${top + head}V${bottom}" stroke="#b91c1c" stroke-dasharray="3 2" fill="none"/><text x="${x(payment) + 4}" y="${top + head + 12}" fill="#b91c1c">${words}</text>`
    ),
    ...Array.from(
      { length: Math.floor(world.payments / 500) + 1 },
      (_, at) => `<text x="${x(at * 500)}" y="${bottom + 18}" text-anchor="middle">${at * 500}</text>`
    ),
    ...labels
  ].join("\n")
}
