/** The page of what a provider's statement means for a payment: by asking the code that decides it in core. */
import { type PaymentState, paymentStates, statusOf } from "@pointsman/core"
import { type SampleName, type Subject, sampleNames, sampleOf } from "../evidence/Books.ts"
import { type Cell, cellOf, cellsOf, subjectsOf, weigh } from "../evidence/Cells.ts"
import { type Word, wordsAbout } from "../evidence/Words.ts"
import { code, table } from "./Markdown.ts"

export const evidencePath = "docs/reference/evidence.md"

const verdictOf: Readonly<Record<Cell["verdict"], string>> = {
  Moves: "moves",
  Confirms: "confirms",
  Older: "older",
  Waits: "waits",
  Contradicts: "contradicts",
  TooEarly: "too early",
  Malformed: "malformed"
}

const amount = (minorUnits: number): string => (minorUnits / 100).toFixed(2)

/** For a variation that means what its plain statement means. */
const same = "="

/** The status is named where it is not the state in upper case. */
const shown = (state: PaymentState): string =>
  statusOf[state].replaceAll("_", "") === state.toUpperCase()
    ? code(statusOf[state])
    : `${code(state)} (${code(statusOf[state])})`

/** The way to it, as a row is called. */
const rowName = (name: SampleName): string => {
  const { state } = sampleOf(name).book.payment
  return `${code(state)}, ${name.slice(state.length + 2)}`
}

const changesOf = (name: SampleName, cell: Cell): ReadonlyArray<string> => {
  const { payment } = sampleOf(name).book
  const amounts: ReadonlyArray<readonly [string, number, number]> = [
    ["captured", payment.capturedMinor, cell.capturedMinor],
    ["refunded", payment.refundedMinor, cell.refundedMinor],
    ["refund pending", payment.refundPendingMinor, cell.refundPendingMinor]
  ]
  return amounts.flatMap(([what, before, after]) => (before === after ? [] : [`${what} ${amount(after)}`]))
}

const textOf = (name: SampleName, cell: Cell): string => {
  const { payment } = sampleOf(name).book
  const verdict = verdictOf[cell.verdict]
  const reviews = cell.reviews.filter((reason) => reason !== "unknown" && !payment.review?.reasons.includes(reason))
  // What every contradiction does is said once, above.
  const isPlain = cell.events.join() === "payment.conflict" && reviews.every((reason) => reason === "conflict")
  if (cell.verdict === "Contradicts" && isPlain) return verdict
  return [
    payment.state === cell.state ? verdict : `${verdict} → ${shown(cell.state)}`,
    ...changesOf(name, cell),
    ...cell.events.map(code),
    ...reviews.map((reason) => `review ${code(reason)}`)
  ].join("<br>")
}

interface Row {
  readonly names: Array<string>
  readonly cells: ReadonlyArray<string>
}

/** Rows that follow each other and say the same are one. */
const merged = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<Row> = []
  for (const { cells, names } of rows) {
    const last = all.at(-1)
    if (last?.cells.every((text, at) => text === cells[at]) === true) last.names.push(...names)
    else all.push({ names: [...names], cells })
  }
  return all.map(({ cells, names }) => [names.join("<br>"), ...cells])
}

const rowsOf = (subject: Subject, cellsIn: (name: SampleName) => ReadonlyArray<string>): ReadonlyArray<Row> =>
  sampleNames
    .filter((name) => subjectsOf(name).includes(subject))
    .map((name) => ({ names: [rowName(name)], cells: cellsIn(name) }))

const plainTable = (subject: Subject): string => {
  const words = wordsAbout(subject).filter(({ like }) => like === undefined)
  return table(
    ["Payment", ...words.map(({ name }) => name)],
    merged(rowsOf(subject, (name) => words.map((word) => textOf(name, cellOf(name, word)))))
  )
}

