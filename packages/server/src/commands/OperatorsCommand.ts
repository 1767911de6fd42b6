/** `pointsman operators`: the people who use the console, their roles, and the links by which they sign in. */
import { isIP } from "node:net"
import { type Operator, type OperatorGrant, operatorRoles, Pointsman } from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import { Directory } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { linkBelow, linkUrl } from "../ConsoleRoutes.ts"
import type { Settings } from "../Settings.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup, switchFlag, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import { print } from "./Output.ts"
import { type Text, table } from "./Table.ts"
import { oneWorkspace } from "./Tenants.ts"
import { printable, timeOf } from "./Words.ts"

const loginArgument = argument("login", "E-mail address or name")

const list = databaseCommand(
  {
    name: "list",
    short: "List operators",
    long: "List the operators of the console with their roles, in the order in which they were added.",
    examples: { "pointsman operators list --all": "Removed operators too" },
    flags: {
      all: switchFlag("all", "Include removed operators")
    }
  },
  function* ({ all }, { json }) {
    const stored = yield* (yield* Pointsman).operators.list
    const operators = stored.filter(({ active }) => all || active)
    yield* print(json, { data: operators.map(operatorView) }, operators.length === 0 ? "" : asText(operators))
    if (!json && operators.length === 0) yield* Console.error("No operators found.")
  }
)

const add = databaseCommand(
  {
    name: "add",
    short: "Add an operator",
    long:
      "Add an operator of the console, or one that was removed, with one role. The operator has no password yet: create a " +
      "sign-in link with `pointsman operators link`.",
    examples: {
      "pointsman operators add jo@example.com --name Jo --role support --workspace acme --by root": "For one workspace",
      "pointsman operators add ann@example.com --role admin --by root": "For all workspaces"
    },
    isAudited: true,
    flags: {
      login: loginArgument,
      name: Flag.String("name").pipe(
        Flag.withDescription("Name that the console shows; default: the login"),
        Flag.optional
      ),
      role: Flag.Literals("role", operatorRoles).pipe(
        Flag.withDescription(
          "viewer reads; support also captures, voids, refunds and sends webhooks again; operations also settles reviews " +
            "and applies messages; admin also manages keys, endpoints and operators"
        )
      ),
      workspace: textFlag(
        "workspace",
        "a,b",
        "Comma-separated workspaces of the role; default: all, also those that are added later"
      )
    }
  },
  function* ({ login, name, role, workspace }, { json }) {
    const grants = yield* grantsOf(workspace, role)
    const displayName = Option.getOrElse(name, () => login)
    const operator = yield* (yield* Pointsman).operators.add({ login, displayName, grants }).pipe(
      Effect.catchTags({
        "pointsman/OperatorInvalid": ({ expected, field }) =>
          new CommandFailure({ message: `${words[field]}: expected ${expected}.` }),
        "pointsman/LoginTaken": () =>
          new CommandFailure({ message: `login: expected a new one; ${printable(login)} is an operator already.` }),
        "pointsman/OperatorChanged": changedMeanwhile
      })
    )
    yield* print(json, { data: operatorView(operator) }, "")
    if (json) return
    yield* Console.error(
      `Added ${printable(operator.login)}. \`pointsman operators link ${printable(operator.login)}\` prints a link ` +
        "to sign in with."
    )
  }
)

