/** In whose name, and in which workspace, an operator acts. */
import type { Caller, Environment, Person, Pointsman, Tenant, Workspace } from "@pointsman/core"
import { Directory, type SignedIn } from "@pointsman/core/ports"
import type { InProcess } from "@pointsman/http"
import { Context, Effect, Option } from "effect"
import { internalError, missing } from "../api/Errors.ts"

/** Who sends the request. */
export class CurrentOperator extends Context.Service<CurrentOperator, SignedIn>()(
  "pointsman/console/CurrentOperator"
) {}

/** What areas need besides the operator. */
export type DeskServices = Pointsman | Directory | InProcess.PaymentViews

export interface TenantPath {
  readonly workspace: string
  readonly environment: Environment
}

/** Everything that the configuration and operators have stored. */
export const directoryContents = Effect.flatMap(Directory, ({ contents }) => Effect.catch(contents, internalError))

const tenantOf = ({ environment, workspace }: TenantPath): Tenant => ({ workspaceId: workspace, environment })

/** The operator who acts, by its login, which never changes. */
export const callerOf = Effect.fnUntraced(function* (path: TenantPath) {
  const { operator } = yield* CurrentOperator
  const found = yield* Effect.catch((yield* Directory).workspace(path.workspace), internalError)
  const workspace: Workspace | undefined = Option.getOrUndefined(found)
  if (workspace === undefined) return yield* missing("pointsman/WorkspaceNotFound")
  return { tenant: tenantOf(path), workspace, operator: operator.login } satisfies Caller
})

/** The operator of the request. The same person in every session, under every name and with all roles. */
export const currentPerson = Effect.map(
  CurrentOperator,
  ({ operator }): Person => ({ of: "operators", id: operator.id, name: operator.displayName })
)
