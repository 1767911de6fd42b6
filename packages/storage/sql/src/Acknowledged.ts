/**
 * The newest commits that this process saw acknowledged. A store that lacks one of them has lost records: the versions of
 * payments only grow, and retention removes no payment that was written in the last 90 days (`leastRetention`).
 */
import { dayMillis } from "@pointsman/core/internal"
import type { Change } from "@pointsman/core/ports"

export interface AcknowledgedCommit {
  readonly workspaceId: string
  readonly environment: string
  readonly paymentId: string
  readonly version: number
  /** Epoch milliseconds by the store's clock. */
  readonly at: number
}

export type Acknowledged = ReturnType<typeof makeAcknowledged>

/** Older commits are not compared, in milliseconds: retention may have removed their payments. */
export const comparedMillis = 30 * dayMillis

/** Commits are acknowledged in another order than they are written, by no more than those under way at once. */
const newestAtMost = 64
/** Between two comparisons; more than a process commits in several seconds. */
const uncomparedAtMost = 8_192
const sampleEveryMillis = 60_000
const samplesAtMost = 24 * 60

/** `isCompared`: `compared` is called every few seconds; without it no more than the newest are kept. */
export const makeAcknowledged = ({ isCompared }: { readonly isCompared: boolean }) => {
  let newest: Array<AcknowledgedCommit> = []
  let samples: Array<AcknowledgedCommit> = []
  const atMost = isCompared ? uncomparedAtMost : newestAtMost
  const sample = (left: AcknowledgedCommit) => {
    if (left.at - (samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) < sampleEveryMillis) return
    samples.push(left)
    if (samples.length > samplesAtMost) samples.shift()
  }
  return {
    note: ({ payment: { after }, tenant: { environment, workspaceId } }: Change, at: number): void => {
      newest.push({ workspaceId, environment, paymentId: after.id, version: after.version, at })
      if (newest.length > atMost) sample(newest.shift() as AcknowledgedCommit)
    },
    /**
     * The newest ones, oldest first: enough to notice a loss. Besides, all that came after the last comparison: the store may
     * have gone back at any moment since, and acknowledged others after that.
     */
    newest: (): ReadonlyArray<AcknowledgedCommit> => [...newest],
    /** The store has these, of the newest of before. It said nothing of the others, which stay to be compared. */
    compared: (commits: ReadonlyArray<AcknowledgedCommit>): void => {
      const present = new Set(commits)
      const last = commits.at(-1)
      const end = last === undefined ? 0 : newest.indexOf(last) + 1
      const old = newest.splice(0, Math.max(0, end - newestAtMost))
      const open = old.filter((one) => !present.has(one))
      const kept = new Set(open.slice(-newestAtMost))
      for (const left of old) if (!kept.has(left)) sample(left)
      newest.unshift(...kept)
    },
    /** Besides, one a minute for a day: enough to tell since when records are missing. Oldest first. */
    all: (): ReadonlyArray<AcknowledgedCommit> => [...samples, ...newest].toSorted((a, b) => a.at - b.at),
    /** Forgets what came before this time in epoch milliseconds, except for the commits to keep. */
    forgetBefore: (time: number, keep: ReadonlySet<AcknowledgedCommit> = new Set()): void => {
      const stays = (one: AcknowledgedCommit) => one.at >= time || keep.has(one)
      newest = newest.filter(stays)
      samples = samples.filter(stays)
    }
  }
}

/** Writes may have been acknowledged while earlier ones were under way. */
const marginMillis = 30_000
/** How far back a loss may reach where nothing that is remembered is left, in milliseconds. */
export const unknownMillis = dayMillis

/**
 * Since when records are missing, given which of all commits that are remembered are. `isOfEach`: workspaces lose records
 * each by itself, so that what is present of others does not show what this one had.
 */
export const missingSince = (
  all: ReadonlyArray<AcknowledgedCommit>,
  missing: ReadonlySet<number>,
  isOfEach = false
): number => {
  const lost = all.filter((_, index) => missing.has(index))
  const firstMissing = lost[0]?.at ?? Number.POSITIVE_INFINITY
  const workspaces = new Set(lost.map(({ workspaceId }) => workspaceId))
  const last = all.findLast(
    ({ at, workspaceId }, index) =>
      !missing.has(index) && at <= firstMissing && (!isOfEach || workspaces.has(workspaceId))
  )
  return last === undefined ? firstMissing - unknownMillis : last.at - marginMillis
}
