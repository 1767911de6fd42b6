/** How success rates are stored. */
import type { RateMemory } from "@pointsman/core"
import type { StoredRate } from "@pointsman/core/ports"
import { bindJson, type Columns, type Parts, type Row, readJson } from "./Columns.ts"

export const makeSuccessRateRows = <V>({ bindText, readTenant, readText }: Parts<V>) => {
  const rateColumns: Columns<StoredRate, V> = {
    workspace_id: ({ tenant }) => bindText(tenant.workspaceId),
    environment: ({ tenant }) => tenant.environment,
    connection_id: ({ connectionId }) => bindText(connectionId),
    segment: ({ segment }) => bindText(segment),
    succeeded: ({ rate }) => rate.succeeded,
    failed: ({ rate }) => rate.failed,
    at: ({ rate }) => rate.at,
    version: ({ version }) => version,
    memory: ({ rate, version }) => bindJson(rate.memory === undefined ? null : memoryNumbers(rate.memory, version))
  }

  const readRate = (row: Row): StoredRate => {
    const version = row["version"] as number
    // `null` where a release that remembers nothing wrote the rate first.
    const memory = row["memory"] == null ? undefined : memoryOf(readJson(row["memory"]), version)
    return {
      tenant: readTenant(row),
      connectionId: readText(row["connection_id"]),
      segment: readText(row["segment"]),
      rate: {
        succeeded: row["succeeded"] as number,
        failed: row["failed"] as number,
        at: row["at"] as number,
        ...(memory === undefined ? {} : { memory })
      },
      version
    }
  }

  return { rateColumns, readRate }
}

/** The weights in one order, and the version of the rate: what a database stores as a JSON array of nine numbers. */
const memoryNumbers = ({ better, long, short, worse }: RateMemory, version: number): ReadonlyArray<number> => [
  ...[short, long, worse, better].flatMap(({ failed, succeeded }) => [succeeded, failed]),
  version
]

/**
 * `undefined` where it belongs to another version of the rate: a release that remembers nothing wrote the rate since, and
 * left the memory as it was.
 */
const memoryOf = (numbers: ReadonlyArray<number>, version: number): RateMemory | undefined => {
  if (numbers[8] !== version) return undefined
  const outcomes = (place: number) => ({ succeeded: numbers[2 * place] ?? 0, failed: numbers[2 * place + 1] ?? 0 })
  return { short: outcomes(0), long: outcomes(1), worse: outcomes(2), better: outcomes(3) }
}
