/** The snapshot of what a provider's statement means for a payment: by asking the code that decides it in core. */
import { type PaymentState, paymentStates, statusOf } from "@pointsman/core"
import { type SampleName, type Subject, sampleNames, sampleOf } from "../evidence/Books.ts"
import { type Cell, cellOf, cellsOf, subjectsOf, weigh } from "../evidence/Cells.ts"
import { type Word, wordsAbout } from "../evidence/Words.ts"
import { lines, merged } from "./Snapshot.ts"

export const evidencePath = "packages/http/test/evidence.snap.txt"

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
  statusOf[state].replaceAll("_", "") === state.toUpperCase() ? statusOf[state] : `${state} (${statusOf[state]})`

/** The way to it, as a row is called. */
const rowName = (name: SampleName): string => {
  const { state } = sampleOf(name).book.payment
  return `${state}, ${name.slice(state.length + 2)}`
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
    ...cell.events,
    ...reviews.map((reason) => `review ${reason}`)
  ].join(", ")
}

const rowsOf = (subject: Subject, cellsIn: (name: SampleName) => ReadonlyArray<string>) =>
  sampleNames
    .filter((name) => subjectsOf(name).includes(subject))
    .map((name) => ({ names: [rowName(name)], cells: cellsIn(name) }))

const plainTable = (subject: Subject): string => {
  const words = wordsAbout(subject).filter(({ like }) => like === undefined)
  return lines(
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
  return lines(["Payment", ...words.map(({ name }) => name)], merged(rows))
}

/** One table for each plain statement that has variations. */
const variedTables = (subject: Subject): ReadonlyArray<string> => {
  const varied = [...Map.groupBy(wordsAbout(subject), ({ like }) => like)]
  return varied.flatMap(([like, words]) =>
    like === undefined ? [] : [`Compared with ${like}:`, variedTable(subject, words)]
  )
}

const isListed = (state: PaymentState, subject: Subject): boolean =>
  sampleNames.some((name) => sampleOf(name).book.payment.state === state && subjectsOf(name).includes(subject))

/** The states of which no payment of the list has what such a statement names. */
const unnamed = (subject: Subject, what: string): string => {
  const states = paymentStates.filter((state) => !isListed(state, subject))
  return states.length === 0 ? "" : ` No payment of the list in ${states.join(", ")} has ${what}.`
}

const section = (title: string, about: string, subject: Subject): ReadonlyArray<string> => [
  `## ${title}`,
  about,
  plainTable(subject),
  ...variedTables(subject)
]

const total = sampleNames.reduce((sum, name) => sum + cellsOf(name).length, 0)

export const evidenceSnapshot = (): string =>
  `${[
    "# What a provider's statement means for a payment in each state. `npm run generate` writes this file: it calls `interpret` of packages/core/src/decide.",
    `${total} cells. Evidence.test.ts delivers each statement over HTTP; checks/tidy/test/Evidence.test.ts compares cells with rows that were written by hand.`,
    [
      "moves: it says what the record can take and does not say yet. The payment is written with its new state and amounts, and the events; outcome applied.",
      "confirms: it says what is recorded. Written is only what counts of a dispute, and the date of the newest success of a capture, void or refund; outcome confirmed.",
      "older: what is recorded has overtaken it; outcome older.",
      "waits: it is kept on the payment, and weighed again by the commit that ends the charge, capture or void in flight; outcome waits.",
      "contradicts: it cannot be reconciled with the record. payment.conflict with the statement, and a review, once for each contradiction; outcome contradicts.",
      "Without a reference, or with an invalid amount: outcome unreadable. About something that is not stored, or of another connection: outcome unmatched. Both change nothing."
    ].join("\n"),
    [
      "Messages confirm and do not deny: an authorization, an acceptance or a decline says nothing about what was requested after it.",
      "A statement that money is held or captured is always accepted, also on a payment that had failed or was cancelled.",
      "A charge keeps its reference. Money under another reference is a second charge.",
      "A later success counts against a failure only if the provider dates it after the failure; a lookup decides about one without a date. A failure that is dated before a success is older.",
      "A payment keeps what counts of 50 disputes and 50 captures with ids; more open a review. It keeps the names of its last 100 contradictions.",
      "Captures with ids of the provider's add up. An amount without an id is a total, of which they are a part until they come to more. More than was authorized opens a review."
    ].join("\n"),
    [
      "Every payment is for 10.00. Its capture method is automatic unless the row names a capture, a void or an authorization.",
      "→ names the new state, with its status where the two differ. Amounts that change, events in order and reasons of reviews follow.",
      "dated before: the provider dates the statement before what is recorded; all others are dated after it.",
      "another reference, another one: not the recorded reference or dispute.",
      `${same} means the same as the plain statement; payments without a difference are left out there, and rows with equal cells are joined.`,
      "A payment that a table leaves out gives the same cells as another one in its state; a test compares them."
    ].join("\n"),
    ...section(
      "Charges",
      `A statement about the charge of one attempt. "of the attempt before" is about an attempt that a second one followed.${unnamed("Charge", "an attempt")}`,
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
      `Per dispute, the statement counts that the provider dates last: one that it opens after an end is a new round. While one dispute is open or lost, the payment is CHARGEBACK. Of equal times, an end counts before an opening; that a dispute is open again, or that it ended otherwise, is then looked up if the connector can read disputes, and else opens a review. A message whose type and status disagree opens a review and changes nothing else.`,
      "Dispute"
    ),
    ...section(
      "Changes that no message says",
      "A message that says that something about a charge changed and not what, or whose words cannot be read: the charge is looked up within ten seconds, with its refunds. Where the provider has no lookup, or it does not answer, a review opens then.",
      "Changed"
    ),
    "## The payments",
    lines(
      ["Payment", "Status", "How a payment comes there"],
      sampleNames.map((name) => {
        const { book, way } = sampleOf(name)
        return [rowName(name), statusOf[book.payment.state], way]
      })
    )
  ].join("\n\n")}\n`
