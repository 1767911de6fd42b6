/** The other services over many nodes. */
import { createHash } from "node:crypto"
import type { Tenant } from "@pointsman/core"
import type * as Ports from "@pointsman/core/ports"
import * as Postgres from "@pointsman/storage-postgres/internal"
import { oneByOne, type Row, resumeOf, sealedPlaces } from "@pointsman/storage-sql"
import { Effect } from "effect"
import {
  allWorkspaces,
  at,
  byWorkspace,
  firstOf,
  leastOf,
  numberOf,
  ofTenant,
  someWorkspaces,
  total,
  workspaceOfRow
} from "./ByWorkspace.ts"
import { type NodeReads, withinLimit } from "./NodeReads.ts"
import { tablePlacements } from "./TablePlacement.ts"

export const deliveriesOver = (
  plain: Ports.Deliveries["Service"],
  db: Postgres.Database,
  nodes: NodeReads
): Ports.Deliveries["Service"] => ({
  ...byWorkspace(plain),
  takeDue: (query) => takeDue(db, nodes, query),
  firstDueAt: Effect.map(
    nodes.some("firstDueAt", `${Postgres.endpointsAndFirst} select min(first) as first_at from waiting`),
    (found) => leastOf(found, "first_at")
  ),
  record: (records) => Effect.asVoid(allWorkspaces(records, ({ after }) => ofTenant(after), plain.record))
})

/** Endpoints with something due, and how much of it may be sent now. */
const selectWaiting = `${Postgres.endpointsAndFirst}, endpoints_due as (
    select id, first, $2::integer - (
      select count(*)::integer from deliveries where endpoint_id = waiting.id and leased_until is not null and leased_until > $1
    ) as room from waiting where first <= $1
  ) select workspace_id, endpoints_due.id, first, (
      select count(*)::integer from (
        select 1 from deliveries where endpoint_id = endpoints_due.id and due_at is not null and due_at <= $1
        limit least(room, $3)
      ) as due_now
    ) as count
  from endpoints_due join webhook_endpoints on webhook_endpoints.id = endpoints_due.id where room > 0`

/** Each is a transaction of several statements, which keeps its connection from payments meanwhile. */
const takenAtOnce = 1

/** Endpoint by endpoint, those that wait longest first, and each with as much as is left for it. */
const takeDue = Effect.fnUntraced(function* (db: Postgres.Database, nodes: NodeReads, query: Ports.DueDeliveryQuery) {
  const { limit, limitPerEndpoint, now } = query
  const found = yield* nodes.some("takeDue", selectWaiting, [now, limitPerEndpoint, limit])
  const waiting = firstOf(found.length, (row: Row) => [numberOf(row, "first"), row["id"] as string])(found)
  let left = limit
  const chosen = waiting.flatMap((row) => {
    const count = Math.min(left, numberOf(row, "count"))
    left -= count
    return count === 0 ? [] : [{ row, count }]
  })
  const taken = yield* someWorkspaces(
    chosen,
    ({ row }) => workspaceOfRow(row),
    (some) => {
      const ids = some.map(({ row }) => row["id"] as string)
      return Postgres.takeFrom(db, ids, { ...query, limit: total(some.map(({ count }) => count)) })
    },
    takenAtOnce
  )
  const place = new Map(waiting.map((row, index) => [row["id"], index]))
  return firstOf(limit, ({ endpoint }: Ports.DueDelivery) => [place.get(Postgres.bindText(endpoint.id)) ?? 0])(
    taken.flat()
  )
})

export const retentionOver = (plain: Ports.Retention): Ports.Retention => {
  const own = byWorkspace(plain)
  return {
    ...own,
    remove: (payments) => Effect.map(allWorkspaces(payments, ofTenant, plain.remove), (removed) => removed.flat()),
    // A cluster has no partitions (`Distribute.ts`): all leave by these.
    pruneDeliveries: (query) => own.pruneDeliveries({ ...query, isLongest: false }),
    pruneBodies: (query) => own.pruneBodies({ ...query, isLongest: false }),
    upkeep: () => Effect.succeed({ bodies: 0, deliveries: 0 })
  }
}

