/** Stored rows of reports, as the journal takes them. */
import { type JournalTransaction, journalOf, movementsOfEntry, type SettlementEntry } from "@pointsman/core"
import { assert, it } from "vitest"
import { balances, day, entry, eur, events, lines, noon, payment } from "./support/JournalGiven.ts"

const storedAt = noon + 2 * day
const record = { payment: payment({ capturedMinor: 1000 }), events: events(["payment.captured"]) }

const journalWith = (...rows: ReadonlyArray<SettlementEntry>): ReadonlyArray<JournalTransaction> =>
  journalOf(record, rows.flatMap(movementsOfEntry))

it("a row that matched is posted as of when it was stored", () => {
  const [transaction] = journalWith(entry({ fee: eur(24) })).slice(1)
  assert.deepStrictEqual(transaction?.recordedAt, storedAt)
  assert.deepStrictEqual(transaction && lines(transaction), ["receivable EUR -24", "fees EUR 24"])
})

it("an entry that no row made, or the same row again, moves no money", () => {
  const missing = entry({ number: 0, result: "missing_there", rowId: `missing:${record.payment.id}` })
  assert.deepStrictEqual(movementsOfEntry(missing), [])
  const again = entry({ number: 2, result: "duplicate", reason: "same_row", rowId: "bt_1#2", openedAt: storedAt })
  assert.deepStrictEqual(movementsOfEntry(again), [])
})

it("a corrected row is withdrawn, and the receivable is what the newer one says", () => {
  const at = storedAt + day
  const older = entry({ corrected: { by: "bt_1#c2", at }, fee: eur(24) })
  const newer = entry({ rowId: "bt_1#c2", gross: eur(990), recordedAt: at })
  const journal = journalWith(newer, older)
  assert.deepStrictEqual(balances(journal), { "receivable EUR": 990, "sales EUR": -1000, "unexplained EUR": 10 })
  assert.deepStrictEqual(
    journal.slice(1).map((one) => [one.recordedAt, ...lines(one)]),
    [
      [storedAt, "receivable EUR -24", "fees EUR 24"],
      [at, "receivable EUR 24", "fees EUR -24"],
      [at, "receivable EUR -10", "unexplained EUR 10"]
    ]
  )
})

it("both journals are right when a missing row finds its payment once corrected", () => {
  const at = storedAt + day
  const older = entry({ result: "missing_here", paymentId: null, corrected: { by: "bt_1#c2", at } })
  const newer = entry({ rowId: "bt_1#c2", recordedAt: at })
  const journal = journalOf(null, movementsOfEntry(older))
  assert.deepStrictEqual(
    journal.map((one) => [one.id, one.recordedAt, ...lines(one)]),
    [
      ["main bt_1", storedAt, "receivable EUR 1000", "unexplained EUR -1000"],
      ["main bt_1 2", at, "receivable EUR -1000", "unexplained EUR 1000"]
    ]
  )
  assert.deepStrictEqual(balances(journalWith(newer)), { "receivable EUR": 1000, "sales EUR": -1000 })
})