const variedTable = (subject: Subject, words: ReadonlyArray<Word>): string => {
  const cellsIn = (name: SampleName) =>
    words.map((word) => {
      const { cell, isSame } = weigh(name, subject, word)
      return isSame ? same : textOf(name, cell)
    })
  const rows = rowsOf(subject, cellsIn).filter(({ cells }) => cells.some((text) => text !== same))
  return table(["Payment", ...words.map(({ name }) => name)], merged(rows))
}

/** One table for each plain statement that has variations. */
const variedTables = (subject: Subject): ReadonlyArray<string> => {
  const varied = [...Map.groupBy(wordsAbout(subject), ({ like }) => like)]
  return varied.flatMap(([like, words]) =>
    like === undefined ? [] : [`Compared with *${like}*:`, variedTable(subject, words)]
  )
}

const isListed = (state: PaymentState, subject: Subject): boolean =>
  sampleNames.some((name) => sampleOf(name).book.payment.state === state && subjectsOf(name).includes(subject))

/** The states of which no payment of the list has what such a statement names. */
const unnamed = (subject: Subject, what: string): string => {
  const states = paymentStates.filter((state) => !isListed(state, subject))
  return states.length === 0 ? "" : ` No payment of the list in ${states.map(code).join(", ")} has ${what}.`
}

const section = (title: string, about: string, subject: Subject): ReadonlyArray<string> => [
  `## ${title}`,
  about,
  plainTable(subject),
  ...variedTables(subject)
]

const verdicts = table(
  ["Verdict", "The statement", "What is written", "[Outcome](../guides/provider-messages.md#what-became-of-a-message)"],
  [
    [
      "moves",
      "states something that is not recorded yet, and that the record can take",
      "the payment with its new state and amounts, and the events",
      code("applied")
    ],
    [
      "confirms",
      "says what is recorded",
      "nothing; what counts of a dispute is kept on the payment, and so is the provider's date of the newest success of a capture, void or refund",
      code("confirmed")
    ],
    ["older", "was overtaken by what is recorded, and says nothing else", "nothing", code("older")],
    [
      "waits",
      "counts only once the charge, capture or void in flight has ended",
      "the statement is kept on the payment, and the commit that ends the operation weighs it again",
      code("waits")
    ],
    [
      "contradicts",
      "cannot be reconciled with the record",
      `${code("payment.conflict")} with the statement as evidence, and a review with the reason ${code("conflict")}; once for each contradiction`,
      code("contradicts")
    ]
  ]
)

const total = sampleNames.reduce((sum, name) => sum + cellsOf(name).length, 0)

