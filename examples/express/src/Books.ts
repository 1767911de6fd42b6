/** The shop's books: a provider's report is read, and what the shop sold, paid and got is added up. */
import type { Pointsman } from "@pointsman/node"

/** What is wrong between the report and the shop's records: for a person, who explains each of them. */
export interface ReadReport {
  readonly rows: number
  readonly differences: ReadonlyArray<string>
}

/**
 * `report`: the path of a file, or bytes as they come: of an upload, or from a bucket. The same report again changes
 * nothing, so that a scheduler may repeat it after any failure.
 */
export const readReport = async (
  { reconciliation }: Pointsman,
  connection: string,
  report: string | AsyncIterable<Uint8Array>,
  by: string
): Promise<ReadReport> => {
  const run = await reconciliation.run({ connection, report, by })
  const open = await reconciliation.differences({ run: run.id })
  return {
    rows: run.rows,
    differences: open.data.map(
      ({ expected, gross, id, result }) =>
        `${id}: ${result}, ${gross.amount} ${gross.currency}, here ${expected ?? "nothing"}`
    )
  }
}

/** What each account has, in minor units, from the beginning until a time. Debits are positive. */
export const balances = async (pointsman: Pointsman, until?: Date): Promise<ReadonlyMap<string, number>> => {
  const sums = new Map<string, number>()
  for await (const entry of pointsman.journal({ until })) {
    // Money whose result is not known is in no account yet.
    if (entry.type === "pending") continue
    for (const { account_name, amount } of entry.postings)
      sums.set(account_name, (sums.get(account_name) ?? 0) + amount)
  }
  return sums
}
