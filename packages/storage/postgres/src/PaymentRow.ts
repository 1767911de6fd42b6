/** The row of a payment as a change writes it: each column with where its value comes from. */
import type { Payment } from "@pointsman/core"
import { wasNeverSent } from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"
import { bookText, claimText, detailsText } from "@pointsman/storage-sql"
import type { DrawnChange, Shape } from "./DrawnChange.ts"
import { keyHash } from "./Keys.ts"
import { bindText } from "./Rows.ts"

export type Read = (drawn: DrawnChange) => string | null
/** A value of a change, as the text of its statement names it. */
export type Place = (type: string, read: Read) => string

/** The input of the statement, and those of its changes whose row is written. */
export const written = "i join p on p.t = i.t and p.id = i.id"

type Columns = Readonly<Record<string, Read>>

const ofPayment =
  (read: (payment: Payment) => string | number | null): Read =>
  ({ change }) => {
    const value = read(change.payment.after)
    return value === null ? null : String(value)
  }

const ofClaim =
  (read: (claim: NonNullable<Change["claim"]>["after"], payment: Payment) => string | number): Read =>
  ({ change: { claim, payment } }) =>
    claim === undefined ? null : String(read(claim.after, payment.after))

const textOrNull = (text: string | null) => (text === null ? null : bindText(text))

const first: Columns = {
  amount_minor: ofPayment(({ money }) => money.minorUnits),
  currency: ofPayment(({ money }) => money.currency),
  created_at: ofPayment(({ createdAt }) => createdAt)
}

const created: Columns = {
  reference: ofPayment(({ reference }) => textOrNull(reference)),
  page: ofPayment(({ hosted }) => textOrNull(hosted?.tokenHash ?? null)),
  details: ofPayment(detailsText)
}

const moved: Columns = {
  version: ofPayment(({ version }) => version),
  state: ofPayment(({ state }) => state),
  authorized_minor: ofPayment(({ authorizedMinor }) => authorizedMinor),
  captured_minor: ofPayment(({ capturedMinor }) => capturedMinor),
  refunded_minor: ofPayment(({ refundedMinor }) => refundedMinor),
  refund_pending_minor: ofPayment(({ refundPendingMinor }) => refundPendingMinor),
  connection_id: ofPayment(({ connectionId }) => textOrNull(connectionId)),
  is_sent: ({ book }) => String(book.attempts.some((one) => one.outcome !== null && !wasNeverSent(one))),
  book: ({ book }) => bookText(book)
}

const claimed: Columns = {
  claimed_at: ofClaim(({ claimedAt }) => claimedAt),
  claim_version: ofClaim(({ version }) => version),
  claim: ofClaim(claimText)
}

export const keyOf = ofClaim(({ key }) => keyHash(key))

/** Besides the tenant and the id. */
export const columnsOf = ({ claim, details, payment }: Shape): Columns => ({
  ...(payment === "new" ? first : {}),
  ...(details ? created : {}),
  ...moved,
  ...(claim === "none" ? {} : claimed),
  ...(claim === "none" || claim === "moved" ? {} : { key: keyOf })
})
