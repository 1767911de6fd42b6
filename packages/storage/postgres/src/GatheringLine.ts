/**
 * Changes that wait for a statement that writes several. They wait as for a connection of the pool, and no longer: a claim
 * for a second, from when it came until it is sent. One that is given up while it waits is never sent. From when it is
 * taken, its end is that of its statement, or unknown where its caller may wait no longer.
 */
import { type CommitFailure, CommitUnknown, limitOf, StorageAllowance } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import { charging, noConnection, waitLimit } from "./Connections.ts"
import type { Database } from "./Database.ts"
import { beginsWork, type DrawnChange, nameOf } from "./DrawnChange.ts"
import { noAnswerCause } from "./SqlFailures.ts"

/** More would make each of them wait for all the others' rows. */
const maxChanges = 64
/** Of changes that no client waits for, such as those of a report: a statement takes a millisecond besides its changes. */
const maxUnawaited = 128
/**
 * While clients wait, every fourth statement begins with a change that none waits for, and while results wait with claims:
 * either may come without end, and the others would be given up before they are sent.
 */
const othersEvery = 4
/** Taken before any statement was measured, and at least: a slow disk takes as long for one change as for eight. */
const firstChanges = 8
/** A statement that takes longer keeps claims waiting that a second later are refused. */
const statementMillis = 200

export interface Waiting {
  readonly drawn: DrawnChange
  /** When it came, by `performance.now()`. */
  readonly since: number
  readonly shape: string
  /** Whether a client waits for it. */
  readonly isAwaited: boolean
  /** Whether it begins work that may be refused: a claim. */
  readonly isClaim: boolean
  /** What no two changes under way have in common. */
  readonly keys: ReadonlyArray<string>
  /** It is about to be sent: from now on its end may be unknown. */
  readonly take: () => void
  /** The first call counts. */
  readonly end: (exit: Exit.Exit<void, CommitFailure>) => void
}

/** `onJoin`: called for each that waits. */
export const makeGatheringLine = (
  { answerMillis }: Pick<Database, "answerMillis">,
  onJoin: () => void,
  firstTogether: number = firstChanges
) => {
  const waiting: Lines = { results: new Set(), claims: new Set(), others: new Set() }
  const busy = new Set<string>()
  let underWay = 0
  let atMost = firstTogether
  /** Statements that began with an awaited change while others waited. */
  let preferred = 0
  /** Statements that began with a result while claims waited. */
  let resultsFirst = 0
  const awaited = () => waiting.results.size + waiting.claims.size
  const isEmpty = () => awaited() + waiting.others.size === 0
  const isFree = (keys: ReadonlyArray<string>) => !keys.some((key) => busy.has(key))
  const begin = (keys: ReadonlyArray<string>) => {
    underWay++
    for (const key of keys) busy.add(key)
  }
  const end = (keys: ReadonlyArray<string>) => {
    underWay--
    for (const key of keys) busy.delete(key)
  }

  return {
    /** No two of one payment or key are under way at once, and no later one overtakes those that wait. */
    mayGoAlone: (keys: ReadonlyArray<string>, most: number) => isEmpty() && underWay < most && isFree(keys),
    begin,
    end,
    join: (drawn: DrawnChange, keys: ReadonlyArray<string>) => wait(waiting, answerMillis, onJoin, drawn, keys),
    isEmpty,
    /** For how long an awaited one has waited, in milliseconds. New requests are not refused because of the others. */
    longestWaitMillis: () => {
      const now = performance.now()
      const [result] = waiting.results
      const [claim] = waiting.claims
      return now - Math.min(result?.since ?? now, claim?.since ?? now)
    },
    /** The first that may go, and those that may go with it. */
    take: (): ReadonlyArray<Waiting> => {
      const taken: Array<Waiting> = []
      const isContested = awaited() > 0 && waiting.others.size > 0
      let most = atMost
      const fill = (from: Iterable<Waiting>, upTo = Number.POSITIVE_INFINITY) => {
        for (const one of from) {
          if (one.isAwaited) most = Math.min(most, maxChanges)
          if (taken.length >= Math.min(most, upTo)) break
          if ((taken[0] !== undefined && taken[0].shape !== one.shape) || !isFree(one.keys)) continue
          lineOf(waiting, one).delete(one)
          taken.push(one)
          begin(one.keys)
          one.take()
        }
      }
      if (isContested && preferred >= othersEvery - 1) fill(waiting.others, 1)
      const isBoth = waiting.results.size > 0 && waiting.claims.size > 0
      if (isBoth && resultsFirst >= othersEvery - 1) fill(waiting.claims)
      fill(waiting.results)
      fill(waiting.claims)
      fill(waiting.others)
      // A turn of the others leaves the claims their own.
      if (!isBoth || taken[0]?.isClaim === true) resultsFirst = 0
      else if (taken[0]?.isAwaited === true) resultsFirst++
      preferred = isContested && taken[0]?.isAwaited === true ? preferred + 1 : 0
      return taken
    },
    /** After a slow statement the next ones take as many changes as fit, and after a fast one that was full twice as many. */
    release: (batch: ReadonlyArray<Waiting>, tookMillis: number) => {
      for (const { keys } of batch) end(keys)
      if (tookMillis > statementMillis) {
        atMost = Math.max(firstTogether, Math.min(atMost, Math.floor((batch.length * statementMillis) / tookMillis)))
      } else if (batch.length === atMost && tookMillis < statementMillis / 2)
        atMost = Math.min(maxUnawaited, atMost * 2)
    }
  }
}

