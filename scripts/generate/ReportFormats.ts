/** The page of the reports that Pointsman reads, from the formats themselves. */
import { reportFormats } from "../../packages/reconcile/src/formats/index.ts"
import type { DocumentedFormat } from "../../packages/reconcile/src/ReportFormat.ts"
import { code, table } from "./Markdown.ts"

export const reportFormatsPath = "docs/reference/report-formats.md"

const dayMillis = 86_400_000

/** Our own format is described on this page. */
const pageOf = ({ page }: DocumentedFormat): string => (page.startsWith("https://") ? `[page](${page})` : "below")

const formatRow = (format: DocumentedFormat): ReadonlyArray<string> => [
  code(format.name),
  format.kinds.map(code).join(", "),
  format.report,
  `${format.delayMillis / dayMillis} days`,
  pageOf(format)
]

/** What differs from an earlier format of the same columns is which of them are needed. */
const columnsOf = (format: DocumentedFormat): string => {
  const names = (one: DocumentedFormat) => one.columns.map(({ name, use }) => `${name} ${use}`).join()
  const needed = (one: DocumentedFormat) => one.columns.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const same = reportFormats.find((one) => names(one) === names(format))
  if (same !== undefined && same !== format) {
    const more = needed(format).filter((name) => !needed(same).includes(name))
    const fewer = needed(same).filter((name) => !needed(format).includes(name))
    if (fewer.length > 0) throw new Error(`${same.name} needs columns that ${format.name} does not need`)
    return `The names, rules and columns of [${same.name}](#${same.name}), with ${more.map(code).join(", ")} needed.`
  }
  return table(
    ["Column", "What is read from it"],
    format.columns.map(({ isRequired, name, use }) => [`${code(name)}${isRequired ? "" : ", optional"}`, use])
  )
}

const sectionOf = (format: DocumentedFormat): ReadonlyArray<string> => {
  const columns = columnsOf(format)
  return columns.startsWith("|")
    ? [`## ${format.name}`, format.names, format.notes.join(" "), columns]
    : [`## ${format.name}`, columns]
}

/** A charge, its refund, and the payout of both. */
const example = `row_id,kind,attempt_id,refund_id,gross,currency,fee,net,payout_id,occurred_at
m-1,charge,att_0198f7c2-0a1b-7c3d-8e4f-5a6b7c8d9e0f,,1999,EUR,54,1945,p-7,2026-01-31T12:00:00Z
m-2,refund,att_0198f7c2-0a1b-7c3d-8e4f-5a6b7c8d9e0f,rf_0198f7c3-1b2c-7d4e-9f50-6b7c8d9e0f1a,-500,EUR,0,-500,p-7,2026-02-01T09:30:00Z
m-3,payout,,,-1445,EUR,0,-1445,p-7,2026-02-03T00:00:00Z`

export const reportFormatsPage = (): string =>
  `${[
    "<!-- Generated from packages/reconcile/src/formats by `npm run generate`. Change the formats, not this page. -->",
    "# Reports that Pointsman reads",
    "Files of what moved the merchant's balance, which Pointsman [compares with its books](../guides/reconcile.md).",
    table(["Format", "Kinds of connections", "Report", "Delay", "Documented"], reportFormats.map(formatRow)),
    "The delay is how long the provider may take to report a capture. A capture that is older and in no report is missing there.",
    "## Rules for every format",
    [
      "- A file is UTF-8, with or without a byte order mark, and may be compressed by gzip. Fields are separated by commas.",
      "- Columns are found by their names, in any order, whatever the case and spaces; others are ignored. A file without a column that is not optional is refused.",
      "- Amounts are exact: one with more decimals than its currency has makes the row unreadable.",
      "- The net amount must be the amount without the fee, after conversion.",
      "- A row that cannot be read does not stop the file. It is reported with its number (the header is 1), its column and what was expected; never with the value.",
      "- A row of more cells than the header has, or of fewer, is unreadable. A file that was cut off ends with such a row.",
      "- A file whose quotation marks are broken, or with a row of more than 64 KiB, is refused at that row.",
      "- A type of row that is not known here is an `adjustment`. In `http`, it makes the row unreadable.",
      "- A row without an id of the provider's gets one from what it says; a second row that says the same has `.2` at its end."
    ].join("\n"),
    ...reportFormats.flatMap(sectionOf),
    "An example:",
    `\`\`\`csv\n${example}\n\`\`\``
  ].join("\n\n")}\n`
