/** Payment ids are UUIDv7: they begin with the time at which they were drawn. */

/** Smaller than every id that is drawn in this millisecond or later, and greater than those before it (RFC 9562, section 5.7). */
export const idsFrom = (epochMillis: number): string => {
  const bounded = Math.min(Math.max(0, Math.trunc(epochMillis)), 2 ** 48 - 1)
  const digits = bounded.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
