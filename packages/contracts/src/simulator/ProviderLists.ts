/** The lists of charges, refunds and disputes of the simulated provider, from which lost records are recovered. */
import type { ListedCharge, ListedDispute, ListedPage, ListedRefund, ListRequest } from "@pointsman/core/ports"
import { type ChargeRecord, type DisputeRecord, type RefundRecord, refundStateOf, stateOf } from "./ProviderBooks.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"

/** Few, so that a recovery asks for several. */
const pageSize = 2

const pageOf = <Entry extends { readonly createdAt: number }, Item>(
  entries: ReadonlyArray<Entry>,
  { createdBefore, createdFrom, cursor }: ListRequest,
  view: (entry: Entry) => Item
): ListedPage<Item> => {
  const start = Number(cursor ?? 0)
  const found = entries.filter(({ createdAt }) => createdAt >= createdFrom && createdAt < createdBefore)
  const isLast = start + pageSize >= found.length
  return {
    items: found.slice(start, start + pageSize).map(view),
    unreadable: [],
    nextCursor: isLast ? null : String(start + pageSize)
  }
}

const listedCharge = (charge: ChargeRecord): ListedCharge => {
  const { asked, attemptId, createdAt, money, paymentId, reference } = charge
  return {
    ...asked,
    ...{ attemptId, paymentId, idempotencyKey: attemptId, reference, money },
    ...{ state: stateOf(charge), created: createdAt }
  }
}

const listedRefund = (refund: RefundRecord): ListedRefund => {
  const { amountMinor, charge, createdAt, isByHand, refundId } = refund
  const money = { ...charge.money, minorUnits: amountMinor }
  return {
    refundId: isByHand ? null : refundId,
    ...{ providerRef: charge.providerRef, money, state: refundStateOf(refund), created: createdAt }
  }
}

const verdicts = { won: "won", lost: "lost", accepted: "lost" } as const

const listedDispute = ({ changedAt, charge, disputeId, dueBy, status }: DisputeRecord): ListedDispute => ({
  ...{ charge: { attemptId: charge.attemptId }, disputeId, status, at: changedAt },
  verdict: status === "needs_response" || status === "under_review" ? "opened" : verdicts[status],
  ...(dueBy === null ? {} : { dueBy })
})

/** Of one connection. */
export const providerLists = (
  { list }: ProviderCalls,
  charges: ReadonlyMap<string, ChargeRecord>,
  refunds: ReadonlyMap<string, RefundRecord>,
  disputes: ReadonlyMap<string, DisputeRecord>,
  connectionId: string
) => {
  const isOwn = (charge: ChargeRecord): boolean => charge.connectionId === connectionId
  const listing =
    <Entry extends { readonly createdAt: number }, Item>(
      what: string,
      entries: () => ReadonlyArray<Entry>,
      view: (entry: Entry) => Item
    ) =>
    (request: ListRequest) =>
      list(`the ${what} of ${connectionId}`, () => pageOf(entries(), request, view))
  return {
    listDisputes: listing(
      "disputes",
      () => [...disputes.values()].flatMap((one) => (isOwn(one.charge) ? [{ ...one, createdAt: one.changedAt }] : [])),
      listedDispute
    ),
    listCharges: listing("charges", () => [...charges.values()].filter(isOwn), listedCharge),
    listRefunds: listing("refunds", () => [...refunds.values()].filter(({ charge }) => isOwn(charge)), listedRefund)
  }
}
