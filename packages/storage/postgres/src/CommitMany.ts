/**
 * Where many commits are under way, those that wait are written together: those of one shape that share no payment and no
 * key, as one statement (docs/decisions/0019). Where a statement for many is taken back, because of one bad row or because
 * another server came between, each of its changes is written alone.
 */
import type { Change, CommitFailure } from "@pointsman/core/ports"
import { Effect, Exit, Result } from "effect"
import { makeStatements } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { beginsWork, type DrawnChange, isWritable, keyOf } from "./DrawnChange.ts"
import { makeGatheringLine, type Waiting } from "./GatheringLine.ts"

/** While these are under way the next ones gather. */
export const maxStatements = 2
/** While fewer changes are under way, each is sent at once, by its own statement: to wait would cost more than it saves. */
export const mostAlone = 4

type WriteOne = (drawn: DrawnChange, since?: number) => Effect.Effect<void, CommitFailure>
type ManyOptions = GatherOptions & { readonly history?: string | undefined }

export interface GatherOptions {
  /** From how many changes on they are written by one statement: 2 unless set. For tests. */
  readonly fewestTogether?: number | undefined
  /** `mostAlone` unless set; fewer where the pool has no connections for them beside the gathered ones. For tests. */
  readonly mostAlone?: number | undefined
  /** How many changes the first statement takes at most: see `GatheringLine.ts`. For tests. */
  readonly firstTogether?: number | undefined
}

export const commitMany = Effect.fnUntraced(function* (db: Database, writeOne: WriteOne, options: ManyOptions) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const write = makeWriteBatch(db, writeOne, options)
  const atMost = Math.min(options.mostAlone ?? mostAlone, db.connections - maxStatements)
  let statementsUnderWay = 0
  let isScheduled = false

  const dispatch = () => {
    isScheduled = false
    while (statementsUnderWay < maxStatements) {
      const batch = line.take()
      if (batch.length === 0) return
      statementsUnderWay++
      const began = performance.now()
      fork(write(batch)).addObserver(() => {
        statementsUnderWay--
        line.release(batch, performance.now() - began)
        schedule()
      })
    }
  }

  // Other commits of this turn of the event loop join the batch.
  const schedule = () => {
    if (isScheduled || line.isEmpty() || statementsUnderWay >= maxStatements) return
    isScheduled = true
    setImmediate(dispatch)
  }

  const line = makeGatheringLine(db, schedule, options.firstTogether)
  db.addQueue(line.longestWaitMillis)

  return (drawn: DrawnChange): Effect.Effect<void, CommitFailure> =>
    Effect.suspend(() => {
      const keys = keysOf(drawn.change)
      let isAlone = false
      // The end is set up before the beginning: an interruption between them would keep the payment from all later commits.
      return Effect.ensuring(
        Effect.suspend(() => {
          if (!line.mayGoAlone(keys, atMost)) return line.join(drawn, keys)
          isAlone = true
          line.begin(keys)
          return writeOne(drawn)
        }),
        Effect.sync(() => {
          if (!isAlone) return
          line.end(keys)
          schedule()
        })
      )
    })
})

/** One of fewer than `fewestTogether` changes, and one whose statement is taken back, is written change by change. */
const makeWriteBatch = (db: Database, writeOne: WriteOne, { fewestTogether = 2, history }: ManyOptions) => {
  const statementOf = makeStatements(true, history)
  const alone = (one: Waiting) => Effect.map(Effect.exit(writeOne(one.drawn, one.since)), one.end)

  return (gathered: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const batch = gathered.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    const [first] = batch
    if (first === undefined) return Effect.void
    const each = (end: (one: Waiting) => Effect.Effect<unknown>, of = batch) =>
      Effect.forEach(of, end, { concurrency: "unbounded", discard: true })
    if (batch.length < fewestTogether || !batch.every(({ drawn }) => isWritable(drawn))) return each(alone)
    const { bind, sql } = statementOf(first.drawn.shape)
    const params = Result.try(() => bind(batch.map(({ drawn }) => drawn)))
    // Nothing was sent: the one that cannot be bound dies by itself.
    if (Result.isFailure(params)) return each(alone)
    const isClaim = batch.every(({ drawn }) => beginsWork(drawn))
    return db.write("commit", sql, params.success, isClaim, first.since).pipe(
      Effect.flatMap(([row]) => {
        const written = new Set(row?.["written"] as ReadonlyArray<number> | undefined)
        // Most are written, and need no fiber of their own.
        for (const place of written) batch[place - 1]?.end(Exit.void)
        return each(
          alone,
          batch.filter((_, index) => !written.has(index + 1))
        )
      }),
      Effect.catchTag("Refused", () => each(alone)),
      Effect.catchCause((cause) => each(({ end }) => Effect.sync(() => end(Exit.failCause(cause)))))
    )
  }
}

/** So that no two statements wait for each other: by keys, as inserts lock them, then by ids. */
const orderOf = ({ drawn }: Waiting): string => `${keyOf(drawn) ?? ""} ${drawn.change.payment.after.id}`

const keysOf = ({ claim, message, payment, tenant }: Change): ReadonlyArray<string> => {
  const of = `${tenant.environment} ${tenant.workspaceId}`
  return [
    `payment ${of} ${payment.after.id}`,
    ...(claim === undefined ? [] : [`claim ${of} ${claim.after.key}`]),
    ...(message === undefined ? [] : [`message ${of} ${message.after.connectionId} ${message.after.eventId}`])
  ]
}
