/** The reports of the simulated provider: whatever comes late, twice or wrong, in the end they add up to its balance. */
import {
  type ChargeRecord,
  makeTime,
  type ProviderBalance,
  providerBalance,
  type RefundRecord,
  reportsOf,
  type Time
} from "@pointsman/contracts/simulator"
import type { ReportRow } from "@pointsman/core/connector"
import { assert, describe, it } from "vitest"

const day = 24 * 60 * 60_000

const chargeOf = (number: number, connectionId: string): ChargeRecord => ({
  attemptId: `att_${number}`,
  paymentId: `payment ${number}`,
  connectionId,
  providerRef: `ch_${number}`,
  reference: null,
  money: { minorUnits: 1000 * number, currency: "EUR" },
  asked: { country: "NL", method: "card", cardBrand: null, initiator: "cit", capture: true },
  createdAt: 0,
  state: "Captured",
  capturedMinor: 1000 * number,
  capturesByHand: [],
  isReleased: false,
  isPaidOut: false,
  operation: null,
  disputes: new Map(),
  disputeRecords: new Map(),
  contradictions: [],
  lastWord: null,
  isReferenceShared: false,
  isReferenceContested: false
})

/** Charges at two connections, of which one is refunded, one disputed and one taken back; and a payout. */
const lived = async (time: Time): Promise<ProviderBalance> => {
  const balance = providerBalance(time)
  for (let number = 1; number <= 20; number++) {
    const charge = chargeOf(number, number % 2 === 0 ? "main-sandbox" : "backup-sandbox")
    balance.noteCharge(charge)
    await time.pass(day / 5)
    const refund: RefundRecord = {
      ...{ refundId: `rf_${number}`, isByHand: false, charge, amountMinor: 300, createdAt: 0 },
      state: "Succeeded",
      letters: []
    }
    if (number % 3 === 0) balance.noteRefund(refund)
    if (number % 5 === 0) charge.disputes.set("dp_1", "opened")
    if (number % 7 === 0) Object.assign(charge, { state: "Canceled", capturedMinor: 0 })
    balance.noteCharge(charge)
    if (number === 10) charge.disputes.set("dp_1", "won")
    balance.noteCharge(charge)
    if (number % 6 === 0) balance.notePayout(charge)
  }
  return balance
}

/** The latest row of each id counts, as for a reader. */
const readInOrder = (balance: ProviderBalance, seed: number): ReadonlyMap<string, ReportRow> => {
  const latest = new Map<string, ReportRow>()
  for (const { connectionId, rows } of reportsOf(balance, seed)) {
    for (const row of rows) latest.set(`${connectionId} ${row.id}`, row)
  }
  return latest
}

describe("reports of the simulated provider", () => {
  it("the rows of every report of any seed add up to each connection's balance", async () => {
    const balance = await lived(makeTime())
    assert.includeMembers(
      balance.rows.map(({ kind }) => kind),
      ["charge", "charge_failed", "refund", "dispute", "dispute_reversed", "payout"]
    )
    const met = { twice: 0, replaced: 0, corrected: 0 }
    for (let seed = 1; seed <= 200; seed++) {
      const latest = readInOrder(balance, seed)
      const sums = new Map<string, { net: number; fees: number; paidOut: number }>()
      for (const [key, { fee, gross, id, kind, net }] of latest) {
        const place = `${key.split(" ")[0]} ${net?.currency}`
        const sum = sums.get(place) ?? { net: 0, fees: 0, paidOut: 0 }
        sum.net += net?.minorUnits ?? 0
        sum.fees += (fee?.minorUnits ?? 0) - (kind === "fee" ? gross.minorUnits : 0)
        if (kind === "payout") sum.paidOut -= gross.minorUnits
        sums.set(place, sum)
        if (id.endsWith("_correction")) met.corrected += 1
      }
      assert.deepStrictEqual(
        [...sums].sort(),
        [...balance.totals]
          .map(([place, { balance: net, fees, paidOut }]) => [place, { net, fees, paidOut }])
          .sort() as never
      )
      const all = reportsOf(balance, seed).flatMap(({ connectionId, rows }) =>
        rows.map((row) => ({ key: `${connectionId} ${row.id}`, text: JSON.stringify(row) }))
      )
      for (const versions of Map.groupBy(all, ({ key }) => key).values()) {
        if (versions.length < 2) continue
        if (new Set(versions.map(({ text }) => text)).size === 1) met.twice += 1
        else met.replaced += 1
      }
    }
    for (const [way, count] of Object.entries(met)) assert.isAbove(count, 100, way)
  })

  it("a report is not older than its rows, and one seed gives the same reports", async () => {
    const balance = await lived(makeTime())
    const reports = reportsOf(balance, 7)
    assert.deepStrictEqual(reportsOf(balance, 7), reports)
    assert.notDeepEqual(reportsOf(balance, 8), reports)
    for (const { at, rows } of reports) {
      for (const { occurredAt } of rows) assert.isAbove(at, occurredAt)
    }
    assert.deepStrictEqual(
      reports.map(({ at }) => at),
      reports.map(({ at }) => at).toSorted((one, other) => one - other)
    )
  })
})
