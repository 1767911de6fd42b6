/**
 * Which differences may be open once every report was read: those alone that the provider's own contradictions explain. A
 * store that lost records explains none but disputes without an id. Pure.
 */
import { type Payment, type SettlementEntry, statusOf } from "@pointsman/core"
import type { ReportRowKind } from "@pointsman/core/connector"
import type { PaymentBook } from "@pointsman/core/ports"
import { isForeignRow, type ProviderBalance } from "./ProviderBalance.ts"
import type { ProviderSide } from "./Truth.ts"

type Kinds = ReadonlySet<ReportRowKind>

const ofCharges: ReadonlyArray<ReportRowKind> = ["charge", "charge_failed"]
const ofRefunds: ReadonlyArray<ReportRowKind> = ["refund", "refund_failed"]
const ofDisputes: ReadonlyArray<ReportRowKind> = ["dispute", "dispute_reversed"]

/** What each contradiction may leave open, by the words with which the provider notes it (`contradictions`). */
const explained: ReadonlyArray<{ readonly words: RegExp; readonly kinds: Kinds }> = [
  // The amount is under review, or is corrected by rows of parts, of which none says what is captured in all.
  { words: /^captured /, kinds: new Set(ofCharges) },
  // A capture comes and goes: its rows are repeated, and a dispute or a refund of it has no captured payment.
  { words: /^a capture /, kinds: new Set([...ofCharges, ...ofRefunds, ...ofDisputes]) },
  // Our record says that nothing was taken, until a person ends the review.
  { words: /^a void /, kinds: new Set(ofCharges) },
  // A refund that failed is not given back once more by a report.
  { words: /^a refund /, kinds: new Set(ofRefunds) },
  { words: /^a dispute /, kinds: new Set(ofDisputes) },
  // Of a charge whose reference is contested everything is under review.
  { words: /^its reference /, kinds: new Set([...ofCharges, ...ofRefunds, ...ofDisputes]) }
]

/** `sides` and `books`: what the provider has, and what we have, of each payment. */
export const unexplainedEntries = (
  sides: ReadonlyMap<string, ProviderSide>,
  books: ReadonlyMap<string, PaymentBook>,
  entries: ReadonlyArray<SettlementEntry>,
  { rows }: Pick<ProviderBalance, "rows">
): ReadonlyArray<string> => {
  const foreign = new Set(rows.filter(isForeignRow).map(({ connectionId, id }) => `${connectionId} ${id}`))
  const isForeign = ({ connectionId, rowId }: SettlementEntry) => foreign.has(`${connectionId} ${rowId.split("#")[0]}`)
  return entries
    .filter((entry) =>
      isForeign(entry) ? entry.paymentId !== null : isOpen(entry) && !isExplained(entry, sides, books)
    )
    .map(({ connectionId, expected, gross, kind, paymentId, reason, result, rowId }) => {
      const row = `row ${rowId} of ${connectionId}, ${kind} of ${gross.minorUnits} ${gross.currency}`
      return `${row} of payment ${paymentId} (${reason}), is ${result} and open; recorded is ${expected}`
    })
}

export const isOpen = ({ closed, result }: SettlementEntry): boolean => result !== "matched" && closed === null

/** A refund by hand of more than was captured, or of a capture that is unknown: a person decides. */
const isOfReview = ({ reported, review, state }: Payment): boolean =>
  review?.reasons.includes("refund_excess") === true ||
  (review !== null && statusOf[state] === "UNKNOWN" && (reported?.refundsByHand ?? []).length > 0)

const isExplained = (
  entry: SettlementEntry,
  sides: ReadonlyMap<string, ProviderSide>,
  books: ReadonlyMap<string, PaymentBook>
): boolean => {
  const { disputeId, kind, paymentId } = entry
  const side = sides.get(paymentId ?? "")
  const book = books.get(paymentId ?? "")
  if (side === undefined || book === undefined) return false
  // A charge in another account is not found: its payment is under review.
  if (side.isOfOtherAccount === true) return true
  // A lost dispute without an id is in no list, and its rows do not say which dispute they are of: a person looks.
  if (side.hasLostRecords === true && disputeId === null && ofDisputes.includes(kind)) return true
  if (ofRefunds.includes(kind) && isOfReview(book.payment)) return true
  // Where captures were made here and there, each row says what one of them took, and none what all of them did.
  if (side.isByBoth === true && ofCharges.includes(kind)) return true
  const said = side.charges.flatMap(({ contradictions }) => contradictions)
  return explained.some(({ kinds, words }) => kinds.has(kind) && said.some((one) => words.test(one)))
}
