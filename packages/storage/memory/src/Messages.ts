/** Providers' messages in a map: how one is stored before it is applied, and the two ways in which it is decided. */
import { isSameReference } from "@pointsman/core/internal"
import {
  type Ledger,
  type MessageDecision,
  type MessageNote,
  type MessageQuery,
  MessageTaken,
  Stale,
  type StoredMessage,
  type TenantMessage
} from "@pointsman/core/ports"
import { Effect, Option, Result, type Semaphore } from "effect"
import { byText, copy, forTenant, ofTenant, type State, type TenantState, tenantKey } from "./State.ts"

export const messageMethods = (
  state: State,
  turn: Semaphore.Semaphore
): Pick<Ledger["Service"], "storeMessage" | "keepMessage" | "message" | "messages"> => ({
  storeMessage: (tenant, message) =>
    turn.withPermit(
      Effect.sync(() => {
        const { messages } = forTenant(state, tenant)
        const earlier = messages.get(messageKey(message))
        if (earlier === undefined) messages.set(messageKey(message), copy(message))
        return Option.map(Option.fromUndefinedOr(earlier), (stored) => copy(noteOf(stored)))
      })
    ),
  keepMessage: (tenant, message, seen) =>
    turn.withPermit(
      Effect.gen(function* () {
        const { messages, payments } = forTenant(state, tenant)
        const undecided = checkMessage(messages, message)
        if (Result.isFailure(undecided) && undecided.failure._tag === "pointsman/MessageTaken") {
          return yield* undecided.failure
        }
        if (seen !== null && payments.get(seen.paymentId)?.version !== seen.version) return yield* new Stale()
        yield* Effect.fromResult(undecided)
        decide(messages, copy(message))
      })
    ),
  message: (tenant, connectionId, eventId) =>
    Effect.sync(() =>
      Option.map(
        Option.fromUndefinedOr(ofTenant(state, tenant).messages.get(messageKey({ connectionId, eventId }))),
        copy
      )
    ),
  messages: (query) =>
    Effect.sync(() =>
      [...state.tenants.values()]
        .flatMap(({ attempts, messages, tenant }) =>
          [...messages.values()]
            .filter((one) => query.namesAttemptFrom === undefined || namesAttempt(attempts, one))
            .map((one) => ({ ...noteOf(one), tenant }))
        )
        .filter((one) => isListed(one, query))
        .sort((a, b) => byArrival(b, a))
        .slice(0, query.limit)
        .map(copy)
    )
})

/** No two messages share one: JSON shows where the one id ends and the other begins. */
const messageKey = ({ connectionId, eventId }: Pick<StoredMessage, "connectionId" | "eventId">): string =>
  JSON.stringify([connectionId, eventId])

const noteOf = ({ body: _, isSealed: __, ...note }: StoredMessage): MessageNote => note

/** Fails where the message is not as the decision expects it. */
export const checkMessage = (
  messages: TenantState["messages"],
  { after, expected }: MessageDecision
): Result.Result<void, Stale | MessageTaken> => {
  const stored = messages.get(messageKey(after))
  if (stored === undefined) return Result.fail(new Stale())
  return stored.outcome === expected ? Result.void : Result.fail(new MessageTaken())
}

export const decide = (messages: TenantState["messages"], { after }: MessageDecision): void => {
  const stored = messages.get(messageKey(after))
  if (stored !== undefined) messages.set(messageKey(after), { ...stored, ...after, receivedAt: stored.receivedAt })
}

const byArrival = (a: Arrival, b: Arrival): number =>
  a.receivedAt - b.receivedAt || byText(a.connectionId, b.connectionId) || byText(a.eventId, b.eventId)

type Arrival = Pick<MessageNote, "receivedAt" | "connectionId" | "eventId">

const namesAttempt = (
  attempts: TenantState["attempts"],
  { connectionId, subjectId: providerRef }: MessageNote
): boolean => [...attempts.values()].flat().some((one) => isSameReference(one, { connectionId, providerRef }))

const isListed = (
  one: TenantMessage,
  { before, connectionId, namesAttemptFrom = 0, outcome, paymentId, tenant }: MessageQuery
): boolean =>
  one.receivedAt >= namesAttemptFrom &&
  (before === undefined || byArrival(one, before) < 0) &&
  (connectionId === undefined || one.connectionId === connectionId) &&
  (outcome === undefined || one.outcome === outcome) &&
  (paymentId === undefined || one.paymentId === paymentId) &&
  (tenant === undefined || tenantKey(one.tenant) === tenantKey(tenant))
