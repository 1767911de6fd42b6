/**
 * How an environment does today, as the page and the API show it. Everything is counted from a bounded number of rows, and
 * read once in some seconds in a process, however many operators look: reading it must not take what payments need.
 */
import { type Payment, Pointsman, statesOf, type Tenant } from "@pointsman/core"
import { awaitsResponse, idsFrom } from "@pointsman/core/internal"
import { StaleReads, withStaleReads } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Cache, Clock, Effect, Exit, Layer, Option } from "effect"
import { internalError } from "../api/Errors.ts"
import { timeOrNull } from "../api/Records.ts"
import * as Connections from "../connections/ConnectionDesk.ts"
import { areas } from "../frame/Navigation.ts"
import { isAllowed } from "../gate/Access.ts"
import { CurrentOperator, callerOf, type TenantPath } from "../gate/Caller.ts"
import * as Reconciliation from "../reconciliation/ReconciliationDesk.ts"
import { countedAtMost, type Day, daysBefore, paymentsAtMost, paymentsOfDay } from "./DayApi.ts"
import { DayReads, type Read } from "./DayReads.ts"
import { agesOf, dayMillis, deadlinesOf, declinesOf, hoursOf, outcomesOf, summed, volumeOf } from "./TodayCounts.ts"

const { timeView } = InProcess

/** Another request may be answered between two reads of so many. */
const paymentsOfRead = 100

/** The newest payments since a moment. */
const paymentsSince = Effect.fnUntraced(function* (tenant: Tenant, from: number) {
  const { payments } = yield* Pointsman
  const found: Array<Payment> = []
  let before: string | undefined
  for (let read = 0; read < paymentsAtMost / paymentsOfRead; read++) {
    const { hasMore, items } = yield* payments(tenant, { before, limit: paymentsOfRead })
    found.push(...items.filter(({ createdAt }) => createdAt >= from))
    const last = items.at(-1)
    if (!hasMore || last === undefined || last.createdAt < from) return { found, isCut: false }
    before = last.id
  }
  return { found, isCut: true }
})

const todayOf = (payments: ReadonlyArray<Payment>, from: number, isCut: boolean): Day["today"] => ({
  payments: payments.length,
  since: timeView(isCut ? (payments.at(-1)?.createdAt ?? from) : from),
  is_cut: isCut,
  volume: volumeOf(payments),
  hours: hoursOf(payments, from),
  declines: declinesOf(payments)
})

/** The days before, oldest first: of each, the last payments before this time of the day. */
const daysUntil = Effect.fnUntraced(function* (tenant: Tenant, now: number) {
  const { payments } = yield* Pointsman
  const ends = Array.from({ length: daysBefore }, (_, at) => now - (daysBefore - at) * dayMillis)
  return yield* Effect.forEach(ends, (until) =>
    Effect.map(payments(tenant, { before: idsFrom(until), limit: paymentsOfDay }), ({ items }) => ({
      until: timeView(until),
      ...outcomesOf(items.filter(({ createdAt }) => createdAt >= until - dayMillis))
    }))
  )
})

const unknownOf = Effect.fnUntraced(function* (tenant: Tenant, now: number) {
  const { payments } = yield* Pointsman
  const { hasMore, items } = yield* payments(tenant, { states: statesOf("UNKNOWN"), limit: countedAtMost })
  return agesOf(
    items.map(({ createdAt }) => createdAt),
    now,
    hasMore
  )
})

const reviewsOf = Effect.fnUntraced(function* (tenant: Tenant, now: number) {
  const { reviews } = yield* Pointsman
  const { hasMore, items } = yield* reviews({ tenant, limit: countedAtMost })
  const times = items.map(({ createdAt, review }) => review?.since ?? createdAt)
  return agesOf(times, now, hasMore)
})

const disputesOf = Effect.fnUntraced(function* (tenant: Tenant, now: number) {
  const { disputes } = yield* Pointsman
  const pages = yield* Effect.forEach(["needs_response", "warning"] as const, (status) =>
    disputes(tenant, { status, limit: countedAtMost })
  )
  const open = pages.flatMap(({ items }) => items.filter(awaitsResponse))
  return deadlinesOf(
    open.map(({ evidenceDueBy }) => evidenceDueBy),
    now,
    pages.some(({ hasMore }) => hasMore)
  )
})

const agreementOf = Effect.fnUntraced(function* (path: TenantPath) {
  const { contradicted, kinds, oldestAt, reports } = yield* Reconciliation.agreement(path)
  return {
    differences: kinds.map(({ count, result }) => ({ result, count })),
    contradicted,
    oldest: timeOrNull(oldestAt),
    reports: reports.map(({ connection, newest }) => ({
      connection_id: connection.id,
      name: connection.name,
      newest: Option.match(newest, {
        onNone: () => null,
        onSome: ({ fileName, id, period, state }) => ({
          ...{ id, file_name: fileName, state },
          rows_until: timeOrNull(period?.until ?? null)
        })
      })
    }))
  } satisfies Day["agreement"]
})

/** What of it takes more than reading payments. */
const parts = ["reviews", "connections", "reconciliation"] as const
type Part = (typeof parts)[number]

const read = Effect.fnUntraced(function* ({ path, shown }: Asked) {
  const { tenant } = yield* callerOf(path)
  const now = yield* Clock.currentTimeMillis
  const from = now - (now % dayMillis)
  const ofPart = <A, E, R>(part: Part, effect: Effect.Effect<A, E, R>) =>
    shown.includes(part) ? effect : Effect.succeed(null)
  const { found, isCut } = yield* paymentsSince(tenant, from)
  const days = yield* daysUntil(tenant, now)
  return {
    from: timeView(from),
    counted: timeView(now),
    today: todayOf(found, from, isCut),
    approval: { today: outcomesOf(found), before: summed(days), days },
    unknown: yield* unknownOf(tenant, now),
    reviews: yield* ofPart("reviews", reviewsOf(tenant, now)),
    disputes: yield* disputesOf(tenant, now),
    connections: yield* ofPart(
      "connections",
      Effect.map(Connections.connections(path), (all) => all.filter(({ active }) => active))
    ),
    agreement: yield* ofPart("reconciliation", agreementOf(path))
  } satisfies Day
})

interface Asked {
  readonly path: TenantPath
  readonly shown: ReadonlyArray<Part>
}

/** Environments whose day is kept, each for up to three roles. */
const daysKept = 500
const keptFor = "10 seconds"

export const layer = Layer.effect(
  DayReads,
  Cache.makeWith(
    (key: string) => {
      const asked: Asked = JSON.parse(key)
      return withStaleReads((reads) => Effect.map(read(asked), (day): Read => ({ day, asOf: reads.asOf }))).pipe(
        Effect.catchTag("pointsman/StorageError", internalError)
      )
    },
    {
      capacity: daysKept,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : 0),
      requireServicesAt: "lookup"
    }
  )
)

/** As far as the operator's role shows it. */
export const day = Effect.fnUntraced(function* (path: TenantPath) {
  yield* callerOf(path)
  const { operator } = yield* CurrentOperator
  const shown = parts.filter((part) => isAllowed(operator, areas[part].access, path.workspace))
  const { workspace, environment } = path
  const asked: Asked = { path: { workspace, environment }, shown }
  const { asOf, day } = yield* Cache.get(yield* DayReads, JSON.stringify(asked))
  const reads = yield* StaleReads
  if (reads !== undefined && asOf !== null) reads.asOf = asOf
  return day
})
