/**
 * Finds the payments of rows: by ids, then by the merchant's reference, and last by amount, currency and time. Where more
 * than one payment could be meant, none is.
 */
import { Effect, Option } from "effect"
import { ofContested } from "../../decide/ReusedReference.ts"
import { isOtherCharge } from "../../decide/reconcile/RowStatement.ts"
import { type FoundPayment, isWithoutPayment } from "../../decide/reconcile/WeighRow.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { noMoney } from "../../model/PaymentMachine.ts"
import type { ReportNames, ReportRow } from "../../model/ReportRow.ts"
import { isEntryOfRow, type MatchReason } from "../../model/SettlementEntry.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { type NamedInRows, type NameKind, Settlements } from "../../ports/Settlements.ts"

/** How far a row's time may be from the creation of its payment: authorized before, and by another clock. */
const createdBeforeMillis = 7 * 24 * 60 * 60_000
const createdAfterMillis = 24 * 60 * 60_000
/** With the merchant's reference too: an authorization is captured within a month. */
const capturedAfterMillis = 31 * 24 * 60 * 60_000
/** Rows without a usable name that are looked for at once. */
const searches = 4

interface Place {
  readonly tenant: Tenant
  readonly connectionId: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Whether rows without a name that is known are looked for by amount, currency and time; they are unless set. */
  readonly mayGuess?: boolean
}

/** In the order of the rows. */
export const findPayments = Effect.fnUntraced(function* (place: Place, rows: ReadonlyArray<ReportRow>) {
  const settlements = yield* Settlements
  const byPayment = new Map<string, PaymentBook>()
  const byName = new Map<string, Array<PaymentBook>>()
  const read = Effect.fnUntraced(function* (names: NamedInRows) {
    const { named, books } = yield* settlements.booksNamed(place.tenant, place.connectionId, names)
    for (const book of books) byPayment.set(book.payment.id, byPayment.get(book.payment.id) ?? book)
    for (const { kind, name, paymentId } of named) {
      const book = byPayment.get(paymentId)
      if (book === undefined) continue
      const key = `${kind} ${name}`
      const others = byName.get(key)
      if (others === undefined) byName.set(key, [book])
      else others.push(book)
    }
  })
  const find = (row: ReportRow) => foundByName(place, row, (kind, name) => byName.get(`${kind} ${name}`) ?? [])
  // Most rows have an id of ours, and then no other name decides.
  yield* read(namesOf(rows, oursOnly))
  const found = rows.map(find)
  const others = rows.filter((_, at) => found[at]?.reason === "not_found")
  if (others.length > 0) {
    yield* read(namesOf(others, theirsOnly))
    for (const [at, row] of rows.entries()) if (found[at]?.reason === "not_found") found[at] = find(row)
  }
  const claimed = new Set(found.flatMap(({ book }) => book?.payment.id ?? []))
  const open = rows.flatMap((row, at) =>
    place.mayGuess !== false && mayBeSearched(row, found[at]?.reason) ? [{ row, at }] : []
  )
  yield* Effect.forEach(
    open,
    ({ at, row }) =>
      Effect.map(findByAmount(place, row, claimed), (one) => {
        found[at] = one
      }),
    { concurrency: searches, discard: true }
  )
  return { found, books: byPayment }
})

/** The names of a row by which its payment may be found, the surest first. */
const nameFields = [
  ["refundIds", "refundId"],
  ["operationIds", "operationId"],
  ["attemptIds", "attemptId"],
  ["providerRefundIds", "providerRefundId"],
  ["providerRefs", "providerRef"],
  ["references", "reference"]
] as const satisfies ReadonlyArray<readonly [NameKind, keyof ReportNames]>

const oursOnly: ReadonlySet<keyof ReportNames> = new Set(["refundId", "operationId", "attemptId"])
const theirsOnly: ReadonlySet<keyof ReportNames> = new Set(["providerRefundId", "providerRef", "reference"])

const namesOf = (rows: ReadonlyArray<ReportRow>, asked: ReadonlySet<keyof ReportNames>): NamedInRows => {
  const own = rows.filter(({ kind }) => !isWithoutPayment(kind))
  const all = (field: keyof ReportNames) =>
    asked.has(field) ? [...new Set(own.flatMap(({ names }) => names[field] ?? []))] : []
  return {
    attemptIds: all("attemptId"),
    operationIds: all("operationId"),
    refundIds: all("refundId"),
    providerRefundIds: all("providerRefundId"),
    providerRefs: all("providerRef"),
    references: all("reference")
  }
}

