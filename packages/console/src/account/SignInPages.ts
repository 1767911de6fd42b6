/** Signing in and out, and the operator's password. */
import { type NewSession, Pointsman } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect, Redacted } from "effect"
import { internalError } from "../api/Errors.ts"
import { field, hidden } from "../frame/Forms.ts"
import { alert, type Document } from "../frame/Layout.ts"
import { isAreaPath } from "../frame/Navigation.ts"
import { type Answer, openPage, page, type Visit } from "../frame/Page.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { clearCookie, setCookie } from "../gate/Cookie.ts"
import { ConsoleSettings, RequestSource } from "../gate/Settings.ts"
import { passkeySignIn } from "../passkeys/PasskeyPages.ts"
import { endFormer } from "./AccountHandlers.ts"

const { html } = InProcess

export const nextOf = (text: string | null): string => (text !== null && isAreaPath(text) ? text : "/day")

export const signInPage = Effect.fnUntraced(function* (
  { mount }: Visit,
  next: string,
  problem?: string,
  status?: number
) {
  const { oidc } = yield* ConsoleSettings
  return {
    status,
    title: "Sign in",
    isSmall: true,
    script: "passkeys.js",
    main: html`${alert(problem)}
${
  oidc === undefined
    ? undefined
    : // A link: browsers hold the redirect of a form to the policy of the page (`form-action`).
      html`<p class="card stack"><a class="button main" href="${mount}/sign-in/oidc?next=${encodeURIComponent(next)}">Sign in with ${oidc.name}</a></p>`
}
<form method="post" action="${mount}/sign-in" class="card stack">
${hidden("next", next)}
${field({ name: "login", label: "E-mail or name", attributes: html`autocomplete="username" autocapitalize="none" spellcheck="false" required` })}
${field({ name: "password", label: "Password", attributes: html`type="password" autocomplete="current-password" required` })}
<button class="main">Sign in</button>
</form>
${passkeySignIn(mount, next)}
<p class="soft">No password yet? Ask an administrator for a sign-in link.</p>`
  } satisfies Document
})

const linkPage = ({ mount, params }: Visit, problem?: string, status?: number): Document => ({
  status,
  title: "Sign in",
  isSmall: true,
  main: html`${alert(problem)}
<form method="post" action="${mount}/link/${encodeURIComponent(params["token"] ?? "")}" class="card stack">
<p>The link works once.</p>
<button class="main">Sign in</button>
</form>`
})

export const beginSession = Effect.fnUntraced(function* ({ token }: NewSession, next: string) {
  yield* endFormer
  return { redirect: next, headers: { "set-cookie": setCookie(token, yield* ConsoleSettings) } } satisfies Answer
})

const refused = "The login or the password is wrong."
const usedLink = "The link is wrong, was used or is too old. Ask an administrator for another one."
export const slower = (millis: number) =>
  `Too many sign-ins were tried. Try again in ${Math.ceil(millis / 60_000)} min.`

const signIn = Effect.fnUntraced(function* (visit: Visit) {
  const { operators } = yield* Pointsman
  const next = nextOf(visit.form.get("next"))
  const given = {
    login: visit.form.get("login") ?? "",
    password: Redacted.make(visit.form.get("password") ?? ""),
    source: yield* RequestSource
  }
  return yield* operators.signInWithPassword(given).pipe(
    Effect.flatMap((session) => beginSession(session, next)),
    Effect.catchTags({
      "pointsman/SignInRefused": () => signInPage(visit, next, refused, 401),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) => signInPage(visit, next, slower(retryAfterMillis), 429),
      "pointsman/StorageError": internalError
    })
  )
})

/** A look at a link does not use it up: programs that read mail follow links. */
const useLink = Effect.fnUntraced(function* (visit: Visit) {
  const { operators } = yield* Pointsman
  const token = Redacted.make(visit.params["token"] ?? "")
  return yield* operators.signInWithLink(token).pipe(
    Effect.flatMap((session) => beginSession(session, "/day")),
    Effect.catchTags({
      "pointsman/SignInRefused": () => Effect.succeed<Answer>(linkPage(visit, usedLink, 401)),
      "pointsman/StorageError": internalError
    })
  )
})

const signOut = Effect.gen(function* () {
  yield* Effect.catch(endFormer, internalError)
  return { redirect: "/sign-in", headers: { "set-cookie": clearCookie(yield* ConsoleSettings) } } satisfies Answer
})

const passwordPage = ({ mount }: Visit, hasPassword: boolean, problem?: string, status?: number): Document => ({
  status,
  title: hasPassword ? "Change your password" : "Set a password",
  isSmall: true,
  main: html`${alert(problem)}
<form method="post" action="${mount}/password" class="card stack">
${field({
  name: "current",
  label: `Current password${hasPassword ? "" : " (none yet)"}`,
  attributes: html`type="password" autocomplete="current-password"`
})}
${field({
  name: "password",
  label: "New password",
  attributes: html`type="password" autocomplete="new-password" minlength="12" maxlength="256" required`,
  hint: "12 to 256 characters that are hard to guess. All other sessions end."
})}
<button class="main">Save</button>
<a class="button" href="${mount}/account">Back</a>
</form>`
})

const setPassword = Effect.fnUntraced(function* (visit: Visit) {
  const signedIn = yield* CurrentOperator
  const { operators } = yield* Pointsman
  const current = visit.form.get("current") ?? ""
  const order = {
    current: current === "" ? null : Redacted.make(current),
    password: Redacted.make(visit.form.get("password") ?? ""),
    source: yield* RequestSource
  }
  const again = (problem: string, status: number) =>
    Effect.succeed<Answer>(passwordPage(visit, signedIn.operator.passwordHash !== null, problem, status))
  const changed = () => again("Your account was changed at the same time. Sign in again.", 409)
  return yield* operators.setPassword(signedIn, order).pipe(
    Effect.flatMap((session) => beginSession(session, "/day")),
    Effect.catchTags({
      "pointsman/OperatorInvalid": ({ expected }) => again(`New password: expected ${expected}.`, 422),
      "pointsman/PasswordRefused": () => again("The current password is needed, and is missing or wrong.", 401),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) => again(slower(retryAfterMillis), 429),
      "pointsman/SignInRefused": changed,
      "pointsman/OperatorNotFound": changed,
      "pointsman/OperatorChanged": changed,
      "pointsman/StorageError": internalError
    })
  )
})

export const signInPages = [
  openPage("GET", "/sign-in", (visit) => signInPage(visit, nextOf(visit.query.get("next")))),
  openPage("POST", "/sign-in", signIn),
  openPage("GET", "/link/:token", (visit) => Effect.succeed(linkPage(visit))),
  openPage("POST", "/link/:token", useLink),
  openPage("POST", "/sign-out", () => signOut),
  page("GET", "/password", "signedIn", (visit) =>
    Effect.map(CurrentOperator, ({ operator }) => passwordPage(visit, operator.passwordHash !== null))
  ),
  page("POST", "/password", "signedIn", setPassword)
]
