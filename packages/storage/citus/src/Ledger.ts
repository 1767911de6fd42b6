/** Payments over many nodes: what is about one workspace is asked of its node, and the rest of each node. */
import type { DueCount, DuePayment, DueQuery, Ledger, MessageQuery, TenantMessage } from "@pointsman/core/ports"
import * as Postgres from "@pointsman/storage-postgres/internal"
import { messageWalk, type Row, roomOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import {
  allWorkspaces,
  at,
  byWorkspace,
  firstOf,
  leastOf,
  numberOf,
  type Order,
  ofTenant,
  someWorkspaces,
  sumOf,
  total,
  workspaceOfRow
} from "./ByWorkspace.ts"
import type { NodeReads } from "./NodeReads.ts"

type Service = Ledger["Service"]

/** `plain`: of one database, over the sharded one. */
export const ledgerOver = (plain: Service, db: Postgres.Database, nodes: NodeReads): Service => {
  const own = byWorkspace(plain)
  return {
    ...own,
    commit: (change) => {
      const { after, expected } = change.payment
      if (expected > 0 || after.hosted === null) return own.commit(change)
      // The index of a shard knows the pages of its own workspaces.
      return Effect.flatMap(at("some")(plain.paymentOfPage(after.hosted.tokenHash)), (found) =>
        Option.isNone(found) || found.value.id === after.id
          ? own.commit(change)
          : Effect.die(new Error("Ledger.commit: another payment has the token of this page"))
      )
    },
    messages: (query) => messages(own, nodes, query),
    // A node that is down does not keep a page from its visitor that another one has.
    paymentOfPage: (tokenHash) =>
      Effect.filterOrElse(at("some")(plain.paymentOfPage(tokenHash)), Option.isSome, () =>
        at("all")(plain.paymentOfPage(tokenHash))
      ),
    // What is due at a node that is down waits for it.
    dueDisputes: (query) =>
      Effect.map(
        at("some")(plain.dueDisputes(query)),
        firstOf(query.limit, ({ checkAt, disputeId }) => [checkAt, Postgres.bindText(disputeId)])
      ),
    takeDue: (query) => takeDue(db, nodes, query),
    dueByConnection: (query) => Effect.map(at("some")(plain.dueByConnection(query)), countsOf(query.limit)),
    watched: (limit) =>
      Effect.map(nodes.some("watched", Postgres.selectWatched, [limit]), (found) => ({
        payments: Math.min(limit, sumOf(found, "payments")),
        withRefunds: Math.min(limit, sumOf(found, "with_refunds")),
        firstAt: leastOf(found, "first_at")
      })),
    reviews: (query) =>
      query.tenant !== undefined
        ? own.reviews(query)
        : Effect.map(
            at("all")(plain.reviews(query)),
            firstOf(query.limit, ({ id, money, review }) =>
              query.byAmount === undefined ? [review?.since ?? 0, id] : [money.currency, -money.minorUnits, id]
            )
          ),
    oldClaims: (query) =>
      Effect.map(
        at("some")(plain.oldClaims(query)),
        firstOf(query.limit, ({ claim, tenant }) => [
          claim.claimedAt,
          Number(Postgres.tenantNumber(tenant)),
          Postgres.keyHash(claim.key)
        ])
      ),
    forgetClaims: (claims) => Effect.map(allWorkspaces(claims, ofTenant, plain.forgetClaims), total)
  }
}

const newestMessages: Order<TenantMessage> = ({ connectionId, eventId, receivedAt }) => [
  receivedAt,
  Postgres.bindText(connectionId),
  Postgres.bindText(eventId)
]

/** Tenants with messages that a search may find. */
const selectSearched = ({ outcome }: MessageQuery): string => `select distinct workspace_id, environment from messages
  where received_at >= $1::bigint and received_at >= 0 ${outcome === undefined ? "" : "and outcome = $2"}
    and ${messageWalk({ outcome })[1] ?? "true"}`

const messages = (own: Service, nodes: NodeReads, query: MessageQuery): ReturnType<Service["messages"]> => {
  const merged = firstOf(query.limit, newestMessages, true)
  if (query.tenant !== undefined) return own.messages(query)
  if (query.namesAttemptFrom === undefined) return Effect.map(at("all")(own.messages(query)), merged)
  // What is searched for is applied, and searched for again: a node that is down does not hold up the others.
  const { namesAttemptFrom, outcome } = query
  const params = [namesAttemptFrom, ...(outcome === undefined ? [] : [outcome])]
  return Effect.flatMap(nodes.some("messages", selectSearched(query), params), (found) =>
    Effect.map(
      someWorkspaces(found, workspaceOfRow, (tenants) =>
        Effect.map(
          Effect.forEach(tenants, (row) => own.messages({ ...query, tenant: Postgres.rows.readTenant(row) })),
          (pages) => pages.flat()
        )
      ),
      (pages) => merged(pages.flat())
    )
  )
}

/** Of several groups of shards, each has its own. */
const countsOf =
  (limit: number) =>
  (found: ReadonlyArray<DueCount>): ReadonlyArray<DueCount> =>
    [...Map.groupBy(found, ({ connectionId }) => connectionId)].map(([connectionId, of]) => ({
      connectionId,
      payments: Math.min(limit, total(of.map(({ payments }) => payments)))
    }))

/** Each connection its turn, those that have waited longest first. */
const takeDue = Effect.fnUntraced(function* (db: Postgres.Database, nodes: NodeReads, query: DueQuery) {
  const { leaseMillis, limit, now } = query
  const found = yield* nodes.some("takeDue", Postgres.waitingConnections, [now])
  const ordered = firstOf(found.length, (row: Row) => [numberOf(row, "first"), row["id"] as string])(found)
  const waiting = [...new Set(ordered.map(({ id }) => id))].map(Postgres.readConnection)
  const rooms = roomOf(waiting, query)
  if (rooms.length === 0) return []
  const wanted = rooms.map(Postgres.wantedOf)
  const chosen = chosenOf(
    yield* nodes.some("takeDue", Postgres.selectDue, [JSON.stringify(wanted), now]),
    wanted,
    limit
  )
  // At its node, the first ones of a connection are those that were chosen, unless another server took them.
  const taken = yield* someWorkspaces(chosen, workspaceOfRow, (some) => {
    const own = [...Map.groupBy(some, (row) => row["connection"] as string)].map(([id, of]) => ({
      id,
      room: of.length,
      under_way: 0
    }))
    const params = [JSON.stringify(own), now, now + leaseMillis, some.length]
    return Effect.map(db.update("takeDue", Postgres.takeChecks, params), (found) => found.map(Postgres.readDue))
  })
  const place = new Map(chosen.map((row, index) => [row["payment"], index]))
  return firstOf(limit, ({ paymentId }: DuePayment) => [place.get(paymentId) ?? chosen.length])(taken.flat())
})

const chosenOf = (
  found: ReadonlyArray<Row>,
  wanted: ReadonlyArray<ReturnType<typeof Postgres.wantedOf>>,
  limit: number
) => {
  const byConnection = Map.groupBy(found, (row) => row["connection"] as string)
  const placed = wanted.flatMap(({ id, room, under_way }) =>
    firstOf(room, (row: Row) => [numberOf(row, "at")])(byConnection.get(id) ?? []).map((row, index) => ({
      row,
      place: under_way + index
    }))
  )
  return firstOf(limit, ({ place, row }: (typeof placed)[number]) => [place, numberOf(row, "at")])(placed).map(
    ({ row }) => row
  )
}
