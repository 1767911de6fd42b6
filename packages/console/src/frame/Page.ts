/**
 * What a page is: its path, what it takes, and how it is answered. A page without an access does not compile, and nothing of
 * its handler runs before the role is checked.
 */
import { environments } from "@pointsman/core"
import { Directory, type SignedIn, StaleReads } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Clock, Effect, type Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type ConsoleCode, type ConsoleError, consoleCodes, failure } from "../api/Errors.ts"
import type { DayReads } from "../day/DayReads.ts"
import { type Access, isAllowed, lacksPasskey, refusalOf } from "../gate/Access.ts"
import { admittedSession, asOperator } from "../gate/Authorize.ts"
import { CurrentOperator, type DeskServices, type TenantPath } from "../gate/Caller.ts"
import type { OpenResponses } from "../gate/OpenResponses.ts"
import { ConsoleSettings } from "../gate/Settings.ts"
import type { TenantChanges } from "../live/TenantChanges.ts"
import { confirming } from "./ConfirmSignIn.ts"
import { type Document, documentText, type Html, standbyNote } from "./Layout.ts"
import { type AreaName, areaNames, areas, type EnvironmentArea, type Frame, places } from "./Navigation.ts"
import type { Answer, Visit } from "./Visit.ts"

export type { Answer, Visit }

type PageServices =
  | DeskServices
  | ConsoleSettings
  | HttpServerRequest.HttpServerRequest
  | HttpRouter.RouteContext
  | OpenResponses
  | TenantChanges
  | DayReads
  | Scope.Scope

type Handler<R> = (visit: Visit) => Effect.Effect<Answer, ConsoleError<ConsoleCode>, R>

type Method = "GET" | "POST"

/** Without a session: signing in. */
export const openPage = (method: Method, path: `/${string}`, handler: Handler<PageServices>) =>
  HttpRouter.route(method, path, answering(undefined, handler))

export const page = (
  method: Method,
  path: `/${string}`,
  access: Access,
  handler: Handler<PageServices | CurrentOperator>
) =>
  HttpRouter.route(
    method,
    path,
    Effect.matchEffect(admittedSession, {
      onFailure: ({ error }) =>
        error.code === "not_signed_in"
          ? toSignIn
          : answering(undefined, () => Effect.fail(failure(error.code, error.message))),
      onSuccess: (signedIn) =>
        answering(signedIn, (visit) =>
          Effect.flatMap(ConsoleSettings, ({ requirePasskey }) => {
            const act = (current: SignedIn) => {
              const reason = refusalOf(current, access, visit.params["workspace"], requirePasskey)
              return reason === undefined ? asOperator(current)(handler(visit)) : Effect.fail(reason)
            }
            return method === "GET" ? act(signedIn) : confirming(signedIn, visit, act, refusal)
          })
        )
    }),
    { uninterruptible: true }
  )

const visitOf = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { mount } = yield* ConsoleSettings
  const isPost = request.method === "POST"
  // A path that begins with `//` is no URL that a parser takes.
  const [, search = ""] = /\?(.*)/su.exec(request.url) ?? []
  const visit: Visit = {
    request,
    mount,
    params: yield* HttpRouter.params,
    query: new URLSearchParams(search),
    form: new URLSearchParams(isPost && !InProcess.isEvidenceForm(request) ? yield* Effect.orDie(request.text) : "")
  }
  return visit
})

const toSignIn = Effect.gen(function* () {
  const { mount, request } = yield* visitOf
  // Back to what was asked for, where that only reads.
  const next = request.method === "GET" ? `?next=${encodeURIComponent(request.url)}` : ""
  return HttpServerResponse.redirect(`${mount}/sign-in${next}`, { status: 303 })
})

const answering = <R>(signedIn: SignedIn | undefined, handler: Handler<R>) =>
  Effect.gen(function* () {
    const visit = yield* visitOf
    const answer = yield* Effect.catch(handler(visit), (reason) => Effect.succeed(refusal(reason, visit)))
    if (HttpServerResponse.isHttpServerResponse(answer)) return answer
    if ("redirect" in answer) {
      return HttpServerResponse.redirect(`${visit.mount}${answer.redirect}`, {
        status: 303,
        headers: answer.headers ?? {}
      })
    }
    if ("elsewhere" in answer) {
      return HttpServerResponse.redirect(answer.elsewhere, { status: 303, headers: answer.headers ?? {} })
    }
    const frame = signedIn === undefined ? undefined : yield* frameOf(signedIn, visit)
    const reads = yield* StaleReads
    const asOf = typeof reads?.asOf === "number" ? standbyNote(reads.asOf, yield* Clock.currentTimeMillis) : undefined
    return HttpServerResponse.text(documentText(answer, visit.mount, frame, asOf), {
      status: answer.status ?? (answer.problem === undefined ? 200 : consoleCodes[answer.problem.error.code].status),
      contentType: "text/html; charset=utf-8",
      headers: answer.headers ?? {}
    })
  })

