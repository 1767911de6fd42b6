/** Passkeys of the operator who is signed in, and what browsers are given and give back (WebAuthn Level 3, JSON forms). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary } from "../api/Parts.ts"
import { described, Text } from "../api/Records.ts"

export const PasskeyView = Schema.Struct({
  id: Text,
  name: Text,
  created_at: Text,
  last_used_at: Schema.NullOr(Text).annotateKey(described("`null`: it never signed in."))
}).annotate({ identifier: "Passkey", description: "A passkey of the operator who is signed in." })
export type PasskeyView = typeof PasskeyView.Type

const PublicKey = Schema.Literal("public-key")

const Challenge = Text.annotateKey(described("32 random bytes, base64url. It is answered once, within 5 minutes."))

/** `PublicKeyCredentialCreationOptionsJSON` */
export const RegistrationOptions = Schema.Struct({
  challenge: Challenge,
  rp: Schema.Struct({ id: Text, name: Text }),
  user: Schema.Struct({ id: Text, name: Text, displayName: Text }),
  pubKeyCredParams: Schema.Array(Schema.Struct({ type: PublicKey, alg: Schema.Int })),
  timeout: Schema.Int,
  attestation: Text,
  excludeCredentials: Schema.Array(
    Schema.Struct({ id: Text, type: PublicKey, transports: Schema.optionalKey(Schema.Array(Text)) })
  ),
  authenticatorSelection: Schema.Struct({
    residentKey: Text,
    requireResidentKey: Schema.Boolean,
    userVerification: Text
  })
})

export type RegistrationOptions = typeof RegistrationOptions.Type

/** `PublicKeyCredentialRequestOptionsJSON` */
export const SignInOptions = Schema.Struct({
  challenge: Challenge,
  rpId: Text,
  timeout: Schema.Int,
  userVerification: Text
})

export type SignInOptions = typeof SignInOptions.Type

const credential = { id: Text, rawId: Text, type: PublicKey }
const mostTransports = 10

/** `RegistrationResponseJSON` */
export const RegistrationResponse = Schema.Struct({
  ...credential,
  response: Schema.Struct({
    clientDataJSON: Text,
    attestationObject: Text,
    transports: Schema.optionalKey(
      Schema.Array(Text.check(Schema.isMaxLength(32))).check(Schema.isMaxLength(mostTransports))
    )
  })
})
export type RegistrationResponse = typeof RegistrationResponse.Type

/** `AuthenticationResponseJSON` */
export const SignInResponse = Schema.Struct({
  ...credential,
  response: Schema.Struct({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: Schema.optionalKey(Schema.NullOr(Text))
  })
})
export type SignInResponse = typeof SignInResponse.Type

export class Passkeys extends HttpApiGroup.make("passkeys")
  .add(
    HttpApiEndpoint.get("passkeys", "/passkeys", {
      success: Schema.Struct({ data: Schema.Array(PasskeyView) }),
      error: failures("internal_error")
    }).annotateMerge(
      summary("List passkeys", "Those of the operator who is signed in, in the order in which they were added.")
    ),
    HttpApiEndpoint.post("beginPasskey", "/passkeys/options", {
      success: Schema.Struct({ data: RegistrationOptions }),
      error: failures("passkey_refused", "internal_error")
    }).annotateMerge(
      summary(
        "Begin to add a passkey",
        "The options for `navigator.credentials.create`. It takes a sign-in within the last 15 minutes, which was not by " +
          "OpenID Connect."
      )
    ),
    HttpApiEndpoint.post("addPasskey", "/passkeys", {
      payload: Schema.Struct({ name: Text, challenge: Text, response: RegistrationResponse }),
      success: Schema.Struct({ data: PasskeyView }),
      error: failures("passkey_refused", "internal_error")
    }).annotateMerge(summary("Add a passkey", "With the response of the browser to the challenge.")),
    HttpApiEndpoint.delete("removePasskey", "/passkeys/:passkey", {
      params: { passkey: Text },
      success: HttpApiSchema.NoContent,
      error: failures("sign_in_again", "not_found", "internal_error")
    }).annotateMerge(summary("Remove a passkey", "The passkey no longer signs in. Its sessions continue."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
