/**
 * Commits that wait are written together: those of one shape that share no payment and no key, as one statement. The
 * processor time of a commit falls to a fraction, and one wait for the disk serves all of them.
 *
 * The rule that a reader would otherwise break: nobody hears of a neighbour's trouble. Where a statement for many is
 * taken back, because of one bad row or because another server came between, each of its changes is written alone.
 */
import type { Change, CommitFailure } from "@pointsman/core/ports"
import { Deferred, Effect, Result } from "effect"
import { beginsWork, refusal, statements } from "./CommitOne.ts"
import { statementForMany } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { type DrawnChange, nameOf } from "./DrawnChange.ts"

/** More would make each of them wait for all the others' rows. */
const maxChanges = 64
/** While these are under way the next ones gather. */
const maxStatements = 2

interface Waiting {
  readonly drawn: DrawnChange
  readonly shape: string
  /** What no two changes under way have in common. */
  readonly keys: ReadonlyArray<string>
  isTaken: boolean
  readonly taken: Deferred.Deferred<void>
  readonly end: Deferred.Deferred<void, CommitFailure>
}

type WriteOne = (drawn: DrawnChange) => Effect.Effect<void, CommitFailure>

export const commitMany = Effect.fnUntraced(function* (
  db: Database,
  writeOne: WriteOne,
  fewest: number,
  history?: string
) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const write = makeWriteBatch(db, writeOne, fewest, history)
  let waiting: Array<Waiting> = []
  const busy = new Set<string>()
  let underWay = 0
  let isScheduled = false

  /** The oldest that may go, and all that may go with it. */
  const take = (): ReadonlyArray<Waiting> => {
    const taken: Array<Waiting> = []
    const left: Array<Waiting> = []
    for (const one of waiting) {
      const mayGo =
        taken.length < maxChanges &&
        (taken[0] === undefined || taken[0].shape === one.shape) &&
        !one.keys.some((key) => busy.has(key))
      if (!mayGo) {
        left.push(one)
        continue
      }
      taken.push(one)
      for (const key of one.keys) busy.add(key)
    }
    waiting = left
    return taken
  }

  const dispatch = () => {
    isScheduled = false
    while (underWay < maxStatements) {
      const batch = take()
      if (batch.length === 0) return
      underWay++
      for (const one of batch) {
        one.isTaken = true
        Deferred.doneUnsafe(one.taken, Effect.void)
      }
      fork(write(batch)).addObserver(() => {
        underWay--
        for (const { keys } of batch) for (const key of keys) busy.delete(key)
        schedule()
      })
    }
  }

  // Other commits of this turn of the event loop join the batch.
  const schedule = () => {
    if (isScheduled || waiting.length === 0 || underWay >= maxStatements) return
    isScheduled = true
    setImmediate(dispatch)
  }

  return (drawn: DrawnChange): Effect.Effect<void, CommitFailure> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const one: Waiting = {
          drawn,
          shape: nameOf(drawn.shape),
          keys: keysOf(drawn.change),
          isTaken: false,
          taken: Deferred.makeUnsafe(),
          end: Deferred.makeUnsafe()
        }
        waiting.push(one)
        schedule()
        return restore(Deferred.await(one.taken)).pipe(
          Effect.onInterrupt(() => {
            // Statements in flight complete, even if no caller waits for them.
            if (one.isTaken) return Effect.ignore(Deferred.await(one.end))
            waiting = waiting.filter((other) => other !== one)
            return Effect.void
          }),
          Effect.andThen(Deferred.await(one.end))
        )
      })
    )
})

/**
 * Writes a batch with one statement. A batch of fewer than `fewest` changes, and one whose statement is taken back, is
 * written change by change.
 */
const makeWriteBatch = (db: Database, writeOne: WriteOne, fewest: number, history?: string) => {
  const statementOf = statements(statementForMany(history))
  const alone = ({ drawn, end }: Waiting) => Deferred.into(writeOne(drawn), end)

  return (batch: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const [first] = batch
    if (first === undefined) return Effect.void
    const each = (end: (one: Waiting, index: number) => Effect.Effect<unknown>) =>
      Effect.forEach(batch, end, { concurrency: "unbounded", discard: true })
    if (batch.length < fewest) return each(alone)
    const { bind, sql } = statementOf(first.drawn.shape)
    const params = Result.try(() => bind(batch.map(({ drawn }) => drawn)))
    // Nothing was sent: the one that cannot be bound dies by itself.
    if (Result.isFailure(params)) return each(alone)
    const isClaim = batch.every(({ drawn }) => beginsWork(drawn))
    return db.write("commit", sql, params.success, isClaim).pipe(
      Effect.flatMap((rows) => {
        const told = new Map(rows.map((row) => [row["n"], row]))
        return each((one, index) => {
          const row = told.get(index + 1)
          if (row === undefined) return alone(one)
          if (row["word"] !== "Sound") return Deferred.into(refusal(db, one.drawn, row), one.end)
          return row["written"] === true ? Deferred.succeed(one.end, undefined) : alone(one)
        })
      }),
      Effect.catchTag("Refused", () => each(alone)),
      Effect.catchCause((cause) => each(({ end }) => Deferred.failCause(end, cause)))
    )
  }
}

const keysOf = ({ claim, message, payment, tenant }: Change): ReadonlyArray<string> => {
  const of = `${tenant.environment} ${tenant.workspaceId}`
  return [
    `payment ${of} ${payment.after.id}`,
    ...(claim === undefined ? [] : [`claim ${of} ${claim.after.key}`]),
    ...(message === undefined ? [] : [`message ${of} ${message.after.connectionId} ${message.after.eventId}`])
  ]
}
