/** The crash matrix as a picture: a square for each end, by the final state. */
import { type Cell, clients, type Outcome, operations } from "@pointsman/contracts/crash-matrix"
import { titles } from "./CrashMatrix.ts"
import { svg, textAt } from "./Svg.ts"

export const crashPicturePath = "docs/reference/crash-matrix.svg"

interface Look {
  readonly letter: string
  readonly fill: string
  readonly text: string
  readonly says: string
}

/** Also distinguished by letter, for readers who do not see the colours. */
const looks: Readonly<Record<string, Look>> = {
  nothing: { letter: "", fill: "#ffffff", text: "#0f172a", says: "nothing is stored, nothing was sent" },
  FAILED: { letter: "F", fill: "#e2e8f0", text: "#0f172a", says: "FAILED: nothing was executed" },
  DECLINED: { letter: "D", fill: "#94a3b8", text: "#0f172a", says: "DECLINED" },
  AUTHORIZED: { letter: "A", fill: "#dbeafe", text: "#0f172a", says: "AUTHORIZED, as before" },
  CAPTURED: { letter: "C", fill: "#1d4ed8", text: "#ffffff", says: "CAPTURED" },
  CANCELLED: { letter: "V", fill: "#7c3aed", text: "#ffffff", says: "CANCELLED" },
  PARTIALLY_REFUNDED: { letter: "R", fill: "#047857", text: "#ffffff", says: "PARTIALLY_REFUNDED" },
  under_review: { letter: "E", fill: "#0f766e", text: "#ffffff", says: "the evidence is under review" },
  accepted: { letter: "G", fill: "#7f1d1d", text: "#ffffff", says: "the dispute is accepted" },
  needs_response: { letter: "W", fill: "#fee2e2", text: "#0f172a", says: "the dispute waits for an answer, as before" },
  PENDING: { letter: "P", fill: "#bae6fd", text: "#0f172a", says: "PENDING: looked up daily" },
  UNKNOWN: { letter: "?", fill: "#fbbf24", text: "#0f172a", says: "UNKNOWN: for a person to settle" }
}

const lookOf = (final: string): Look => {
  const look = looks[final.includes("UNKNOWN") ? "UNKNOWN" : final]
  if (look === undefined) throw new Error(`scripts/generate/CrashPicture.ts: nothing is drawn for ${final}`)
  return look
}

const width = 780
const left = 350
const side = 20
const gap = 2

const square = (x: number, y: number, { fill, letter, text }: Look): string =>
  [
    `<rect x="${x}" y="${y}" width="${side}" height="${side}" rx="3" fill="${fill}" stroke="#64748b" stroke-width="0.75"/>`,
    ...(letter === ""
      ? []
      : [textAt(x + side / 2, y + 14, letter, `text-anchor="middle" font-size="11" fill="${text}"`)])
  ].join("")

const [never] = clients

const rowOf = (outcome: Outcome, cells: ReadonlyArray<Cell>, y: number): string => {
  const own = cells.filter((cell) => cell.outcome === outcome)
  const ends = own.filter(({ point }) => point !== null)
  const whole = own.find(({ point }) => point === null)
  return [
    textAt(left - 34, y + 14, outcome.name, 'text-anchor="end"'),
    ...(whole === undefined ? [] : [square(left - 26, y, lookOf(whole.runs[never].final))]),
    ...ends.map(({ runs }, index) => square(left + 6 + index * (side + gap), y, lookOf(runs[never].final)))
  ].join("\n")
}

/** Lines from top to bottom, each with its height. */
const lines = (
  cells: ReadonlyArray<Cell>
): ReadonlyArray<{ readonly height: number; readonly draw: (y: number) => string }> =>
  operations.flatMap((operation) => [
    {
      height: 44,
      draw: (y) => textAt(16, y + 32, titles[operation.name], 'font-size="15" font-weight="bold"')
    },
    ...operation.groups.flatMap((group) => [
      { height: 26, draw: (y: number) => textAt(16, y + 19, group.title, 'fill="#475569" font-style="italic"') },
      ...group.outcomes.map((outcome) => ({
        height: side + gap,
        draw: (y: number) =>
          rowOf(
            outcome,
            cells.filter((cell) => cell.operation === operation),
            y
          )
      }))
    ])
  ])

export const crashPicture = (cells: ReadonlyArray<Cell>): string => {
  const drawn: Array<string> = []
  const legend = Object.values(looks)
  const columns = 2
  let y = 16
  for (const [index, look] of legend.entries()) {
    const x = 16 + (index % columns) * 380
    const row = y + Math.floor(index / columns) * 26
    drawn.push(square(x, row, look), textAt(x + 30, row + 14, look.says))
  }
  y += Math.ceil(legend.length / columns) * 26 + 14
  drawn.push(
    textAt(left - 34, y, "no end", 'text-anchor="end" fill="#475569"'),
    textAt(left + 6, y, "the process ends at its 1st, 2nd, 3rd point, and so on", 'fill="#475569"')
  )
  for (const { draw, height } of lines(cells)) {
    drawn.push(draw(y))
    y += height
  }
  const title = "Final status for each point at which a process may die and each provider behaviour"
  return svg({ width, height: y + 20 }, title, drawn)
}
