/**
 * Short forms of what leads rows and indexes: a tenant as a number, an id as its 16 bytes, and any name as a hash of it.
 * What must be unique has 16 bytes of the hash, what only leads to a book has 8.
 *
 * A cursor may be a text that is not an id. It is bound as bytes that sort between the same two ids.
 */
import { hash as hashOnce } from "node:crypto"
import type { Tenant } from "@pointsman/core"
import type { ChargeReference } from "@pointsman/core/internal"
import type { Database } from "./Database.ts"
import { bindTenant, readTenant } from "./Rows.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u
const dashes: ReadonlySet<number> = new Set([8, 13, 18, 23])
const uuidLength = 36
const eventPrefix = "evt_"

let lastId: string | undefined
let lastBytes: Uint8Array | null = null

/** `null`, which equals nothing, for a text that is no id. A commit binds one id several times, so the last one is kept. */
export const bindId = (id: string): Uint8Array | null => {
  if (id === lastId) return lastBytes
  lastBytes = uuid.test(id) ? bytes(id.replaceAll("-", "")) : null
  lastId = id
  return lastBytes
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex, "hex")

export const readId = (value: unknown): string => {
  const hex = Buffer.from(value as Uint8Array).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const bindEventId = (id: string): Uint8Array | null =>
  id.startsWith(eventPrefix) ? bindId(id.slice(eventPrefix.length)) : null

export const readEventId = (value: unknown): string => eventPrefix + readId(value)

const digits = 32
const afterAll = (hex: string): Uint8Array => bytes(hex.padEnd(digits + 2, "f"))

/** Between the last id before those that begin so, and the first of them. */
const beforeAll = (hex: string): Uint8Array => {
  const first = BigInt(`0x${hex.padEnd(digits, "0")}`)
  return bytes(first === 0n ? "" : `${(first - 1n).toString(16).padStart(digits, "0")}ff`)
}

/** An id is smaller than the bytes, or greater, where it is smaller than the text, or greater. */
export const bindBound = (text: string): Uint8Array => {
  let hex = ""
  for (let place = 0; place < uuidLength; place++) {
    const char = text[place]
    if (char === undefined) return beforeAll(hex)
    if (dashes.has(place)) {
      if (char === "-") continue
      return char < "-" ? beforeAll(hex) : afterAll(hex)
    }
    if (/[0-9a-f]/u.test(char)) hex += char
    else return char < "0" ? beforeAll(hex) : char < "a" ? beforeAll(`${hex}a`) : afterAll(hex)
  }
  // A whole id with more behind it follows that id alone.
  return bytes(text.length > uuidLength ? `${hex}00` : hex)
}

/** As `bindBound`, of events. */
export const bindEventBound = (text: string): Uint8Array =>
  text.startsWith(eventPrefix)
    ? bindBound(text.slice(eventPrefix.length))
    : text < eventPrefix
      ? beforeAll("")
      : afterAll("")

const hash = (text: string): Buffer => hashOnce("sha256", Buffer.from(text, "utf16le"), "buffer")

export const keyHash = (key: string): Uint8Array => hash(key).subarray(0, 16)

export type NameKind = "attempt" | "operation" | "refund" | "providerRefund"

export const nameOf = (kind: NameKind, id: string): Uint8Array => hash(`${kind} ${id}`).subarray(0, 8)

/** Names of charges, of so many bytes each. The names of a reference at all connections follow each other. */
const joined = (reference: number, connection: number) => ({
  name: ({ connectionId, providerRef }: ChargeReference): Uint8Array =>
    Buffer.concat([hash(providerRef).subarray(0, reference), hash(connectionId).subarray(0, connection)]),
  range: (providerRef: string): readonly [first: Uint8Array, last: Uint8Array] => {
    const prefix = hash(providerRef).subarray(0, reference)
    return [Buffer.concat([prefix, Buffer.alloc(connection)]), Buffer.concat([prefix, Buffer.alloc(connection, 255)])]
  }
})

export const { name: chargeName, range: chargeNames } = joined(10, 6)
/** Where the name only leads to a book. */
export const { name: shortChargeName, range: shortChargeNames } = joined(6, 2)

/**
 * The numbers of tenants. Each begins as a hash of 31 bits, which take four bytes: a file that was put back to an earlier state
 * under a process gives a tenant its former number again, and gives it to no other one.
 */
export interface Tenants {
  /** 0, which no row has, for a tenant that nothing was written of. */
  readonly find: (tenant: Tenant) => number
  readonly read: (number: unknown) => Tenant
  /** Inside an open transaction, before its first payment: gives a tenant its number where it has none. */
  readonly add: (tenant: Tenant) => void
}

const select = "select t from tenants where workspace_id = ? and environment = ?"
const selectTenant = "select workspace_id, environment from tenants where t = ?"
const insert = "insert into tenants (t, workspace_id, environment) values (?, ?, ?)"

const nameOfTenant = ({ environment, workspaceId }: Tenant): string => `${environment} ${workspaceId}`

const made = new WeakMap<Database, Tenants>()

export const tenantsOf = (db: Database): Tenants => {
  const found = made.get(db) ?? makeTenants(db)
  made.set(db, found)
  return found
}

/** What a transaction reads may be undone with it: kept is what was read outside of one. */
const makeTenants = (db: Database): Tenants => {
  const numbers = new Map<string, number>()
  const tenants = new Map<unknown, Tenant>()
  const stored = (tenant: Tenant) => db.prepare(select).get(...bindTenant(tenant))?.["t"] as number | undefined
  const find = (tenant: Tenant): number => {
    const name = nameOfTenant(tenant)
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = stored(tenant)
    if (number !== undefined && !db.isTransaction()) numbers.set(name, number)
    return number ?? 0
  }
  const read = (number: unknown): Tenant => {
    const known = tenants.get(number)
    if (known !== undefined) return known
    const tenant = readTenant(db.prepare(selectTenant).get(number as number) ?? {})
    if (!db.isTransaction()) tenants.set(number, tenant)
    return tenant
  }
  const add = (tenant: Tenant): void => {
    const name = nameOfTenant(tenant)
    const number = stored(tenant)
    if (number !== numbers.get(name)) numbers.delete(name)
    if (number !== undefined) return
    let free = Math.max(1, hash(name).readUInt32BE() >>> 1)
    while (db.prepare(selectTenant).get(free) !== undefined) free++
    db.prepare(insert).run(free, ...bindTenant(tenant))
  }
  return { find, read, add }
}
