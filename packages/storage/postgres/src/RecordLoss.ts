/**
 * Losses of records: acknowledged commits are gone where a lagging standby was promoted, or a backup was restored. What is
 * known in this process is read with the database's condition.
 */
import type { Tenant } from "@pointsman/core"
import type { RecordLoss, RecordLosses, StorageError } from "@pointsman/core/ports"
import {
  type Acknowledged,
  type AcknowledgedCommit,
  comparedMillis,
  makeRecordLosses,
  missingSince,
  type Row,
  readNewestLoss,
  type Sql,
  selectNewestLoss
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindId, rows, tenantNumber, type Value } from "./Rows.ts"

/** The newest loss as JSON, once for each of its connections; null for none. */
export const newestLossColumn = `(select json_agg(n) from (${selectNewestLoss}) as n) as record_loss`

const readNewest = ({ record_loss: found }: Row) =>
  readNewestLoss(rows.readBoolean)((found ?? []) as ReadonlyArray<Row>)

export type KeptLosses = ReturnType<typeof make>

export const make = (db: Database, sql: Sql<Value>) => {
  let known: RecordLoss | null = null
  let declarations = 0
  /** Reads the newest loss among other things. What was read before a declaration of this process says nothing of it. */
  const learning = (operation: string, select: string): Effect.Effect<Row, StorageError> =>
    Effect.suspend(() => {
      const begun = declarations
      return Effect.map(db.read(operation, select, [], true), ([row = {}]) => {
        if (declarations === begun) known = readNewest(row)
        return row
      })
    })
  const newest = Effect.map(learning("recordLoss", `select ${newestLossColumn}`), readNewest)
  const declared = (loss: RecordLoss) =>
    Effect.sync(() => {
      declarations++
      known = loss
    })
  const losses = makeRecordLosses(
    sql,
    Effect.sync(() => known),
    (loss) => (loss === undefined ? Effect.ignore(newest) : declared(loss))
  )
  return { losses: { ...losses, newest }, learning }
}

/** Which of these commits are missing, by their places in the list. */
const selectMissing = `select n::int from jsonb_to_recordset($1::text::jsonb) as c (n int, t bigint, p uuid, v bigint)
  where not exists (select 1 from payments where payments.t = c.t and id = c.p and version >= c.v)`

const bind = (commits: ReadonlyArray<AcknowledgedCommit>): string =>
  JSON.stringify(
    commits.map(({ environment, paymentId, version, workspaceId }, n) => ({
      n,
      t: tenantNumber({ workspaceId, environment } as Tenant),
      p: bindId(paymentId),
      v: version
    }))
  )

const reason = "the database lacks payments that it had acknowledged: it was replaced by an earlier state of itself"

/** What the database said of a list of commits, by their places in it. `unanswered`: those of which nothing is known. */
interface Compared {
  readonly missing: ReadonlyArray<number>
  readonly unanswered: ReadonlyArray<number>
}

export interface Comparison {
  /** Whether workspaces lose records each by itself. */
  readonly isOfEach: boolean
  readonly compare: (commits: ReadonlyArray<AcknowledgedCommit>) => Effect.Effect<Compared, StorageError>
}

export const comparisonIn = (db: Database): Comparison => ({
  isOfEach: false,
  compare: (commits) =>
    Effect.map(db.read("lostRecords", selectMissing, [bind(commits)], true), (rows) => ({
      missing: rows.map((row) => Number(row["n"])),
      unanswered: []
    }))
})

/** To be run with each reading of the database's condition. */
export const watchLosses = (
  { compare, isOfEach }: Comparison,
  acknowledged: Acknowledged,
  losses: RecordLosses,
  now: () => number
) => {
  /** When the newest loss was declared that this process has taken note of, in epoch milliseconds. */
  let notedAt = Number.NEGATIVE_INFINITY

  /** What came before is covered by the loss, but not what nothing is known of. */
  const cover = (
    before: number,
    { all, unanswered }: Effect.Success<typeof compareAll>,
    missing: ReadonlySet<number> = new Set()
  ) => {
    const open = unanswered.filter((place) => !missing.has(place)).map((place) => all[place] as AcknowledgedCommit)
    acknowledged.forgetBefore(before, new Set(open))
  }
  const compareAll = Effect.suspend(() => {
    const all = acknowledged.all()
    return Effect.map(compare(all), (compared) => ({ ...compared, all }))
  })
  return Effect.gen(function* () {
    acknowledged.forgetBefore(now() - comparedMillis)
    const known = yield* losses.known
    // Another server noticed it, or an operator ended it.
    if (known !== null && known.declaredAt > notedAt) {
      if (acknowledged.all().some(({ at }) => at >= known.since && at < known.declaredAt)) {
        cover(known.declaredAt, yield* compareAll)
      }
      notedAt = known.declaredAt
    }
    const newest = acknowledged.newest()
    if (newest.length === 0) return
    const { missing, unanswered } = yield* compare(newest)
    if (missing.length === 0) {
      const open = new Set(unanswered)
      return acknowledged.compared(newest.filter((_, place) => !open.has(place)))
    }
    const found = new Set(missing.map((place) => newest[place]))
    const compared = yield* compareAll
    // Also what was missing before, of which nothing is known now.
    const lost = new Set([...compared.missing, ...compared.all.flatMap((one, n) => (found.has(one) ? [n] : []))])
    const since = missingSince(compared.all, lost, isOfEach)
    const loss = yield* losses.declare({ since, reason, declaredAt: now() })
    notedAt = loss.declaredAt
    cover(loss.declaredAt + 1, compared, lost)
    yield* Effect.logError(
      `${reason}. Records since ${new Date(loss.since).toISOString()} may be missing: nothing is sent to connections ` +
        "before they are recovered (pointsman recover)"
    )
  })
}
