/**
 * The report `mollie-settlement` from Mollie's API: the settlements that were paid out in a window, and the payments, captures,
 * refunds and chargebacks of each (https://docs.mollie.com/reference/list-settlements). Rows have the ids of Mollie's settlement
 * report, and name the settlement by its reference, as on the bank statement.
 *
 * Settlements are of the organization: they need an access token of it, besides the key of the profile. They have no test mode.
 */
import {
  type Clean,
  type FetchedReport,
  fieldOf,
  type ListRequest,
  type NotSent,
  type ReportEntry,
  type ReportPage,
  type ReportRow,
  type ReportRowKind,
  type SignedMoney,
  segment,
  Unanswered,
  unreadableRow
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { signedFromMollie } from "./Amounts.ts"
import type { Ask } from "./Pages.ts"
import * as Protocol from "./Protocol.ts"
import { askSettled, askSettlements, type SettledList, settledLists } from "./SettledPages.ts"

const day = 24 * 60 * 60_000

/** From its creation to its payout, in milliseconds: banks take days, and a settlement that failed is paid out again. */
const paidWithinMillis = 62 * day
/** From the newest settlement back to those of the window: 5,000 settlements, one request after the other. */
const pagesAtMost = 20

/** `missing`: why the credentials do not allow it; `undefined` where they do. */
export const fetchedReports = (ask: Ask, clean: Clean, missing: string | undefined): ReadonlyArray<FetchedReport> => [
  {
    name: "mollie-settlement",
    // As for the file: Mollie pays out monthly at the most, and some methods with a delay.
    delayMillis: 35 * day,
    // By the day that Mollie says of the payout, which it may say late.
    addedWithinMillis: day,
    windowMillis: day,
    ...(missing === undefined ? {} : { missing }),
    list: Effect.fn("MollieConnector.reports.settlement")((request) =>
      missing === undefined ? settledPage(ask, request, clean) : Effect.fail(new Unanswered({ reason: missing }))
    )
  }
]

/**
 * One page of one list of one settlement. A cursor is the settlement, the list, and the entry at which it continues.
 */
const settledPage = Effect.fnUntraced(function* (
  ask: Ask,
  request: ListRequest,
  clean: Clean
): Effect.fn.Return<ReportPage, NotSent | Unanswered> {
  const settlements = yield* paidOutIn(ask, request)
  const [id = settlements[0]?.id, list = settledLists[0], from = ""] = request.cursor?.split("/") ?? []
  if (id === undefined) return { entries: [], nextCursor: null }
  const at = settlements.findIndex((settlement) => settlement.id === id)
  const name = settledLists.find((one) => one === list)
  const settlement = settlements[at]
  if (settlement === undefined || name === undefined) {
    return yield* new Unanswered({ reason: "a settlement is not in Mollie's list any more" })
  }
  const page = yield* askSettled(ask, settlement.id, name, from === "" ? null : from)
  const entries = page.entries.map((entry, place) => entryOf(entry, name, { clean, place, settlement }))
  const last = settledLists.at(-1) === name
  const following = last ? settlements[at + 1]?.id : settlement.id
  return {
    // The fees of a settlement come once, before its first list.
    entries: name === settledLists[0] && from === "" ? [...feesOf(settlement), ...entries] : entries,
    nextCursor:
      page.next !== null
        ? `${settlement.id}/${name}/${page.next}`
        : following === undefined
          ? null
          : `${following}/${last ? settledLists[0] : settledLists[settledLists.indexOf(name) + 1]}/`
  }
})

interface PaidOut extends Protocol.Settlement {
  /** Epoch milliseconds. */
  readonly paidAt: number
}

/**
 * Those that were paid out in the window, the oldest first. Mollie lists those first that were created last. One that is
 * pending may still be paid out in the window: no later window asks for it.
 */
const paidOutIn = Effect.fnUntraced(function* (ask: Ask, { createdBefore, createdFrom }: ListRequest) {
  const found: Array<PaidOut> = []
  const oldest = createdFrom - paidWithinMillis
  let from: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const page: Effect.Success<ReturnType<typeof askSettlements>> = yield* askSettlements(ask, from)
    for (const settlement of page.entries) {
      const paidAt = settlement.settledAt == null ? Number.NaN : Date.parse(settlement.settledAt)
      const isInside = paidAt >= createdFrom && paidAt < createdBefore
      if (isInside && settlement.status === "pending") {
        return yield* new Unanswered({ reason: "a settlement of the window is still pending at Mollie" })
      }
      if (isInside && settlement.status === "paidout") found.push({ ...settlement, paidAt })
    }
    const isOver = page.entries.some(({ createdAt }) => createdAt != null && Date.parse(createdAt) < oldest)
    if (page.next === null || isOver) return found.toReversed()
    from = page.next
  }
  return yield* new Unanswered({ reason: `the window begins more than ${pagesAtMost} pages back in Mollie's list` })
})

