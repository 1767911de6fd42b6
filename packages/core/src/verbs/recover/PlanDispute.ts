/** What a dispute of a provider's list means for its payment: what a message that states it would mean. Pure. */
import type { Step } from "../../commit/CommitChange.ts"
import { type DisputedBook, nextVersionOf, statedIn, withStated } from "../../commit/RecordDispute.ts"
import { interpret, isAboutBook } from "../../decide/interpret/Interpret.ts"
import type { Source } from "../../decide/interpret/Statement.ts"
import { bookAfter, movedPayment, type PaymentBook } from "../../model/PaymentBook.ts"
import type { ListedDispute } from "../../ports/ProviderLists.ts"
import type { ListedAt } from "./PlanCharge.ts"

export type DisputePlan =
  /** `isNew`: the dispute is not recorded yet. `book`: as it is once the step is written. */
  | { readonly _tag: "Adopt"; readonly step: Step; readonly book: PaymentBook; readonly isNew: boolean }
  | { readonly _tag: "Known" }
  /** It names a charge of ours that is not on file, or is on file more than once. */
  | { readonly _tag: "Keep"; readonly reason: string }

/** When the list was asked for, and whether the provider can be asked about one dispute. */
export type ListedFrom = Pick<Source, "askedAt" | "isLookedUp">

/** `found`: the payment of the charge; `undefined` where it is not stored. `newId`: for a dispute that is not recorded yet. */
export const planDispute = (
  { connectionId, tenant }: ListedAt,
  { at, charge, ...stated }: ListedDispute,
  found: DisputedBook | undefined,
  from: ListedFrom,
  newId: string,
  now: number
): DisputePlan => {
  if (found === undefined) {
    // Other programs may use the account.
    return "attemptId" in charge
      ? { _tag: "Keep", reason: "attempt_id: the disputed charge is not stored here" }
      : { _tag: "Known" }
  }
  const { book, others } = found
  const about = { _tag: "Dispute", charge, ...stated } as const
  // It is another connection's, which may have the same account.
  if (!isAboutBook(book, connectionId, about)) return { _tag: "Known" }
  if (others.length > 0) return { _tag: "Keep", reason: "provider_reference: more than one payment has it" }
  const source = { via: "lookup", at, ...from } as const
  const meaning = interpret(book, connectionId, { about, ...source }, now)
  const applied = "applied" in meaning ? meaning.applied : undefined
  const said = statedIn(found, applied?.payment ?? book.payment, connectionId, { about, source }, newId, now)
  // It says what is recorded.
  if (said === undefined && (applied === undefined || meaning._tag === "Confirms")) return { _tag: "Known" }
  const { payment, ...beside } = applied ?? nextVersionOf(book.payment)
  const step: Step = { tenant, payment: movedPayment(book, payment), ...withStated(beside, said) }
  const isNew = said !== undefined && said.before === undefined
  return { _tag: "Adopt", step, book: bookAfter(book, { ...beside, payment }), isNew }
}
