/** What an API and operators say of a payment, over the server and by commands on its database. */
import { join } from "node:path"
import { runHere } from "./CommandInProcess.ts"
import { documentOf } from "./CommandProcess.ts"
import type { JsonAnswer } from "./ServerProcess.ts"

interface Seen {
  /** Holds `pointsman.db`, as of `startInProcess`. */
  readonly folder: string
  readonly request: (method: string, path: string) => Promise<JsonAnswer>
}

const run = async ({ folder }: Seen, ...words: ReadonlyArray<string>) => {
  const environment = { POINTSMAN_DATABASE_URL: `sqlite:${join(folder, "pointsman.db")}` }
  return documentOf(await runHere(folder, [...words, "--json"], environment)).data
}

/**
 * The status, the amounts in cents (captured, refunded, being refunded), why it is reviewed, how often its timeline has an
 * event that reports a contradiction, and what the timeline ends with.
 */
export const paymentSeen = async (seen: Seen, id: string) => {
  const at = `/api/v1/payments/${id}`
  const { data: payment } = (await seen.request("GET", at)).body
  const { data: events } = (await seen.request("GET", `${at}/events`)).body
  const reviews = await run(seen, "unknown", "list")
  const review = reviews.find((one: { readonly payment_id: string }) => one.payment_id === id)?.review
  const types: ReadonlyArray<string> = events.map(({ type }: { readonly type: string }) => type)
  return {
    status: payment.status,
    amounts: [payment.captured_amount, payment.refunded_amount, payment.refund_pending_amount],
    review: review?.reasons ?? null,
    conflicts: types.filter((type) => type === "payment.conflict").length,
    mismatches: types.filter((type) => type === "payment.amount_mismatch").length,
    last: types.at(-1)
  }
}

/** The outcomes of the provider's messages about a payment, oldest first; of all without one. */
export const outcomesSeen = async (seen: Seen, id?: string): Promise<ReadonlyArray<string>> => {
  const found = await run(seen, "messages", "list", ...(id === undefined ? [] : ["--payment", id]))
  return found.toReversed().map(({ outcome }: { readonly outcome: string }) => outcome)
}
