/** The secrets that an endpoint's deliveries are signed with. Each is opened once: to decrypt one costs more than to sign. */
import { Clock, Effect, type Redacted } from "effect"
import { endpointSecretContext, signingSecrets } from "../../model/EndpointSecret.ts"
import type { WebhookEndpoint } from "../../ports/Directory.ts"
import { Secrets } from "../../ports/Secrets.ts"

/** Endpoints; the one that was opened first makes room. */
const keptAtMost = 1_024

/** Known again by what is sealed: a secret that is replaced, or sealed by another key, is opened anew. */
export const makeLiveSecrets = () => {
  const kept = new Map<string, ReadonlyArray<Redacted.Redacted<string>>>()
  return Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const { id } = endpoint
    const live = signingSecrets(endpoint, yield* Clock.currentTimeMillis)
    const key = JSON.stringify([id, ...live])
    const known = kept.get(key)
    if (known !== undefined) return known
    const secrets = yield* Secrets
    const opened = yield* Effect.forEach(live, (sealed) => secrets.open(sealed, endpointSecretContext(id)))
    const [oldest] = kept.keys()
    if (kept.size >= keptAtMost && oldest !== undefined) kept.delete(oldest)
    kept.set(key, opened)
    return opened
  })
}

export type LiveSecrets = ReturnType<typeof makeLiveSecrets>
