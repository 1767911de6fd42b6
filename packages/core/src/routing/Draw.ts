import type { Tenant } from "../model/Tenant.ts"

const utf8 = new TextEncoder()
/** Its bytes are its characters: no encoder is needed. */
const isAscii = /^[\x20-\x7e]*$/u

/**
 * What the draws for a payment hash (decision 30): the merchant's key, so that a store which lost the payment routes a
 * repeated request as before; the payment's id where the request had no key.
 */
export const drawSeed = ({ environment, workspaceId }: Tenant, key: string | null, paymentId: string): string =>
  key === null ? paymentId : `${workspaceId}:${environment}:${key}`

/**
 * A number in [0, 1) that a seed always gives again, so that a split and the control group decide the same way however
 * often they are asked. `purpose` keeps two draws for one payment independent.
 */
export const draw = (seed: string, purpose: string): number => {
  // FNV-1a, then the finalizer of MurmurHash3: FNV alone leaves its high bits uneven on short texts.
  let hash = 0x811c9dc5
  const text = `${purpose}:${seed}`
  if (isAscii.test(text)) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  } else {
    for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
