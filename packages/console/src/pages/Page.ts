/**
 * What a page is: its path, what it takes, and how it is answered. A page without an access does not compile, and nothing of
 * its handler runs before the role is checked.
 */
import { environments, type Operator } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Access, isAllowed } from "../Access.ts"
import { asOperator, currentSession, forbidden } from "../Authorize.ts"
import { type ConsoleCode, type ConsoleError, consoleCodes, failure } from "../api/Errors.ts"
import type { CurrentOperator } from "../CurrentOperator.ts"
import type { DeskServices, PaymentPath, TenantPath } from "../Desk.ts"
import { ConsoleSettings } from "../Settings.ts"
import { alert, type Document, documentText } from "./Layout.ts"

export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly mount: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** Of a post; empty otherwise. */
  readonly form: URLSearchParams
}

/** `redirect`: a path under the mount. */
export type Answer = Document | { readonly redirect: string; readonly headers?: Readonly<Record<string, string>> }

type PageServices = DeskServices | ConsoleSettings | HttpServerRequest.HttpServerRequest

type Handler<R> = (visit: Visit) => Effect.Effect<Answer, ConsoleError<ConsoleCode>, R>

type Method = "GET" | "POST"

/** For everybody: signing in. */
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
    Effect.matchEffect(currentSession, {
      onFailure: ({ error }) =>
        error.code === "not_signed_in"
          ? toSignIn
          : answering(undefined, () => Effect.fail(failure(error.code, error.message))),
      onSuccess: (signedIn) =>
        answering(signedIn.operator, (visit) =>
          isAllowed(signedIn.operator, access, visit.params["workspace"])
            ? asOperator(signedIn)(handler(visit))
            : Effect.fail(forbidden)
        )
    }),
    { uninterruptible: true }
  )

const visitOf = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { mount } = yield* ConsoleSettings
  const isPost = request.method === "POST"
  const visit: Visit = {
    request,
    mount,
    params: yield* HttpRouter.params,
    query: new URL(request.url, "http://console").searchParams,
    form: new URLSearchParams(isPost ? yield* Effect.orDie(request.text) : "")
  }
  return visit
})

const toSignIn = Effect.gen(function* () {
  const { mount, request } = yield* visitOf
  // Back to what was asked for, where that only reads.
  const next = request.method === "GET" ? `?next=${encodeURIComponent(request.url)}` : ""
  return HttpServerResponse.redirect(`${mount}/sign-in${next}`, { status: 303 })
})

const answering = <R>(operator: Operator | undefined, handler: Handler<R>) =>
  Effect.gen(function* () {
    const visit = yield* visitOf
    const answer = yield* Effect.catch(handler(visit), (reason) => Effect.succeed(refusal(reason)))
    if ("redirect" in answer) {
      return HttpServerResponse.redirect(`${visit.mount}${answer.redirect}`, {
        status: 303,
        headers: answer.headers ?? {}
      })
    }
    return HttpServerResponse.text(documentText(answer, visit.mount, operator), {
      status: answer.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: answer.headers ?? {}
    })
  })

const refusal = ({ error: { code, message } }: ConsoleError): Document => {
  const { status } = consoleCodes[code]
  const titles: Readonly<Record<number, string>> = { 403: "Not allowed", 404: "Not found" }
  return {
    status,
    title: titles[status] ?? "That did not work",
    main: InProcess.html`${alert(message)}`,
    isSmall: true
  }
}

/** Of the path. An environment that there is not is not found. */
export const tenantOf = ({ params }: Visit): Effect.Effect<TenantPath, ConsoleError<"not_found">> => {
  const environment = environments.find((one) => one === params["environment"])
  return environment === undefined
    ? Effect.fail(failure("not_found", "Page not found."))
    : Effect.succeed({ workspace: params["workspace"] ?? "", environment })
}

export const paymentOf = (visit: Visit): Effect.Effect<PaymentPath, ConsoleError<"not_found">> =>
  Effect.map(tenantOf(visit), (tenant) => ({ ...tenant, payment: visit.params["payment"] ?? "" }))

/** Under the mount. */
export const pathOf = ({ environment, workspace }: TenantPath, ...more: ReadonlyArray<string>): string =>
  ["/payments", workspace, environment, ...more]
    .map((part, at) => (at === 0 ? part : encodeURIComponent(part)))
    .join("/")
