/**
 * The audit trail: who changed what by command line, configuration or library. Entries are only ever added, and each has
 * the hash of the one before it, so that a change, a deletion or an insertion shows.
 */
import { Clock, Context, Effect } from "effect"
import type { JsonObject } from "../model/Event.ts"
import type { StorageError } from "./StorageError.ts"

/** What was done. An act on one record at a provider or receiver is recorded before it, as an intent. */
export const auditActions = [
  "key.created",
  "key.revoked",
  "key.restored",
  "endpoint.secret_rotated",
  "endpoint.added",
  "endpoint.changed",
  "connection.added",
  "connection.changed",
  "routing.changed",
  "configuration.applied",
  "configuration.rolled_back",
  "payment.capturing",
  "payment.voiding",
  "payment.refunding",
  "refund.proposing",
  "review.resolving",
  "correction.approving",
  "correction.rejecting",
  "correction.withdrawing",
  "message.applying",
  "webhook.redelivering",
  "merchant.inviting",
  "records.recovering",
  "loss.accepting",
  "report.reconciling",
  "difference.closing",
  "suggestion.accepting",
  "dispute.keeping_evidence",
  "dispute.submitting",
  "dispute.accepting",
  "payments.erasing",
  "payments.exporting",
  "retention.sweeping",
  "encryption.rotating",
  "operator.added",
  "operator.changed",
  "operator.removed",
  "operator.linked",
  "operator.signed_in",
  "operator.signed_out",
  "operator.password_set",
  "operator.passkey_added",
  "operator.passkey_removed"
] as const

export type AuditAction = (typeof auditActions)[number]

/** By which way in something was done: `configuration` by its start, `server` by a server itself, `mcp` by an agent. */
export type AuditVia = "console" | "command" | "configuration" | "library" | "mcp" | "server"

export interface AuditDraft {
  /** Epoch milliseconds. */
  readonly at: number
  readonly actor: string
  readonly via: AuditVia
  readonly action: AuditAction
  /** The record that it is about. */
  readonly subject: string
  /** JSON, without secrets. Of an entry about one workspace, it begins with `workspace_id` (`detailsOfWorkspace`). */
  readonly details: string
}

export interface AuditEntry extends AuditDraft {
  /** From 1, without gaps. */
  readonly number: number
  /** The hash of the entry before; `firstPrevious` for the first. */
  readonly previous: string
  /** Lower-case hex SHA-256 of `canonicalEntry`. */
  readonly hash: string
}

export const firstPrevious = "pointsman audit trail"

/** Lower-case hex of the UTF-8 text's SHA-256. */
export type Sha256 = (text: string) => string

/** A JSON array of the fields in this order; JSON's escapes make any text well-formed. */
const canonicalEntry = (one: Omit<AuditEntry, "hash">): string =>
  JSON.stringify([one.number, one.at, one.actor, one.via, one.action, one.subject, one.details, one.previous])

/** For storages: the entry that follows `last`, the newest one that is stored. */
export const nextEntry = (
  draft: AuditDraft,
  last: Pick<AuditEntry, "number" | "hash"> | undefined,
  sha256: Sha256
): AuditEntry => {
  const entry = { ...draft, number: (last?.number ?? 0) + 1, previous: last?.hash ?? firstPrevious }
  return { ...entry, hash: sha256(canonicalEntry(entry)) }
}

export type AuditFault = "missing" | "changed" | "inserted"

/** The first entry that breaks the chain, read in the order of numbers; `last`: the entry before them. */
export const findFault = (
  entries: ReadonlyArray<AuditEntry>,
  last: Pick<AuditEntry, "number" | "hash"> | undefined,
  sha256: Sha256
): { readonly number: number; readonly fault: AuditFault } | undefined => {
  let before = last
  for (const entry of entries) {
    const number = (before?.number ?? 0) + 1
    if (entry.number > number) return { number, fault: "missing" }
    if (sha256(canonicalEntry(entry)) !== entry.hash) return { number: entry.number, fault: "changed" }
    if (entry.number < number || entry.previous !== (before?.hash ?? firstPrevious)) {
      return { number: entry.number, fault: "inserted" }
    }
    before = entry
  }
  return undefined
}

export interface AuditQuery {
  /** Only entries with a greater number; 0 for all. */
  readonly after: number
  /** Rows at most. */
  readonly limit: number
}

/** What entries have to be, to be found. An absent field finds all. */
export interface AuditSearch {
  /** Only entries with a smaller number. */
  readonly before?: number | undefined
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  /** Only entries about one of these workspaces, and no entry that is about several or none. */
  readonly workspaceIds?: ReadonlyArray<string> | undefined
  /** Epoch milliseconds; entries from here on. */
  readonly from?: number | undefined
  /** Epoch milliseconds; entries before this. */
  readonly until?: number | undefined
  /** Rows at most. */
  readonly limit: number
}

/** How the details of an entry about the workspace begin, and no others: JSON escapes quotes in a text. */
export const detailsOfWorkspace = (workspaceId: string): string => `{"workspace_id":${JSON.stringify(workspaceId)}`

export interface Audit {
  /** Adds an entry after the newest one, whichever process wrote that. */
  readonly append: (draft: AuditDraft) => Effect.Effect<AuditEntry, StorageError>
  /** In the order of numbers. */
  readonly list: (query: AuditQuery) => Effect.Effect<ReadonlyArray<AuditEntry>, StorageError>
  /** Newest first. */
  readonly search: (query: AuditSearch) => Effect.Effect<ReadonlyArray<AuditEntry>, StorageError>
}

export const Audit = Context.Service<Audit>("pointsman/ports/Audit")

/** Who acts: an operator's name, or the part of the program that has no operator. */
export const AuditActor = Context.Reference<string>("pointsman/ports/AuditActor", { defaultValue: () => "library" })

/** Set where a request or a command comes in. */
export const AuditVia = Context.Reference<AuditVia>("pointsman/ports/AuditVia", { defaultValue: () => "library" })

export const auditDraft = Effect.fnUntraced(function* (action: AuditAction, subject: string, details: JsonObject) {
  const draft: AuditDraft = {
    at: yield* Clock.currentTimeMillis,
    actor: yield* AuditActor,
    via: yield* AuditVia,
    action,
    subject,
    details: JSON.stringify(details)
  }
  return draft
})

const logged = ({ action, actor, details, hash, number, subject, via }: AuditEntry): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo("audit"), { number, actor, via, action, subject, details, hash })

/** Where a stored entry is reported besides: at level `info` of the log, unless a program replaces it. */
export const AuditLog = Context.Reference<(entry: AuditEntry) => Effect.Effect<void>>("pointsman/ports/AuditLog", {
  defaultValue: () => logged
})

/** For storages: reports an entry, once it is stored. */
export const logEntry = (entry: AuditEntry): Effect.Effect<void> => Effect.flatMap(AuditLog, (log) => log(entry))
