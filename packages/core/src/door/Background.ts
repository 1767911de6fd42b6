/** Work that runs without requests. */
import { Effect } from "effect"
import { Accounts } from "../call/Accounts.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { keepLearning } from "../routing/run/LearnedRates.ts"
import { checkDue, keepChecking } from "../verbs/check/CheckDue.ts"
import { type ProofCounts, proveClosed } from "../verbs/check/ProveClosed.ts"
import { deliverWebhooks } from "../verbs/deliver/DeliverWebhooks.ts"
import { keepCheckingDisputes } from "../verbs/dispute/CheckDisputes.ts"
import { forgetKeys } from "../verbs/forget/ForgetKeys.ts"
import { keepFetching } from "../verbs/reconcile/FetchDue.ts"
import { type Sweep, type SweepOrder, sweepInTurn, sweepStore } from "../verbs/retain/SweepStore.ts"
import { type DoorContext, intents } from "./DoorContext.ts"

export interface BackgroundMethods {
  /**
   * Checks payments that are due: unknown results, requests whose process died, expired pages; and the disputes that are,
   * for reminders and submissions without an answer. A batch of payments at a time; gives how many there were.
   */
  readonly checkDue: Effect.Effect<number, StorageError>
  /** As `checkDue`, over and over; `everyMillis` between two looks at what is due. `Pointsman.background` runs it. */
  readonly keepChecking: (everyMillis: number) => Effect.Effect<never>
  /** Checks due disputes every `everyMillis`, and at most every 10 seconds. `Pointsman.background` runs it. */
  readonly keepCheckingDisputes: (everyMillis: number) => Effect.Effect<never>
  /**
   * Sends the webhooks that are due, as soon as a commit of this process makes one due, and looks for those of others
   * every `everyMillis`. It needs a `WebhookSender`, and rests without one. `Pointsman.background` runs it. What is
   * being sent when it is interrupted is sent again by the next process that runs it.
   */
  readonly keepDelivering: (everyMillis: number) => Effect.Effect<never>
  /**
   * Exchanges the success rates that `auto` routes by with the store, every `everyMillis` and once more when it is
   * interrupted. `Pointsman.background` runs it every 5 seconds; without it a process routes by what it learned itself.
   */
  readonly keepLearning: (everyMillis: number) => Effect.Effect<never>
  /** Asks whose account each connection's credentials open, where that is not known yet, and records it. */
  readonly askAccounts: Effect.Effect<void, StorageError>
  /** As `askAccounts`, over and over: also after each change of credentials. `Pointsman.background` runs it. */
  readonly keepAskingAccounts: (everyMillis: number) => Effect.Effect<never>
  /** Deletes the idempotency keys whose time is over; gives how many. `Pointsman.background` does it every hour. */
  readonly forgetKeys: Effect.Effect<number, StorageError>
  /**
   * Compares closed payments with their providers' records: the hour's lookups of each connection, once for all processes on
   * the store. Gives how many there were, by their result. `Pointsman.background` does it every hour.
   */
  readonly proveClosed: Effect.Effect<ProofCounts, StorageError>
  /**
   * Fetches the reports of the connections that say how often (`reports`), over and over; `everyMillis` between two looks at what
   * is due. Of all processes on the store, one does it. `Pointsman.background` runs it.
   */
  readonly keepFetching: (everyMillis: number) => Effect.Effect<never>
  /** Removes, or counts, what is not kept any longer. It may be interrupted, repeated, and run beside servers. */
  readonly sweepStore: (order: SweepOrder) => Effect.Effect<Sweep, StorageError>
  /** As `sweepStore`, unless another process does so or did in the last hour. `Pointsman.background` runs it every hour. */
  readonly sweepInTurn: Effect.Effect<void, StorageError>
}

export const backgroundMethods = (context: DoorContext): BackgroundMethods => ({
  checkDue: Effect.provideContext(checkDue(), context),
  keepChecking: (everyMillis) => Effect.provideContext(Effect.scoped(keepChecking(everyMillis)), context),
  keepCheckingDisputes: (everyMillis) => Effect.provideContext(keepCheckingDisputes(everyMillis), context),
  keepDelivering: (everyMillis) => Effect.provideContext(Effect.scoped(deliverWebhooks(everyMillis)), context),
  keepLearning: (everyMillis) => Effect.provideContext(keepLearning(everyMillis), context),
  askAccounts: Effect.provideContext(askAccounts, context),
  keepAskingAccounts: (everyMillis) => Effect.provideContext(Effect.scoped(keepAskingAccounts(everyMillis)), context),
  forgetKeys: Effect.provideContext(forgetKeys(), context),
  proveClosed: Effect.provideContext(proveClosed, context),
  keepFetching: (everyMillis) => Effect.provideContext(Effect.scoped(keepFetching(everyMillis)), context),
  sweepStore: (order) => {
    const act = Effect.provideContext(sweepStore(order), context)
    const { isDryRun, workspaceId } = order
    return isDryRun
      ? act
      : Effect.andThen(intents(context)("retention.sweeping", workspaceId ?? "all workspaces", {}), act)
  },
  sweepInTurn: Effect.provideContext(sweepInTurn, context)
})

const askAccounts = Effect.flatMap(Accounts, ({ ask }) => ask)

/** A provider that hangs does not block the next round: an account that is being asked is not asked twice. */
const keepAskingAccounts = Effect.fnUntraced(function* (everyMillis: number) {
  const scope = yield* Effect.scope
  const ask = Effect.catchCause(askAccounts, (cause) => Effect.logError("the connections could not be read", cause))
  return yield* Effect.forever(Effect.andThen(Effect.forkIn(ask, scope), Effect.sleep(everyMillis)))
})
