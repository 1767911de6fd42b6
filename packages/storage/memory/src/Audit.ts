/** The audit trail in memory. */
import { createHash } from "node:crypto"
import {
  type Audit,
  type AuditDraft,
  type AuditEntry,
  type AuditSearch,
  detailsOfWorkspace,
  logEntry,
  nextEntry
} from "@pointsman/core/ports"
import { Effect } from "effect"
import type { State } from "./State.ts"

export const make = (state: State): Audit => ({
  append: (draft) =>
    Effect.tap(
      Effect.sync(() => append(state, draft)),
      logEntry
    ),
  list: ({ after, limit }) => Effect.sync(() => state.audit.slice(after, after + limit)),
  search: (query) => Effect.sync(() => state.audit.filter(matches(query)).toReversed().slice(0, query.limit))
})

const matches =
  ({ action, actor, before, from, until, workspaceIds }: AuditSearch) =>
  (entry: AuditEntry): boolean =>
    (before === undefined || entry.number < before) &&
    (actor === undefined || entry.actor === actor) &&
    (action === undefined || entry.action === action) &&
    (from === undefined || entry.at >= from) &&
    (until === undefined || entry.at < until) &&
    (workspaceIds === undefined || workspaceIds.some((id) => entry.details.startsWith(detailsOfWorkspace(id))))

export const append = (state: State, draft: AuditDraft): AuditEntry => {
  const entry = Object.freeze(nextEntry(draft, state.audit.at(-1), sha256))
  state.audit.push(entry)
  return entry
}

/** Reports the entry of the audit trail that was stored, if one was. */
export const logged = <A>(body: () => readonly [A, AuditEntry?]): Effect.Effect<A> =>
  Effect.flatMap(Effect.sync(body), ([value, entry]) =>
    entry === undefined ? Effect.succeed(value) : Effect.as(logEntry(entry), value)
  )

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
