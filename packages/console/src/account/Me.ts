/** The operator who is signed in, and what it may do where. */
import { environments, mayAct, type Operator, operatorActions, type Workspace } from "@pointsman/core"
import { Effect } from "effect"
import { directoryContents } from "../gate/Caller.ts"
import { CurrentOperator } from "../gate/CurrentOperator.ts"
import type { Me } from "./AccountApi.ts"

export const me = Effect.gen(function* () {
  const { operator } = yield* CurrentOperator
  const { workspaces } = yield* directoryContents
  return meView(operator, workspaces)
})

const meView = (operator: Operator, workspaces: ReadonlyArray<Workspace>): Me => ({
  id: operator.id,
  login: operator.login,
  name: operator.displayName,
  has_password: operator.passwordHash !== null,
  roles: operator.grants.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role })),
  workspaces: workspaces
    .filter(({ id }) => mayAct(operator, "payment.read", id))
    .map(({ id, name }) => ({
      id,
      name,
      environments,
      actions: operatorActions.filter((action) => mayAct(operator, action, id))
    }))
})
