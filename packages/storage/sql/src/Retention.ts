/** What the statements of retention have in common, and how the rows of an old payment are read. */
import { idsFrom } from "@pointsman/core/internal"
import { messageOutcomes } from "@pointsman/core/ports"
import { idRangeOf } from "./IdRange.ts"

/** A delivery that is still to be made. */
export const isOpenDelivery = "state in ('Due', 'Sending')"
/** A message about a payment that keeps it: it is not decided, or could not be read. */
export const isOpenMessage = "outcome in ('received', 'waits', 'unreadable')"

const decidedOutcomes = ["applied", "confirmed", "older"]
/** A message that was decided, and whose body is no evidence any more. Of one that contradicts, the review must be over. */
export const decidedMessage = (isUndecided: string): string =>
  `(outcome in (${decidedOutcomes.map((outcome) => `'${outcome}'`).join(", ")}) or outcome = 'contradicts' and not ${isUndecided})`
/** Outcomes of messages that may still need their bodies; of one that contradicts, its payment says it. */
export const openEndedOutcomes: ReadonlyArray<string> = messageOutcomes.filter(
  (outcome) => !decidedOutcomes.includes(outcome)
)

/** The table of each lease, which has one row. */
export const leaseTables = { sweep: "retention_lease", proof: "proof_lease", reports: "report_lease" } as const

/** Ids of payments that may have been created before the time (epoch milliseconds) are smaller. */
export const paymentIdsBefore = (createdBefore: number): string => idRangeOf({ createdBefore }).before
const deliveryPrefix = "dlv_"
/** As `paymentIdsBefore`, of deliveries. */
export const deliveryIdsBefore = (createdBefore: number): string =>
  `${deliveryPrefix}${paymentIdsBefore(createdBefore)}`
/** The first delivery id of a time in epoch milliseconds. */
export const deliveryIdsFrom = (epochMillis: number): string => `${deliveryPrefix}${idsFrom(epochMillis)}`