const change = databaseCommand(
  {
    name: "change",
    short: "Change an operator's name or roles",
    long:
      "Change an operator's name or roles. Other roles of the operator stay. The change counts from the operator's next " +
      "request on, on every server.",
    examples: {
      "pointsman operators change jo@example.com --role operations --workspace acme --by root":
        "Another role in one workspace",
      "pointsman operators change jo@example.com --role none --by root": "Take the role in all workspaces away"
    },
    isAudited: true,
    flags: {
      login: loginArgument,
      name: Flag.String("name").pipe(
        Flag.withDescription("Another name that the console shows; default: it stays"),
        Flag.optional
      ),
      role: Flag.Literals("role", [...operatorRoles, "none"]).pipe(
        Flag.withDescription("Another role, or none to take it away; default: the roles stay"),
        Flag.optional
      ),
      workspace: textFlag(
        "workspace",
        "a,b",
        "Comma-separated workspaces in which the role changes; default: the role that counts in all workspaces"
      )
    }
  },
  function* ({ login, name, role, workspace }, { json }) {
    if (Option.isNone(name) && Option.isNone(role)) {
      return yield* new CommandFailure({ message: "--name or --role: expected one of them or both." })
    }
    if (Option.isSome(workspace) && Option.isNone(role)) {
      return yield* new CommandFailure({ message: "--role: expected with --workspace." })
    }
    const { operators } = yield* Pointsman
    const key = loginKey(login)
    const stored = (yield* operators.list).find((one) => one.active && loginKey(one.login) === key)
    if (stored === undefined) return yield* notFound(login)
    const edit = {
      login,
      displayName: Option.getOrElse(name, () => stored.displayName),
      grants: Option.isNone(role) ? stored.grants : yield* changedGrants(stored.grants, workspace, role.value),
      version: stored.version
    }
    const operator = yield* operators.edit(edit).pipe(
      Effect.catchTags({
        "pointsman/OperatorInvalid": ({ expected, field }) =>
          new CommandFailure({ message: `${words[field]}: expected ${expected}.` }),
        "pointsman/OperatorNotFound": () => notFound(login),
        "pointsman/OperatorChanged": changedMeanwhile,
        "pointsman/LastAdmin": () => lastAdmin(login)
      })
    )
    yield* print(json, { data: operatorView(operator) }, "")
    if (!json) yield* Console.error(`${printable(operator.login)} has ${rolesText(operator)} now.`)
  }
)

const remove = databaseCommand(
  {
    name: "remove",
    short: "Remove an operator and end its sessions",
    long: "Remove an operator: sessions and sign-in links end at once, on every server. What the audit trail says stays.",
    examples: { "pointsman operators remove jo@example.com --by root": "One operator" },
    isAudited: true,
    flags: { login: loginArgument }
  },
  function* ({ login }, { json }) {
    const operator = yield* (yield* Pointsman).operators.remove(login).pipe(
      Effect.catchTags({
        "pointsman/OperatorNotFound": () => notFound(login),
        "pointsman/OperatorChanged": changedMeanwhile,
        "pointsman/LastAdmin": () => lastAdmin(login)
      })
    )
    yield* print(json, { data: operatorView(operator) }, "")
    if (!json) yield* Console.error(`Removed ${printable(operator.login)} and ended all of its sessions.`)
  }
)

/** Without the slash at its end. */
const readConsoleUrl = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol) && url.search === "" && url.hash === ""
    ? Option.some(url.href.replace(/\/$/u, ""))
    : Option.none()
}

const link = databaseCommand(
  {
    name: "link",
    short: "Print a sign-in link",
    long:
      "Print a link that signs an operator in once, within 15 minutes, as the only line on standard output. The settings " +
      "of the server's address make the link.",
    examples: { "pointsman operators link jo@example.com --by root": "One operator" },
    isAudited: true,
    settings: [...databaseSettings, "port", "host", "baseUrl", "adminPort", "adminHost"],
    flags: {
      login: loginArgument,
      consoleUrl: Flag.String("console-url").pipe(
        Flag.withMetavar("url"),
        Flag.withDescription("Address of a console that a program of yours serves; default: the server's own"),
        Flag.filterMap(
          readConsoleUrl,
          () => "an http or https URL without query and fragment, such as https://shop.example/desk"
        ),
        Flag.optional
      )
    }
  },
  function* ({ consoleUrl, login }, { json, settings }) {
    yield* linkAndShow(
      login,
      (token) =>
        Option.match(consoleUrl, {
          onNone: () => linkUrl(addressesOf(settings), token),
          onSome: (url) => linkBelow(url, token)
        }),
      json
    )
  }
)

