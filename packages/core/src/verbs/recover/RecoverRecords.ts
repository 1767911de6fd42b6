/**
 * Recovers records that the store lost (decision 31): asks the provider of each connection for the charges, refunds and
 * disputes since then, and adopts those that are not on file.
 *
 * It may die at any point and be run again, also beside a server: every write is guarded by the version. It asks providers
 * to list and to look up, and for nothing else.
 */
import { Clock, Effect, Option } from "effect"
import { Accounts } from "../../call/Accounts.ts"
import { unnamedRefundId } from "../../call/CallIds.ts"
import { OpenConnections } from "../../call/CallProvider.ts"
import { chargeList, disputeList, type ListEnd, type ListWindow, refundList, walkList } from "../../call/Lists.ts"
import {
  aboutCharge,
  aboutRefund,
  canReadDisputes,
  lookUpCharge,
  lookUpRefund,
  proveCharge
} from "../../call/LookUp.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import { isAboutBook } from "../../decide/interpret/Interpret.ts"
import { otherAccount } from "../../decide/interpret/OtherAccount.ts"
import { wasNeverSent } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import type { ChargeState } from "../../model/ProviderStatement.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ids } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import type { ListedCharge, ListedDispute, ListedPage, ListedRefund } from "../../ports/ProviderLists.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { findCharge, findDisputed, findRefunded } from "./FindRecord.ts"
import { keepListed, type ListedEntry } from "./KeepListed.ts"
import { type ChargeOnFile, type ChargePlan, clockSkewMillis, planCharge } from "./PlanCharge.ts"
import { type DisputePlan, type ListedFrom, planDispute } from "./PlanDispute.ts"
import { planRefund, type RefundPlan } from "./PlanRefund.ts"
import { recoverMessages } from "./RecoverMessages.ts"
import { type ConnectionRecovery, makeTally, unaskedFacts } from "./RecoveryReport.ts"
import { decideByLookup, fileKey, noteAdopted, type Recovering, writePlan } from "./WriteRecovered.ts"

/** Entries of one page at once: each is a few reads and a commit, and commits share a write. */
const atOnce = 8

/** The charges, refunds and disputes that a connection's provider created from `since` on (epoch milliseconds). */
export const recoverConnection = Effect.fnUntraced(function* (
  connection: Connection,
  order: { readonly since: number; readonly isDryRun: boolean },
  otherTenants: ReadonlyArray<Tenant>
) {
  const { isDryRun, since } = order
  const { environment, id: connectionId, workspaceId } = connection
  const tenant = { workspaceId, environment }
  const tally = makeTally()
  const recovering: Recovering = {
    tenant,
    connectionId,
    timeoutMillis: (yield* OpenConnections).timeoutMillis(connection),
    connection,
    isDryRun,
    tally,
    unasked: new Set(["payouts"]),
    wouldBe: new Map(),
    otherTenants,
    unanswered: 0
  }
  const window: ListWindow = {
    from: since - clockSkewMillis,
    before: (yield* Clock.currentTimeMillis) + clockSkewMillis
  }
  const end = yield* walkCharges(recovering, window)
  // A message may have come to another connection than that of its charge: a list that is complete has its own charges.
  const adopt = (charge: ListedCharge) => (end._tag === "NoList" ? recoverCharge(recovering, charge) : Effect.void)
  const unapplied = yield* recoverMessages(connection, tenant, order, adopt)
  if (end._tag === "Complete" && !isDryRun) yield* recoverAuthorized(recovering, since)
  // Last: where charges are not listed, messages bring back the payments that are disputed.
  const disputed = end._tag === "Failed" ? end : yield* walkDisputes(recovering, window)
  const { counts, of } = tally
  return {
    tenant,
    connectionId,
    end: endOf(disputed._tag === "Failed" ? disputed : end, recovering.unanswered, unapplied),
    unasked: unaskedFacts.filter((fact) => recovering.unasked.has(fact)),
    ...counts,
    payments: of("payments"),
    refunds: of("refunds"),
    disputes: of("disputes"),
    changed: of("changed"),
    reviewed: of("reviewed")
  } satisfies ConnectionRecovery
})

/** `unapplied`: messages that the store failed to read or to apply. */
const endOf = (end: ListEnd, unanswered: number, unapplied: number): ListEnd => {
  if (unanswered > 0) {
    return { _tag: "Failed", reason: `${unanswered} lookups of charges or refunds that changed were not answered` }
  }
  return unapplied === 0 || end._tag !== "Complete"
    ? end
    : { _tag: "Failed", reason: `${unapplied} kept messages could not be applied` }
}

const inOtherAccount: ListEnd = {
  _tag: "Failed",
  reason: "the credentials open another account than before, which has none of the lost records"
}

