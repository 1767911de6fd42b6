/** What the statements of retention have in common, and how the rows of an old payment are read. */
import { idsFrom } from "@pointsman/core/internal"
import { messageOutcomes, type OldPayment } from "@pointsman/core/ports"
import type { Row } from "./Columns.ts"
import { idRangeOf } from "./IdRange.ts"
import type { BookRows, makeRows } from "./Rows.ts"

/** A delivery that is still to be made. */
export const isOpenDelivery = "state in ('Due', 'Sending')"
/** A message about a payment that keeps it: it is not decided, or could not be read. */
export const isOpenMessage = "outcome in ('received', 'waits', 'unreadable')"

const decidedOutcomes = ["applied", "confirmed", "older"]
/** A message that contradicts a payment with a review. */
export const isUndecidedContradiction = `exists (select 1 from payments where payments.workspace_id = messages.workspace_id
    and payments.environment = messages.environment and payments.id = messages.payment_id and review is not null)`
/** A message that was decided, and whose body is no evidence any more. Of one that contradicts, the review must be over. */
export const decidedMessage = (isUndecided: string): string =>
  `(outcome in (${decidedOutcomes.map((outcome) => `'${outcome}'`).join(", ")}) or outcome = 'contradicts' and not ${isUndecided})`
export const isDecidedMessage = decidedMessage(isUndecidedContradiction)
/** As above, with a body in its own row. */
export const isDecidedBody = `body <> '' and ${isDecidedMessage}`
/** Outcomes of messages that may still need their bodies; of one that contradicts, its payment says it. */
export const openEndedOutcomes: ReadonlyArray<string> = messageOutcomes.filter(
  (outcome) => !decidedOutcomes.includes(outcome)
)

/** The table of each lease, which has one row. */
export const leaseTables = { sweep: "retention_lease", proof: "proof_lease", reports: "report_lease" } as const

/** Tables whose rows belong to a payment by its id, in the order in which they are emptied. */
export const tablesOfPayment = [
  "events",
  "attempts",
  "operations",
  "refunds",
  "disputes",
  "dispute_evidence",
  "payment_metadata",
  "recovered_keys"
]

/** Ids of payments that may have been created before the time (epoch milliseconds) are smaller. */
export const paymentIdsBefore = (createdBefore: number): string => idRangeOf({ createdBefore }).before
const deliveryPrefix = "dlv_"
/** As `paymentIdsBefore`, of deliveries. */
export const deliveryIdsBefore = (createdBefore: number): string =>
  `${deliveryPrefix}${paymentIdsBefore(createdBefore)}`
/** The first delivery id of a time in epoch milliseconds. */
export const deliveryIdsFrom = (epochMillis: number): string => `${deliveryPrefix}${idsFrom(epochMillis)}`

/** The rows of an old payment, of one moment. */
export interface OldPaymentRows {
  readonly book: BookRows
  readonly events: ReadonlyArray<Row>
  readonly openDeliveries: number
  readonly openMessages: number
}

export const readOldPayment =
  (rows: Pick<ReturnType<typeof makeRows>, "readBook" | "readEvent">) =>
  ({ book, events, openDeliveries, openMessages }: OldPaymentRows): OldPayment => ({
    book: rows.readBook(book),
    events: events.map(rows.readEvent),
    openDeliveries,
    openMessages
  })
