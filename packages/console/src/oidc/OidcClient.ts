/**
 * Asks an OpenID Connect issuer who a person is: authorization code flow with PKCE, `state` and `nonce`, by `openid-client`.
 *
 * The library is loaded with the first sign-in. It requests the addresses of the issuer's discovery document alone, follows
 * no redirects, and gives up after ten seconds.
 */
import { Clock, Effect, Redacted, Schema } from "effect"
import type { ClientAuth, Configuration } from "openid-client"
import { type ClaimRules, ClaimsRefused, identityOf } from "./OidcClaims.ts"

export interface OidcOptions extends ClaimRules {
  /** As in its discovery document: an `https` URL, or `http` on this machine. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  /** `openid`, `email` and `profile` unless set; `openid` is always requested. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** What the sign-in page calls it: "Sign in with …". `single sign-on` unless set. */
  readonly name?: string | undefined
}

/** What the browser keeps while the person is at the issuer. */
export const OidcFlow = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  next: Schema.String
})
export type OidcFlow = typeof OidcFlow.Type

/** `code`: the library's, or the one of OAuth that the issuer answered. It is for the log. */
export class OidcFailed extends Schema.TaggedError<OidcFailed>()("pointsman/OidcFailed", {
  reason: Schema.Literals(["unreachable", "denied", "invalid"]),
  code: Schema.String
}) {}

export type OidcClient = ReturnType<typeof makeOidcClient>

const timeoutSeconds = 10
/** An issuer rarely changes its addresses; its keys are followed by the library. */
const heldMillis = 60 * 60_000
/** So that a request of a stranger does not become one to an issuer that is down. */
const failureHeldMillis = 5_000

const library = () => import("openid-client")

export const makeOidcClient = (options: OidcOptions) => {
  const { clientId, clientSecret, issuer, name = "single sign-on", scopes = ["email", "profile"] } = options
  const scope = [...new Set(["openid", ...scopes])].join(" ")
  let held: { until: number; readonly configuration: Promise<Configuration> } | undefined

  const discover = async (): Promise<Configuration> => {
    const { ClientSecretBasic, ClientSecretPost, allowInsecureRequests, discovery, enableNonRepudiationChecks } =
      await library()
    const secret = Redacted.value(clientSecret)
    // What the issuer supports; `client_secret_basic` where it does not say (OpenID Connect Discovery 1.0, section 3).
    const authenticate: ClientAuth = (server, ...more) =>
      (server.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true
        ? ClientSecretPost(secret)
        : ClientSecretBasic(secret))(server, ...more)
    const url = new URL(issuer)
    return discovery(url, clientId, {}, authenticate, {
      timeout: timeoutSeconds,
      execute: [enableNonRepudiationChecks, ...(url.protocol === "http:" ? [allowInsecureRequests] : [])]
    })
  }

  const configuration = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (held === undefined || held.until <= now) {
      const fresh = { until: now + heldMillis, configuration: discover() }
      fresh.configuration.catch(() => {
        fresh.until = now + failureHeldMillis
      })
      held = fresh
    }
    const { configuration } = held
    return yield* Effect.tryPromise({ try: () => configuration, catch: failed })
  })

  return {
    name,
    /**
     * Where the browser goes, and what is kept in its cookie meanwhile. `asksAgain`: the issuer asks the person, also
     * one who is signed in there (OpenID Connect Core 1.0, section 3.1.2.1).
     */
    begin: Effect.fnUntraced(function* (redirectUri: string, next: string, asksAgain: boolean) {
      const found = yield* configuration
      return yield* Effect.tryPromise({
        try: async () => {
          const client = await library()
          const flow: OidcFlow = {
            state: client.randomState(),
            nonce: client.randomNonce(),
            verifier: client.randomPKCECodeVerifier(),
            next
          }
          const url = client.buildAuthorizationUrl(found, {
            redirect_uri: redirectUri,
            scope,
            state: flow.state,
            nonce: flow.nonce,
            code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
            code_challenge_method: "S256",
            ...(asksAgain && { prompt: "login" })
          })
          return { url: url.href, flow }
        },
        catch: failed
      })
    }),
    /** Whom the issuer names in its answer, which is the callback's URL. */
    identify: Effect.fnUntraced(function* (callback: URL, { nonce, state, verifier }: OidcFlow) {
      const found = yield* configuration
      const claims = yield* Effect.tryPromise({
        try: async () => {
          const { authorizationCodeGrant } = await library()
          const tokens = await authorizationCodeGrant(found, callback, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier
          })
          return tokens.claims()
        },
        catch: failed
      })
      if (claims === undefined) return yield* new OidcFailed({ reason: "invalid", code: "no ID token" })
      const identity = identityOf(claims, options)
      return identity instanceof ClaimsRefused ? yield* identity : { ...identity, issuer, subject: claims.sub }
    })
  }
}

/** Of OAuth, and of the library where the issuer did not answer, or with a status or a type of an error page. */
const unreachable: ReadonlySet<string> = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "server_error",
  "temporarily_unavailable",
  "network"
])
const denied: ReadonlySet<string> = new Set(["access_denied", "login_required", "interaction_required"])

/** Messages of the library may quote what the issuer sent: they are not logged. */
const failed = (cause: unknown): OidcFailed => {
  const code = codeOf(cause)
  const reason = unreachable.has(code) ? "unreachable" : denied.has(code) ? "denied" : "invalid"
  return new OidcFailed({ reason, code })
}

const codeOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "unknown"
  // Of RFC 6749, in the response of the authorization or of the token endpoint. Any text may be in the callback's URL.
  if ("error" in cause && typeof cause.error === "string")
    return /^[a-z_]{1,64}$/u.test(cause.error) ? cause.error : "other"
  // What `fetch` fails with.
  if (cause instanceof TypeError && !("code" in cause)) return "network"
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name
}
