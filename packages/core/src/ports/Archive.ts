/**
 * Where payments go before retention removes them from the store, and where they are read afterwards.
 *
 * The rule that an archive must not break: `put` succeeds only when its objects and their manifests are durable. The
 * payments are removed from the store after it, so what it did not keep is lost.
 */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"
import type { WholePayment } from "../model/PaymentBook.ts"
import type { Tenant } from "../model/Tenant.ts"

/** The sums of the payments of one currency, in its minor units. */
export interface ArchiveSum {
  readonly currency: string
  readonly payments: number
  readonly authorizedMinor: number
  readonly capturedMinor: number
  /** Confirmed refunds. */
  readonly refundedMinor: number
}

/** What is counted of the payments of an object, and compared when it is verified. */
export interface ArchiveCounts {
  readonly payments: number
  readonly attempts: number
  readonly operations: number
  readonly refunds: number
  readonly events: number
  readonly disputes: number
  /** What is stored of rows of providers' reports about the payments. */
  readonly settlements: number
  /** In the order of the currencies' codes. */
  readonly sums: ReadonlyArray<ArchiveSum>
  readonly firstPaymentId: string
  readonly lastPaymentId: string
  /** Epoch milliseconds: when the first and the last of them were created. */
  readonly firstCreatedAt: number
  readonly lastCreatedAt: number
}

/** What is known of an object without reading it. */
export interface ArchiveManifest extends ArchiveCounts {
  /** Of the object's lines. */
  readonly format: number
  /** Of the object, in the archive. */
  readonly object: string
  readonly tenant: Tenant
  /** Of the object as it is stored, compressed. */
  readonly bytes: number
  /** SHA-256 of the object as it is stored, in lower-case hexadecimal. */
  readonly sha256: string
  /** SHA-256 of its lines, uncompressed. */
  readonly linesSha256: string
  /** Epoch milliseconds. */
  readonly archivedAt: number
}

/** What differs between an object and its manifest. */
export interface ArchiveFault {
  /** The object. */
  readonly object: string
  /** A sentence for people. */
  readonly fault: string
}

/** What verifying the archive of a tenant found. */
export interface ArchiveReport {
  readonly objects: number
  /** Each once, also where it is in several objects. */
  readonly payments: number
  /** In the order of the currencies' codes. */
  readonly sums: ReadonlyArray<ArchiveSum>
  /** The first 1,000. */
  readonly faults: ReadonlyArray<ArchiveFault>
  readonly faultCount: number
}

/** The archive could not be read, or is not known to have been written. */
export class ArchiveError extends Schema.TaggedError<ArchiveError>()("pointsman/ArchiveError", {
  operation: Schema.String,
  /** For people, and free of secrets. */
  reason: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `archive: ${this.operation}: ${this.reason}`
  }
}

export interface ArchiveService {
  /** Where it is, for people: a folder or a bucket, without credentials. */
  readonly location: string
  /**
   * Writes payments, in one object for each tenant and each month in which they were created. The same payments again
   * give the same objects. A payment may be in several objects: its greatest version counts.
   */
  readonly put: (payments: ReadonlyArray<WholePayment>) => Effect.Effect<ReadonlyArray<ArchiveManifest>, ArchiveError>
  /** A payment by its id. It fails after a few seconds if the archive does not answer. */
  readonly find: (tenant: Tenant, paymentId: string) => Effect.Effect<Option.Option<WholePayment>, ArchiveError>
  /** Those with payments in it, in the order of their ids. */
  readonly tenants: Effect.Effect<ReadonlyArray<Tenant>, ArchiveError>
  /** The manifests of a tenant, by month, each with its object's ids in their order. */
  readonly list: (tenant: Tenant) => Stream.Stream<ArchiveManifest, ArchiveError>
  /** The payments of an object, in the order of their ids. Memory does not grow with their number. */
  readonly read: (object: string) => Stream.Stream<WholePayment, ArchiveError>
  /** Reads every object of a tenant and compares it with its manifest. */
  readonly verify: (tenant: Tenant) => Effect.Effect<ArchiveReport, ArchiveError>
  /** Asks it for nothing in particular: it fails where the archive cannot be reached. */
  readonly reach: Effect.Effect<void, ArchiveError>
}

/** `undefined` where none is configured: payments that leave the store are gone. */
export const Archive = Context.Reference<ArchiveService | undefined>("pointsman/ports/Archive", {
  defaultValue: () => undefined
})
