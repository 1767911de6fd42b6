/** One payment and the points at which its process may end: the picture, and the table beside it from the crash matrix. */
import { type Cell, clients, operations } from "@pointsman/contracts/crash-matrix"
import { shown } from "./CrashMatrix.ts"
import { code, table } from "./Markdown.ts"
import { svg } from "./Svg.ts"

export const onePaymentPath = "docs/concepts/one-payment.md"
export const onePaymentPicturePath = "docs/concepts/one-payment.svg"

const [never, atOnce] = clients

/** The matrix's first outcome, a create that the provider captures: its points are those of the picture. */
const captured = (cells: ReadonlyArray<Cell>): ReadonlyArray<Cell> => {
  const [outcome] = operations.find(({ name }) => name === "create")?.groups[0]?.outcomes ?? []
  return cells.filter((cell) => cell.outcome === outcome && cell.point !== null)
}

const points = [
  "the claim is not written",
  "the claim is on its way",
  "the claim is written",
  "the request has not left",
  "the request is on its way",
  "the request is done, and not answered",
  "the end of the request is known to the process",
  "the outcome is not written",
  "the outcome is on its way",
  "the outcome is written"
] as const

/** The picture shows these points and no others: if the code has more, it must be redrawn. */
const checked = (cells: ReadonlyArray<Cell>): ReadonlyArray<Cell> => {
  const own = captured(cells)
  const names = own.map(({ point }) => point)
  if (names.join() !== points.join())
    throw new Error(`${onePaymentPicturePath} shows other points than ${names.join()}`)
  return own
}

const shownFinal = (final: string) => (final === "nothing" ? "nothing is stored, and nothing was sent" : code(final))

export const onePaymentEnds = (cells: ReadonlyArray<Cell>): string =>
  table(
    ["The process dies when", "Final status", "Response to an immediate retry", "Status after that"],
    checked(cells).map(({ number, point, runs }) => [
      `${number}. ${point}`,
      shownFinal(runs[never].final),
      code(shown("create", runs[atOnce].told[0]?.says ?? "nothing")),
      shownFinal(runs[atOnce].final)
    ])
  )

const lanes = { caller: 90, pointsman: 300, store: 500, provider: 690 } as const
type Lane = keyof typeof lanes

interface Arrow {
  readonly from: Lane
  readonly to: Lane
  readonly says: string
}

/** From top to bottom: arrows, and the points between and on them. A point is beside the lane that it affects. */
const steps: ReadonlyArray<Arrow | ReadonlyArray<{ readonly point: number; readonly x: number }>> = [
  { from: "caller", to: "pointsman", says: "create, with its key" },
  [{ point: 1, x: lanes.pointsman }],
  { from: "pointsman", to: "store", says: "commit 1: what will be asked" },
  [{ point: 2, x: (lanes.pointsman + lanes.store) / 2 }],
  { from: "store", to: "pointsman", says: "written" },
  [
    { point: 3, x: lanes.store },
    { point: 4, x: lanes.pointsman }
  ],
  { from: "pointsman", to: "provider", says: "charge, once" },
  [
    { point: 5, x: (lanes.store + lanes.provider) / 2 },
    { point: 6, x: lanes.provider }
  ],
  { from: "provider", to: "pointsman", says: "captured" },
  [
    { point: 7, x: lanes.pointsman },
    { point: 8, x: lanes.pointsman + 28 }
  ],
  { from: "pointsman", to: "store", says: "commit 2: what came of it" },
  [{ point: 9, x: (lanes.pointsman + lanes.store) / 2 }],
  { from: "store", to: "pointsman", says: "written" },
  [{ point: 10, x: lanes.store }],
  { from: "pointsman", to: "caller", says: "CAPTURED" }
]

const fills: Readonly<Record<string, string>> = { nothing: "#ffffff", FAILED: "#cbd5e1", CAPTURED: "#1d4ed8" }

const width = 780
const row = 34
const head = 62

const arrowAt = ({ from, says, to }: Arrow, y: number): string => {
  const [x1, x2] = [lanes[from], lanes[to]]
  const tip = x2 > x1 ? -1 : 1
  const middle = from === "caller" || to === "caller" ? (x1 + x2) / 2 : (lanes.pointsman + lanes.store) / 2
  return [
    `<path d="M${x1} ${y}H${x2}" stroke="#334155" stroke-width="1.5"/>`,
    `<path d="M${x2} ${y}l${tip * 8} -4v8z" fill="#334155"/>`,
    `<text x="${middle}" y="${y - 7}" text-anchor="middle">${says}</text>`
  ].join("\n")
}

const pointAt = (number: number, x: number, y: number, final: string): string => {
  const fill = fills[final] ?? "#fbbf24"
  return [
    `<circle cx="${x}" cy="${y}" r="11" fill="${fill}" stroke="#0f172a"/>`,
    `<text x="${x}" y="${y + 4}" text-anchor="middle" fill="${fill === "#1d4ed8" ? "#ffffff" : "#0f172a"}">${number}</text>`
  ].join("\n")
}

export const onePaymentPicture = (cells: ReadonlyArray<Cell>): string => {
  const own = checked(cells)
  const finalOf = (point: number) => own[point - 1]?.runs[never].final ?? ""
  const bottom = head + steps.length * row
  const names = { caller: "Your server", pointsman: "Pointsman", store: "Storage", provider: "Provider" }
  const legend = [
    ["nothing", "dies here: nothing is stored, nothing was sent"],
    ["FAILED", "dies here: FAILED in the end, and it is never sent later"],
    ["CAPTURED", "dies here: CAPTURED in the end, from the provider's record or our own"]
  ] as const
  const title =
    "One payment between your server, Pointsman, the storage and the provider, and its result at each point at which the process dies"
  return svg({ width, height: bottom + 90, fontSize: 13 }, title, [
    ...Object.entries(lanes).flatMap(([lane, x]) => [
      `<path d="M${x} 44V${bottom}" stroke="#cbd5e1" stroke-width="2"/>`,
      `<rect x="${x - 65}" y="14" width="130" height="30" rx="6" fill="#f1f5f9" stroke="#475569"/>`,
      `<text x="${x}" y="34" text-anchor="middle">${names[lane as Lane]}</text>`
    ]),
    ...steps.flatMap((step, index) => {
      const y = head + index * row + 18
      return "says" in step ? [arrowAt(step, y)] : step.map(({ point, x }) => pointAt(point, x, y - 2, finalOf(point)))
    }),
    ...legend.flatMap(([final, says], index) => [
      `<circle cx="34" cy="${bottom + 24 + index * 24}" r="8" fill="${fills[final]}" stroke="#0f172a"/>`,
      `<text x="52" y="${bottom + 29 + index * 24}">${says}</text>`
    ])
  ])
}
