/**
 * Short forms of what leads rows and indexes: a tenant as a number, an id as a UUID, and any name as a hash of it. What
 * must be unique has 16 bytes of the hash, what only leads to a book has 8.
 *
 * A cursor may be a text that is not an id. It is bound as the nearest id before or after it, depending on the direction of
 * the page.
 */
import { createHash } from "node:crypto"
import type { Tenant } from "@pointsman/core"
import type { ChargeReference } from "@pointsman/core/internal"

const hash = (text: string): Buffer => createHash("sha256").update(Buffer.from(text, "utf16le")).digest()

const numbers = new Map<string, string>()

/**
 * A hash of 52 bits, which a number holds: so no process has to look it up, and a database that was restored gives no tenant
 * the number of another one. That no two tenants share one is guarded where a tenant's row is written.
 */
export const tenantNumber = ({ environment, workspaceId }: Tenant): string => {
  const name = `${environment} ${workspaceId}`
  const known = numbers.get(name)
  if (known !== undefined) return known
  const number = String(hash(name).readBigUInt64BE() >> 12n)
  numbers.set(name, number)
  return number
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u
const dashes: ReadonlySet<number> = new Set([8, 13, 18, 23])
const uuidLength = 36
const digits = 32
export const eventPrefix = "evt_"

const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, digits)}`

/** `null`, which equals nothing, for a text that is no id. */
export const bindId = (id: string): string | null => (uuid.test(id) ? id : null)

export const bindEventId = (id: string): string | null =>
  id.startsWith(eventPrefix) ? bindId(id.slice(eventPrefix.length)) : null

export const readEventId = (value: unknown): string => `${eventPrefix}${value as string}`

/** The smallest number whose id is not smaller than the text. */
const ceilingOf = (text: string): bigint => {
  let hex = ""
  const padded = () => BigInt(`0x${hex.padEnd(digits, "0")}`)
  const afterAllWithIt = () => padded() + (1n << BigInt(4 * (digits - hex.length)))
  for (let place = 0; place < uuidLength; place++) {
    const char = text[place]
    if (char === undefined) return padded()
    if (dashes.has(place)) {
      if (char !== "-") return char < "-" ? padded() : afterAllWithIt()
    } else if (/[0-9a-f]/u.test(char)) hex += char
    else if (char > "f") return afterAllWithIt()
    else {
      if (char > "9") hex += "a"
      return padded()
    }
  }
  // A whole id with more behind it follows that id alone.
  return padded() + (text.length > uuidLength ? 1n : 0n)
}

const greatest = (1n << 128n) - 1n

const idAt = (number: bigint): string => {
  const kept = number < 0n ? 0n : number > greatest ? greatest : number
  return uuidOf(kept.toString(16).padStart(digits, "0"))
}

/** An id is smaller than this one where it is smaller than the text. */
export const bindBefore = (text: string): string => idAt(ceilingOf(text))
/** An id is greater than this one where it is greater than the text. */
export const bindAfter = (text: string): string => idAt(ceilingOf(text) - (uuid.test(text) ? 0n : 1n))

const eventBound = (text: string, bind: (text: string) => string): string =>
  bind(text.startsWith(eventPrefix) ? text.slice(eventPrefix.length) : text < eventPrefix ? "" : "~")

export const bindEventBefore = (text: string): string => eventBound(text, bindBefore)
export const bindEventAfter = (text: string): string => eventBound(text, bindAfter)

const uuidOfBytes = (bytes: Uint8Array): string => uuidOf(Buffer.from(bytes).toString("hex"))

export const keyHash = (key: string): string => uuidOfBytes(hash(key).subarray(0, 16))

/** A kind and an id. `checkout`, without one: of every payment with a page of a provider, whose address is sealed. */
export type Name = `${"attempt" | "operation" | "refund" | "providerRefund" | "checkout"} ${string}`

const numberOfBytes = (bytes: Buffer): string => String(bytes.readBigInt64BE())

export const nameHash = (name: Name): string => numberOfBytes(hash(name))

/** Names of charges, of so many bytes each. The names of a reference at all connections follow each other. */
const joined = (reference: number, connection: number, write: (bytes: Buffer) => string) => {
  const nameWith = (providerRef: string, rest: Uint8Array) =>
    write(Buffer.concat([hash(providerRef).subarray(0, reference), rest.subarray(0, connection)]))
  return {
    name: ({ connectionId, providerRef }: ChargeReference): string => nameWith(providerRef, hash(connectionId)),
    range: (providerRef: string): readonly [first: string, last: string] => [
      nameWith(providerRef, Buffer.alloc(connection)),
      nameWith(providerRef, Buffer.alloc(connection, 255))
    ]
  }
}

export const { name: chargeName, range: chargeNames } = joined(10, 6, uuidOfBytes)
/** Where the name only leads to a book. */
export const { name: shortChargeName, range: shortChargeNames } = joined(6, 2, numberOfBytes)
