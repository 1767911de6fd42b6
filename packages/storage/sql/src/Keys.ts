/**
 * Short forms of what leads rows and indexes: an id as a UUID, and any name as a hash of it. What must be unique has 16
 * bytes of the hash, what only leads to a book has 8.
 *
 * A cursor may be a text that is not an id. It is bound as the nearest id before or after it, depending on the direction of
 * the page.
 */
import { type ChargeReference, idsFrom } from "@pointsman/core/internal"
import type { Name, PaymentFilter } from "@pointsman/core/ports"
import { afterAll } from "./Columns.ts"

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u
export const eventPrefix = "evt_"

export const uuidOf = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const digits = [..."0123456789abcdef"]
const greatest = "ffffffff-ffff-ffff-ffff-ffffffffffff"
const least = greatest.replaceAll("f", "0")

/**
 * The first id that fits, in the order of the digits; the last of all where none does. An id fits where one before it
 * does, and so does one that begins with some digits where the last of those does.
 */
const firstId = (digits: ReadonlyArray<string>, last: string, fits: (id: string) => boolean): string => {
  if (!fits(last)) return last
  let id = ""
  for (const place of last) {
    const rest = last.slice(id.length + 1)
    id += place === "-" ? place : digits.find((digit) => fits(id + digit + rest))
  }
  return id
}

const eventBound = (text: string): string =>
  text.startsWith(eventPrefix) ? text.slice(eventPrefix.length) : text < eventPrefix ? "" : "~"

/** How a database has a UUID, and what has as many bytes; and what has 8. */
interface KeyForm<I, N> {
  /** SHA-256 of its UTF-16. */
  readonly hash: (text: string) => Buffer
  readonly bindUuid: (id: string) => I
  readonly readId: (value: unknown) => string
  readonly bindBytes: (bytes: Buffer) => I
  readonly bindShort: (bytes: Buffer) => N
}

export type Keys<V> = ReturnType<typeof makeKeys<V, V>>

export const makeKeys = <I, N>({ bindBytes, bindShort, bindUuid, hash, readId }: KeyForm<I, N>) => {
  /** `null`, which equals nothing, for a text that is no id. */
  const bindId = (id: string): I | null => (uuid.test(id) ? bindUuid(id) : null)
  /** An id is smaller than this one where it is smaller than the text. */
  const bindBefore = (text: string): I =>
    bindUuid(uuid.test(text) ? text : firstId(digits, greatest, (id) => id >= text))
  /** An id is greater than this one where it is greater than the text. */
  const bindAfter = (text: string): I =>
    bindUuid(uuid.test(text) ? text : firstId(digits.toReversed(), least, (id) => id <= text))

  /** Names of charges, of so many bytes each. The names of a reference at all connections follow each other. */
  const joined = <B>(reference: number, connection: number, bind: (bytes: Buffer) => B) => {
    const nameWith = (providerRef: string, rest: Uint8Array) =>
      bind(Buffer.concat([hash(providerRef).subarray(0, reference), rest.subarray(0, connection)]))
    return {
      name: ({ connectionId, providerRef }: ChargeReference): B => nameWith(providerRef, hash(connectionId)),
      range: (providerRef: string): readonly [first: B, last: B] => [
        nameWith(providerRef, Buffer.alloc(connection)),
        nameWith(providerRef, Buffer.alloc(connection, 255))
      ]
    }
  }
  const charges = joined(10, 6, bindBytes)
  const shortCharges = joined(6, 2, bindShort)
  return {
    bindId,
    readId,
    bindBefore,
    bindAfter,
    bindEventId: (id: string): I | null => (id.startsWith(eventPrefix) ? bindId(id.slice(eventPrefix.length)) : null),
    readEventId: (value: unknown): string => eventPrefix + readId(value),
    bindEventBefore: (text: string): I => bindBefore(eventBound(text)),
    bindEventAfter: (text: string): I => bindAfter(eventBound(text)),
    keyHash: (key: string): I => bindBytes(hash(key).subarray(0, 16)),
    nameHash: (name: Name): N => bindShort(hash(name).subarray(0, 8)),
    chargeName: charges.name,
    chargeNames: charges.range,
    /** Where the name only leads to a book. */
    shortChargeName: shortCharges.name,
    shortChargeNames: shortCharges.range
  }
}

/**
 * By how much an id's time may differ from the payment's: clocks are corrected, and ids never go back. An hour of
 * payments is read in vain at each end; the payment's own time decides. Milliseconds.
 */
const slackMillis = 60 * 60_000

/**
 * Payments of a time by their ids, which begin with the time at which they were drawn: no index of times is needed. From
 * `from` on, and smaller than `before`.
 */
export const idRangeOf = ({
  before = afterAll,
  createdBefore,
  createdFrom
}: Pick<PaymentFilter, "createdFrom" | "createdBefore"> & { readonly before?: string | undefined }) => {
  const end = createdBefore === undefined ? afterAll : idsFrom(createdBefore + slackMillis)
  return {
    from: createdFrom === undefined ? "" : idsFrom(createdFrom - slackMillis),
    before: end < before ? end : before
  }
}
