/** What the statements of retention have in common, and whose turn background work is. */
import { idsFrom } from "@pointsman/core/internal"
import { longestLeaseMillis, messageOutcomes, type Retention } from "@pointsman/core/ports"
import { Effect } from "effect"
import { idRangeOf } from "./Keys.ts"
import { isAny, type Sql } from "./Sql.ts"

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

const takeLease = `insert into leases (name, holder, until) values ($1, $2, $3)
  on conflict (name) do update set holder = excluded.holder, until = excluded.until
  where leases.holder = excluded.holder or leases.until <= $4 or leases.until > $5 returning 1 as one`

export const makeLease =
  <V>({ update }: Pick<Sql<V>, "update">): Retention["lease"] =>
  ({ holder, now, until, what = "sweep" }) =>
    Effect.map(update("lease", takeLease, [what, holder, until, now, now + longestLeaseMillis]), isAny)

/** Ids of payments that may have been created before the time (epoch milliseconds) are smaller. */
export const paymentIdsBefore = (createdBefore: number): string => idRangeOf({ createdBefore }).before
const deliveryPrefix = "dlv_"
/** As `paymentIdsBefore`, of deliveries. */
export const deliveryIdsBefore = (createdBefore: number): string =>
  `${deliveryPrefix}${paymentIdsBefore(createdBefore)}`
/** The first delivery id of a time in epoch milliseconds. */
export const deliveryIdsFrom = (epochMillis: number): string => `${deliveryPrefix}${idsFrom(epochMillis)}`
