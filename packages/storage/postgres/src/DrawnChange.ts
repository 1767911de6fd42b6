/**
 * A change with all that its statement is made of: the book after it, what newly names the payment, its shape, and the row
 * of the payment, each column with where its value comes from.
 */
import type { EventDraft, Payment } from "@pointsman/core"
import { bookAfter, brokenBook, isSameReference, referencesOf, wasNeverSent } from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"
import { type Bound, bookText, claimText, detailsText, keepsDetails } from "@pointsman/storage-sql"
import { namesOf } from "./Books.ts"
import { chargeName, keyHash, nameHash, rows, shortChargeName, type Value } from "./Rows.ts"

/** An event, with the id that was drawn for it and the one that its deliveries' ids are made of. */
export interface DrawnEvent {
  readonly draft: EventDraft
  readonly id: string
  readonly seed: string
}

export type DrawnChange = ReturnType<typeof drawnChange>

/** What decides about the text of the statement. */
export type Shape = DrawnChange["shape"]

/** What is known of the database besides the change. */
export interface Looked {
  /** The tenant has an active endpoint. */
  readonly isFollowed?: boolean
  /** The key is in another row. */
  readonly isTaken?: boolean
  /** Charges that the payment has already. */
  readonly own?: ReadonlySet<string>
}

/** `change`: with the book that it was decided on, where its payment is stored. */
export const drawnChange = (
  change: Change,
  events: ReadonlyArray<DrawnEvent>,
  { isFollowed = false, isTaken = false, own = new Set() }: Looked = {}
) => {
  const { apiKeyHash, claim, guard, message, payment } = change
  const { after, before } = payment
  const book = bookAfter(before, { ...change, payment: after })
  const references = referencesOf(change)
  const known = new Set(before === undefined ? [] : namesOf(before))
  const others = references.filter((reference) => !own.has(chargeName(reference)))
  const taken = others.filter(({ isTaken }) => isTaken).map(chargeName)
  const notTaken = others.filter(({ isTaken }) => !isTaken)
  const stored = before && notTaken.length > 0 ? referencesOf({ ...before, payment: { after: before.payment } }) : []
  const newReferences = notTaken.filter((one) => !stored.some((it) => isSameReference(it, one)))
  const newNames = new Set(namesOf(change).filter((name) => !known.has(name)))
  const names = [...newReferences.map(shortChargeName), ...[...newNames].map(nameHash)]
  const isNew = payment.expected === 0
  return {
    change,
    book,
    /** Why no store may write it. */
    broken: brokenBook(book, before),
    events,
    references,
    /** Hashes of the charges that the payment takes, of those that it names, and short ones of all that names it newly. */
    taken,
    named: notTaken.map(chargeName),
    names,
    shape: {
      payment: isNew ? ("new" as const) : ("moved" as const),
      claim: claim === undefined ? ("none" as const) : claimOf(claim.expected === 0, isNew, isTaken),
      apiKey: apiKeyHash !== undefined,
      /** What its guard asks about. */
      missing: guard?.refusesMissing === true,
      key: guard?.key != null,
      message: message !== undefined,
      /** Whether what the create decided is written. */
      details: before === undefined || !keepsDetails(before.payment, after),
      /** Whether the background looks at the payment afterwards; and whether it has another state then. */
      due: (change.checkAt ?? null) !== null,
      state: before !== undefined && before.payment.state !== after.state,
      review: reviewOf(change),
      metadata: isNew && after.metadata !== null,
      taken: taken.length,
      named: notTaken.length,
      names: names.length,
      disputes: change.disputes?.length ?? 0,
      evidence: change.evidence?.length ?? 0,
      events: events.length,
      /** Whether an endpoint of the tenant may want the events. */
      deliveries: isFollowed && events.length > 0
    }
  }
}

/** The others are looked at alone: what refuses one comes before what is wrong with it. */
export const isWritable = ({ broken, change: { payment } }: DrawnChange): boolean =>
  broken === undefined && (payment.expected === 0 || payment.before !== undefined)

/** The first write of a request: when the database is busy, the client is asked to retry. */
export const beginsWork = ({ change: { apiKeyHash, payment } }: DrawnChange): boolean =>
  apiKeyHash !== undefined || payment.expected === 0

/** `taken`: the key is in another row, whose claim is over. `given`: a stored payment gets a key that is nowhere. */
const claimOf = (isFirst: boolean, isNew: boolean, isTaken: boolean) => {
  if (isFirst) return isNew ? "new" : "given"
  return isNew || isTaken ? "taken" : "moved"
}

const reviewOf = ({ payment: { after, before } }: Change) => {
  const since = after.review?.since
  if (since === before?.payment.review?.since) return "kept"
  return since === undefined ? "ended" : "put"
}

export const nameOf = (shape: Shape): string => Object.values(shape).join(" ")

export type Read = (drawn: DrawnChange) => Bound<Value>
/** A value of a change, as the text of its statement names it. */
export type Place = (type: string, read: Read) => string

/** The input of the statement, and those of its changes whose row is written. */
export const written = "i join p on p.t = i.t and p.id = i.id"

type Columns = Readonly<Record<string, Read>>

const ofPayment =
  (read: (payment: Payment) => Bound<Value>): Read =>
  ({ change }) =>
    read(change.payment.after)

const ofClaim =
  (read: (claim: NonNullable<Change["claim"]>["after"], payment: Payment) => string | number): Read =>
  ({ change: { claim, payment } }) =>
    claim === undefined ? null : read(claim.after, payment.after)

/** As storage-sql has them. */
const ofRecord = (...names: ReadonlyArray<string>): Columns =>
  Object.fromEntries(
    Object.entries(rows.payment.columns).flatMap(([name, take]) =>
      names.includes(name) ? [[name, ofPayment(take)]] : []
    )
  )

const first = ofRecord("amount_minor", "currency", "created_at")

const created: Columns = {
  ...ofRecord("reference"),
  page: ofPayment(({ hosted }) => rows.bindTextOrNull(hosted?.tokenHash ?? null)),
  details: ofPayment(detailsText)
}

const moved: Columns = {
  ...ofRecord("version", "state", "connection_id"),
  ...ofRecord("authorized_minor", "captured_minor", "refunded_minor", "refund_pending_minor"),
  is_sent: ({ book }) => book.attempts.some((one) => one.outcome !== null && !wasNeverSent(one)),
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
