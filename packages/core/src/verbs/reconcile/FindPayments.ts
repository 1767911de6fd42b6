/** Finds the payments of rows by our ids, and then by the provider's ids. Nothing else is a match. */
import { Effect } from "effect"
import { ofContested } from "../../decide/ReusedReference.ts"
import { type FoundPayment, isWithoutPayment } from "../../decide/reconcile/WeighRow.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { ReportNames, ReportRow } from "../../model/ReportRow.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type NamedInRows, type NameKind, Settlements } from "../../ports/Settlements.ts"

interface Place {
  readonly tenant: Tenant
  readonly connectionId: string
  /** Epoch milliseconds. */
  readonly now: number
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
  return { found, books: byPayment }
})

/** The names of a row by which its payment may be found, the surest first. */
const nameFields = [
  ["refundIds", "refundId"],
  ["operationIds", "operationId"],
  ["attemptIds", "attemptId"],
  ["providerRefundIds", "providerRefundId"],
  ["providerRefs", "providerRef"]
] as const satisfies ReadonlyArray<readonly [NameKind, keyof ReportNames]>

const oursOnly: ReadonlySet<keyof ReportNames> = new Set(["refundId", "operationId", "attemptId"])
const theirsOnly: ReadonlySet<keyof ReportNames> = new Set(["providerRefundId", "providerRef"])

const namesOf = (rows: ReadonlyArray<ReportRow>, asked: ReadonlySet<keyof ReportNames>): NamedInRows => {
  const own = rows.filter(({ kind }) => !isWithoutPayment(kind))
  const all = (field: keyof ReportNames) =>
    asked.has(field) ? [...new Set(own.flatMap(({ names }) => names[field] ?? []))] : []
  return {
    attemptIds: all("attemptId"),
    operationIds: all("operationId"),
    refundIds: all("refundId"),
    providerRefundIds: all("providerRefundId"),
    providerRefs: all("providerRef")
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
    return single(books)
  }
  return { book: undefined, reason: "not_found" }
}

const single = (books: ReadonlyArray<PaymentBook>): FoundPayment =>
  books.length === 1 ? { book: books[0], reason: "by_id" } : { book: undefined, reason: "ambiguous" }

/** The payment that is based on the charge; else the one whose attempt names it, unless operations review whose it is. */
const ofReference = ({ connectionId, now }: Place, providerRef: string, books: ReadonlyArray<PaymentBook>) => {
  const own = books.filter(
    ({ payment }) => payment.connectionId === connectionId && payment.providerRef === providerRef
  )
  const found = single(own.length > 0 ? own : books)
  if (found.book === undefined) return found
  const about = { _tag: "Settled", charge: { providerRef }, state: null } as const
  const contested = ofContested({ book: found.book, others: [] }, connectionId, about, now)
  return contested === undefined ? found : ({ book: undefined, reason: "ambiguous" } as const)
}
