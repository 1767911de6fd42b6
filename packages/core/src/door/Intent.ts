/** Acts of operators that the audit trail names before they are done. */
import { Effect, Option } from "effect"
import type { JsonObject } from "../model/Event.ts"
import { Audit, type AuditAction, auditDraft } from "../ports/Audit.ts"
import { Directory } from "../ports/Directory.ts"
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

/** Its details begin with the workspace of the connection; those of a connection that does not exist have none. */
export const intentsAtConnection =
  (context: DoorContext) =>
  (
    action: AuditAction,
    connectionId: string,
    subject: string,
    details: JsonObject
  ): Effect.Effect<void, StorageError> =>
    Effect.gen(function* () {
      const connection = yield* (yield* Directory).connection(connectionId)
      const workspace = Option.match(connection, {
        onNone: () => ({}),
        onSome: ({ environment, workspaceId }) => ({ workspace_id: workspaceId, environment })
      })
      yield* intents(context)(action, subject, { ...workspace, ...details })
    }).pipe(Effect.provideContext(context))
