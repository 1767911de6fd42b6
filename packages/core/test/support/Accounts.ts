/** Providers that name accounts, and credentials that change. */
import { credentialsContext } from "@pointsman/core"
import { type ProviderAccount, Secrets } from "@pointsman/core/ports"
import { Effect, Redacted } from "effect"
import { changeConnections } from "./Pages.ts"
import type { World } from "./World.ts"

export const ours: ProviderAccount = { id: "acct_ours", mode: null }
export const theirs: ProviderAccount = { id: "acct_theirs", mode: null }

export const at = (own: World, account: ProviderAccount) => {
  own.provider.onAccount = () => Effect.succeed(account)
}

/** As a configuration does that names other credentials for the connection. */
export const changeCredentials = Effect.fnUntraced(function* (id: string, credentials: string) {
  const secrets = yield* Secrets
  const sealedCredentials = yield* secrets.seal(Redacted.make(credentials), credentialsContext(id))
  yield* changeConnections((one) => (one.id === id ? { ...one, sealedCredentials } : one))
})