interface Place {
  readonly settlement: PaidOut
  /** On the page, from 0. */
  readonly place: number
  readonly clean: Clean
}

const readSettled = Schema.decodeUnknownResult(Protocol.Settled)

const entryOf = (raw: unknown, list: SettledList, { clean, place, settlement }: Place): ReportEntry => {
  const read = readSettled(raw)
  if (Result.isFailure(read)) return unreadableRow(place, fieldOf(read.failure), "expected another value")
  const row = rowOf(read.success, list, settlement)
  if (row === undefined) return unreadableRow(place, "amount", "expected an amount of a known currency")
  return clean.shows(JSON.stringify(row)) ? unreadableRow(place, "", "expected no secret") : { _tag: "Row", row }
}

/** Kinds by list, of money that moves as usual, and of money that comes back: "refunds that could not be processed". */
const kinds: Readonly<Record<SettledList, readonly [usual: ReportRowKind, returned: ReportRowKind]>> = {
  payments: ["charge", "charge_failed"],
  captures: ["charge", "charge_failed"],
  refunds: ["refund", "refund_failed"],
  chargebacks: ["dispute", "dispute_reversed"]
}

/** Amounts are positive, and `settlementAmount` has the sign of what it does to the settlement, where Mollie gives it. */
const rowOf = (entry: Protocol.Settled, list: SettledList, settlement: PaidOut): ReportRow | undefined => {
  const amount = signedFromMollie(entry.amount)
  const settled = entry.settlementAmount == null ? null : signedFromMollie(entry.settlementAmount)
  if (amount === undefined || settled === undefined) return undefined
  const comes = list === "payments" || list === "captures"
  const isPositive = settled === null || settled.minorUnits === 0 ? comes : settled.minorUnits > 0
  const [usual, returned] = kinds[list]
  const kind = isPositive === comes ? usual : returned
  const units = Math.abs(amount.minorUnits)
  const gross = { minorUnits: isPositive ? units : -units, currency: amount.currency }
  return {
    id: kind === usual ? entry.id : `${entry.id}.${kind}`,
    kind,
    names: namesOf(entry, list),
    gross,
    converted: settled === null || settled.currency === gross.currency ? null : settled,
    fee: null,
    net: null,
    payoutId: settlement.reference ?? settlement.id,
    occurredAt: Date.parse(entry.createdAt),
    settledAt: settlement.paidAt
  }
}

const namesOf = ({ id, metadata, paymentId }: Protocol.Settled, list: SettledList): ReportRow["names"] => ({
  attemptId: list === "payments" ? Protocol.markIn(metadata, "attempt_id") : null,
  operationId: list === "captures" ? Protocol.markIn(metadata, "operation_id") : null,
  refundId: list === "refunds" ? Protocol.markIn(metadata, "refund_id") : null,
  providerRef: list === "payments" ? id : (paymentId ?? null),
  providerRefundId: list === "refunds" ? id : null,
  disputeId: list === "chargebacks" ? id : null,
  reference: list === "payments" ? Protocol.markIn(metadata, "reference") : null
})

/** "The fees withheld for each payment method during this period": one row for each month of the settlement. */
const feesOf = ({ id, paidAt, periods, reference }: PaidOut): ReadonlyArray<ReportEntry> =>
  Object.entries(periods ?? {}).flatMap(([year, months]) =>
    Object.entries(months).flatMap(([month, { costs }]): ReadonlyArray<ReportEntry> => {
      const amounts = (costs ?? []).map(({ amountGross }) => signedFromMollie(amountGross))
      const gross = costOf(amounts)
      if (gross === null) return []
      if (gross === undefined)
        return [unreadableRow(0, `periods.${year}.${month}.costs`, "expected amounts of one currency")]
      const row: ReportRow = {
        id: `${segment(id)}.${year}-${month}.fee`,
        kind: "fee",
        names: noNames,
        gross,
        converted: null,
        fee: null,
        net: null,
        payoutId: reference ?? id,
        occurredAt: paidAt,
        settledAt: paidAt
      }
      return [{ _tag: "Row", row }]
    })
  )

/** `null` for none; `undefined` where they cannot be added. */
const costOf = (amounts: ReadonlyArray<SignedMoney | undefined>): SignedMoney | null | undefined => {
  const currency = amounts[0]?.currency
  if (amounts.length === 0) return null
  if (currency === undefined || amounts.some((amount) => amount?.currency !== currency)) return undefined
  const minorUnits = amounts.reduce((sum, amount) => sum - (amount?.minorUnits ?? 0), 0)
  return minorUnits === 0 ? null : { minorUnits, currency }
}

const noNames: ReportRow["names"] = {
  attemptId: null,
  operationId: null,
  refundId: null,
  providerRef: null,
  providerRefundId: null,
  disputeId: null,
  reference: null
}
