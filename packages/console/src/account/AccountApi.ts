/** Signing in and out, and the operator's own account. A request without a session can use the group `entry` only. */
import { environments, operatorActions, operatorRoles, type SignInMethod, signInMethods } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary } from "../api/Parts.ts"
import { described, Text } from "../api/Records.ts"
import { SignInOptions, SignInResponse } from "../passkeys/PasskeyApi.ts"

export const Me = Schema.Struct({
  id: Text,
  login: Text,
  name: Text,
  has_password: Schema.Boolean.annotateKey(described("Whether the operator can sign in by a password.")),
  roles: Schema.Array(
    Schema.Struct({
      workspace_id: Schema.NullOr(Text).annotateKey(described("`null`: all workspaces.")),
      role: Schema.Literals(operatorRoles)
    })
  ),
  workspaces: Schema.Array(
    Schema.Struct({
      id: Text,
      name: Text,
      environments: Schema.Array(Schema.Literals(environments)),
      actions: Schema.Array(Schema.Literals(operatorActions)).annotateKey(described("What the operator may do there."))
    })
  )
}).annotate({ identifier: "Me", description: "The operator who is signed in." })

export type Me = typeof Me.Type

const Session = Schema.Struct({ data: Schema.Struct({ login: Schema.String, method: Schema.Literals(signInMethods) }) })

const Credentials = Schema.Struct({ login: Schema.String, password: Schema.RedactedFromValue(Schema.String) })
const LinkToken = Schema.Struct({ token: Schema.RedactedFromValue(Schema.String) })
const NewPassword = Schema.Struct({
  current: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
  password: Schema.RedactedFromValue(Schema.String)
})

export class Entry extends HttpApiGroup.make("entry")
  .add(
    HttpApiEndpoint.post("signIn", "/session", {
      payload: Credentials,
      success: Session,
      error: failures("sign_in_refused", "too_many_sign_ins", "internal_error")
    }).annotateMerge(summary("Sign in by a password", "Begins a session, whose token is in the cookie.")),
    HttpApiEndpoint.post("signInByLink", "/session/link", {
      payload: LinkToken,
      success: Session,
      error: failures("sign_in_refused", "internal_error")
    }).annotateMerge(summary("Sign in by a link", "Begins a session with a token that works once.")),
    HttpApiEndpoint.post("beginPasskeySignIn", "/session/passkey/options", {
      success: Schema.Struct({ data: SignInOptions }),
      error: failures("too_many_sign_ins", "internal_error")
    }).annotateMerge(summary("Begin to sign in with a passkey", "The options for `navigator.credentials.get`.")),
    HttpApiEndpoint.post("signInByPasskey", "/session/passkey", {
      payload: Schema.Struct({ challenge: Schema.String, response: SignInResponse }),
      success: Session,
      error: failures("sign_in_refused", "internal_error")
    }).annotateMerge(
      summary("Sign in with a passkey", "Begins a session with the response of the browser to the challenge.")
    ),
    HttpApiEndpoint.delete("signOut", "/session", {
      success: HttpApiSchema.NoContent,
      error: failures("internal_error")
    }).annotateMerge(summary("Sign out", "Ends the session of the cookie. It may be repeated."))
  )
  .middleware(RequestErrors) {}

export class Account extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("me", "/me", {
      success: Schema.Struct({ data: Me }),
      error: failures("internal_error")
    }).annotateMerge(summary("Who is signed in", "The operator, with what it may do in each workspace.")),
    HttpApiEndpoint.delete("signOutEverywhere", "/sessions", {
      success: HttpApiSchema.NoContent,
      error: failures("internal_error")
    }).annotateMerge(summary("Sign out everywhere", "Ends all sessions and sign-in links of the operator.")),
    HttpApiEndpoint.put("setPassword", "/password", {
      payload: NewPassword,
      success: Session,
      error: failures("password_refused", "too_many_sign_ins", "operator_changed", "internal_error")
    }).annotateMerge(
      summary(
        "Set a password",
        "12 to 256 characters that are hard to guess. It ends all sessions and begins a new one. `current` may be left " +
          "out for 15 minutes after a sign-in by a link."
      )
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}

export type SessionView = { readonly login: string; readonly method: SignInMethod }
