/**
 * Checkout.com's list of disputes, for recovery (https://api-reference.checkout.com/#operation/getDisputes): those that changed
 * in a window, "showing the last modified dispute first". Charges and refunds have no complete list.
 *
 * A dispute that changes while the list is read comes to its beginning and moves the others: so a part begins with the last
 * entry of the part before, and a list that moved is no answer.
 */
import {
  type Clean,
  fieldOf,
  isSuccess,
  type ListedDispute,
  type ListedPage,
  type ListRequest,
  listedPage,
  type NotSent,
  segment,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { readable } from "./Answers.ts"
import { listedDispute } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"
import type { Ask } from "./Reports.ts"

/** What Checkout.com gives at most. */
const entriesOfPart = 250
/** Of one window: 5,000 disputes, one request after the other. */
const partsAtMost = 20

interface Part {
  readonly total: number
  readonly entries: ReadonlyArray<unknown>
}

export const disputes = Effect.fnUntraced(function* (
  ask: Ask,
  { createdBefore, createdFrom }: ListRequest,
  clean: Clean
): Effect.fn.Return<ListedPage<ListedDispute>, NotSent | Unanswered> {
  const [start, end] = [createdFrom, createdBefore].map((time) => segment(new Date(Math.max(0, time)).toISOString()))
  const window = Object.entries({ to: end, from: start })
    .map(([name, time]) => `${name}=${time}`)
    .join("&")
  const all: Array<unknown> = []
  for (let parts = 0; parts < partsAtMost; parts++) {
    const skip = Math.max(0, all.length - 1)
    const { entries, total }: Part = yield* ask(`/disputes?limit=${entriesOfPart}&skip=${skip}&${window}`, partIn)
    if (all.length > 0 && idOf(entries[0]) !== idOf(all.at(-1))) return yield* moved
    all.push(...(all.length > 0 ? entries.slice(1) : entries))
    if (all.length >= total) return pageOf(all, clean)
    if (entries.length <= 1) return yield* moved
  }
  return yield* new Unanswered({
    reason: `the window holds more than ${partsAtMost * entriesOfPart} disputes; ask for less`
  })
})

const moved = Effect.fail(new Unanswered({ reason: "Checkout.com's list of disputes changed while it was read" }))

const idOf = (entry: unknown): unknown => (entry as { readonly id?: unknown } | null | undefined)?.id

const partIn = (answer: TransportAnswer): Result.Result<Part, Unanswered> => {
  // A key may be without the right to view disputes: it never lists them.
  if (answer.status === 403) return Result.fail(refused)
  if (!isSuccess(answer)) {
    return Result.fail(new Unanswered({ reason: `Checkout.com responded with status ${answer.status}` }))
  }
  return Result.map(readable(Protocol.DisputePage, answer), ({ data, total_count }) => ({
    entries: data,
    total: total_count
  }))
}

const refused = new Unanswered({
  reason: "the secret key may not view disputes (status 403)",
  isUnsupported: true
})

const readEntry = Schema.decodeUnknownResult(Protocol.ListedDispute)

/** Oldest change first. */
const pageOf = (entries: ReadonlyArray<unknown>, clean: Clean): ListedPage<ListedDispute> =>
  listedPage({ entries: entries.toReversed(), nextCursor: null }, clean, {
    read: (entry) => {
      const read = readEntry(entry)
      const item = Result.isSuccess(read) ? listedDispute(read.success) : undefined
      return item === undefined ? { wrongAt: Result.isFailure(read) ? fieldOf(read.failure) : "status" } : { item }
    },
    name: idOf,
    complaint: (wrongAt) => (wrongAt === null ? "it shows a secret" : `it is not to be understood at ${wrongAt}`)
  })
