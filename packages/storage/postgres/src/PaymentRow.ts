/** The row of a payment as a change writes it: columns, each with its type and where its value comes from. */
import { wasNeverSent } from "@pointsman/core/internal"
import { bookText, claimText, detailsText } from "@pointsman/storage-sql"
import type { DrawnChange, Shape } from "./DrawnChange.ts"
import { keyHash } from "./Keys.ts"
import { rows } from "./Rows.ts"

export type Read = (drawn: DrawnChange) => string | null
/** A value of a change, as the text of its statement names it. */
export type Place = (type: string, read: Read) => string

/** The input of the statement, and those of its changes whose row is written. */
export const written = "i join p on p.t = i.t and p.id = i.id"

type Column = readonly [name: string, type: string, read: Read]

const first: ReadonlyArray<Column> = [
  ["amount_minor", "bigint", ({ change }) => String(change.payment.after.money.minorUnits)],
  ["currency", "text", ({ change }) => change.payment.after.money.currency],
  ["created_at", "bigint", ({ change }) => String(change.payment.after.createdAt)]
]

const created: ReadonlyArray<Column> = [
  ["reference", "text", ({ change }) => rows.bindTextOrNull(change.payment.after.reference) as string | null],
  [
    "page",
    "text",
    ({ change }) => rows.bindTextOrNull(change.payment.after.hosted?.tokenHash ?? null) as string | null
  ],
  ["details", "text", ({ change }) => detailsText(change.payment.after)]
]

const moved: ReadonlyArray<Column> = [
  ["state", "text", ({ change }) => change.payment.after.state],
  ["authorized_minor", "bigint", ({ change }) => String(change.payment.after.authorizedMinor)],
  ["captured_minor", "bigint", ({ change }) => String(change.payment.after.capturedMinor)],
  ["refunded_minor", "bigint", ({ change }) => String(change.payment.after.refundedMinor)],
  ["refund_pending_minor", "bigint", ({ change }) => String(change.payment.after.refundPendingMinor)],
  ["connection_id", "text", ({ change }) => rows.bindTextOrNull(change.payment.after.connectionId) as string | null],
  ["is_sent", "boolean", ({ book }) => String(book.attempts.some((one) => one.outcome !== null && !wasNeverSent(one)))],
  ["book", "text", ({ book }) => bookText(book)]
]

const claimed: ReadonlyArray<Column> = [
  ["claimed_at", "bigint", ({ change: { claim } }) => (claim === undefined ? null : String(claim.after.claimedAt))],
  [
    "claim",
    "text",
    ({ change: { claim, payment } }) => (claim === undefined ? null : claimText(claim.after, payment.after))
  ]
]

export const keyOf: Read = ({ change: { claim } }) => (claim === undefined ? null : keyHash(claim.after.key))

/** Besides the tenant, the id, the key and the versions. */
export const columnsOf = ({ claim, details, payment }: Shape): ReadonlyArray<Column> => [
  ...(payment === "new" ? first : []),
  ...(details ? created : []),
  ...moved,
  ...(claim === "none" ? [] : claimed)
]
