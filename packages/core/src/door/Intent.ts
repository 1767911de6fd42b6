/** Acts of operators that the audit trail names before they are done. */
import { Effect } from "effect"
import type { JsonObject } from "../model/Event.ts"
import { Audit, type AuditAction, auditDraft } from "../ports/Audit.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { DoorContext } from "./DoorContext.ts"

/** Adds the entry: the commit that follows has no place for it. If it fails, the act must not begin. */
export const intents =
  (context: DoorContext) =>
  (action: AuditAction, subject: string, details: JsonObject): Effect.Effect<void, StorageError> =>
    Effect.gen(function* () {
      const { append } = yield* Audit
      yield* append(yield* auditDraft(action, subject, details))
    }).pipe(Effect.provideContext(context))
