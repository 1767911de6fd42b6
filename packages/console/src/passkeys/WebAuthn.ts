/**
 * The options and the responses of passkeys. `@simplewebauthn/server` verifies, and is loaded with the first response.
 *
 * A passkey belongs to the host by which the browser reached the console. Each has to be discoverable, so that a sign-in
 * needs no login, and has to verify its user by a PIN, a finger or a face.
 */
import type { Operator, Passkey, VerifiedPasskey } from "@pointsman/core"
import { Effect, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { RequestOrigin } from "../gate/Settings.ts"
import type { RegistrationOptions, RegistrationResponse, SignInOptions, SignInResponse } from "./PasskeyApi.ts"

const library = Effect.promise(() => import("@simplewebauthn/server"))

const rpIdOf = (origin: string): string => new URL(origin).hostname

const bytesOf = (text: string) => Uint8Array.from(Result.getOrElse(Base64Url.decode(text), () => new Uint8Array()))

/** As long as a challenge is valid. */
const timeoutMillis = 5 * 60_000

/** EdDSA, ES256 and RS256 (COSE): what authenticators have. */
const algorithms = [-8, -7, -257]

export const registrationOptions = (
  { displayName, id, login }: Operator,
  challenge: string,
  existing: ReadonlyArray<Passkey>
): Effect.Effect<RegistrationOptions> =>
  Effect.map(RequestOrigin, (origin) => ({
    challenge,
    rp: { id: rpIdOf(origin), name: "Pointsman" },
    user: { id: Base64Url.encode(id), name: login, displayName },
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: timeoutMillis,
    attestation: "none",
    excludeCredentials: existing.map(({ id, transports }) => ({ id, type: "public-key", transports })),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" }
  }))

/** No passkeys are named: the browser offers those that it has for this host. */
export const signInOptions = (challenge: string): Effect.Effect<SignInOptions> =>
  Effect.map(RequestOrigin, (origin) => ({
    challenge,
    rpId: rpIdOf(origin),
    timeout: timeoutMillis,
    userVerification: "required"
  }))

/** What the library refuses, with its reason for the log. It names the origin and the flags that came, and no secret. */
const verified = <A>(verify: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.catch(Effect.tryPromise({ try: verify, catch: String }), (reason) =>
    Effect.as(
      Effect.annotateLogs(Effect.logWarning("the response of a passkey was refused"), {
        reason: reason.slice(0, 300)
      }),
      undefined
    )
  )

/** `undefined`: it does not answer the challenge, or is of another site. */
export const verifyRegistration = Effect.fnUntraced(function* (challenge: string, response: RegistrationResponse) {
  const { verifyRegistrationResponse } = yield* library
  const origin = yield* RequestOrigin
  const result = yield* verified(() =>
    verifyRegistrationResponse({
      response: { ...response, response: { ...response.response, transports: [] }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms
    })
  )
  if (result?.verified !== true) return undefined
  const { counter, id, publicKey } = result.registrationInfo.credential
  const passkey: VerifiedPasskey = {
    id,
    publicKey: Base64Url.encode(publicKey),
    counter,
    transports: response.response.transports ?? []
  }
  return passkey
})

/** The new counter. `undefined`: the passkey did not sign the challenge, or for another site. */
export const verifySignIn = (challenge: string, response: SignInResponse) =>
  Effect.fnUntraced(function* ({ counter, id, publicKey }: Passkey) {
    const { verifyAuthenticationResponse } = yield* library
    const origin = yield* RequestOrigin
    const { authenticatorData, clientDataJSON, signature } = response.response
    const result = yield* verified(() =>
      verifyAuthenticationResponse({
        response: {
          ...response,
          response: { authenticatorData, clientDataJSON, signature },
          clientExtensionResults: {}
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpIdOf(origin),
        credential: { id, publicKey: bytesOf(publicKey), counter },
        requireUserVerification: true
      })
    )
    return result?.verified === true ? result.authenticationInfo.newCounter : undefined
  })

/** Of the operator for whom the device made the passkey. */
export const operatorIdOf = ({ response }: SignInResponse): string =>
  Result.getOrElse(Base64Url.decodeString(response.userHandle ?? ""), () => "")
