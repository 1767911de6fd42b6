/**
 * The report of a provider behind the provider protocol, a CSV file of Pointsman's own: amounts in minor units, times with their
 * offset, and our ids as they are. `docs/reference/report-formats.md` describes it for those who write it.
 */
import {
  isOfItsSign,
  type ReportRow,
  type ReportRowKind,
  reportRowKinds,
  type SignedMoney
} from "@pointsman/core/connector"
import { type Cells, openTable, signed } from "../Cells.ts"
import { type DocumentedFormat, day, optional, required } from "../ReportFormat.ts"

const columns = [
  required("row_id", "the id of the movement, the same in every report that has it; 1 to 255 characters"),
  required("kind", reportRowKinds.map((kind) => `\`${kind}\``).join(", ")),
  required("gross", "the amount before fees, in minor units of `currency`: negative where money leaves"),
  required("currency", "the currency of the payment"),
  required("occurred_at", "when the money moved, such as `2026-01-31T12:00:00Z`"),
  optional("attempt_id", "the idempotency key of the charge"),
  optional("operation_id", "the idempotency key of the capture"),
  optional("refund_id", "the idempotency key of the refund"),
  optional("provider_reference", "your name of the charge, as in your answers"),
  optional("provider_refund_id", "your name of the refund"),
  optional("dispute_id", "your name of the dispute"),
  optional("reference", "the merchant's reference"),
  optional("payout_currency", "the currency of `converted`, `fee` and `net`; `currency` where it is empty"),
  optional("converted", "the amount in `payout_currency`, where that is another currency; else empty"),
  optional("fee", "what you keep: positive for a cost. Empty, with `net`, in a report without fees"),
  optional("net", "`converted`, or else `gross`, without `fee`"),
  optional("payout_id", "your name of the payout"),
  optional("settled_at", "when the payout arrives, or when the money is available"),
  optional("generated_at", "when you generated the report: of several reports that have the row, the last one counts")
]

const wanted = `expected one of ${reportRowKinds.join(", ")}`

const isKind = (text: string): text is ReportRowKind => (reportRowKinds as ReadonlyArray<string>).includes(text)

const kindOf = (cells: Cells): ReportRowKind => {
  const text = cells.text("kind")
  if (isKind(text)) return text
  cells.refuse("kind", wanted)
  return "adjustment"
}

/** Minor units: a whole number with a sign. */
const unitsOf = (cells: Cells, column: string): number => {
  const text = cells.text(column)
  const units = Number(text)
  if (/^-?[0-9]{1,16}$/u.test(text) && Number.isSafeInteger(units)) return units === 0 ? 0 : units
  cells.refuse(column, "expected a whole number of minor units")
  return 0
}

const moneyOrNull = (cells: Cells, column: string, currency: string): SignedMoney | null =>
  cells.text(column) === "" ? null : signed(unitsOf(cells, column), currency)

const utc = /(?:Z|[+-][0-9]{2}:?[0-9]{2})$/u

const timeOf = (cells: Cells, column: string): number => {
  if (!utc.test(cells.text(column)))
    cells.refuse(column, "expected a time with its offset, such as 2026-01-31T12:00:00Z")
  return cells.time(column)
}

const grossOf = (cells: Cells, kind: ReportRowKind, currency: string): SignedMoney => {
  const gross = signed(unitsOf(cells, "gross"), currency)
  if (!isOfItsSign({ kind, gross })) {
    cells.refuse("gross", "expected an amount above 0 where money comes, and below 0 where it leaves")
  }
  return gross
}

const read = (cells: Cells): ReportRow => {
  const kind = kindOf(cells)
  const currency = cells.currency("currency")
  const payout = cells.text("payout_currency") === "" ? currency : cells.currency("payout_currency")
  const converted = moneyOrNull(cells, "converted", payout)
  const fee = moneyOrNull(cells, "fee", payout)
  const net = moneyOrNull(cells, "net", payout)
  if ((converted === null) !== (payout === currency)) {
    cells.refuse(
      "converted",
      "expected an amount where payout_currency is another currency than currency, and none else"
    )
  }
  if ((fee === null) !== (net === null)) cells.refuse(fee === null ? "fee" : "net", "expected fee and net, or neither")
  return {
    id: cells.needed("row_id"),
    kind,
    names: {
      attemptId: cells.orNull("attempt_id"),
      operationId: cells.orNull("operation_id"),
      refundId: cells.orNull("refund_id"),
      providerRef: cells.orNull("provider_reference"),
      providerRefundId: cells.orNull("provider_refund_id"),
      disputeId: cells.orNull("dispute_id"),
      reference: cells.orNull("reference")
    },
    gross: grossOf(cells, kind, currency),
    converted,
    fee,
    net,
    payoutId: cells.orNull("payout_id"),
    occurredAt: timeOf(cells, "occurred_at"),
    settledAt: cells.text("settled_at") === "" ? null : timeOf(cells, "settled_at"),
    ...(cells.text("generated_at") === "" ? {} : { generatedAt: timeOf(cells, "generated_at") })
  }
}

export const httpReport: DocumentedFormat = {
  name: "http",
  kinds: ["http", "sandbox"],
  provider: "A provider behind the provider protocol",
  report: "The format of Pointsman's own",
  page: "docs/reference/report-formats.md",
  delayMillis: 3 * day,
  delimiter: ",",
  columns,
  names: "Fill the columns of all ids that you know.",
  notes: [
    "A kind that is not listed makes a row unreadable: in this format it is a mistake of the file's author.",
    "So does the wrong sign: `charge`, `refund_failed` and `dispute_reversed` are above 0, and `refund`, `dispute` and `charge_failed` below 0."
  ],
  open: openTable(columns, "net", () => read)
}
