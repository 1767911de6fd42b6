/** The API and the provider's books, to the cent. Gives the sentences that are not true. */
import { mayHaveMoved } from "./AnswersHold.ts"
import { type ChargeEntry, holdsMoney, type OperationEntry } from "./Books.ts"
import { type Evidence, type PaymentShown, unless, type Wish } from "./Evidence.ts"

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)

/** To the cent: what the provider has of a payment is what the API shows of it. */
export const wrongWithPayment = (payment: PaymentShown, { books }: Evidence): ReadonlyArray<string> => {
  const id = payment.payment_id
  const charges = books.charges.filter((charge) => charge.paymentId === id)
  const holding = charges.filter(holdsMoney)
  const given = sum(books.refunds.filter((one) => one.paymentId === id && one.status === "succeeded").map(amountOf))
  const charge = holding[0]
  const captured = charge?.status === "captured" ? charge.capturedAmount : 0
  return [
    ...unless(holding.length <= 1, `${id}: ${holding.length} charges hold its money`),
    ...unless(
      charge === undefined || (charge.amount === payment.amount && charge.currency === payment.currency),
      `${id}: the provider was asked for ${charge?.amount} ${charge?.currency}, not ${payment.amount} ${payment.currency}`
    ),
    ...unless(
      truthOf(charges, given).includes(payment.status),
      `${id}: it is ${payment.status}, and by the books ${truthOf(charges, given).join(" or ")}`
    ),
    ...unless(
      payment.captured_amount === captured,
      `${id}: ${payment.captured_amount} captured, by the books ${captured}`
    ),
    ...unless(payment.refunded_amount === given, `${id}: ${payment.refunded_amount} refunded, by the books ${given}`),
    ...unless(payment.refund_pending_amount === 0, `${id}: ${payment.refund_pending_amount} of refunds still pending`)
  ]
}

const amountOf = ({ amount }: { readonly amount: number }): number => amount

/** The statuses that are true of a payment at rest. */
const truthOf = (charges: ReadonlyArray<ChargeEntry>, given: number): ReadonlyArray<string> => {
  const charge = charges.find(holdsMoney)
  if (charge?.status === "authorized") return ["AUTHORIZED"]
  if (charge?.status === "captured") {
    return [given === 0 ? "CAPTURED" : given < charge.capturedAmount ? "PARTIALLY_REFUNDED" : "REFUNDED"]
  }
  if (charge !== undefined) return ["nothing yet"]
  if (charges.some(({ status }) => status === "pending")) return ["nothing yet"]
  if (charges.some(({ status }) => status === "canceled")) return ["CANCELLED"]
  const last = charges.at(-1)
  // The connection asked after a soft decline may have refused, or never have received it.
  return last === undefined ? ["FAILED"] : ["DECLINED", ...(last.decline?.soft === true ? ["FAILED"] : [])]
}

/** Nothing is executed twice, and nothing for nobody. */
export const wrongWithBooks = (
  final: ReadonlyMap<string, PaymentShown>,
  { books, wishes }: Evidence
): ReadonlyArray<string> => {
  const wishOf = new Map(wishes.map((wish) => [wish.name, wish]))
  const taking = Map.groupBy(
    books.charges.filter((charge) => holdsMoney(charge) || charge.status === "canceled"),
    ({ reference }) => reference
  )
  const giving = Map.groupBy(
    books.refunds.filter(({ status }) => status !== "failed"),
    ({ reason }) => reason
  )
  return [
    ...[...books.asked].flatMap(([id, times]) =>
      unless(times === 1, `the provider was asked ${times} times for ${id}`)
    ),
    ...books.charges.flatMap(({ attemptId, paymentId, reference }) => [
      ...unless(final.has(paymentId), `${attemptId}: charged for ${paymentId}, which the API does not show`),
      ...unless(final.get(paymentId)?.reference === reference, `${attemptId}: charged under another reference`),
      ...unless(wishOf.has(reference), `${attemptId}: charged, and nobody asked for ${reference}`)
    ]),
    ...[...taking].flatMap(([name, charges]) =>
      unless(charges.length === 1, `${name} was charged ${charges.length} times`)
    ),
    ...[...giving].flatMap(([name, refunds]) =>
      unless(refunds.length === 1, `${name} was refunded ${refunds.length} times`)
    ),
    ...books.refunds.flatMap(({ amount, paymentId, reason }) => {
      const wish = wishOf.get(reason)
      return [
        ...unless(wish?.paymentId === paymentId, `${reason}: refunded on ${paymentId}, and nobody asked for that`),
        ...unless(
          wish === undefined || isAmountOf(amount, wish, wishes),
          `${reason}: ${amount} refunded, ${wish?.amount} asked for`
        )
      ]
    }),
    ...books.operations.flatMap((operation) =>
      unless(
        wishes.some((wish) => isWishFor(operation, wish, final) && mayHaveMoved(wish)),
        `${operation.paymentId}: a ${operation.kind} of ${operation.amount}, and nobody asked for it who was not told that it did not happen`
      )
    ),
    ...[...Map.groupBy(books.operations, ({ paymentId }) => paymentId)].flatMap(([id, operations]) =>
      unless(operations.length === 1, `${id}: ${operations.map(({ kind }) => kind).join(" and ")} of one authorization`)
    )
  ]
}

/**
 * As much as was asked for. Less where a refund of the whole balance held the rest, and only what became free of it by
 * another refund's failure was left.
 */
const isAmountOf = (refunded: number, { amount, paymentId }: Wish, wishes: ReadonlyArray<Wish>): boolean =>
  amount === null ||
  amount === refunded ||
  (refunded < amount &&
    wishes.some((other) => other.kind === "refund" && other.paymentId === paymentId && other.amount === null))

const isWishFor = (
  { amount, kind, paymentId }: OperationEntry,
  wish: Wish,
  final: ReadonlyMap<string, PaymentShown>
): boolean =>
  wish.kind === kind && wish.paymentId === paymentId && (wish.amount ?? final.get(paymentId)?.amount) === amount
