/** What an operator reads of the audit trail. The pages and the API share it. */
import { Pointsman } from "@pointsman/core"
import type { AuditEntry, AuditSearch } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { internalError } from "../api/Errors.ts"
import { pageView } from "../api/Records.ts"
import type { AuditRecord } from "./AuditApi.ts"

export type Filter = Omit<AuditSearch, "workspaceIds">

/** `workspace`: only entries about it; `undefined` for all entries, which takes a role in all workspaces. */
export const entries = Effect.fnUntraced(function* (workspace: string | undefined, filter: Filter) {
  const search = { ...filter, workspaceIds: workspace === undefined ? undefined : [workspace] }
  const { hasMore, items } = yield* Effect.catch((yield* Pointsman).auditEntries(search), internalError)
  const data = items.map(entryView)
  return pageView(data, hasMore ? String(data.at(-1)?.number ?? 0) : null)
})

const entryView = ({ action, actor, at, details, hash, number, subject, via }: AuditEntry): AuditRecord => ({
  number,
  at: InProcess.timeView(at),
  actor,
  via,
  action,
  subject,
  details: JSON.parse(details),
  hash
})