export const evidencePage = (notice: string): string =>
  [
    notice,
    "# What a provider's statement means",
    "A provider states what it did with a charge, a capture, a void or a refund, and reports payouts and disputes. Its messages arrive late, twice and out of order. This page lists what each statement means for a payment in each state.",
    `The tables are generated by calling the function that decides, ${code("interpret")} in ${code("packages/core/src/decide")}. A test delivers the statement of every one of the ${total} cells to a server over HTTP, and compares the stored payment, its events and the outcome of the message with the cell (${code("packages/http/test/Evidence.test.ts")}). It runs on memory, SQLite and PostgreSQL; on SQLite it leaves out the cells that are shown as ${code(same)}. Another test compares the cells with rows that were written by hand (${code("checks/tidy/test/Evidence.test.ts")}).`,
    "## The five verdicts",
    verdicts,
    "The rules behind them:",
    [
      "- Messages confirm and do not deny: an authorization, an acceptance or a decline says nothing about a capture, a void or a refund that was requested after it.",
      "- A statement that money is held or captured is always accepted, also on a payment that had failed or was cancelled.",
      "- A charge keeps its reference. Money under another reference is a second charge.",
      "- The failure of one capture, void or refund is a new fact. A later success counts only if the provider dates it after the failure; a lookup decides about one without a date. A failure that the provider dates before a success is older, also if it arrives later.",
      "- A payment keeps what counts of each dispute, up to 50 disputes, and the names of its last 100 contradictions. A dispute beyond that opens a review. The messages themselves are all kept.",
      "- Captures that the provider names by ids of its own add up, and the same id again is the same capture. An amount without an id is a total, of which captures with ids are a part until they come to more. What exceeds the authorized amount opens a review, and so does a capture beyond the 50 that a payment keeps.",
      `- A statement without a reference, or with an invalid amount, is malformed: it changes nothing, and its outcome is ${code("unreadable")}.`,
      `- A statement about an attempt, an operation or a refund that is not stored, or that belongs to another connection, changes nothing; its outcome is ${code("unmatched")}.`
    ].join("\n"),
    "[Provider messages](../guides/provider-messages.md) describes how messages are received, [the life of a payment](../states/payment.md) the states, [unknown results](../concepts/unknown.md) the lookups, and [the decision on reviews](../decisions/0018-reviews-are-on-the-payment.md) what operators do.",
    "## How to read the tables",
    [
      "- Every payment is for 10.00. Its capture method is automatic unless the row names a capture, a void or an authorization.",
      "- *moves → state*: the new state, with its status in the API where the two differ. Amounts are named where they change, events in the order of the timeline, and reviews by the reason that is added.",
      "- *dated before*: the provider dates the statement before what is recorded. All other statements are dated after it.",
      "- *another reference*: the provider's reference is not the recorded one. *another one*: the dispute has another id than the recorded one.",
      `- The tables that compare a variation with its plain statement show only payments for which something differs. ${code(same)} means the same as the plain statement.`,
      "- Rows with equal cells are joined. A payment that a table leaves out gives the same cells as another payment in its state; a test compares them."
    ].join("\n"),
    ...section(
      "Charges",
      `A statement about the charge of one attempt. *of the attempt before* is about an attempt that a second one followed.${unnamed("Charge", "an attempt")}`,
      "Charge"
    ),
    ...section(
      "Failed automatic captures",
      "The provider captures by itself after the authorization, and that capture failed. Refunds are closed until operators have reviewed the payment.",
      "CaptureFailed"
    ),
    ...section(
      "Captures and voids",
      `A statement about one capture or void, by our id of it. A failure is either final, or the provider tries again by itself.${unnamed("Operation", "a capture or a void")}`,
      "Operation"
    ),
    ...section("Refunds", `A statement about one refund, by our id of it.${unnamed("Refund", "a refund")}`, "Refund"),
    ...section(
      "Refunds that were made at the provider",
      "A statement about a refund without an id of ours, by the provider's id of it: somebody made it there, in the dashboard for example. While a refund of ours there has no id of the provider's yet, it may be the same one, and waits for the end of ours.",
      "UnnamedRefund"
    ),
    ...section(
      "Payouts",
      "The provider pays the money of the charge out. The statement may carry the state of the charge too, and is then a statement about the charge first.",
      "Settled"
    ),
    ...section(
      "Disputes",
      `Per dispute, the statement counts that the provider dates last: one that it opens after an end is a new round. While one dispute is open or lost, the payment is ${code("CHARGEBACK")}. Of equal times, an end counts before an opening; that a dispute is open again, or that it ended otherwise, is then looked up if the connector can read disputes, and else opens a review. A message whose type and status disagree opens a review and changes nothing else.`,
      "Dispute"
    ),
    ...section(
      "Changes that no message says",
      "A message that says that something about a charge changed and not what, or whose words cannot be read: the charge is looked up within ten seconds, with its refunds. Where the provider has no lookup, or it does not answer, a review opens then.",
      "Changed"
    ),
    "## The payments",
    table(
      ["Payment", "Status", "How a payment comes there"],
      sampleNames.map((name) => {
        const { book, way } = sampleOf(name)
        return [rowName(name), code(statusOf[book.payment.state]), way]
      })
    )
  ].join("\n\n")
