/** The operator's account: how it signs in. */
import { type OperatorSession, recentSignInMillis } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { type Document, type Html, time, timeOr } from "../frame/Layout.ts"
import { type Answer, noticeIn, page, type Visit } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { lacksPasskey, mustUsePasskey } from "../gate/Access.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { ConsoleSettings } from "../gate/Settings.ts"
import type { PasskeyView } from "./PasskeyApi.ts"
import * as Desk from "./PasskeyDesk.ts"

const { html } = InProcess

/** Shown by `passkeys.js` where the browser has passkeys. Without scripts there are none. */
export const passkeySignIn = (mount: string, next: string): Html => html`<div data-passkeys="${mount}" hidden>
<form data-sign-in="${mount}${next}" class="card stack"><button>Sign in with a passkey</button></form>
<p class="note" role="alert" hidden></p>
</div>`

const notices = {
  added: "The passkey was added. You can sign in with it from now on.",
  removed: "The passkey was removed. Remove it on your device too."
} as const

const listOf = (mount: string, passkeys: ReadonlyArray<PasskeyView>): Html =>
  table({
    label: "Passkeys",
    columns: ["Name", "Added", "Last used", "Action"],
    none: "No passkeys yet.",
    rows: passkeys.map(
      ({ created_at, id, last_used_at, name }) => html`<tr><td>${name}</td><td>${time(created_at)}</td>
<td>${timeOr(last_used_at, "Never")}</td>
<td><form method="post" action="${mount}/account/passkeys/${encodeURIComponent(id)}/remove"><button aria-label="Remove ${name}">Remove</button></form></td></tr>`
    )
  })

const addForm = (mount: string, { createdAt, method }: OperatorSession, now: number): Html => {
  if (method === "oidc") {
    return html`<p class="soft">Your company's sign-in manages this account: passkeys cannot be added in this session.</p>`
  }
  if (now >= createdAt + recentSignInMillis) {
    return html`<p class="soft">To add a passkey, sign out and in again: it is possible for 15 minutes after a sign-in.</p>`
  }
  return html`<noscript><p class="soft">Adding a passkey takes JavaScript.</p></noscript>
<div data-passkeys="${mount}" hidden>
<form data-add="${mount}/account?notice=added" class="card fields">
<div class="wide"><label for="name">Name of the passkey, such as its device</label>
<input id="name" name="name" maxlength="120" autocomplete="off" required></div>
<button class="main">Add a passkey</button>
</form>
<p class="note" role="alert" hidden></p>
</div>`
}

const accountPage = Effect.fnUntraced(function* (visit: Visit) {
  const { mount } = visit
  const { operator, session } = yield* CurrentOperator
  const { requirePasskey } = yield* ConsoleSettings
  const passkeys = yield* Desk.list
  const shown = { title: "Your account", script: "passkeys.js", notice: noticeIn(visit, notices) } as const
  const form = addForm(mount, session, yield* Clock.currentTimeMillis)
  if (lacksPasskey({ operator, session }, requirePasskey)) {
    const isUsed = mustUsePasskey({ operator, session }, requirePasskey, passkeys)
    const main = html`<p>${isUsed ? Desk.useYours : "Your role takes a passkey. Add one, then sign out, and in with it."}</p>
${isUsed ? undefined : form}`
    return { ...shown, main } satisfies Document
  }
  return {
    ...shown,
    main: html`<dl class="card"><dt>Name</dt><dd>${operator.displayName}</dd><dt>Login</dt><dd>${operator.login}</dd></dl>
<h2>Password</h2>
<p><a href="${mount}/password">${operator.passwordHash === null ? "Set a password" : "Change your password"}</a></p>
<h2>Passkeys</h2>
${listOf(mount, passkeys)}
${form}`
  } satisfies Document
})

/** One that is gone was removed: the form may be sent again. */
const remove = ({ params }: Visit) =>
  Desk.remove(params["passkey"] ?? "").pipe(
    Effect.catchIf(
      ({ error }) => error.code === "not_found",
      () => Effect.void
    ),
    Effect.as<Answer>({ redirect: "/account?notice=removed" })
  )

export const passkeyPages = [
  page("GET", "/account", "addPasskey", accountPage),
  page("POST", "/account/passkeys/:passkey/remove", "signedIn", remove)
]
