/** The success rates of this process: what the store said last, and what happened here since. */
import { noOutcomes, type OutcomeCounts, weightOf } from "../../model/OutcomeCounts.ts"
import {
  type KnownRate,
  knownRate,
  noRate,
  type SuccessRate,
  wholeConnection,
  withOutcomes
} from "../../model/SuccessRate.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { StoredRate } from "../../ports/SuccessRates.ts"

/** Card brands come from requests: who makes them up must not fill the store. Beyond it only the whole is counted. */
const segmentsAtMost = 2_000

interface Entry {
  readonly tenant: Tenant
  readonly connectionId: string
  readonly segment: string
  /** As the store has it; `undefined` where it has none that we know of. */
  stored: StoredRate | undefined
  /** Learned here, and not written yet. */
  succeeded: number
  failed: number
  /** Both together. */
  rate: SuccessRate
}

/** Outcomes that were learned here, and the row that adds them to what is stored. */
export interface Unwritten extends OutcomeCounts {
  readonly entry: Entry
  readonly row: StoredRate
}

export const makeRateTable = () => {
  /** By connection and segment. */
  const entries = new Map<string, Map<string, Entry>>()
  const changed = new Set<Entry>()

  const entryOf = (tenant: Tenant, connectionId: string, segment: string): Entry | undefined => {
    const ofConnection = entries.get(connectionId) ?? new Map<string, Entry>()
    const found = ofConnection.get(segment)
    if (found !== undefined) return found
    if (ofConnection.size >= segmentsAtMost && segment !== wholeConnection) return undefined
    const made = { tenant, connectionId, segment, stored: undefined, succeeded: 0, failed: 0, rate: noRate }
    entries.set(connectionId, ofConnection.set(segment, made))
    return made
  }

  /** The store has this by now; what was learned here and is not in it comes on top. */
  const take = (stored: StoredRate, now: number): void => {
    const entry = entryOf(stored.tenant, stored.connectionId, stored.segment)
    if (entry === undefined) return
    entry.stored = stored
    entry.rate = withOutcomes(stored.rate, entry, now)
  }

  return {
    take,
    weights: (connectionId: string, segment: string, now: number): KnownRate => {
      const entry = entries.get(connectionId)?.get(segment)
      if (entry === undefined) return noOutcomes
      const { memory, ...rate } = knownRate(entry.rate, now)
      return memory === undefined
        ? rounded(rate)
        : { ...rounded(rate), memory: { short: rounded(memory.short), long: rounded(memory.long) } }
    },
    count: (tenant: Tenant, connectionId: string, segment: string, isSuccess: boolean, now: number): void => {
      const entry = entryOf(tenant, connectionId, segment)
      if (entry === undefined) return
      if (isSuccess) entry.succeeded++
      else entry.failed++
      entry.rate = withOutcomes(entry.rate, isSuccess ? oneSuccess : oneFailure, now)
      changed.add(entry)
    },
    unwritten: (now: number): ReadonlyArray<Unwritten> =>
      [...changed].map((entry) => {
        const { connectionId, failed, segment, stored, succeeded, tenant } = entry
        const rate = withOutcomes(stored?.rate ?? noRate, { succeeded, failed }, now)
        const row = { tenant, connectionId, segment, rate, version: (stored?.version ?? 0) + 1 }
        return { entry, succeeded, failed, row }
      }),
    /** `refused`: what others wrote in place of ours. */
    written: (ours: ReadonlyArray<Unwritten>, refused: ReadonlyArray<StoredRate>, now: number): void => {
      const isRefused = new Set(refused.map(({ connectionId, segment }) => entries.get(connectionId)?.get(segment)))
      for (const { entry, failed, row, succeeded } of ours) {
        if (isRefused.has(entry)) continue
        // Outcomes that came while it was written are still ours.
        entry.succeeded -= succeeded
        entry.failed -= failed
        if (weightOf(entry) === 0) changed.delete(entry)
        take(row, now)
      }
      for (const stored of refused) take(stored, now)
    },
    /** `before`: epoch milliseconds. What is not written yet is kept. */
    forgetBefore: (before: number): void => {
      for (const ofConnection of entries.values()) {
        for (const [segment, entry] of ofConnection) {
          if (entry.rate.at < before && !changed.has(entry)) ofConnection.delete(segment)
        }
      }
    }
  }
}

const oneSuccess: OutcomeCounts = { succeeded: 1, failed: 0 }
const oneFailure: OutcomeCounts = { succeeded: 0, failed: 1 }

/** What a decision was made on is stored with it: as much of it as anybody could want. */
const rounded = ({ failed, succeeded }: OutcomeCounts): OutcomeCounts => ({
  succeeded: Math.round(succeeded * 1000) / 1000,
  failed: Math.round(failed * 1000) / 1000
})
