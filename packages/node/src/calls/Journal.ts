/** The books as double entries, for `for await`. */
import * as Core from "@pointsman/core"
import { Clock, Effect } from "effect"
import type { JournalEntry } from "../Journal.ts"
import { wrong } from "../Orders.ts"
import { journalFields } from "../ReportOrders.ts"
import { timeView } from "../Views.ts"
import { readPages } from "./ReadPages.ts"
import { type Defaults, type makeCall, readerOf } from "./RunCall.ts"

export const journal = (
  call: ReturnType<typeof makeCall>,
  defaults: Defaults,
  query: unknown,
  options: unknown
): AsyncGenerator<JournalEntry, void, undefined> => readPages(call, openJournal(defaults, query, options), journalView)

const openJournal = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const { before = yield* Clock.currentTimeMillis, ...asked } = yield* journalFields(query)
  if (asked.from !== undefined && asked.from >= before) {
    return yield* Effect.fail(wrong("`from` must be a time before `until`."))
  }
  return pointsman.journal(tenant, { ...asked, before })
})

/** The view is this package's record: a field that differs does not compile. */
const journalView = (entry: Core.JournalEntry): JournalEntry => {
  if (entry._tag === "Pending") {
    const { connectionId, currency, minorUnits, paymentId, what } = entry.pending
    return { type: "pending", what, payment_id: paymentId, connection_id: connectionId, amount: minorUnits, currency }
  }
  const { at, connectionId, id, occurredAt, paymentId, payoutId, postings, recordedAt, reference, subject } =
    entry.transaction
  return {
    type: "transaction",
    id,
    subject,
    date: timeView(at).slice(0, 10),
    occurred_at: timeView(occurredAt),
    recorded_at: timeView(recordedAt),
    connection_id: connectionId,
    payment_id: paymentId,
    reference,
    payout_id: payoutId,
    postings: postings.map((posting) => ({
      account: posting.account,
      account_name: Core.accountName(posting),
      connection_id: posting.connectionId,
      amount: posting.minorUnits,
      currency: posting.currency
    }))
  }
}
