/**
 * Names of objects and of their manifests. A name has the tenant, the month in which its payments were created, the last
 * and the first of their ids, and the hash of the object, so that a listing of one month finds a payment, and the same
 * payments are written under the same name.
 */
import type { Tenant } from "@pointsman/core"

const objects = "payments/"
const manifests = "manifests/"
const objectEnd = ".jsonl.gz"
const manifestEnd = ".json"

/** What a name says of an object. */
export interface ObjectName {
  readonly tenant: Tenant
  /** `2026-01`, in UTC. */
  readonly month: string
  readonly firstPaymentId: string
  readonly lastPaymentId: string
  readonly sha256: string
}

/** Of a UUIDv7: its first 48 bits are epoch milliseconds (RFC 9562, section 5.7). */
export const monthOf = (paymentId: string): string =>
  new Date(Number.parseInt(paymentId.slice(0, 8) + paymentId.slice(9, 13), 16)).toISOString().slice(0, 7)

/** A workspace's id names a folder, which no id leaves. */
const folderOf = ({ environment, workspaceId }: Tenant): string =>
  `${encodeURIComponent(workspaceId).replace(/^\./u, "%2E")}/${environment}/`

export const objectsOf = (tenant: Tenant): string => objects + folderOf(tenant)
export const manifestsOf = (tenant: Tenant): string => manifests + folderOf(tenant)

export const objectNameOf = ({ firstPaymentId, lastPaymentId, month, sha256, tenant }: ObjectName): string =>
  `${objectsOf(tenant)}${month}/${lastPaymentId}_${firstPaymentId}_${sha256}${objectEnd}`

export const manifestOfObject = (object: string): string =>
  manifests + object.slice(objects.length, -objectEnd.length) + manifestEnd

export const objectOfManifest = (manifest: string): string =>
  objects + manifest.slice(manifests.length, -manifestEnd.length) + objectEnd

const pattern =
  /^payments\/([^/]+)\/(sandbox|production)\/(\d{4}-\d{2})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([0-9a-f]{64})\.jsonl\.gz$/u

/** `undefined` for the name of something else. */
export const parseObjectName = (name: string): ObjectName | undefined => {
  const [, workspace, environment, month, lastPaymentId, firstPaymentId, sha256] = pattern.exec(name) ?? []
  const workspaceId = workspace === undefined ? undefined : workspaceOf(workspace)
  if (workspaceId === undefined || month === undefined) return undefined
  if (lastPaymentId === undefined || firstPaymentId === undefined || sha256 === undefined) return undefined
  const tenant = { workspaceId, environment: environment as Tenant["environment"] }
  return { tenant, month, firstPaymentId, lastPaymentId, sha256 }
}

/** The folders in which workspaces have theirs. */
export const topFolders = [objects, manifests] as const

/** The id of the workspace whose folder has the name; `undefined` where it is none. */
export const workspaceOf = (folder: string): string | undefined => {
  try {
    return decodeURIComponent(folder)
  } catch {
    return undefined
  }
}