const foundByName = (
  place: Place,
  row: ReportRow,
  named: (kind: NameKind, name: string) => ReadonlyArray<PaymentBook>
): FoundPayment => {
  if (isWithoutPayment(row.kind)) return { book: undefined, reason: "no_payment" }
  for (const [kind, field] of nameFields) {
    const name = row.names[field]
    const books = name === null ? [] : named(kind, name)
    if (name === null || books.length === 0) continue
    if (kind === "providerRefs") return ofReference(place, name, books)
    if (kind === "references") return ofMerchantReference(row, books)
    return single(books, "by_id")
  }
  return { book: undefined, reason: "not_found" }
}

const single = (books: ReadonlyArray<PaymentBook>, reason: MatchReason): FoundPayment =>
  books.length === 1 ? { book: books[0], reason } : { book: undefined, reason: "ambiguous" }

/** The payment that is based on the charge; else the one whose attempt names it, unless operations review whose it is. */
const ofReference = ({ connectionId, now }: Place, providerRef: string, books: ReadonlyArray<PaymentBook>) => {
  const own = books.filter(
    ({ payment }) => payment.connectionId === connectionId && payment.providerRef === providerRef
  )
  const found = single(own.length > 0 ? own : books, "by_id")
  if (found.book === undefined) return found
  const about = { _tag: "Settled", charge: { providerRef }, state: null } as const
  const contested = ofContested({ book: found.book, others: [] }, connectionId, about, now)
  return contested === undefined ? found : ({ book: undefined, reason: "ambiguous" } as const)
}

/** Merchants may use one reference again, and outside of Pointsman: charge, amount and time must fit too. */
const ofMerchantReference = (row: ReportRow, books: ReadonlyArray<PaymentBook>): FoundPayment => {
  const fitting = books.filter(({ payment }) => isFitting(row, payment))
  return fitting.length === 0 ? { book: undefined, reason: "not_found" } : single(fitting, "by_reference")
}

const isFitting = ({ gross, kind, names, occurredAt }: ReportRow, payment: Payment): boolean => {
  const { authorizedMinor, capturedMinor, createdAt, money, providerRef } = payment
  if (isOtherCharge(names.providerRef, providerRef)) return false
  if (gross.currency !== money.currency || occurredAt < createdAt - createdAfterMillis) return false
  if (kind !== "charge") return Math.abs(gross.minorUnits) <= money.minorUnits
  const isAmount = [money.minorUnits, authorizedMinor, capturedMinor].includes(gross.minorUnits)
  return isAmount && occurredAt <= createdAt + capturedAfterMillis
}

/** A row that names an id of ours is of that one or of none. */
const mayBeSearched = ({ kind, names }: ReportRow, reason: MatchReason | undefined): boolean =>
  kind === "charge" &&
  reason === "not_found" &&
  names.attemptId === null &&
  names.operationId === null &&
  names.refundId === null

const ended: ReadonlySet<string> = new Set(noMoney)

const findByAmount = Effect.fnUntraced(function* (
  { connectionId, tenant }: Place,
  { gross, id: rowId, names, occurredAt }: ReportRow,
  claimed: ReadonlySet<string>
) {
  const ledger = yield* Ledger
  const settlements = yield* Settlements
  const payments = yield* ledger.payments(tenant, {
    amountMinor: gross.minorUnits,
    currency: gross.currency,
    connectionId,
    createdFrom: occurredAt - createdBeforeMillis,
    createdBefore: occurredAt + createdAfterMillis,
    limit: candidatesAtMost
  })
  const candidates = payments.filter(
    ({ id, providerRef, state }) =>
      !claimed.has(id) && !ended.has(state) && !isOtherCharge(names.providerRef, providerRef)
  )
  const missing: FoundPayment = { book: undefined, reason: "not_found" }
  if (candidates.length === 0) return missing
  const charged = new Set(
    (yield* settlements.entriesOf(
      tenant,
      candidates.map(({ id }) => id)
    ))
      .filter((one) => one.kind === "charge" && one.number > 0 && !isEntryOfRow(one.rowId, rowId))
      .map(({ paymentId }) => paymentId)
  )
  const [first, second] = candidates.filter(({ id }) => !charged.has(id))
  if (first === undefined) return missing
  if (second !== undefined || payments.length === candidatesAtMost) {
    return { book: undefined, reason: "ambiguous" } satisfies FoundPayment
  }
  const book = Option.getOrUndefined(yield* ledger.book(tenant, first.id))
  return book === undefined ? missing : ({ book, reason: "by_amount_and_time" } satisfies FoundPayment)
})

/** Payments of one amount that are looked at: where there are more, the row is ambiguous. */
const candidatesAtMost = 50