/** All charges first: a refund needs the payment of its charge. */
const walkCharges = Effect.fnUntraced(function* (recovering: Recovering, window: ListWindow) {
  const { connection } = recovering
  const accounts = yield* Accounts
  yield* accounts.verify(connection)
  if (otherAccount(undefined, connection, accounts.current(connection)) !== undefined) return inOtherAccount
  const charges = yield* walkList(connection, chargeList, window, (page) =>
    takePage(recovering, "charge", page, (charge) => recoverCharge(recovering, charge))
  )
  if (charges._tag === "NoList") recovering.unasked.add("charges").add("refunds")
  if (charges._tag !== "Complete") return charges
  const refunds = yield* walkList(connection, refundList, window, (page) =>
    takePage(recovering, "refund", page, (refund) => recoverRefund(recovering, refund))
  )
  if (refunds._tag === "NoList") recovering.unasked.add("refunds")
  return refunds
})

const walkDisputes = Effect.fnUntraced(function* (recovering: Recovering, window: ListWindow) {
  const { connection, connectionId, tenant } = recovering
  // The list says what was so no earlier than this.
  const askedAt = yield* Clock.currentTimeMillis
  const from: ListedFrom = { askedAt, isLookedUp: yield* canReadDisputes(tenant, connectionId) }
  const end = yield* walkList(connection, disputeList, window, (page) =>
    takePage(recovering, "dispute", page, (dispute) => recoverDispute(recovering, dispute, from))
  )
  if (end._tag === "NoList") recovering.unasked.add("disputes")
  return end
})

const takePage = Effect.fnUntraced(function* <Item, R>(
  recovering: Recovering,
  kind: ListedEntry["kind"],
  { items, unreadable }: ListedPage<Item>,
  take: (item: Item) => Effect.Effect<void, StorageError, R>
) {
  recovering.tally.counts.listed += items.length + unreadable.length
  yield* Effect.forEach(items, take, { concurrency: atOnce, discard: true })
  for (const { reason, reference } of unreadable) {
    yield* keep(recovering, { kind, reference, reason, content: { reference, reason } })
  }
})

const keep = Effect.fnUntraced(function* (recovering: Recovering, entry: ListedEntry) {
  recovering.tally.counts.kept += 1
  if (!recovering.isDryRun) yield* keepListed(recovering, entry)
})

const recoverCharge = Effect.fnUntraced(function* (recovering: Recovering, charge: ListedCharge) {
  const { attemptId, money, state } = charge
  // Of a dry run: the list had it, and a message says it again.
  if (recovering.wouldBe.has(state.providerRef ?? "")) return
  const read = findCharge(recovering, recovering.otherTenants, charge)
  const plan = yield* writePlan(
    recovering,
    read,
    (onFile, now, reused): ChargePlan => {
      if (onFile === undefined) return { _tag: "Known" }
      return reused === undefined
        ? planCharge(recovering, charge, onFile, now)
        : { _tag: "Keep", reason: "provider_reference: another payment has it" }
    },
    (onFile, plan) => fileKey(recovering, "charge", attemptId, lostPaymentId(charge, onFile, plan))
  )
  switch (plan._tag) {
    case "Adopt":
      if (state.providerRef !== null && recovering.isDryRun) recovering.wouldBe.set(state.providerRef, plan.book)
      return noteAdopted(recovering, "payments", money, plan)
    case "Keep": {
      const content = { attempt_id: attemptId, ...money, state: state._tag, provider_reference: state.providerRef }
      return yield* keep(recovering, { kind: "charge", reference: attemptId, reason: plan.reason, content })
    }
    case "LookUp": {
      const { attempt, book } = plan
      return yield* decideByLookup(recovering, book, money, (askedAt) =>
        Effect.map(
          lookUpCharge(book.payment, attempt),
          (found) => found && { ...aboutCharge(attempt, withListedAmount(found, state)), askedAt }
        )
      )
    }
  }
})

/** The payment that has a lost charge, or would have it; `undefined` where the charge is on file, as one that was sent. */
const lostPaymentId = ({ attemptId }: ListedCharge, onFile: ChargeOnFile | undefined, plan: ChargePlan) => {
  if ("step" in plan) return plan.step.payment.after.id
  const isUnsent = onFile?.own?.attempts.some((one) => one.id === attemptId && wasNeverSent(one)) === true
  if (isUnsent) return onFile.own?.payment.id
  return plan._tag === "Keep" ? onFile?.paymentId : undefined
}

/** A lookup may leave out the captured amount that the list states: without it, all that was authorized would count. */
const withListedAmount = (found: FoundCharge, listed: ChargeState): FoundCharge => {
  if (found._tag !== "Found" || found.state._tag !== "Captured" || listed._tag !== "Captured") return found
  const { state } = found
  return state.stated === undefined && listed.stated !== undefined && state.providerRef === listed.providerRef
    ? { ...found, state: { ...state, stated: listed.stated } }
    : found
}

type FoundCharge = Parameters<typeof aboutCharge>[1]

