/** Bars, panel by panel. */
import { escaped, svg } from "../../../scripts/generate/Svg.ts"
import { type Section, short } from "./Result.ts"
import type { Spread } from "./Rounds.ts"

interface Bar {
  readonly label: string
  readonly value: Spread
  readonly goal?: number | undefined
  /** What others are compared with. */
  readonly isBase?: boolean
}

interface Panel {
  readonly title: string
  readonly unit: "" | " ms"
  readonly bars: ReadonlyArray<Bar>
}

/** Each panel: its title, its unit, the bar that others are compared with, and those of measured rows, by their ids. */
const panels: ReadonlyArray<
  readonly [title: string, unit: Panel["unit"], base: string, bars: Readonly<Record<string, string>>]
> = [
  [
    "Creates over PostgreSQL, 16 at once",
    "",
    "bare @effect/sql-pg, the same statements",
    { "library-of-bare": "the library", "batches-of-bare": "the library, commits together" }
  ],
  [
    "Creates over PostgreSQL, a provider of 0 to 40 ms",
    "",
    "a statement for each commit",
    { "batched-128": "batches, 128 at once", "batched-256": "batches, 256 at once" }
  ],
  [
    "Creates over HTTP, 16 at once",
    "",
    "the library, the same provider",
    {
      "server-of-library-PostgreSQL": "the server on PostgreSQL",
      "server-of-library-SQLite": "the server on SQLite"
    }
  ],
  ["Create, capture and refund over PostgreSQL, 8 at once", "", "Medusa's payment module", { medusa: "the library" }],
  [
    "Create, capture and refund over SQLite, 8 at once",
    "",
    "a floor written by hand",
    { "floor-sqlite": "the library" }
  ],
  [
    "Median wait besides a provider of 50 ms, at half of the server's peak",
    " ms",
    "",
    {
      "added-proxy-50": "a bare node:http proxy that writes the same",
      "added-library-50": "the library",
      "added-server-50": "the server"
    }
  ],
  [
    "Cost at a million payments on PostgreSQL",
    "",
    "the same at ten thousand",
    {
      "scale-replay-PostgreSQL": "a create again under its key",
      "scale-payments-PostgreSQL": "a page of payments",
      "scale-paymentsByState-PostgreSQL": "a page of payments in one state",
      "scale-events-PostgreSQL": "a page of events",
      "scale-timeline-PostgreSQL": "a timeline"
    }
  ]
]

const panelsOf = (sections: ReadonlyArray<Section>): ReadonlyArray<Panel> => {
  const rows = new Map(sections.flatMap((section) => section.rows.map((row) => [row.id, row] as const)))
  return panels.flatMap(([title, unit, base, named]) => {
    const bars = Object.entries(named).flatMap(([id, label]): ReadonlyArray<Bar> => {
      const row = rows.get(id)
      return row === undefined ? [] : [{ label, value: row.value, goal: row.atLeast ?? row.atMost }]
    })
    const one: Bar = { label: base, value: { median: 1, min: 1, max: 1 }, isBase: true }
    return bars.length === 0 ? [] : [{ title, unit, bars: [...(base === "" ? [] : [one]), ...bars] }]
  })
}

const width = 800
const left = 310
const right = 720
const line = 22
const head = 34

export const chartOf = (sections: ReadonlyArray<Section>): string => {
  let y = 16
  const drawn = panelsOf(sections).map((panel) => {
    const top = y
    y += head + panel.bars.length * line + 12
    return panelAt(panel, top)
  })
  const title = "What was measured, each panel relative to its grey bar; a dashed line is what is asked for"
  return svg({ width, height: y }, title, drawn)
}

const panelAt = ({ bars, title, unit }: Panel, top: number): string => {
  const most = Math.max(...bars.flatMap(({ goal, value }) => [value.max, goal ?? 0])) * 1.02
  const x = (value: number) => Math.round((left + (Math.max(0, value) / most) * (right - left)) * 10) / 10
  const lines = bars.flatMap(({ goal, isBase, label, value }, index) => {
    const y = top + head + index * line
    const middle = y + 8
    const [fill, stroke] = isBase === true ? ["#e2e8f0", "#94a3b8"] : ["#dbeafe", "#2563eb"]
    const text = `${short(value.median)}${unit}`
    return [
      `<text x="${left - 10}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${left}" y="${y}" width="${Math.max(0, x(value.median) - left)}" height="16" fill="${fill}" stroke="${stroke}"/>`,
      ...(value.min === value.max
        ? []
        : [`<path d="M${x(value.min)} ${middle}H${x(value.max)}" stroke="#475569" fill="none"/>`]),
      ...(goal === undefined
        ? []
        : [`<path d="M${x(goal)} ${y - 3}V${y + 19}" stroke="#b91c1c" stroke-dasharray="3 2" fill="none"/>`]),
      `<text x="${x(Math.max(value.max, goal ?? 0)) + 6}" y="${y + 12}">${text}</text>`
    ]
  })
  return [`<text x="16" y="${top + 18}" font-weight="bold">${escaped(title)}</text>`, ...lines].join("\n")
}
