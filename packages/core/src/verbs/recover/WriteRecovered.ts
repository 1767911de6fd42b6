/** Writes what was decided about a listed entry: found by id and guarded by the version, so that it may run again. */
import { Clock, Effect } from "effect"
import { keyTagOf } from "../../call/CallIds.ts"
import type { Step } from "../../commit/CommitChange.ts"
import { asStorageError, decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { recordLookup } from "../../commit/RecordLookup.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentBook, ReusedReference } from "../../model/PaymentBook.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Money } from "../../money/Money.ts"
import { RecordLosses, type RecoveredKey } from "../../ports/RecordLoss.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { ChargePlan, ListedAt } from "./PlanCharge.ts"
import type { DisputePlan } from "./PlanDispute.ts"
import type { RefundPlan } from "./PlanRefund.ts"
import type { RecoveredKind, Tally, UnaskedFact } from "./RecoveryReport.ts"

export interface Recovering extends ListedAt {
  readonly connection: Connection
  readonly isDryRun: boolean
  readonly tally: Tally
  /** What the provider does not list. */
  readonly unasked: Set<UnaskedFact>
  /** Of a dry run: the payments that would be adopted, by the references of their charges, for what follows a charge. */
  readonly wouldBe: Map<string, PaymentBook>
  /** Whose records may be at the same provider: those with a connection of the same connector. */
  readonly otherTenants: ReadonlyArray<Tenant>
  /** Lookups that were not answered. */
  unanswered: number
}

export const noteAdopted = (
  { tally }: Recovering,
  kind: RecoveredKind,
  money: Money,
  { step }: { readonly step: Step }
): void => {
  tally.add(kind, money)
  if (step.payment.after.review !== null) tally.add("reviewed", money)
}

/** Files the key of an id. `paymentId`: the payment that has it, or would; `undefined` where it was on file. */
export const fileKey = Effect.fnUntraced(function* (
  { tenant }: Recovering,
  kind: RecoveredKey["kind"],
  id: string | null,
  paymentId: string | undefined
) {
  const tag = id === null ? undefined : keyTagOf(id)
  if (tag === undefined || paymentId === undefined) return
  yield* (yield* RecordLosses).fileKey(tenant, { tag, kind, paymentId })
})

/**
 * Writes what a plan says, decided again where another writer came first; a dry run only decides. The key is filed before:
 * a process that dies in between leaves one that is not answered yet, and never one that is sent again.
 */
export const writePlan = <S, P extends ChargePlan | RefundPlan | DisputePlan, R, R2>(
  { isDryRun }: Recovering,
  read: Effect.Effect<S, StorageError, R>,
  plan: (stored: S, now: number, reused: ReusedReference | undefined) => P,
  file: (stored: S, planned: P) => Effect.Effect<void, StorageError, R2>
) =>
  isDryRun
    ? Effect.flatMap(read, (stored) => Effect.map(Clock.currentTimeMillis, (now) => plan(stored, now, undefined)))
    : decideAndCommit<S, P, StorageError, StorageError, R2, R, P>({
        read: () => read,
        decide: (stored, now, reused) => {
          const planned = plan(stored, now, reused)
          return Effect.as(
            file(stored, planned),
            "step" in planned ? write<P>(planned.step, planned) : done<P>(planned)
          )
        },
        // Where it was written, the record is found.
        afterUnknown: () => false,
        storageErrors: "retry"
      }).pipe(Effect.mapError(asStorageError("recovering a record")))

/** The list may be older than the record: a lookup decides. Whether it was answered; a dry run does not ask. */
export const decideByLookup = Effect.fnUntraced(function* <R>(
  recovering: Recovering,
  book: PaymentBook,
  money: Money,
  ask: (askedAt: number) => Effect.Effect<Parameters<typeof recordLookup>[1] | undefined, StorageError, R>
) {
  if (recovering.isDryRun) {
    recovering.tally.add("changed", money)
    return false
  }
  const found = yield* ask(yield* Clock.currentTimeMillis)
  if (found === undefined) {
    recovering.unanswered += 1
    return false
  }
  const after = yield* recordLookup(book, found)
  if (after.payment.version === book.payment.version) return true
  recovering.tally.add("changed", money)
  if (book.payment.review === null && after.payment.review !== null) recovering.tally.add("reviewed", money)
  return true
})
