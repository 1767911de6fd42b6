/** Notices that acknowledged commits are gone: a lagging standby was promoted, or a backup was restored. */
import type { RecordLosses, StorageError } from "@pointsman/core/ports"
import { type Acknowledged, type AcknowledgedCommit, missingSince } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindText } from "./Rows.ts"

/** Which of these commits are missing, by their places in the list. */
const selectMissing = `select n::int from jsonb_to_recordset($1::text::jsonb) as c (n int, w text, e text, p text, v bigint)
  where not exists (
    select 1 from payments where workspace_id = c.w and environment = c.e and id = c.p and version >= c.v
  )`

const bind = (commits: ReadonlyArray<AcknowledgedCommit>): string =>
  JSON.stringify(
    commits.map(({ environment, paymentId, version, workspaceId }, n) => ({
      n,
      w: bindText(workspaceId),
      e: environment,
      p: bindText(paymentId),
      v: version
    }))
  )

const reason = "the database lacks payments that it had acknowledged: it was replaced by an earlier state of itself"

/** What the database said of a list of commits, by their places in it. */
interface Compared {
  readonly missing: ReadonlyArray<number>
  /** Those of nodes that do not answer: nothing is known of them. */
  readonly unanswered: ReadonlyArray<number>
}

export interface Comparison {
  /** Whether each workspace is on one of several nodes, which lose records each by itself. */
  readonly isOfNodes: boolean
  readonly compare: (commits: ReadonlyArray<AcknowledgedCommit>) => Effect.Effect<Compared, StorageError>
}

export const comparisonIn = (db: Database): Comparison => ({
  isOfNodes: false,
  compare: (commits) =>
    Effect.map(db.read("lostRecords", selectMissing, [bind(commits)], true), (rows) => ({
      missing: rows.map((row) => Number(row["n"])),
      unanswered: []
    }))
})

/** To be run with each reading of the database's condition. */
export const watchLosses = (
  { compare, isOfNodes }: Comparison,
  acknowledged: Acknowledged,
  losses: RecordLosses,
  now: () => number
) => {
  return Effect.gen(function* () {
    const known = yield* losses.known
    // Another server noticed it, or an operator ended it.
    if (known !== null && acknowledged.all().some(({ at }) => at >= known.since && at < known.declaredAt)) {
      acknowledged.forgetBefore(known.declaredAt)
    }
    const newest = acknowledged.newest()
    if (newest.length === 0) return
    const { missing, unanswered } = yield* compare(newest)
    if (missing.length === 0) {
      const open = new Set(unanswered)
      return acknowledged.compared(newest.filter((_, place) => !open.has(place)))
    }
    const all = acknowledged.all()
    const since = missingSince(all, new Set((yield* compare(all)).missing), isOfNodes)
    const loss = yield* losses.declare({ since, reason, declaredAt: now() })
    acknowledged.forgetBefore(loss.declaredAt + 1)
    yield* Effect.logError(
      `${reason}. Records since ${new Date(loss.since).toISOString()} may be missing: nothing is sent to connections ` +
        "before they are recovered (pointsman recover)"
    )
  })
}
