/** Signing in by OpenID Connect: to the issuer, and back. The sign-in page shows what went wrong. */
import { Pointsman } from "@pointsman/core"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { beginSession, nextOf, signInPage, slower } from "../account/SignInPages.ts"
import { failure, internalError } from "../api/Errors.ts"
import { type Answer, openPage, type Visit } from "../frame/Page.ts"
import { oidcCookie } from "../gate/Cookie.ts"
import { ConsoleSettings, RequestOrigin, RequestSource } from "../gate/Settings.ts"
import { type OidcFailed, OidcFlow } from "./OidcClient.ts"

const callbackPath = "/sign-in/oidc/callback"
const FlowText = Schema.fromJsonString(OidcFlow)

/** `redirect_uri`: the issuer has it on file, and refuses any other. */
const callbackUrl = ({ mount }: Visit) => Effect.map(RequestOrigin, (origin) => `${origin}${mount}${callbackPath}`)

const configured = Effect.flatMap(ConsoleSettings, ({ oidc }) =>
  oidc === undefined ? Effect.fail(failure("not_found", "Page not found.")) : Effect.succeed(oidc)
)

const problems = {
  unreachable: { status: 502, text: "The sign-in service could not be reached. Try again, or sign in another way." },
  denied: { status: 401, text: "The sign-in service refused the sign-in, or it was cancelled there." },
  invalid: { status: 401, text: "The response of the sign-in service is invalid. Sign in again from this page." }
} as const

const noFlow = "This sign-in began in another browser, or more than 10 minutes ago. Sign in again from this page."
const notAnOperator =
  "Your account may not use this console, or it was removed. Ask an administrator to give you a role."
const noLogin = "The sign-in service did not say who you are: the claim of the login is missing or invalid."
const emailUnverified = "Your e-mail address is not verified at the sign-in service. Verify it there, and try again."

const reported = ({ code, reason }: OidcFailed, visit: Visit, next: string) => {
  const { status, text } = problems[reason]
  return Effect.logWarning("a sign-in by OpenID Connect failed").pipe(
    Effect.annotateLogs({ reason, code }),
    Effect.andThen(signInPage(visit, next, text, status))
  )
}

const begin = Effect.fnUntraced(function* (visit: Visit) {
  const oidc = yield* configured
  const settings = yield* ConsoleSettings
  const next = nextOf(visit.query.get("next"))
  return yield* oidc.begin(yield* callbackUrl(visit), next, visit.query.get("again") === "yes").pipe(
    Effect.map(({ flow, url }): Answer => {
      const value = Redacted.make(Base64Url.encode(JSON.stringify(flow)))
      return { elsewhere: url, headers: { "set-cookie": oidcCookie.set(value, settings) } }
    }),
    Effect.catchTag("pointsman/OidcFailed", (failed) => reported(failed, visit, next))
  )
})

/** `undefined` where the browser has no cookie of ours. */
const flowOf = Effect.fnUntraced(function* ({ request }: Visit) {
  const cookie = oidcCookie.read(request.headers["cookie"], yield* ConsoleSettings)
  if (cookie === undefined) return undefined
  return Result.getSuccess(Base64Url.decodeString(Redacted.value(cookie))).pipe(
    Option.flatMap(Schema.decodeUnknownOption(FlowText)),
    Option.getOrUndefined
  )
})

const finish = Effect.fnUntraced(function* (visit: Visit) {
  const oidc = yield* configured
  const { operators } = yield* Pointsman
  const flow = yield* flowOf(visit)
  if (flow === undefined) return yield* signInPage(visit, nextOf(null), noFlow, 401)
  const next = nextOf(flow.next)
  const url = new URL(yield* callbackUrl(visit))
  url.search = visit.query.toString()
  const again = (text: string, status: number) => signInPage(visit, next, text, status)
  return yield* operators.signInWithOidc(oidc.identify(url, flow), yield* RequestSource).pipe(
    Effect.flatMap((session) => beginSession(session, next)),
    Effect.catchTags({
      "pointsman/OidcFailed": (failed) => reported(failed, visit, next),
      "pointsman/ClaimsRefused": ({ reason }) => again(reason === "noLogin" ? noLogin : emailUnverified, 401),
      "pointsman/SignInRefused": () => again(notAnOperator, 403),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) => again(slower(retryAfterMillis), 429),
      "pointsman/StorageError": internalError
    })
  )
})

export const oidcPages = [openPage("GET", "/sign-in/oidc", begin), openPage("GET", callbackPath, finish)]
