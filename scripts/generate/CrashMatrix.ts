/** The snapshot of the results of an operation whose process ends: every point, with everything that a provider may do. */
import {
  type Cell,
  type Client,
  clients,
  crashMatrix,
  type Operation,
  type OperationName,
  type OutcomeGroup,
  operations,
  type Told,
  wrongCells
} from "@pointsman/contracts/crash-matrix"
import { errorTable } from "@pointsman/http"
import { layer } from "@pointsman/storage-memory"
import { lines, merged } from "./Snapshot.ts"

export const crashMatrixPath = "packages/storage/memory/test/crash-matrix.snap.txt"

export const titles: Readonly<Record<OperationName, string>> = {
  create: "Creating a payment",
  complete: "Taking an approved payment",
  capture: "Capturing an authorization",
  void: "Voiding an authorization",
  refund: "Refunding a payment",
  submitDispute: "Submitting evidence for a dispute",
  acceptDispute: "Accepting a dispute"
}

const [never, atOnce, afterWindow, onceSettled] = clients

/** The client's own moments, and whose first words they are. */
const moments: ReadonlyArray<readonly [Told["when"], Client]> = [
  ["at once", atOnce],
  ["after the claim window", afterWindow],
  ["once settled", onceSettled]
]

/** A status as it is answered, or the code of a failure. */
export const shown = (name: OperationName, says: string): string => {
  const rows: Readonly<Record<string, { readonly code: string }>> =
    name === "complete" ? {} : errorTable[name === "acceptDispute" ? "submitDispute" : name]
  return rows[`pointsman/${says}`]?.code ?? says
}

const finalOf = ({ runs }: Cell): string => {
  const before = runs[never].final
  const others = moments.map(([, client]) => runs[client].final)
  if (others.every((final) => final === before)) return before
  const [first = before] = others
  if (others.every((final) => final === first)) return `${before}; asked again: ${first}`
  const differing = moments.filter(([, client]) => runs[client].final !== before)
  return [before, ...differing.map(([when, client]) => `asked again ${when}: ${runs[client].final}`)].join("; ")
}

const saidAt = ({ runs }: Cell, when: Told["when"], client: Client): string | undefined =>
  runs[client].told.find((told) => told.when === when)?.says

interface Column {
  readonly title: string
  readonly cells: ReadonlyArray<Cell>
  /** What the request is answered where its process does not end. */
  readonly answer: string
}

/** What every client of a row hears, in as few words as are true of all. */
const heard = (operation: Operation, columns: ReadonlyArray<Column>, point: string | null, index: number): string => {
  const moment = moments[index]
  if (moment === undefined) return ""
  const [when, client] = moment
  const all = columns.flatMap(({ answer, cells }) => {
    const cell = cells.find((one) => one.point === point)
    const said = cell === undefined ? undefined : saidAt(cell, when, client)
    return cell === undefined || said === undefined ? [] : [{ said, answer, final: cell.runs[client].final }]
  })
  const [first] = all
  if (first === undefined) return "–"
  if (all.every(({ said }) => said === first.said)) return shown(operation.name, first.said)
  if (all.every(({ answer, said }) => said === answer)) return "the answer"
  if (all.every(({ final, said }) => said === final)) return "how it ended"
  return [...new Set(all.map(({ said }) => shown(operation.name, said)))].toSorted().join(" or ")
}

/** All points of the columns, in an order that is each one's own. */
const pointsOf = (columns: ReadonlyArray<Column>): ReadonlyArray<string> => {
  const lists = columns.map(({ cells }) => cells.flatMap(({ point }) => point ?? []))
  const all = [...(lists.toSorted((a, b) => b.length - a.length)[0] ?? [])]
  for (const list of lists) {
    for (const [index, point] of list.entries()) {
      if (all.includes(point)) continue
      const before = list[index - 1]
      all.splice(before === undefined ? 0 : all.indexOf(before) + 1, 0, point)
    }
  }
  return all
}

const groupTable = (operation: Operation, group: OutcomeGroup, cells: ReadonlyArray<Cell>): string => {
  const columns = group.outcomes.map((outcome): Column => {
    const own = cells.filter((cell) => cell.outcome === outcome)
    const answer = own.at(-1)?.runs[never].told[0]?.says ?? ""
    return { title: outcome.name, cells: own, answer }
  })
  const rows = pointsOf(columns).map((point, index) => ({
    names: [`${index + 1}. ${point}`],
    cells: [
      ...columns.map(({ cells }) => {
        const cell = cells.find((one) => one.point === point)
        return cell === undefined ? "–" : finalOf(cell)
      }),
      ...moments.map((_, moment) => heard(operation, columns, point, moment))
    ]
  }))
  return lines(
    ["The process ends when", ...columns.map(({ title }) => title), ...moments.map(([when]) => `Asked again ${when}`)],
    [
      [
        "It does not end: the answer",
        ...columns.map(({ answer }) => shown(operation.name, answer)),
        ...moments.map(() => "the answer")
      ],
      ...merged(rows),
      [
        "It does not end: final state",
        ...columns.map(({ cells }) => cells.slice(-1).map(finalOf).join("")),
        ...moments.map(() => "")
      ]
    ]
  )
}

const section = (operation: Operation, cells: ReadonlyArray<Cell>): ReadonlyArray<string> => [
  `## ${titles[operation.name]}`,
  operation.about,
  ...operation.groups.flatMap((group) => [
    `### ${titles[operation.name]}: ${lowered(group.title)}`,
    groupTable(operation, group, cells)
  ])
]

const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1)

/** Throws where something in it is not as it should be: a snapshot must not hold a broken matrix. */
export const crashMatrixSnapshot = (cells: ReadonlyArray<Cell>): string => {
  const wrong = wrongCells(cells)
  if (wrong.length > 0) throw new Error(`the crash matrix is broken:\n${wrong.join("\n")}`)
  return `${[
    "# Where the money is after a crash. `npm run generate` writes this file: it runs packages/contracts/src/crash-matrix.",
    [
      `There are ${cells.filter(({ point }) => point !== null).length} crashes, each with a client that never retries and with three that do. Another process takes over, and three days pass.`,
      "A row is a point at which the process ends; points with the same results share a row. A read changes nothing, so it is no point.",
      "not written: the storage never receives it. on its way: it is written two seconds after the crash. written: the process receives no confirmation.",
      "has not left: the provider never receives it. on its way: it arrives after the crash. done, and not answered: the provider has executed it.",
      "A column is what the provider does. A cell is the final status, also of a client that asks again where that differs. nothing: no payment is stored. –: there is no such point.",
      "The last three columns are the responses to the same request under the same key: at once, after the claim window of 15 minutes, and once it is settled.",
      "the answer: the response in the first row. how it ended: the status in the cell."
    ].join("\n"),
    ...operations.flatMap((operation) =>
      section(
        operation,
        cells.filter((cell) => cell.operation === operation)
      )
    )
  ].join("\n\n")}\n`
}

/** Some two thousand runs: ten seconds or so. */
export const crashMatrixInMemory = () => crashMatrix({ storage: layer() })