/** Oldest first, and in this order: a claim may be refused, but a payment that a provider answered needs its result. */
interface Lines {
  readonly results: Set<Waiting>
  readonly claims: Set<Waiting>
  /** No client waits for them. */
  readonly others: Set<Waiting>
}

const lineOf = (lines: Lines, { isAwaited, isClaim }: Waiting): Set<Waiting> => {
  if (!isAwaited) return lines.others
  return isClaim ? lines.claims : lines.results
}

const wait = (
  waiting: Lines,
  answerMillis: number,
  onJoin: () => void,
  drawn: DrawnChange,
  keys: ReadonlyArray<string>
): Effect.Effect<void, CommitFailure> =>
  Effect.withFiber((caller) =>
    Effect.callback((resume) => {
      const allowance = caller.getRef(StorageAllowance)
      const charge = charging(allowance)
      const isClaim = beginsWork(drawn)
      const limit = waitLimit(allowance, isClaim)
      let isTaken = false
      let isEnded = false
      let onEnd = (exit: Exit.Exit<void, CommitFailure>) => {
        charge()
        resume(exit)
      }
      const one: Waiting = {
        drawn,
        since: performance.now(),
        shape: nameOf(drawn.shape),
        isAwaited: allowance !== undefined,
        isClaim,
        keys,
        take: () => {
          isTaken = true
          const millis = limitOf(allowance, answerMillis)
          const unknown = () => Exit.fail(new CommitUnknown({ operation: "commit", cause: noAnswerCause(millis) }))
          clearTimeout(timer)
          timer = setTimeout(() => one.end(unknown()), millis)
        },
        end: (exit) => {
          clearTimeout(timer)
          if (isEnded) return
          isEnded = true
          onEnd(exit)
        }
      }
      const line = lineOf(waiting, one)
      let timer = setTimeout(() => {
        line.delete(one)
        one.end(Exit.fail(noConnection("commit", limit, isClaim)))
      }, limit)
      line.add(one)
      onJoin()
      return Effect.suspend(() => {
        // A statement under way completes, even without a caller. It may have ended while this was interrupted.
        if (isTaken) {
          return Effect.callback<void>((done) => {
            onEnd = () => done(Effect.void)
            if (isEnded) done(Effect.void)
          })
        }
        line.delete(one)
        clearTimeout(timer)
        return Effect.void
      })
    })
  )
