/**
 * Effect's `Mac` over `node:crypto`, with each key prepared once. Preparing one takes several times as long as a signature
 * of a request or a webhook does, and the keys of an installation are few.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { Layer } from "effect"
import { Mac, SecureRandom } from "effect/crypto"

/** As long as the key is referenced. */
const prepared = new WeakMap<Uint8Array, KeyObject>()

const keyOf = (bytes: Uint8Array): KeyObject => {
  const found = prepared.get(bytes)
  if (found !== undefined) return found
  const made = createSecretKey(bytes)
  prepared.set(bytes, made)
  return made
}

const nodeNames = {
  MD5: "md5",
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512"
} as const

/** In place of the `Mac` of Effect's own layers: same tags, same errors. */
export const layer: Layer.Layer<Mac.Mac> = Mac.layerWebCryptoWith({
  // A copy: a Buffer may be a view into a pool that others share.
  hmac: (hash, key, data) => new Uint8Array(createHmac(nodeNames[hash], keyOf(key)).update(data).digest())
}).pipe(Layer.provide(SecureRandom.layerWebCrypto))
