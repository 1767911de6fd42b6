/**
 * The adapter's report about money, row by row (docs/reference/provider-protocol.md, "Report rows"). Rows say what those of the
 * file `http` say (docs/reference/report-formats.md), and have the same ids. What is not a page in the protocol's words is none.
 */
import {
  type Clean,
  fieldOf,
  isCurrency,
  isOfItsSign,
  isSuccess,
  type ListRequest,
  type ReportEntry,
  type ReportPage,
  type ReportRow,
  type SignedMoney,
  segment,
  type TransportAnswer,
  unreadableRow
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import { type Read, readable, unreadable, unsettling, unsupported } from "./Answers.ts"
import * as Protocol from "./Protocol.ts"

/** As for the file. */
export const reportDelayMillis = 3 * 24 * 60 * 60_000

export const reportPath = ({ createdBefore, createdFrom, cursor }: ListRequest): string => {
  const [since, until] = [createdFrom, createdBefore].map((time) => segment(new Date(time).toISOString()))
  const page = cursor === null ? "" : `&cursor=${segment(cursor)}`
  return `/report_rows?occurred_from=${since}&occurred_before=${until}${page}`
}

const readRow = Schema.decodeUnknownResult(Protocol.ReportRow)

export const reportAnswer = (answer: TransportAnswer, { cursor }: ListRequest, clean: Clean): Read<ReportPage> => {
  if (answer.status === 501) return unsupported("list of report rows")
  if (!isSuccess(answer)) return unsettling(answer)
  return Result.flatMap(readable(Protocol.ReportPage, answer), ({ next_cursor, rows }): Read<ReportPage> => {
    const next = next_cursor ?? null
    // The same page again would never end.
    if (next !== null && (next === cursor || clean.shows(next))) return unreadable(answer, "next_cursor")
    return Result.succeed({ entries: rows.map((row, at) => entryOf(row, at, clean)), nextCursor: next })
  })
}

const entryOf = (entry: unknown, at: number, clean: Clean): ReportEntry => {
  const read = readRow(entry)
  if (Result.isFailure(read)) return unreadableRow(at, fieldOf(read.failure), "expected another value")
  const fault = faultOf(read.success)
  if (fault !== undefined) return unreadableRow(at, ...fault)
  const row = rowOf(read.success)
  return clean.shows(JSON.stringify(row)) ? unreadableRow(at, "", "expected no secret") : { _tag: "Row", row }
}

type Row = typeof Protocol.ReportRow.Type

/** The field, and what was expected there. */
const faultOf = (row: Row): readonly [field: string, expected: string] | undefined => {
  const { converted, currency, fee, gross: minorUnits, kind, net } = row
  const payout = row.payout_currency ?? currency
  if (!isCurrency(currency)) return ["currency", "expected an ISO 4217 currency code"]
  if (!isCurrency(payout)) return ["payout_currency", "expected an ISO 4217 currency code"]
  if (!isOfItsSign({ kind, gross: { minorUnits, currency } })) {
    return ["gross", "expected an amount above 0 where money comes, and below 0 where it leaves"]
  }
  if ((converted == null) !== (payout === currency)) {
    return ["converted", "expected an amount where payout_currency is another currency than currency, and none else"]
  }
  return (fee == null) === (net == null) ? undefined : [fee == null ? "fee" : "net", "expected fee and net, or neither"]
}

const rowOf = (row: Row): ReportRow => {
  const payout = row.payout_currency ?? row.currency
  const inPayout = (minorUnits: number | null | undefined): SignedMoney | null =>
    minorUnits == null ? null : { minorUnits, currency: payout }
  return {
    id: row.row_id,
    kind: row.kind,
    names: {
      attemptId: row.attempt_id ?? null,
      operationId: row.operation_id ?? null,
      refundId: row.refund_id ?? null,
      providerRef: row.provider_reference ?? null,
      providerRefundId: row.provider_refund_id ?? null,
      disputeId: row.dispute_id ?? null,
      reference: row.reference ?? null
    },
    gross: { minorUnits: row.gross, currency: row.currency },
    converted: inPayout(row.converted),
    fee: inPayout(row.fee),
    net: inPayout(row.net),
    payoutId: row.payout_id ?? null,
    occurredAt: Date.parse(row.occurred_at),
    settledAt: row.settled_at == null ? null : Date.parse(row.settled_at),
    ...(row.generated_at == null ? {} : { generatedAt: Date.parse(row.generated_at) })
  }
}
