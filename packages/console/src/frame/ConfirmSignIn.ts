/**
 * Asks for the password or the passkey again, where an act takes a sign-in of a moment ago. The page holds the form that
 * was sent: it is sent once more with the answer, and nothing has to be typed again.
 */
import { type NewSession, Pointsman } from "@pointsman/core"
import type { SignedIn } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { type ConsoleCode, type ConsoleError, failure, internalError } from "../api/Errors.ts"
import { lacksPasskey } from "../gate/Access.ts"
import { readCookie, setCookie } from "../gate/Cookie.ts"
import { ConsoleSettings, RequestSource } from "../gate/Settings.ts"
import { field, hidden } from "./Forms.ts"
import { alert, type Document, type Html } from "./Layout.ts"
import type { Answer, Visit } from "./Visit.ts"

const { html } = InProcess

const passwordField = "confirm_password"
/** So that another operator who signs in meanwhile does not do what this one asked for. */
const operatorField = "confirm_operator"
const own: ReadonlySet<string> = new Set([passwordField, operatorField])

const formId = "confirm"

const otherOperator = failure("forbidden", "Another operator signed in with this browser. Nothing was done.")

/** `act` is tried in the session as it is, or in the one that the form's password begins. */
export const confirming = Effect.fnUntraced(function* <R>(
  signedIn: SignedIn,
  visit: Visit,
  act: (current: SignedIn) => Effect.Effect<Answer, ConsoleError<ConsoleCode>, R>,
  refusal: (problem: ConsoleError<ConsoleCode>, visit: Visit) => Document
) {
  const asked = visit.form.get(operatorField)
  if (asked !== null && asked !== signedIn.operator.id) return yield* Effect.fail(otherOperator)
  const password = visit.form.get(passwordField) ?? ""
  const again = (problem?: string, status?: number) => confirmPage(signedIn, visit, problem, status)
  const tried = (current: SignedIn) =>
    Effect.catchIf(
      act(current),
      ({ error }) => error.code === "sign_in_again",
      ({ error }) => again(error.message)
    )
  if (password === "" || !(yield* mayUsePassword(signedIn))) return yield* tried(signedIn)
  const { login } = signedIn.operator
  const { operators } = yield* Pointsman
  const given = { login, password: Redacted.make(password), source: yield* RequestSource }
  return yield* operators.signInWithPassword(given).pipe(
    Effect.flatMap((session) =>
      tried(session).pipe(
        // The session before is over: what is answered has the cookie of the new one.
        Effect.catch((problem) => Effect.succeed<Answer>(refusal(problem, visit))),
        Effect.flatMap((answer) => inSession(visit, session, answer))
      )
    ),
    Effect.catchTags({
      "pointsman/SignInRefused": () => again("The password is wrong. Nothing was done yet.", 401),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) =>
        again(`Too many sign-ins were tried. Try again in ${Math.ceil(retryAfterMillis / 60_000)} min.`, 429),
      "pointsman/StorageError": internalError
    })
  )
})

/** Ends the session of the request, and names the new one. */
const inSession = Effect.fnUntraced(function* ({ request }: Visit, { token }: NewSession, answer: Answer) {
  const { operators } = yield* Pointsman
  const settings = yield* ConsoleSettings
  const former = readCookie(request.headers["cookie"], settings)
  if (former !== undefined) yield* operators.signOut(former)
  const cookie = setCookie(token, settings)
  const withCookie: Answer = HttpServerResponse.isHttpServerResponse(answer)
    ? HttpServerResponse.setHeader(answer, "set-cookie", cookie)
    : { ...answer, headers: { ...answer.headers, "set-cookie": cookie } }
  return withCookie
})

/** A session by a password would be refused everything where the role takes a passkey. */
const mayUsePassword = ({ operator, session }: SignedIn) =>
  Effect.map(
    ConsoleSettings,
    ({ requirePasskey }) =>
      operator.passwordHash !== null &&
      !lacksPasskey({ operator, session: { ...session, method: "password" } }, requirePasskey)
  )

const confirmPage = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  { form, mount, request }: Visit,
  problem: string | undefined,
  status = 403
) {
  const { operator } = signedIn
  const { oidc } = yield* ConsoleSettings
  const { passkeys } = (yield* Pointsman).operators
  const hasPasskey = (yield* Effect.catch(passkeys.list(operator), internalError)).length > 0
  const takesPassword = yield* mayUsePassword(signedIn)
  return {
    status,
    title: "Sign in again",
    isSmall: true,
    script: "passkeys.js",
    main: html`${alert(problem)}
<form id="${formId}" method="post" action="${mount}${request.url}" class="card stack" data-once="yes">
${[...form].filter(([name]) => !own.has(name)).map(([name, value]) => hidden(name, value))}
${hidden(operatorField, operator.id)}
${takesPassword ? field({ name: passwordField, label: `Password of ${operator.login}`, attributes: html`type="password" autocomplete="current-password" autofocus` }) : undefined}
${
  oidc !== undefined && operator.identity !== null
    ? html`<p><a href="${mount}/sign-in/oidc?again=yes" target="_blank">Sign in with ${oidc.name} in another tab</a>, then continue here.</p>`
    : undefined
}
${takesPassword || hasPasskey || operator.identity !== null ? undefined : html`<p>Sign in by a new link in another tab, then continue here. An administrator makes links.</p>`}
<button class="main">Continue</button>
</form>
${hasPasskey ? passkeyForm(mount) : undefined}`
  } satisfies Document
})

/** Shown by `passkeys.js`, which sends the form above once the passkey has signed in. */
const passkeyForm = (mount: string): Html => html`<div data-passkeys="${mount}" hidden>
<form data-then="${formId}" class="card stack"><button>Continue with a passkey</button></form>
<p class="note" role="alert" hidden></p>
</div>`
