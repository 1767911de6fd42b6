/** The people who use the console. */
import * as Core from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import { AuditActor, Directory } from "@pointsman/core/ports"
import { Effect, Option, Redacted, Schema } from "effect"
import { byFields, checkBy, linkFields, operatorEditFields, operatorFields, wrong } from "../Orders.ts"
import { InternalError, NotFoundError, StateError } from "../PointsmanError.ts"
import { operatorView, timeView } from "../Views.ts"
import { fromStore, logCause } from "./RunCall.ts"

export const listOperators = Effect.gen(function* () {
  const { operators } = yield* Core.Pointsman
  return (yield* fromStore(operators.list)).map(operatorView)
})

export const addOperator = Effect.fnUntraced(function* (order: unknown, options: unknown) {
  const { operators } = yield* Core.Pointsman
  const actAs = yield* actorOf(options)
  const { login, name = login, role, workspaces } = yield* operatorFields(order)
  if (typeof login !== "string") return yield* Effect.fail(wrong("`login` must be a text."))
  if (typeof name !== "string") return yield* Effect.fail(wrong("`name` must be a text."))
  const known = Core.operatorRoles.find((one) => one === role)
  if (known === undefined) return yield* Effect.fail(wrong(`\`role\` must be one of ${Core.operatorRoles.join(", ")}.`))
  const grants = yield* grantsOf(known, workspaces)
  return yield* actAs(operators.add({ login, displayName: name, grants })).pipe(
    Effect.tapError(logCause),
    Effect.catchTags({
      "pointsman/OperatorInvalid": invalid(names),
      "pointsman/LoginTaken": () =>
        Effect.fail(new StateError("login_taken", "An active operator has this login already.")),
      "pointsman/OperatorChanged": changedMeanwhile,
      "pointsman/StorageError": () =>
        Effect.fail(new InternalError("The operator may have been added. List the operators."))
    }),
    Effect.map(operatorView)
  )
})

export const editOperator = Effect.fnUntraced(function* (login: unknown, order: unknown, options: unknown) {
  const { operators } = yield* Core.Pointsman
  const actAs = yield* actorOf(options)
  const key = loginKey(yield* checkLogin(login))
  const { name, roles } = yield* operatorEditFields(order)
  if (name === undefined && roles === undefined) {
    return yield* Effect.fail(wrong("`order` must have `name` or `roles`, or both."))
  }
  if (name !== undefined && typeof name !== "string") return yield* Effect.fail(wrong("`name` must be a text."))
  const grants = roles === undefined ? undefined : yield* rolesOf(roles)
  const stored = (yield* fromStore(operators.list)).find((one) => one.active && loginKey(one.login) === key)
  if (stored === undefined) return yield* operatorNotFound()
  const edit = {
    login: stored.login,
    displayName: name ?? stored.displayName,
    grants: grants ?? stored.grants,
    version: stored.version
  }
  return yield* actAs(operators.edit(edit)).pipe(
    Effect.tapError(logCause),
    Effect.catchTags({
      "pointsman/OperatorInvalid": invalid({ ...names, grants: "roles" }),
      "pointsman/OperatorNotFound": operatorNotFound,
      "pointsman/LastAdmin": lastAdmin,
      "pointsman/OperatorChanged": changedMeanwhile,
      "pointsman/StorageError": () =>
        Effect.fail(new InternalError("The operator may have been changed. List the operators."))
    }),
    Effect.map(operatorView)
  )
})

export const removeOperator = Effect.fnUntraced(function* (login: unknown, options: unknown) {
  const { operators } = yield* Core.Pointsman
  const actAs = yield* actorOf(options)
  return yield* actAs(operators.remove(yield* checkLogin(login))).pipe(
    Effect.tapError(logCause),
    Effect.catchTags({
      "pointsman/OperatorNotFound": operatorNotFound,
      "pointsman/LastAdmin": lastAdmin,
      "pointsman/OperatorChanged": changedMeanwhile,
      "pointsman/StorageError": () =>
        Effect.fail(new InternalError("The operator may have been removed. List the operators."))
    }),
    Effect.map(operatorView)
  )
})

