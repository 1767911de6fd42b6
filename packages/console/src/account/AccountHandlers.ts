/** The endpoints of signing in and of the operator's own account. */
import {
  environments,
  mayAct,
  type NewSession,
  type Operator,
  operatorActions,
  Pointsman,
  type Workspace
} from "@pointsman/core"
import { Effect, Layer, type Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { failure, internalError } from "../api/Errors.ts"
import { CurrentOperator, type DeskServices, directoryContents } from "../gate/Caller.ts"
import { clearCookie, readCookie, setCookie } from "../gate/Cookie.ts"
import { ConsoleSettings, RequestSource } from "../gate/Settings.ts"
import { operatorIdOf, signInOptions, verifySignIn } from "../passkeys/WebAuthn.ts"
import type { Me, SessionView } from "./AccountApi.ts"

const refused = failure(
  "sign_in_refused",
  "The login, the password, the link or the passkey is wrong, or the link was used."
)

const tooMany = (retryAfterMillis: number) => {
  const seconds = Math.max(1, Math.ceil(retryAfterMillis / 1000))
  return HttpServerResponse.jsonUnsafe(
    failure("too_many_sign_ins", `Too many sign-ins were tried. Try again in ${seconds} s.`),
    { status: 429, headers: { "retry-after": String(seconds) } }
  )
}

/** Ends the session that the cookie names, if any: a browser has one. */
export const endFormer = Effect.gen(function* () {
  const { operators } = yield* Pointsman
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const former = readCookie(headers["cookie"], yield* ConsoleSettings)
  if (former !== undefined) yield* operators.signOut(former)
})

const begun = Effect.fnUntraced(function* ({ operator, session, token }: NewSession) {
  const data: SessionView = { login: operator.login, method: session.method }
  return HttpServerResponse.jsonUnsafe(
    { data },
    { headers: { "set-cookie": setCookie(token, yield* ConsoleSettings) } }
  )
})

const withoutCookie = Effect.map(ConsoleSettings, (settings) =>
  HttpServerResponse.empty({ status: 204, headers: { "set-cookie": clearCookie(settings) } })
)

const entryLayer = HttpApiBuilder.group(
  ConsoleApi,
  "entry",
  Effect.fnUntraced(function* (handlers) {
    const { operators } = yield* Pointsman
    const services = yield* Effect.context<Pointsman | ConsoleSettings>()
    const signIn = (attempt: ReturnType<typeof operators.signInWithPassword>) =>
      attempt.pipe(
        Effect.tap(() => endFormer),
        Effect.flatMap(begun),
        Effect.catchTags({
          "pointsman/SignInRefused": () => Effect.fail(refused),
          "pointsman/TooManySignIns": ({ retryAfterMillis }) => Effect.succeed(tooMany(retryAfterMillis)),
          "pointsman/StorageError": internalError
        }),
        Effect.provideContext(services)
      )
    return handlers
      .handle("signIn", ({ payload }) =>
        Effect.flatMap(RequestSource, (source) => signIn(operators.signInWithPassword({ ...payload, source })))
      )
      .handle("signInByLink", ({ payload }) => signIn(operators.signInWithLink(payload.token)))
      .handle("beginPasskeySignIn", () =>
        RequestSource.pipe(
          Effect.flatMap(operators.passkeys.beginSignIn),
          Effect.flatMap(signInOptions),
          Effect.map((data) => ({ data })),
          Effect.catchTags({
            "pointsman/TooManySignIns": ({ retryAfterMillis }) => Effect.succeed(tooMany(retryAfterMillis)),
            "pointsman/StorageError": internalError
          })
        )
      )
      .handle("signInByPasskey", ({ payload: { challenge, response } }) =>
        signIn(
          operators.passkeys.signIn({
            challenge,
            passkeyId: response.id,
            operatorId: operatorIdOf(response),
            verify: verifySignIn(challenge, response)
          })
        )
      )
      .handle("signOut", () =>
        endFormer.pipe(Effect.andThen(withoutCookie), Effect.catch(internalError), Effect.provideContext(services))
      )
  })
)

const accountLayer = HttpApiBuilder.group(
  ConsoleApi,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const { operators } = yield* Pointsman
    const services = yield* Effect.context<DeskServices | ConsoleSettings>()
    return handlers
      .handle("me", () => Effect.map(me, (data) => ({ data })).pipe(Effect.provideContext(services)))
      .handle("signOutEverywhere", () =>
        Effect.flatMap(CurrentOperator, ({ operator }) => operators.signOutEverywhere(operator)).pipe(
          Effect.andThen(withoutCookie),
          Effect.catch(internalError),
          Effect.provideContext(services)
        )
      )
      .handle("setPassword", ({ payload }) => setPassword(payload).pipe(Effect.provideContext(services)))
  })
)

const setPassword = Effect.fnUntraced(function* (payload: {
  readonly current?: Redacted.Redacted<string>
  readonly password: Redacted.Redacted<string>
}) {
  const { operators } = yield* Pointsman
  const signedIn = yield* CurrentOperator
  const order = { current: payload.current ?? null, password: payload.password, source: yield* RequestSource }
  return yield* operators.setPassword(signedIn, order).pipe(
    Effect.flatMap(begun),
    Effect.catchTags({
      "pointsman/OperatorInvalid": ({ expected, field }) =>
        Effect.fail(failure("validation_error", `\`${field}\` must be ${expected}.`)),
      "pointsman/PasswordRefused": () =>
        Effect.fail(failure("password_refused", "The current password is needed, and is missing or wrong.")),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) => Effect.succeed(tooMany(retryAfterMillis)),
      "pointsman/SignInRefused": operatorChanged,
      "pointsman/OperatorNotFound": operatorChanged,
      "pointsman/OperatorChanged": operatorChanged,
      "pointsman/StorageError": internalError
    })
  )
})

const operatorChanged = () =>
  Effect.fail(failure("operator_changed", "The operator was changed or removed at the same time."))

export const layer = Layer.merge(entryLayer, accountLayer)

const me = Effect.gen(function* () {
  const { operator } = yield* CurrentOperator
  const { workspaces } = yield* directoryContents
  return meView(operator, workspaces)
})

const meView = (operator: Operator, workspaces: ReadonlyArray<Workspace>): Me => ({
  id: operator.id,
  login: operator.login,
  name: operator.displayName,
  has_password: operator.passwordHash !== null,
  roles: operator.grants.map(({ role, workspaceId }) => ({ workspace_id: workspaceId, role })),
  workspaces: workspaces
    .filter(({ id }) => mayAct(operator, "payment.read", id))
    .map(({ id, name }) => ({
      id,
      name,
      environments,
      actions: operatorActions.filter((action) => mayAct(operator, action, id))
    }))
})
