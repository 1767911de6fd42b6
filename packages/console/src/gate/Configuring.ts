/**
 * What the forms of routing, connections and webhook endpoints share: who may use them, and how core's refusals read. A
 * workspace that a configuration file defines is changed in the file.
 */
import { formatMistake, type Mistake } from "@pointsman/configuration"
import { mayAct, type OperatorAction } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, type Result } from "effect"
import { failure, internalError, missing } from "../api/Errors.ts"
import { CurrentOperator, callerOf, type TenantPath } from "./Caller.ts"

const { validationErrorOf } = InProcess

const inFile = failure(
  "workspace_in_configuration",
  "The configuration file defines this workspace. Nothing was changed. Change the file, and apply it."
)

const changed = failure(
  "record_changed",
  "This was changed since you opened the form. Nothing was changed now. Open the form again."
)

export const refusals = {
  "pointsman/WorkspaceNotFound": () => missing("pointsman/WorkspaceNotFound"),
  "pointsman/WorkspaceInFile": () => Effect.fail(inFile),
  "pointsman/RecordChanged": () => Effect.fail(changed),
  "pointsman/StorageError": internalError
} as const

export const credentialsRefused = ({ reason }: { readonly reason: string }) => Effect.fail(validationErrorOf(reason))

/** `isOffered`: the operator may change it, and no file defines the workspace. */
export const ownerOf = Effect.fnUntraced(function* (path: TenantPath, action: OperatorAction) {
  const { workspace } = yield* callerOf(path)
  const { operator } = yield* CurrentOperator
  const isInFile = workspace.source === "configuration"
  return { isInFile, isOffered: !isInFile && mayAct(operator, action, path.workspace) }
})

/** Before a form is shown. */
export const takeOpenWorkspace = Effect.fnUntraced(function* (path: TenantPath) {
  const { workspace } = yield* callerOf(path)
  if (workspace.source === "configuration") return yield* Effect.fail(inFile)
})

/** Each mistake by its field. */
export const understood = <A>(result: Result.Result<A, ReadonlyArray<Mistake>>) =>
  Effect.mapError(Effect.fromResult(result), (mistakes) => validationErrorOf(...mistakes.map(formatMistake)))