export const settlementsOver = (plain: Ports.Settlements): Ports.Settlements => {
  const own = byWorkspace(plain)
  return {
    ...own,
    runs: (query) => (query.tenant === undefined ? at("all")(plain.runs(query)) : own.runs(query)),
    differences: (query) => (query.tenant === undefined ? at("all")(plain.differences(query)) : own.differences(query)),
    open: at("all")(plain.open)
  }
}

const selectOldRates = "select distinct workspace_id from success_rates where at < $1"

export const ratesOver = (plain: Ports.SuccessRates["Service"], nodes: NodeReads): Ports.SuccessRates["Service"] => ({
  changedSince: (time) => at("some")(plain.changedSince(time)),
  // Rates of a node that is down are not written. After a failure all of them would be written again and counted twice.
  write: (rates) => Effect.map(someWorkspaces(rates, ofTenant, plain.write), (refused) => refused.flat()),
  forgetBefore: (time) =>
    Effect.flatMap(nodes.some("forgetRates", selectOldRates, [time]), (old) =>
      Effect.map(
        someWorkspaces(old, workspaceOfRow, () => plain.forgetBefore(time)),
        total
      )
    )
})

const hashOf = (text: string): string => createHash("md5").update(Postgres.bindText(text)).digest("hex")

/** As the index of its table orders it: a message by the hash of its event, a payment by the number of its tenant. */
const orderOf = ({ key, kind }: Ports.SealedText): ReadonlyArray<string | number> => {
  const [workspaceId = "", environment = "", ...rest] = key
  if (kind === "checkout") return [Number(Postgres.tenantNumber({ workspaceId, environment } as Tenant)), ...rest]
  return key.map((part, index) =>
    sealedPlaces[kind].key[index] === "event_id" ? hashOf(part) : Postgres.bindText(part)
  )
}

export const sealedTextsOver = (plain: Ports.SealedTexts["Service"]): Ports.SealedTexts["Service"] => ({
  ...plain,
  list: (query) =>
    isOfWorkspace(query.kind)
      ? Effect.map(at("all")(plain.list(query)), firstOf(query.limit, orderOf))
      : plain.list(query),
  replace: (kind, replacements) =>
    isOfWorkspace(kind)
      ? Effect.map(
          allWorkspaces(
            replacements,
            ({ key: [workspaceId = ""] }) => workspaceId,
            (some) => plain.replace(kind, some)
          ),
          total
        )
      : plain.replace(kind, replacements)
})

const isOfWorkspace = (kind: Ports.SealedKind): boolean =>
  kind === "checkout" || tablePlacements[sealedPlaces[kind].table] === "workspace"

/** Which acknowledged commits their nodes lack. Of a node that does not answer nothing is said. */
export const comparisonOver = (db: Postgres.Database): Postgres.Comparison => {
  const plain = Postgres.comparisonIn(db)
  return {
    isOfEach: true,
    compare: (commits) => {
      const placed = commits.map((commit, n) => ({ commit, n }))
      const workspaceOf = ({ commit }: (typeof placed)[number]) => commit.workspaceId
      const compareOne = (some: Readonly<typeof placed>, workspace: string) =>
        Effect.map(withinLimit(plain.compare(some.map(({ commit }) => commit))), ({ missing }) => ({
          workspace,
          missing: missing.map((index) => some[index]?.n ?? -1)
        }))
      // Where no node answers, there is more to say of the database than this.
      const asked = Effect.orElseSucceed(someWorkspaces(placed, workspaceOf, compareOne), () => [])
      return Effect.map(asked, (found) => {
        const answered = new Set(found.map(({ workspace }) => workspace))
        return {
          missing: found.flatMap(({ missing }) => missing).toSorted((a, b) => a - b),
          unanswered: placed.filter((one) => !answered.has(workspaceOf(one))).map(({ n }) => n)
        }
      })
    }
  }
}

/** Endpoint by endpoint: Citus finds the shard by the workspace. */
export const resume = resumeOf({ rows: Postgres.rows, by: (table) => table, every: oneByOne<Postgres.Value>().every })
