/** Short forms of what leads rows and indexes (`Keys.ts` of storage-sql), and a tenant as a number. */
import { hash as hashOnce } from "node:crypto"
import type { Tenant } from "@pointsman/core"
import { makeKeys, uuidOf } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { bindTenant, readTenant } from "./Rows.ts"

const hash = (text: string): Buffer => hashOnce("sha256", Buffer.from(text, "utf16le"), "buffer")

let lastId: string | undefined
let lastBytes: Uint8Array = Buffer.of()

export const keys = makeKeys<Uint8Array, Uint8Array>({
  hash,
  /** A commit binds one id several times, so the last one is kept. */
  bindUuid: (id) => {
    if (id !== lastId) lastBytes = Buffer.from(id.replaceAll("-", ""), "hex")
    lastId = id
    return lastBytes
  },
  readId: (value) => uuidOf(value as Uint8Array),
  bindBytes: (bytes) => bytes,
  bindShort: (bytes) => bytes
})

export const { bindAfter, bindBefore, bindEventId, bindId, readEventId, readId } = keys
export const { chargeName, keyHash, nameHash, shortChargeName } = keys

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
