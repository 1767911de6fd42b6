/**
 * Where many commits are under way, those that wait are written together: those of one shape that share no payment and no
 * key, as one statement. The processor time of a commit falls to a fraction, and one wait for the disk serves all of them.
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
export const maxStatements = 2
/**
 * While fewer changes are under way, each is sent at once, by its own statement: PostgreSQL flushes those that end together
 * with one write, and to wait for others would cost more than it saves.
 */
export const mostAlone = 4

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

export interface GatherOptions {
  /** From how many changes on they are written by one statement: 2 unless set. For tests. */
  readonly fewestTogether?: number | undefined
  /** `mostAlone` unless set. For tests. */
  readonly mostAlone?: number | undefined
}

interface ManyOptions extends GatherOptions {
  /** What versions of the database's present history begin after, in SQL; without it all have one history. */
  readonly history?: string | undefined
}

/** Changes that wait for their statement, and what is under way. */
const makeLine = () => {
  let waiting: Array<Waiting> = []
  const busy = new Set<string>()
  let underWay = 0
  const isFree = (keys: ReadonlyArray<string>) => !keys.some((key) => busy.has(key))
  const begin = (keys: ReadonlyArray<string>) => {
    underWay++
    for (const key of keys) busy.add(key)
  }

  return {
    /** No two of one payment or key are under way at once, and nobody overtakes those that wait. */
    mayGoAlone: (keys: ReadonlyArray<string>, atMost: number) =>
      waiting.length === 0 && underWay < atMost && isFree(keys),
    begin,
    end: (keys: ReadonlyArray<string>) => {
      underWay--
      for (const key of keys) busy.delete(key)
    },
    isEmpty: () => waiting.length === 0,
    join: (one: Waiting) => {
      waiting.push(one)
    },
    leave: (one: Waiting) => {
      waiting = waiting.filter((other) => other !== one)
    },
    /** The oldest that may go, and all that may go with it. */
    take: (): ReadonlyArray<Waiting> => {
      const taken: Array<Waiting> = []
      const left: Array<Waiting> = []
      for (const one of waiting) {
        const isOfShape = taken[0] === undefined || taken[0].shape === one.shape
        if (taken.length < maxChanges && isOfShape && isFree(one.keys)) {
          taken.push(one)
          begin(one.keys)
        } else left.push(one)
      }
      waiting = left
      return taken
    }
  }
}

export const commitMany = Effect.fnUntraced(function* (db: Database, writeOne: WriteOne, options: ManyOptions) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const write = makeWriteBatch(db, writeOne, options)
  const atMost = options.mostAlone ?? mostAlone
  const line = makeLine()
  let statementsUnderWay = 0
  let isScheduled = false

  const dispatch = () => {
    isScheduled = false
    while (statementsUnderWay < maxStatements) {
      const batch = line.take()
      if (batch.length === 0) return
      statementsUnderWay++
      for (const one of batch) {
        one.isTaken = true
        Deferred.doneUnsafe(one.taken, Effect.void)
      }
      fork(write(batch)).addObserver(() => {
        statementsUnderWay--
        for (const { keys } of batch) line.end(keys)
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

  const gather = (
    { drawn, keys }: Pick<Waiting, "drawn" | "keys">,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ): Effect.Effect<void, CommitFailure> => {
    const shape = nameOf(drawn.shape)
    const one: Waiting = {
      drawn,
      shape,
      keys,
      isTaken: false,
      taken: Deferred.makeUnsafe(),
      end: Deferred.makeUnsafe()
    }
    line.join(one)
    schedule()
    return restore(Deferred.await(one.taken)).pipe(
      // Statements in flight complete, even if no caller waits for them.
      Effect.onInterrupt(() =>
        one.isTaken ? Effect.ignore(Deferred.await(one.end)) : Effect.sync(() => line.leave(one))
      ),
      Effect.andThen(Deferred.await(one.end))
    )
  }

  return (drawn: DrawnChange): Effect.Effect<void, CommitFailure> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const keys = keysOf(drawn.change)
        if (!line.mayGoAlone(keys, atMost)) return gather({ drawn, keys }, restore)
        line.begin(keys)
        const leave = Effect.sync(() => {
          line.end(keys)
          schedule()
        })
        return Effect.ensuring(restore(writeOne(drawn)), leave)
      })
    )
})

/**
 * Writes a batch with one statement. A batch of fewer than `fewestTogether` changes, and one whose statement is taken back, is
 * written change by change.
 */
const makeWriteBatch = (db: Database, writeOne: WriteOne, { fewestTogether = 2, history }: ManyOptions) => {
  const statementOf = statements(statementForMany(history))
  const alone = ({ drawn, end }: Waiting) => Deferred.into(writeOne(drawn), end)

  return (batch: ReadonlyArray<Waiting>): Effect.Effect<void> => {
    const [first] = batch
    if (first === undefined) return Effect.void
    const each = (end: (one: Waiting, index: number) => Effect.Effect<unknown>) =>
      Effect.forEach(batch, end, { concurrency: "unbounded", discard: true })
    if (batch.length < fewestTogether) return each(alone)
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
