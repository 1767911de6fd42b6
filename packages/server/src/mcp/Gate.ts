/** In whose name a tool is called, and on whose records. */
import * as Desks from "@pointsman/console/internal"
import { environments, mayAct, type Operator, type OperatorAction } from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import { Directory, Operators } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { printable } from "../commands/Words.ts"
import type { NamedTenant } from "./ToolInput.ts"

/** Read for each call: a removed operator or a smaller role counts at once. */
export const activeOperator = Effect.fnUntraced(function* (login: string) {
  const found = yield* Effect.catch((yield* Operators).byLogin(loginKey(login)), Desks.internalError)
  const operator = Option.getOrUndefined(Option.filter(found, ({ active }) => active))
  if (operator !== undefined) return operator
  return yield* Effect.fail(Desks.failure("forbidden", `${printable(login)} is not an active operator.`))
})

/** Whether the operator may do it in any workspace. */
export const mayAnywhere = (operator: Operator, action: OperatorAction): boolean =>
  operator.grants.some(({ workspaceId }) => mayAct(operator, action, workspaceId))

/** As many ids as a message names. */
const namedAtMost = 20

/** A workspace that the operator may not read is as one that does not exist. */
export const tenantFor = (operator: Operator, access: OperatorAction) =>
  Effect.fnUntraced(function* ({ environment, workspace }: NamedTenant) {
    const contents = yield* Effect.catch(
      Effect.flatMap(Directory, (directory) => directory.contents),
      Desks.internalError
    )
    const seen = contents.workspaces.map(({ id }) => id).filter((id) => mayAct(operator, "payment.read", id))
    const named = workspace ?? (seen.length === 1 ? seen[0] : undefined)
    if (named === undefined || !seen.includes(named)) {
      const rest = seen.length - namedAtMost
      return yield* Effect.fail(
        seen.length === 0
          ? Desks.failure("forbidden", "The operator has a role in no workspace.")
          : Desks.failure(
              "validation_error",
              `\`workspace\` must be one of ${seen.slice(0, namedAtMost).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}.`
            )
      )
    }
    if (!mayAct(operator, access, named)) {
      return yield* Effect.fail(
        Desks.failure("forbidden", "The operator's role in this workspace does not allow this.")
      )
    }
    const own = environments.filter((one) =>
      contents.connections.some((connection) => connection.workspaceId === named && connection.environment === one)
    )
    const [only, second] = own
    const chosen = environment ?? (second === undefined ? only : undefined)
    if (chosen !== undefined) return { workspace: named, environment: chosen } satisfies Desks.TenantPath
    return yield* Effect.fail(
      Desks.failure(
        "validation_error",
        `\`environment\` must be sandbox or production: the workspace has ${only === undefined ? "no connections" : "connections in both"}.`
      )
    )
  })
