/** What an operator reads of operators and does to them. The pages and the API share it. */
import {
  type Operator,
  type OperatorGrant,
  type OperatorInvalid,
  type OperatorWithSessions,
  Pointsman
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import { failure, internalError, missing, told } from "../api/Errors.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import { ConsoleSettings, RequestOrigin } from "../gate/Settings.ts"
import type { OperatorRecord } from "./OperatorApi.ts"

const { timeView, validationErrorOf } = InProcess

const operatorView = (operator: OperatorWithSessions): OperatorRecord => ({
  id: operator.id,
  login: operator.login,
  name: operator.displayName,
  active: operator.active,
  roles: operator.grants.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role })),
  has_password: operator.passwordHash !== null,
  version: operator.version,
  created: timeView(operator.createdAt),
  sessions: operator.sessions.map(({ createdAt, method, seenAt }) => ({
    method,
    signed_in: timeView(createdAt),
    last_request: timeView(seenAt)
  }))
})

const grantsOf = (roles: OperatorRecord["roles"]): ReadonlyArray<OperatorGrant> =>
  roles.map(({ role, workspace_id }) => ({ workspaceId: workspace_id, role }))

const stored = Effect.gen(function* () {
  return yield* Effect.catch((yield* Pointsman).operators.list, internalError)
})

export const operators = Effect.map(stored, (all) => all.map(operatorView))

const oneStored = Effect.fnUntraced(function* (id: string) {
  return (yield* stored).find((one) => one.id === id) ?? (yield* missing("pointsman/OperatorNotFound"))
})

export const operator = (id: string) => Effect.map(oneStored(id), operatorView)

/** With the sessions that it had before: none of a new one, and none after a removal. */
const changed = (operator: Operator, sessions: OperatorWithSessions["sessions"] = []) =>
  operatorView({ ...operator, sessions })

const fields = { login: "login", displayName: "name", grants: "roles", password: "password" } as const

const invalid = ({ expected, field }: OperatorInvalid) =>
  Effect.fail(validationErrorOf(`\`${fields[field]}\` must be ${expected}`))

const operatorChanged = () =>
  Effect.fail(failure("operator_changed", "The operator was changed meanwhile. Read it again, and repeat the change."))

const lastAdmin = () =>
  Effect.fail(
    failure(
      "last_admin",
      "This is the only operator with the role admin in all workspaces. Give that role to another operator first."
    )
  )

export const add = Effect.fnUntraced(function* (order: {
  readonly login: string
  readonly name: string
  readonly roles: OperatorRecord["roles"]
}) {
  yield* takeRecentSignIn
  const { login, name, roles } = order
  return yield* (yield* Pointsman).operators.add({ login, displayName: name, grants: grantsOf(roles) }).pipe(
    Effect.map((operator) => changed(operator)),
    Effect.catchTags({
      "pointsman/OperatorInvalid": invalid,
      "pointsman/LoginTaken": () =>
        Effect.fail(failure("login_taken", "`login` must be a new one: an operator has it already.")),
      "pointsman/OperatorChanged": operatorChanged,
      "pointsman/StorageError": internalError
    })
  )
})

export const edit = Effect.fnUntraced(function* (
  id: string,
  { name, roles, version }: Pick<OperatorRecord, "name" | "roles" | "version">
) {
  yield* takeRecentSignIn
  const { login, sessions } = yield* oneStored(id)
  const order = { login, displayName: name, grants: grantsOf(roles), version }
  return yield* (yield* Pointsman).operators.edit(order).pipe(
    Effect.map((operator) => changed(operator, sessions)),
    Effect.catchTags({
      "pointsman/OperatorInvalid": invalid,
      "pointsman/OperatorChanged": operatorChanged,
      "pointsman/LastAdmin": lastAdmin
    }),
    told
  )
})

export const remove = Effect.fnUntraced(function* (id: string) {
  yield* takeRecentSignIn
  const found = yield* oneStored(id)
  if (!found.active) return operatorView(found)
  return yield* (yield* Pointsman).operators.remove(found.login).pipe(
    Effect.map((operator) => changed(operator)),
    Effect.catchTags({
      "pointsman/OperatorChanged": operatorChanged,
      "pointsman/LastAdmin": lastAdmin
    }),
    told
  )
})

/** At the address that the operator's browser asked for: the console has no other name for itself. */
export const createLink = Effect.fnUntraced(function* (id: string) {
  yield* takeRecentSignIn
  const { login } = yield* oneStored(id)
  const { mount } = yield* ConsoleSettings
  const origin = yield* RequestOrigin
  return yield* (yield* Pointsman).operators.createLink(login).pipe(
    Effect.map(({ expiresAt, token }) => ({
      url: `${origin}${mount}/link/${Redacted.value(token)}`,
      expires: timeView(expiresAt)
    })),
    told
  )
})