export const createSignInLink = Effect.fnUntraced(function* (login: unknown, order: unknown, options: unknown) {
  const { operators } = yield* Core.Pointsman
  const actAs = yield* actorOf(options)
  const { consoleUrl } = yield* linkFields(order)
  const base = typeof consoleUrl === "string" ? URL.parse(consoleUrl) : null
  if (base === null || !/^https?:$/u.test(base.protocol) || base.search !== "" || base.hash !== "") {
    return yield* Effect.fail(
      wrong("`consoleUrl` must be the http or https URL of the console, such as https://shop.example/desk.")
    )
  }
  const { expiresAt, operator, token } = yield* actAs(operators.createLink(yield* checkLogin(login))).pipe(
    Effect.tapError(logCause),
    Effect.catchTags({
      "pointsman/OperatorNotFound": operatorNotFound,
      "pointsman/StorageError": () => Effect.fail(new InternalError("No link was created. Call again."))
    })
  )
  const url = `${base.href.replace(/\/$/u, "")}/link/${Redacted.value(token)}`
  return { login: operator.login, url, expires: timeView(expiresAt) }
})

const names = { login: "login", displayName: "name", grants: "workspaces", password: "password" } as const

const invalid =
  (words: Readonly<Record<Core.OperatorInvalid["field"], string>>) =>
  ({ expected, field }: Core.OperatorInvalid) =>
    Effect.fail(wrong(`\`${words[field]}\` must be ${expected}.`))

const grantsOf = Effect.fnUntraced(function* (role: Core.OperatorRole, workspaces: unknown) {
  const grants: ReadonlyArray<Core.OperatorGrant> = [{ workspaceId: null, role }]
  if (workspaces === undefined) return grants
  if (!Array.isArray(workspaces) || !workspaces.every((id) => typeof id === "string")) {
    return yield* Effect.fail(wrong("`workspaces` must be a list of ids of workspaces."))
  }
  yield* checkWorkspaces("workspaces", workspaces)
  return workspaces.map((workspaceId): Core.OperatorGrant => ({ workspaceId, role }))
})

/** `name`: of the field that has the ids. */
const checkWorkspaces = Effect.fnUntraced(function* (name: string, ids: ReadonlyArray<string>) {
  const { workspaces } = yield* fromStore((yield* Directory).contents)
  const unknown = ids.find((id) => !workspaces.some((workspace) => workspace.id === id))
  if (unknown !== undefined) {
    return yield* Effect.fail(wrong(`\`${name}\` must be ids of configured workspaces; "${unknown}" not found.`))
  }
})

/** A role without `workspace_id` is refused: it does not say whether it counts in all workspaces. */
const decodeRoles = Schema.decodeUnknownOption(
  Schema.Array(
    Schema.Struct({ role: Schema.Literals(Core.operatorRoles), workspace_id: Schema.NullOr(Schema.String) })
  ),
  { onExcessProperty: "error" }
)

const rolesOf = Effect.fnUntraced(function* (given: unknown) {
  const roles = Option.getOrUndefined(decodeRoles(given))
  if (roles === undefined) {
    return yield* Effect.fail(
      wrong(
        `\`roles\` must be a list of {role, workspace_id}: role one of ${Core.operatorRoles.join(", ")}, and ` +
          "workspace_id the id of a workspace, or null for all workspaces."
      )
    )
  }
  yield* checkWorkspaces(
    "roles[].workspace_id",
    roles.flatMap(({ workspace_id }) => workspace_id ?? [])
  )
  return roles.map(({ role, workspace_id }): Core.OperatorGrant => ({ workspaceId: workspace_id, role }))
})

const checkLogin = (login: unknown) =>
  typeof login === "string" ? Effect.succeed(login) : Effect.fail(wrong("`login` must be a text."))

/** As the command's `--by`. */
const actorOf = Effect.fnUntraced(function* (options: unknown) {
  const { by } = yield* byFields(options)
  if (by === undefined) return <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => act
  return Effect.provideService(AuditActor, yield* checkBy(by))
})

const operatorNotFound = () => Effect.fail(new NotFoundError("Operator not found, or removed."))

const lastAdmin = () =>
  Effect.fail(new StateError("last_admin", "No other operator has the role admin in all workspaces."))

const changedMeanwhile = () => Effect.fail(new InternalError("The operator was changed at the same time. Call again."))
