/** Short forms of what leads rows and indexes (`Keys.ts` of storage-sql), and a tenant as a number. */
import { hash as hashOnce } from "node:crypto"
import type { Tenant } from "@pointsman/core"
import { makeKeys, uuidOf } from "@pointsman/storage-sql"

const hash = (text: string): Buffer => hashOnce("sha256", Buffer.from(text, "utf16le"), "buffer")

const numbers = new Map<string, string>()

/**
 * A hash of 52 bits, which a number holds: no process looks it up, and a restored database gives no tenant the number of
 * another one. That no two tenants share one is guarded where a tenant's row is written.
 */
export const tenantNumber = ({ environment, workspaceId }: Tenant): string => {
  const name = `${environment} ${workspaceId}`
  const known = numbers.get(name)
  if (known !== undefined) return known
  const number = String(hash(name).readBigUInt64BE() >> 12n)
  numbers.set(name, number)
  return number
}

export const keys = makeKeys<string, string>({
  hash,
  bindUuid: (id) => id,
  readId: (value) => value as string,
  bindBytes: uuidOf,
  bindShort: (bytes) => String(bytes.readBigInt64BE())
})

export const { bindAfter, bindBefore, bindEventId, bindId, readEventId } = keys
export const { chargeName, keyHash, nameHash, shortChargeName } = keys
