/** A lifecycle table as a page and as a picture. */
import { Machine } from "@pointsman/core/internal"
import { code, table } from "./Markdown.ts"
import { graph } from "./Svg.ts"

type Table = Machine.Machine<string, string, string, string>

/** Every row, in the order of the table; those that differ only in where they come from are one. */
export const rowsOf = (machine: Table): string => {
  const rows = new Map<string, { readonly from: Array<string>; readonly rest: ReadonlyArray<string> }>()
  for (const { from, on, to, emits, why } of machine.rows) {
    const rest = [code(on), code(to), emits.map(code).join(", "), why]
    const row = rows.get(rest.join("\n")) ?? { from: [], rest }
    row.from.push(from === Machine.Start ? "(nothing stored)" : code(from))
    rows.set(rest.join("\n"), row)
  }
  return table(
    ["From", "On", "To", "Emits", "Why"],
    [...rows.values()].map(({ from, rest }) => [from.join(", "), ...rest])
  )
}

/** What each fact means in a state that has no row for it. */
export const otherwiseOf = (machine: Table): string =>
  table(
    ["Fact", "Elsewhere"],
    machine.events.map((event) => [code(event), code(machine.otherwise[event] ?? "")])
  )

/** The wire status of each state. */
export const statusesOf = (machine: Table, statusOf: Readonly<Record<string, string>>): string =>
  table(
    ["State", "The API shows"],
    machine.states.map((state) => [code(state), code(statusOf[state] ?? "")])
  )

export const finalsOf = (machine: Table): ReadonlyArray<string> => Machine.finalStates(machine).map(code)

interface Look {
  readonly fill: string
  readonly border: string
}

const looks = {
  inFlight: { fill: "#dbeafe", border: "#2563eb" },
  unknown: { fill: "#fef3c7", border: "#b45309" },
  resting: { fill: "#f8fafc", border: "#475569" },
  final: { fill: "#e2e8f0", border: "#0f172a" }
} as const satisfies Record<string, Look>

const lookOf = (machine: Table, state: string): Look => {
  if (state.endsWith("Unknown")) return looks.unknown
  if (state.endsWith("ing") || state.endsWith("Pending")) return looks.inFlight
  return Machine.finalStates(machine).includes(state) ? looks.final : looks.resting
}

/**
 * The picture, in Graphviz's language. Moves between the same two states share one arrow. `shownAs` is the second
 * line of a state.
 */
const dotOf = (machine: Table, shownAs: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const arrows = new Map<string, { readonly from: string; readonly to: string; readonly on: Array<string> }>()
  for (const { from, to, on } of machine.rows) {
    const key = `${from} ${to}`
    const arrow = arrows.get(key) ?? { from, to, on: [] }
    if (!arrow.on.includes(on)) arrow.on.push(on)
    arrows.set(key, arrow)
  }
  const states = machine.states.map((state) => {
    const { fill, border } = lookOf(machine, state)
    const shown = shownAs[state]
    const label = shown === undefined ? state : `${state}\\n${shown}`
    return `  "${state}" [label="${label}", fillcolor="${fill}", color="${border}"]`
  })
  const moves = [...arrows.values()].map(
    ({ from, to, on }) => `  "${from}" -> "${to}" [label="${on.map((event) => ` ${event} `).join("\\n")}"]`
  )
  return [
    `digraph "${machine.name}" {`,
    '  graph [rankdir=TB, bgcolor="white", pad=0.3, nodesep=0.35, ranksep=0.6, fontname="Helvetica,Arial,sans-serif"]',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=11, margin="0.15,0.08"]',
    '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=8, color="#64748b", fontcolor="#334155", arrowsize=0.6]',
    `  "${Machine.Start}" [shape=circle, label="", width=0.18, fixedsize=true, style=filled, fillcolor="#0f172a"]`,
    ...states,
    ...moves,
    "}"
  ]
}

export const pictureOf = (machine: Table, shownAs: Readonly<Record<string, string>> = {}): Promise<string> =>
  graph(dotOf(machine, shownAs), `States of the ${machine.name} and the moves between them`)
