/**
 * A loss of records that no server was there to notice, such as a backup that was restored while all were stopped: a
 * verified message about a charge of ours that is not stored declares it. A loss stops new payments, so that nothing
 * else may look like one. A charge that another system made at the same account has no id of ours. A message may be
 * faster than the commit that it is about. In the sandbox, several installations often share one test account. Anybody
 * can send a hint, so that what the provider states after one declares nothing.
 */
import { Clock, Effect, Option } from "effect"
import { startOfDay } from "../../call/CallIds.ts"
import type { MessageNote, TenantMessage } from "../../model/StoredMessage.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { type RecordLoss, RecordLosses } from "../../ports/RecordLoss.ts"
import { isHinted } from "./ReceiveHint.ts"

/** An attempt of ours that a message names. Epoch milliseconds. */
interface NamedAttempt {
  readonly attemptId: string
  /** It was sent at this time at the earliest, and at this time at the latest. */
  readonly from: number
  readonly until: number
}

/** `att_` with a drawn UUIDv7 or a derived UUIDv8, as this program makes them; each begins with a time. */
const ourAttempt = /^att_([0-9a-f]{8})-([0-9a-f]{4})-([78])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** Pure. `undefined` where the message does not name an attempt by an id of ours. */
const namedAttempt = ({ about, receivedAt, subjectId, writtenAt }: MessageNote): NamedAttempt | undefined => {
  const parts = about === "operation" || about === "refund" ? null : ourAttempt.exec(subjectId)
  if (parts === null) return undefined
  const time = Number.parseInt(`${parts[1]}${parts[2]}`, 16)
  // A derived id has the day of its payment.
  if (parts[3] === "8" && time !== startOfDay(time)) return undefined
  const until = parts[3] === "7" ? time : Math.min(writtenAt, receivedAt)
  return { attemptId: subjectId, from: time, until: Math.max(time, until) }
}

/** What is older was not lost lately: the database was begun anew, say. */
const lostAtMostMillis = 30 * 24 * 60 * 60_000
/** Records may have been written in another order than their times. */
const marginMillis = 60_000
/** How far back a loss reaches where there is no record before it. */
const unknownMillis = 24 * 60 * 60_000

/** Declares a loss where an unmatched message says so. It does not fail: the message is recorded, and checked again later. */
export const noticeLoss = (tenant: Tenant, note: MessageNote) =>
  Effect.catchCause(declareWhereLost(tenant, note), (cause) =>
    Effect.logError(`message ${note.eventId} of connection ${note.connectionId} could not be checked for a loss`, cause)
  )

const declareWhereLost = Effect.fnUntraced(function* (tenant: Tenant, note: MessageNote) {
  if (isHinted(note.eventId)) return
  const named = tenant.environment === "production" ? namedAttempt(note) : undefined
  if (named === undefined) return
  const { claimWindowMillis } = yield* PaymentSettings
  const now = yield* Clock.currentTimeMillis
  if (now - named.until < claimWindowMillis || now - named.from > lostAtMostMillis) return
  const losses = yield* RecordLosses
  if (isKnown(yield* losses.known, named) || (yield* isStored(tenant, note.connectionId, named.attemptId))) return
  if (isKnown(yield* losses.newest, named)) return
  const ledger = yield* Ledger
  const [last] = yield* ledger.events(tenant, { before: eventIdAt(named.from), limit: 1 })
  const { since } = yield* losses.declare({
    since: (last?.createdAt ?? named.from - unknownMillis) - marginMillis,
    reason: `a verified message of connection ${note.connectionId} names a charge that is not stored`,
    declaredAt: now
  })
  yield* Effect.logError(
    `message ${note.eventId} of connection ${note.connectionId} names ${named.attemptId}, which is not stored. Records ` +
      `since ${new Date(since).toISOString()} may be missing: nothing is sent to connections before they are recovered ` +
      "(pointsman recover)"
  )
})

/** A loss that has ended was dealt with: an operator may have accepted that this charge is missing. */
const isKnown = (loss: RecordLoss | null, { from, until }: NamedAttempt): boolean =>
  loss !== null && from <= loss.declaredAt && (loss.ended !== null || loss.since <= until)

/** For any tenant: several may use one account, and then each of them receives the messages of all. */
const isStored = Effect.fnUntraced(function* (tenant: Tenant, connectionId: string, attemptId: string) {
  const ledger = yield* Ledger
  const { connections } = yield* (yield* Directory).contents
  const connector = connections.find(({ id }) => id === connectionId)?.connector
  const others = connections.filter((connection) => connection.connector === connector)
  const tenants = new Map(
    [tenant, ...others].map(({ environment, workspaceId }) => [
      `${environment} ${workspaceId}`,
      { environment, workspaceId }
    ])
  )
  for (const one of tenants.values()) {
    if (Option.isSome(yield* ledger.bookOf(one, { attemptId }))) return true
  }
  return false
})

/** The first event id of a time; see `Ids.event`. */
const eventIdAt = (epochMillis: number): string => {
  const time = epochMillis.toString(16).padStart(12, "0")
  return `evt_${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** Messages read at once, and in one search. */
const batch = 100
const messagesAtMost = 1_000

/**
 * Looks again at the messages that were too early when they came: their charge may have been about to be stored. `after`:
 * up to when an earlier search looked, in epoch milliseconds; `null` for the first. Gives up to when this one did; after
 * a failure, the same is searched again.
 */
export const noticeLosses = Effect.fnUntraced(function* (after: number | null) {
  const ledger = yield* Ledger
  const { claimWindowMillis } = yield* PaymentSettings
  const until = (yield* Clock.currentTimeMillis) - claimWindowMillis
  const from = after ?? until - unknownMillis
  let before: Arrival = { receivedAt: until, connectionId: "", eventId: "" }
  for (let read = 0; read < messagesAtMost; read += batch) {
    const found: ReadonlyArray<TenantMessage> = yield* ledger.messages({ outcome: "unmatched", before, limit: batch })
    const recent = found.filter(({ receivedAt }) => receivedAt >= from)
    for (const note of recent) yield* declareWhereLost(note.tenant, note)
    const last = recent.at(-1)
    if (last === undefined || recent.length < batch) return until
    before = last
  }
  return until
})

type Arrival = Pick<MessageNote, "receivedAt" | "connectionId" | "eventId">
