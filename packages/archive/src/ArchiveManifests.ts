/** The manifest of an object: what is counted of its payments, its JSON, and what differs between two counts. */
import type { Payment, Tenant } from "@pointsman/core"
import type { ArchiveCounts, ArchiveManifest, ArchiveSum, WholePayment } from "@pointsman/core/ports"
import { lineFormat } from "./ArchiveLine.ts"
import { type ObjectName, objectNameOf } from "./ArchiveNames.ts"
import type { ArchiveStore } from "./ArchiveStore.ts"

/** By currency. */
export type Sums = Map<string, ArchiveSum>

/** A payment without what is not counted. */
export type CountedPayment = Pick<
  Payment,
  "authorizedMinor" | "capturedMinor" | "createdAt" | "id" | "money" | "refundedMinor"
>

/** Counts payments one by one, so that memory does not grow with their number. */
export class Counting {
  #counts = { payments: 0, attempts: 0, operations: 0, refunds: 0, events: 0, disputes: 0, settlements: 0 }
  readonly #sums: Sums = new Map()
  #ids = { first: "", last: "" }
  #times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }

  /** `false` where it does not follow the one before in the order of ids. */
  add({ book, disputes = [], events, settlements = [] }: WholePayment): boolean {
    const { attempts, operations, payment, refunds } = book
    const isNext = payment.id > this.#ids.last
    this.#counts = {
      payments: this.#counts.payments + 1,
      attempts: this.#counts.attempts + attempts.length,
      operations: this.#counts.operations + operations.length,
      refunds: this.#counts.refunds + refunds.length,
      events: this.#counts.events + events.length,
      disputes: this.#counts.disputes + disputes.length,
      settlements: this.#counts.settlements + settlements.length
    }
    this.#ids = { first: this.#ids.first || payment.id, last: payment.id }
    this.#times = {
      first: Math.min(this.#times.first, payment.createdAt),
      last: Math.max(this.#times.last, payment.createdAt)
    }
    addPayment(this.#sums, payment)
    return isNext
  }

  get counts(): ArchiveCounts {
    return {
      ...this.#counts,
      sums: inOrder(this.#sums),
      firstPaymentId: this.#ids.first,
      lastPaymentId: this.#ids.last,
      firstCreatedAt: this.#times.first,
      lastCreatedAt: this.#times.last
    }
  }
}

export const addPayment = (sums: Sums, { authorizedMinor, capturedMinor, money, refundedMinor }: CountedPayment) =>
  addSum(sums, { currency: money.currency, payments: 1, authorizedMinor, capturedMinor, refundedMinor })

/** A sum that is not exact any more is a defect: it would be compared with another one. */
export const addSum = (sums: Sums, added: ArchiveSum): void => {
  const { currency } = added
  const before = sums.get(currency) ?? { payments: 0, authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
  const sum: ArchiveSum = {
    currency,
    payments: before.payments + added.payments,
    authorizedMinor: before.authorizedMinor + added.authorizedMinor,
    capturedMinor: before.capturedMinor + added.capturedMinor,
    refundedMinor: before.refundedMinor + added.refundedMinor
  }
  if (!Number.isSafeInteger(sum.authorizedMinor)) throw new Error(`the sum in ${currency} is too large to be exact`)
  sums.set(currency, sum)
}

export const inOrder = (sums: Sums): ReadonlyArray<ArchiveSum> =>
  [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1))

/** What is measured of an object. */
export interface Measured {
  readonly bytes: number
  readonly sha256: string
  readonly linesSha256: string
}

export const manifestOf = (
  name: Pick<ObjectName, "tenant" | "month">,
  counts: ArchiveCounts,
  measured: Measured,
  archivedAt: number
): ArchiveManifest => ({
  ...counts,
  ...measured,
  format: lineFormat,
  object: objectNameOf({ ...name, ...counts, ...measured }),
  tenant: name.tenant,
  archivedAt
})

const time = (epochMillis: number): string => new Date(epochMillis).toISOString()

/** Amounts in minor units, times in RFC 3339. */
export const manifestJson = (manifest: ArchiveManifest) => ({
  format: manifest.format,
  object: manifest.object,
  workspace_id: manifest.tenant.workspaceId,
  environment: manifest.tenant.environment,
  payments: manifest.payments,
  attempts: manifest.attempts,
  operations: manifest.operations,
  refunds: manifest.refunds,
  events: manifest.events,
  // Absent without any, as in manifests from before they were archived.
  ...(manifest.disputes === 0 ? {} : { disputes: manifest.disputes }),
  ...(manifest.settlements === 0 ? {} : { settlements: manifest.settlements }),
  sums: manifest.sums.map(sumJson),
  first_payment_id: manifest.firstPaymentId,
  last_payment_id: manifest.lastPaymentId,
  first_created: time(manifest.firstCreatedAt),
  last_created: time(manifest.lastCreatedAt),
  bytes: manifest.bytes,
  sha256: manifest.sha256,
  lines_sha256: manifest.linesSha256,
  archived: time(manifest.archivedAt)
})

export const sumJson = (sum: ArchiveSum) => ({
  currency: sum.currency,
  payments: sum.payments,
  authorized: sum.authorizedMinor,
  captured: sum.capturedMinor,
  refunded: sum.refundedMinor
})

type ManifestJson = ReturnType<typeof manifestJson>

/** `undefined` for a text that is not a manifest. */
const parseManifest = (text: string): ArchiveManifest | undefined => {
  try {
    const json = JSON.parse(text) as ManifestJson
    const manifest: ArchiveManifest = {
      format: json.format,
      object: json.object,
      tenant: { workspaceId: json.workspace_id, environment: json.environment as Tenant["environment"] },
      payments: json.payments,
      attempts: json.attempts,
      operations: json.operations,
      refunds: json.refunds,
      events: json.events,
      disputes: json.disputes ?? 0,
      settlements: json.settlements ?? 0,
      sums: json.sums.map((sum) => ({
        currency: sum.currency,
        payments: sum.payments,
        authorizedMinor: sum.authorized,
        capturedMinor: sum.captured,
        refundedMinor: sum.refunded
      })),
      firstPaymentId: json.first_payment_id,
      lastPaymentId: json.last_payment_id,
      firstCreatedAt: Date.parse(json.first_created),
      lastCreatedAt: Date.parse(json.last_created),
      bytes: json.bytes,
      sha256: json.sha256,
      linesSha256: json.lines_sha256,
      archivedAt: Date.parse(json.archived)
    }
    // Only what `manifestJson` wrote comes out of it unchanged.
    return JSON.stringify(manifestJson(manifest)) === JSON.stringify(json) ? manifest : undefined
  } catch {
    return undefined
  }
}

/** What differs between the manifest and what its object holds, a sentence each. */
export const differences = (
  manifest: ArchiveManifest,
  counts: ArchiveCounts,
  measured: Measured
): ReadonlyArray<string> => {
  const stated = manifestJson(manifest)
  const found = manifestJson({ ...manifest, ...counts, ...measured })
  return (Object.keys({ ...stated, ...found }) as ReadonlyArray<keyof ManifestJson>).flatMap((field) => {
    const [states, holds] = [stated[field], found[field]].map((value) => JSON.stringify(value ?? 0))
    return states === holds ? [] : [`${field}: the manifest states ${states}, and the object has ${holds}`]
  })
}

/** Some hundred times a manifest with the sums of every currency, in bytes. */
const longestManifest = 1024 * 1024

export const readManifest = async (
  store: ArchiveStore,
  name: string,
  signal: AbortSignal
): Promise<ArchiveManifest | "missing" | "malformed"> => {
  const source = await store.get(name, signal)
  if (source === undefined) return "missing"
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > longestManifest) return "malformed"
  }
  return parseManifest(Buffer.concat(chunks).toString("utf8")) ?? "malformed"
}
