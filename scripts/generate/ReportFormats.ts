/** The page of the reports that Pointsman reads, from the formats themselves. */
import type { DocumentedFormat } from "../../packages/reconcile/src/DocumentedFormat.ts"
import { reportFormats } from "../../packages/reconcile/src/formats/index.ts"
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

const sectionOf = (format: DocumentedFormat): ReadonlyArray<string> => [
  `## ${format.name}`,
  `${format.provider}: ${format.report}.`,
  format.names,
  format.notes.join(" "),
  table(
    ["Column", "Needed", "What is read from it"],
    format.columns.map(({ isRequired, name, use }) => [code(name), isRequired ? "yes" : "no", use])
  )
]

/** A charge, its refund, and the payout of both. */
const example = `row_id,kind,attempt_id,refund_id,gross,currency,fee,net,payout_id,occurred_at
m-1,charge,att_0198f7c2-0a1b-7c3d-8e4f-5a6b7c8d9e0f,,1999,EUR,54,1945,p-7,2026-01-31T12:00:00Z
m-2,refund,att_0198f7c2-0a1b-7c3d-8e4f-5a6b7c8d9e0f,rf_0198f7c3-1b2c-7d4e-9f50-6b7c8d9e0f1a,-500,EUR,0,-500,p-7,2026-02-01T09:30:00Z
m-3,payout,,,-1445,EUR,0,-1445,p-7,2026-02-03T00:00:00Z`

export const reportFormatsPage = (): string =>
  `${[
    "<!-- Generated from packages/reconcile/src/formats by `npm run generate`. Change the formats, not this page. -->",
    "# Reports that Pointsman reads",
    "A provider reports what moved the merchant's balance: captures, refunds, disputes, fees and payouts. Pointsman reads these " +
      "files row by row, in bounded memory, and compares them with its books.",
    table(["Format", "Kinds of connections", "Report", "Delay", "Documented"], reportFormats.map(formatRow)),
    "The delay is how long the provider may take to report a capture. A capture that is older and in no report is missing there.",
    "## Rules for every format",
    [
      "- A file is UTF-8, with or without a byte order mark, and may be compressed by gzip. Fields are separated by commas.",
      "- Columns are found by their names, in any order. Upper and lower case and spaces make no difference, and other columns are ignored. A file without a needed column is refused, and the error names the column.",
      "- Amounts are exact: an amount with more decimals than its currency has is not rounded, and makes the row unreadable. What follows for fees is said with the format.",
      "- The net amount must be the amount without the fee, after conversion.",
      "- A row that cannot be read does not stop the file. It is reported with its number, which counts the header as 1, with the column, and with what was expected; never with the value.",
      "- A row of more cells than the header has, or of fewer, is unreadable. A file that was cut off ends with such a row.",
      "- A file whose quotation marks are broken, or with a row of more than 64 KiB, is refused at that row.",
      "- A type of row that is not known here is an `adjustment`: no movement is left out. In `http`, it makes the row unreadable.",
      "- Where a provider gives a row no id, the id is made from what the row says. A second row that says the same has `.2` at its end."
    ].join("\n"),
    ...reportFormats.flatMap(sectionOf),
    "An example:",
    `\`\`\`csv\n${example}\n\`\`\``
  ].join("\n\n")}\n`
