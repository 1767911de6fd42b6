/**
 * Reads every object of a tenant and compares it with its name and its manifest.
 *
 * A payment can be in two objects: a process died after it was archived and before it was removed. It counts once, at its
 * greatest version, so that the sums are those of the payments.
 */
import type { Tenant } from "@pointsman/core"
import type { ArchiveFault, ArchiveManifest, ArchiveReport } from "@pointsman/core/ports"
import {
  addPayment,
  addSum,
  type CountedPayment,
  Counting,
  differences,
  inOrder,
  readManifest,
  type Sums
} from "./ArchiveManifests.ts"
import { manifestOfObject, manifestsOf, objectOfManifest, objectsOf, parseObjectName } from "./ArchiveNames.ts"
import type { ArchiveStore } from "./ArchiveStore.ts"
import { BrokenObject, Measuring, paymentsOf } from "./ReadObject.ts"

/** Faults that a report lists; more are counted. */
const listedFaults = 1_000

export const verifyTenant = async (
  store: ArchiveStore,
  tenant: Tenant,
  signal: AbortSignal
): Promise<ArchiveReport> => {
  const total = { objects: 0, sums: new Map() as Sums }
  const faults: Array<ArchiveFault> = []
  let faultCount = 0
  const report = (object: string, fault: string) => {
    faultCount += 1
    if (faults.length < listedFaults) faults.push({ object, fault })
  }
  for (const month of await monthsOf(store, tenant, signal)) {
    const names = await namesOfMonth(store, tenant, month, signal)
    total.objects += names.length
    for (const cluster of overlapping(names)) {
      // Alone, an object is counted without keeping what is in it.
      const seen = cluster.length === 1 ? undefined : new Map<string, CountedPayment & { readonly version: number }>()
      for (const name of cluster) await verifyObject(store, name, { report, seen, signal, sums: total.sums })
      for (const payment of seen?.values() ?? []) addPayment(total.sums, payment)
    }
  }
  const sums = inOrder(total.sums)
  const payments = sums.reduce((count, sum) => count + sum.payments, 0)
  return { objects: total.objects, payments, sums, faults, faultCount }
}

/** Of objects and of manifests, sorted. */
export const monthsOf = async (
  store: ArchiveStore,
  tenant: Tenant,
  signal: AbortSignal
): Promise<ReadonlyArray<string>> => {
  const [ofObjects, ofManifests] = await Promise.all([
    store.folders(objectsOf(tenant), signal),
    store.folders(manifestsOf(tenant), signal)
  ])
  return [...new Set([...ofObjects, ...ofManifests])].sort()
}

interface Verification {
  readonly report: (object: string, fault: string) => void
  readonly seen: Map<string, CountedPayment & { readonly version: number }> | undefined
  readonly sums: Sums
  readonly signal: AbortSignal
}

/** The names of the objects that are there or that a manifest names, by their first payment. Those of one month fit into memory. */
const namesOfMonth = async (store: ArchiveStore, tenant: Tenant, month: string, signal: AbortSignal) => {
  const names = new Set<string>()
  for await (const name of store.names(`${objectsOf(tenant)}${month}/`, undefined, signal)) names.add(name)
  for await (const name of store.names(`${manifestsOf(tenant)}${month}/`, undefined, signal)) {
    names.add(objectOfManifest(name))
  }
  const firstOf = (name: string) => parseObjectName(name)?.firstPaymentId ?? ""
  return [...names].sort((one, other) => (firstOf(one) < firstOf(other) ? -1 : 1))
}

/** Objects that may have payments in common, together. */
const overlapping = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const clusters: Array<Array<string>> = []
  let last = ""
  for (const name of names) {
    const { firstPaymentId = "", lastPaymentId = "" } = parseObjectName(name) ?? {}
    const cluster = clusters.at(-1)
    if (cluster !== undefined && firstPaymentId <= last) cluster.push(name)
    else clusters.push([name])
    if (lastPaymentId > last) last = lastPaymentId
  }
  return clusters
}

const verifyObject = async (store: ArchiveStore, object: string, verification: Verification): Promise<void> => {
  const { report, seen, signal, sums } = verification
  const name = parseObjectName(object)
  if (name === undefined) return report(object, "its name is not that of an object")
  const manifest = await readManifest(store, manifestOfObject(object), signal)
  if (manifest === "missing") report(object, "its manifest is missing")
  if (manifest === "malformed") report(object, "its manifest is malformed")
  const source = await store.get(object, signal)
  if (source === undefined) return report(object, "the object is missing")
  const measuring = new Measuring()
  const counting = new Counting()
  try {
    for await (const payment of paymentsOf(source, name.tenant, measuring)) {
      if (!counting.add(payment)) report(object, `payment ${payment.book.payment.id} is not in the order of ids`)
      const { authorizedMinor, capturedMinor, createdAt, id, money, refundedMinor, version } = payment.book.payment
      if ((seen?.get(id)?.version ?? 0) < version) {
        seen?.set(id, { authorizedMinor, capturedMinor, createdAt, id, money, refundedMinor, version })
      }
    }
  } catch (error) {
    if (error instanceof BrokenObject) return report(object, error.message)
    throw error
  }
  const { measured } = measuring
  const { counts } = counting
  if (seen === undefined) for (const sum of counts.sums) addSum(sums, sum)
  if (measured.sha256 !== name.sha256) report(object, "its contents do not have the hash that its name states")
  if (typeof manifest !== "string") {
    for (const difference of differences(manifest, counts, measured)) report(object, difference)
    for (const fault of manifestFaults(manifest, object)) report(object, fault)
  }
}

const manifestFaults = (manifest: ArchiveManifest, object: string): ReadonlyArray<string> =>
  manifest.object === object ? [] : ["its manifest names another object"]
