/** Stored rows of reports, as the journal takes them. */
import { type JournalTransaction, journalOf, movementsOfEntry, type StoredRow } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { balances, day, events, lines, noon, payment, row } from "./support/JournalGiven.ts"

const stored = (over: Partial<StoredRow> = {}): StoredRow => ({
  ...row(),
  number: 1,
  result: "matched",
  reason: "by_id",
  openedAt: null,
  closed: null,
  ...over
})
const storedAt = noon + 2 * day
const record = { payment: payment({ capturedMinor: 1000 }), events: events(["payment.captured"]) }

const journalWith = (...rows: ReadonlyArray<StoredRow>): ReadonlyArray<JournalTransaction> =>
  journalOf(
    record,
    rows.flatMap((one) => movementsOfEntry(one, storedAt))
  )

describe("stored rows", () => {
  it("given a row that matched, then it is posted as of when it was stored", () => {
    const [transaction] = journalWith(stored({ fee: { minorUnits: 24, currency: "EUR" } })).slice(1)
    assert.deepStrictEqual(transaction?.recordedAt, storedAt)
    assert.deepStrictEqual(transaction && lines(transaction), ["receivable EUR -24", "fees EUR 24"])
  })

  it("given an entry that no row made, then it moves no money", () => {
    const missing = stored({ number: 0, result: "missing_there", rowId: `missing:${record.payment.id}` })
    assert.deepStrictEqual(movementsOfEntry(missing, storedAt), [])
  })

  it("given a row that came again with other contents, then the receivable is what the later one says", () => {
    const again = stored({
      rowId: "bt_1#2",
      result: "duplicate",
      reason: "same_row",
      gross: { minorUnits: 990, currency: "EUR" },
      openedAt: storedAt + day
    })
    assert.deepStrictEqual(balances(journalWith(stored(), again)), {
      "receivable EUR": 990,
      "sales EUR": -1000,
      "unexplained EUR": 10
    })
  })

  it("given a row that was missing here and is matched since, then both are posted, in their order", () => {
    const found = stored({ result: "missing_here", openedAt: storedAt, closed: { at: storedAt + day } })
    const journal = journalWith(found).slice(1)
    assert.deepStrictEqual(
      journal.map((one) => [one.recordedAt, ...lines(one)]),
      [
        [storedAt, "receivable EUR 1000", "unexplained EUR -1000"],
        [storedAt + day, "receivable EUR -1000", "unexplained EUR 1000"]
      ]
    )
  })
})
