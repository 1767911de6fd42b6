import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** What one question to the system brings: it takes as long for sixteen bytes, and each request needs several ids. */
const poolBytes = 4_096

const pooledRandom = (): SecureRandom.SecureRandom["Service"] => {
  let pool: Uint8Array = new Uint8Array(0)
  let at = 0
  return SecureRandom.make((size) => {
    if (size > poolBytes) return SecureRandom.randomBytesUnsafe(size)
    if (at + size > pool.length) {
      pool = SecureRandom.randomBytesUnsafe(poolBytes)
      at = 0
    }
    at += size
    return pool.slice(at - size, at)
  })
}

/** New identifiers: UUIDv7 after a prefix, increasing within a process; from `Clock` and Effect's randomness. */
export class Ids extends Context.Service<
  Ids,
  {
    /** A lower-case UUIDv7 without a prefix. */
    readonly payment: Effect.Effect<string>
    readonly attempt: Effect.Effect<string>
    readonly operation: Effect.Effect<string>
    readonly refund: Effect.Effect<string>
    readonly dispute: Effect.Effect<string>
    /** Of the request that claims a call; see `Operation.claimedBy`. */
    readonly claim: Effect.Effect<string>
    readonly event: Effect.Effect<string>
    readonly request: Effect.Effect<string>
    readonly merchant: Effect.Effect<string>
    /** Drawn in the middle of a write: it must not wait. */
    readonly delivery: Effect.Effect<string>
    /** Of a run of a reconciliation. */
    readonly reconciliation: Effect.Effect<string>
  }
>()("pointsman/ports/Ids") {
  static readonly layerNoDeps: Layer.Layer<Ids, never, SecureRandom.SecureRandom> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const prefixed = (prefix: string) => Effect.map(random.uuidV7(), (uuid) => `${prefix}_${uuid}`)
      return Ids.of({
        payment: random.uuidV7(),
        attempt: prefixed("att"),
        operation: prefixed("op"),
        refund: prefixed("rf"),
        dispute: prefixed("dp"),
        claim: prefixed("clm"),
        event: prefixed("evt"),
        request: prefixed("req"),
        merchant: prefixed("mer"),
        delivery: prefixed("dlv"),
        reconciliation: prefixed("rec")
      })
    })
  )
  static readonly layer: Layer.Layer<Ids> = this.layerNoDeps.pipe(
    Layer.provide(Layer.sync(SecureRandom.SecureRandom, pooledRandom))
  )
}

/** Smaller than every id that is drawn in this millisecond or later, and greater than those before it (RFC 9562, section 5.7). */
export const idsFrom = (epochMillis: number): string => {
  const bounded = Math.min(Math.max(0, Math.trunc(epochMillis)), 2 ** 48 - 1)
  const digits = bounded.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