/** Uninterruptible: a link that is stored and was not shown is lost. */
const linkAndShow = Effect.fnUntraced(function* (
  login: string,
  urlOf: (token: Parameters<typeof linkBelow>[1]) => string,
  json: boolean
) {
  const { expiresAt, operator, token } = yield* Effect.catchTag(
    (yield* Pointsman).operators.createLink(login),
    "pointsman/OperatorNotFound",
    () => notFound(login)
  )
  const url = urlOf(token)
  yield* print(json, { data: { login: operator.login, url, expires: timeOf(expiresAt) } }, url)
  yield* Console.error(
    `It signs ${printable(operator.login)} in once, until ${timeOf(expiresAt)}. It is shown only once: only its ` +
      "hash is stored."
  )
}, Effect.uninterruptible)

export const operatorsCommand = commandGroup(
  "operators",
  { short: "Manage operators of the console", long: "Manage the operators of the console." },
  [list, add, change, remove, link]
)

/** What a field is called on the command line. */
const words = { login: "login", displayName: "--name", grants: "--workspace", password: "password" } as const

const grantsOf = Effect.fnUntraced(function* (workspace: Option.Option<string>, role: OperatorGrant["role"]) {
  if (Option.isNone(workspace)) return [{ workspaceId: null, role }] satisfies ReadonlyArray<OperatorGrant>
  const contents = yield* (yield* Directory).contents
  return yield* Effect.forEach(workspace.value.split(","), (named) =>
    Effect.map(
      Effect.fromResult(oneWorkspace(contents, Option.some(named.trim()))),
      (workspaceId): OperatorGrant => ({ workspaceId, role })
    )
  )
})

/** The others stay. */
const changedGrants = Effect.fnUntraced(function* (
  grants: Operator["grants"],
  workspace: Option.Option<string>,
  role: OperatorGrant["role"] | "none"
) {
  // Which role it is does not matter for which workspaces are meant.
  const meant = (yield* grantsOf(workspace, "viewer")).map(({ workspaceId }) => workspaceId)
  const others = grants.filter(({ workspaceId }) => !meant.includes(workspaceId))
  return role === "none" ? others : [...others, ...meant.map((workspaceId): OperatorGrant => ({ workspaceId, role }))]
})

/** As the settings have them; a port that the server picked itself is not known here. */
const addressesOf = ({ adminHost, adminPort, baseUrl, host, port, tlsCertificate }: Settings) => {
  const at = (name: string, number: number) => `//${isIP(name) === 6 ? `[${name}]` : name}:${number}`
  return {
    adminUrl: adminPort === null ? undefined : `http:${at(adminHost, adminPort)}`,
    apiUrl: baseUrl ?? `${tlsCertificate === null ? "http" : "https"}:${at(host, port)}`
  }
}

const notFound = (login: string) =>
  new CommandFailure({ message: `login: expected that of an active operator; ${printable(login)} not found.` })

const changedMeanwhile = () =>
  new CommandFailure({ message: "Others changed the operator at the same time: run the command again." })

const lastAdmin = (login: string) =>
  new CommandFailure({
    message:
      `login: expected another operator; ${printable(login)} is the only one with the role admin in all workspaces. ` +
      "Add another one first."
  })

const rolesText = ({ grants }: Operator): string =>
  grants.map(({ role, workspaceId }) => `${role} (${workspaceId ?? "all workspaces"})`).join(", ")

const operatorView = ({ active, createdAt, displayName, grants, id, login, passwordHash }: Operator) => ({
  id,
  login,
  name: displayName,
  active,
  roles: grants.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role })),
  has_password: passwordHash !== null,
  created: timeOf(createdAt)
})

const asText = (operators: ReadonlyArray<Operator>): Text =>
  table(
    ["LOGIN", "NAME", "ROLES", "STATE", "PASSWORD", "ADDED"],
    operators.map((operator) => [
      operator.login,
      operator.displayName,
      rolesText(operator),
      operator.active ? "active" : "removed",
      operator.passwordHash === null ? "no" : "yes",
      timeOf(operator.createdAt)
    ])
  )
