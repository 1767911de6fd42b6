const utf8 = new TextEncoder()
/** Its bytes are its characters: no encoder is needed. */
const isAscii = /^[\x20-\x7e]*$/u

/**
 * A number in [0, 1) that a payment id always gives again, so that a split and the control group decide the same
 * way however often they are asked. `purpose` keeps two draws for one payment independent.
 */
export const draw = (paymentId: string, purpose: string): number => {
  // FNV-1a, then the finalizer of MurmurHash3: FNV alone leaves its high bits uneven on short texts.
  let hash = 0x811c9dc5
  const text = `${purpose}:${paymentId}`
  if (isAscii.test(text)) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  } else {
    for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