const recoverRefund = Effect.fnUntraced(function* (recovering: Recovering, listed: ListedRefund) {
  const planned = recovering.wouldBe.get(listed.providerRef)
  const read = planned === undefined ? findRefunded(recovering, listed) : Effect.succeed(planned)
  const byHandId = yield* unnamedRefundId(recovering.tenant, recovering.connectionId, listed.state.providerRefundId)
  const planNow = (isLookedUp: boolean) =>
    writePlan(
      recovering,
      read,
      (book, now) => planRefund(recovering, listed, book, now, { byHandId, isLookedUp }),
      (_, plan) =>
        fileKey(recovering, "refund", listed.refundId, "step" in plan ? plan.step.payment.after.id : undefined)
    )
  const first = yield* planNow(false)
  if (first._tag !== "LookUpCharge") return yield* endRefund(recovering, listed, first)
  const { attempt, book } = first
  const isAnswered = yield* decideByLookup(recovering, book, book.payment.money, (askedAt) =>
    Effect.map(lookUpCharge(book.payment, attempt), (found) => found && { ...aboutCharge(attempt, found), askedAt })
  )
  // A recovery that was not answered is run again.
  if (isAnswered) yield* endRefund(recovering, listed, yield* planNow(true))
})

const endRefund = Effect.fnUntraced(function* (recovering: Recovering, listed: ListedRefund, plan: RefundPlan) {
  const { money, providerRef, refundId, state } = listed
  switch (plan._tag) {
    case "Adopt":
    case "Review":
      if (recovering.isDryRun && recovering.wouldBe.has(providerRef)) recovering.wouldBe.set(providerRef, plan.book)
      if (plan._tag === "Review") return recovering.tally.add("reviewed", money)
      return noteAdopted(recovering, "refunds", money, plan)
    case "Keep": {
      const content = { refund_id: refundId, ...money, state: state._tag, provider_reference: providerRef }
      return yield* keep(recovering, {
        kind: "refund",
        reference: state.providerRefundId,
        reason: plan.reason,
        content
      })
    }
    case "LookUp": {
      const { book, refund } = plan
      return yield* decideByLookup(recovering, book, money, (askedAt) =>
        Effect.map(
          lookUpRefund(book.payment, refund, holdingAttempt(book)),
          (found) => found && { ...aboutRefund(refund, found), askedAt }
        )
      )
    }
  }
})

const recoverDispute = Effect.fnUntraced(function* (recovering: Recovering, listed: ListedDispute, from: ListedFrom) {
  const { charge, disputeId, money, verdict } = listed
  const about = { _tag: "Dispute", ...listed } as const
  const planned = [...recovering.wouldBe.values()].find((book) => isAboutBook(book, recovering.connectionId, about))
  const newId = yield* (yield* Ids).dispute
  const read =
    planned === undefined
      ? findDisputed(recovering, recovering.otherTenants, listed)
      : Effect.succeed({ book: planned, others: [], disputes: [] })
  const planNow = (found: Effect.Success<typeof read>, now: number): DisputePlan =>
    found === "Others" ? { _tag: "Known" } : planDispute(recovering, listed, found, from, newId, now)
  const plan = yield* writePlan(recovering, read, planNow, () => Effect.void)
  if (plan._tag === "Adopt") {
    return noteAdopted(recovering, plan.isNew ? "disputes" : "changed", money ?? plan.book.payment.money, plan)
  }
  if (plan._tag === "Known") return
  const content = { dispute_id: disputeId, charge, verdict, money: money ?? null }
  yield* keep(recovering, { kind: "dispute", reference: disputeId, reason: plan.reason, content })
})

/** Authorizations read at once. */
const authorizedAtOnce = 100

/** A lost capture or void of an older charge is in no list: the provider is asked about each authorized charge. */
const recoverAuthorized = Effect.fnUntraced(function* (recovering: Recovering, since: number) {
  const { connectionId, tenant } = recovering
  const ledger = yield* Ledger
  let before: string | undefined
  do {
    const page: ReadonlyArray<Payment> = yield* ledger.payments(tenant, {
      states: ["Authorized"],
      connectionId,
      createdBefore: since + clockSkewMillis,
      before,
      limit: authorizedAtOnce
    })
    yield* Effect.forEach(page, (payment) => lookUpAuthorized(recovering, payment), {
      concurrency: atOnce,
      discard: true
    })
    before = page.length < authorizedAtOnce ? undefined : page.at(-1)?.id
  } while (before !== undefined)
})

const lookUpAuthorized = Effect.fnUntraced(function* (recovering: Recovering, { id, tenant }: Payment) {
  const book = Option.getOrUndefined(yield* (yield* Ledger).book(tenant, id))
  const attempt = book && holdingAttempt(book)
  if (book === undefined || attempt === undefined) return
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* proveCharge(book.payment, attempt)
  if (found === "Unsupported" || (found?._tag === "Found" && found.state._tag === "Authorized")) return
  // A pending charge that is authorized here may be being captured.
  const isOpen = found?._tag === "Found" && found.state._tag === "Pending"
  const answer = found === undefined || isOpen ? undefined : { ...aboutCharge(attempt, found), askedAt }
  yield* decideByLookup(recovering, book, book.payment.money, () => Effect.succeed(answer))
})
