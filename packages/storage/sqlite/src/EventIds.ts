/**
 * The order of event ids is the order of commits, also where several processes write one file: their clocks and
 * counters know nothing of each other, and a clock may be set back.
 */

/** The id to write after `last`: the fresh one, or the next one after `last` where the fresh one is not greater. */
export const eventIdAfter = (last: string | undefined, fresh: string): string =>
  last === undefined || fresh > last ? fresh : successor(last)

/** A UUIDv7 counts in all its bits except those of the version (4) and the variant (2). */
const randomBits = 62n
const subMillisecondBits = 12n
const mask = (bits: bigint): bigint => (1n << bits) - 1n

/** The smallest greater UUIDv7, behind the same prefix. */
const successor = (id: string): string => {
  const start = id.length - 36
  const bits = BigInt(`0x${id.slice(start).replaceAll("-", "")}`)
  const random = bits & mask(randomBits)
  const subMillisecond = (bits >> 64n) & mask(subMillisecondBits)
  const count = (((bits >> 80n) << (randomBits + subMillisecondBits)) | (subMillisecond << randomBits) | random) + 1n
  const next =
    ((count >> (randomBits + subMillisecondBits)) << 80n) |
    (7n << 76n) |
    (((count >> randomBits) & mask(subMillisecondBits)) << 64n) |
    (2n << randomBits) |
    (count & mask(randomBits))
  const hex = next.toString(16).padStart(32, "0")
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
  return id.slice(0, start) + uuid
}
