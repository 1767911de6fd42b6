/** Tests over a storage in memory. */
import { it } from "@effect/vitest"
import { Directory, Ids, type Merchants, type Secrets } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

type Services = Directory | Merchants | Secrets

/** A test whose body has a storage of its own. */
export const itInWorld = (title: string, body: () => Effect.fn.Return<unknown, unknown, Services>): void => {
  const world = Layer.mergeAll(MemoryStorage.layer(), openSecretsLayer).pipe(
    Layer.provide(Ids.layer),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
  it.effect(title, () => Effect.gen(body).pipe(Effect.provide(world)))
}

/** What is applied after it has read, and before it writes for the first time: something else. Gives how often it wrote. */
export const overtaken = Effect.fnUntraced(function* <A, E>(
  applied: Effect.Effect<A, E, Services>,
  between: Effect.Effect<unknown, unknown, Services>
) {
  const directory = yield* Directory
  const services = yield* Effect.context<Services>()
  let writes = 0
  const slow: Directory["Service"] = {
    ...directory,
    apply: Effect.fnUntraced(function* (change) {
      if (writes++ === 0) yield* Effect.orDie(Effect.provideContext(between, services))
      return yield* directory.apply(change)
    })
  }
  const result = yield* Effect.provideService(applied, Directory, slow)
  return { result, writes }
})