/** Where the page is among the console's areas, and to what else its operator may go. */
const frameOf = Effect.fnUntraced(function* (signedIn: SignedIn, { params, request }: Visit) {
  const { contents } = yield* Directory
  const workspaces = yield* Effect.orElseSucceed(
    Effect.map(contents, ({ workspaces }) => workspaces),
    () => []
  )
  const area = areaNames.find((one) => one === /^\/([a-z]+)/u.exec(request.url)?.[1])
  const environment = environments.find((one) => one === params["environment"])
  const workspace = params["workspace"]
  const tenant = environment === undefined || workspace === undefined ? undefined : { workspace, environment }
  const { requirePasskey } = yield* ConsoleSettings
  // No area is open to such a session.
  const operator = lacksPasskey(signedIn, requirePasskey) ? { ...signedIn.operator, grants: [] } : signedIn.operator
  return { operator, workspaces, area, tenant } satisfies Frame
})

const refusal = (problem: ConsoleError<ConsoleCode>, { mount }: Visit): Document => {
  const titles: Readonly<Record<number, string>> = { 403: "Not allowed", 404: "Not found" }
  const title = titles[consoleCodes[problem.error.code].status] ?? "That did not work"
  const toAccount = InProcess.html`<p><a class="button main" href="${mount}/account">Add a passkey</a></p>`
  const main = problem.error.code === "passkey_required" ? toAccount : InProcess.html``
  return { title, problem, main, isSmall: true }
}

/** A form with what was wrong. What takes a recent sign-in is asked for by the page around it (`confirming`). */
export const orShow =
  <E extends ConsoleError<ConsoleCode>, E2, R>(show: (problem: E) => Effect.Effect<Answer, E2, R>) =>
  (problem: E): Effect.Effect<Answer, E | E2, R> =>
    problem.error.code === "sign_in_again" ? Effect.fail(problem) : show(problem)

/** The notice that the address names. */
export const noticeIn = ({ query }: Visit, notices: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(notices).find(([name]) => name === query.get("notice"))?.[1]

/** Of the path. An unknown environment is not found. */
export const tenantOf = ({ params }: Visit): Effect.Effect<TenantPath, ConsoleError<"not_found">> => {
  const environment = environments.find((one) => one === params["environment"])
  return environment === undefined
    ? Effect.fail(failure("not_found", "Page not found."))
    : Effect.succeed({ workspace: params["workspace"] ?? "", environment })
}

/** The record that the path names below its tenant. */
export const recordOf = <const Name extends string>(visit: Visit, name: Name) =>
  Effect.map(tenantOf(visit), (tenant) => {
    const record = { [name]: visit.params[name] ?? "" } as { readonly [_ in Name]: string }
    return { ...tenant, ...record }
  })

/** Under the mount. */
export const pathOf = (
  area: EnvironmentArea | "live",
  { environment, workspace }: TenantPath,
  ...more: ReadonlyArray<string>
) => `/${area}/${[workspace, environment, ...more].map(encodeURIComponent).join("/")}`

export const inNoWorkspace = (area: AreaName): Document => ({
  title: areas[area].name,
  main: InProcess.html`<p class="card">Your roles allow this in no workspace of this installation.</p>`
})

/** The area in the first workspace that the operator may see it in. */
export const firstOf = (
  area: EnvironmentArea
): Effect.Effect<Answer, ConsoleError<"internal_error">, DeskServices | CurrentOperator> =>
  Effect.map(places(areas[area].access), ([tenant]) =>
    tenant === undefined ? inNoWorkspace(area) : { redirect: pathOf(area, tenant) }
  )

const { html } = InProcess

/** The text alone for an operator who may not open the area. */
export const recordLinks = Effect.fnUntraced(function* ({ mount }: Visit, tenant: TenantPath) {
  const { operator } = yield* CurrentOperator
  return (area: EnvironmentArea, text: string | Html, ...path: ReadonlyArray<string>): Html =>
    isAllowed(operator, areas[area].access, tenant.workspace)
      ? html`<a href="${mount}${pathOf(area, tenant, ...path)}">${text}</a>`
      : html`${text}`
})
