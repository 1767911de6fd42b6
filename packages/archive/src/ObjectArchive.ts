/**
 * The port `Archive` over a store of objects: JSON lines, compressed by gzip, each object with a manifest.
 *
 * The object is written before its manifest, and `put` succeeds after both.
 * A process that dies in between leaves an object without a manifest. Its payments are still in the store, and the next
 * sweep archives them again: under the same name where it brings the same payments, else in another object as well.
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Tenant } from "@pointsman/core"
import { ArchiveError, type ArchiveManifest, type ArchiveService, type WholePayment } from "@pointsman/core/ports"
import { Clock, Effect, Option, Result, Semaphore, Stream } from "effect"
import { decodeLine, encodeLine, lineStart } from "./ArchiveLine.ts"
import { Counting, manifestJson, manifestOf, readManifest } from "./ArchiveManifests.ts"
import {
  manifestOfObject,
  manifestsOf,
  monthOf,
  objectOfManifest,
  objectsOf,
  parseObjectName,
  topFolders,
  workspaceOf
} from "./ArchiveNames.ts"
import type { ArchiveStore } from "./ArchiveStore.ts"
import { BrokenObject, linesOf, paymentsOf } from "./ReadObject.ts"
import { monthsOf, verifyTenant } from "./VerifyArchive.ts"

export interface ArchiveLimits {
  /** For how long a payment is looked for, in milliseconds: a client waits for it. 5 seconds unless set. */
  readonly findWithinMillis?: number | undefined
  /** For how long one object is written, with all attempts, in milliseconds; a minute unless set. */
  readonly writeWithinMillis?: number | undefined
  /** Payments that are looked for at once; further ones wait, within their own time. 8 unless set. */
  readonly findsAtOnce?: number | undefined
}

/** Payments of an object: some megabytes of lines, which are in memory while they are compressed. */
const paymentsPerObject = 1_000

const compress = promisify(gzip)

export const makeArchive = (store: ArchiveStore, limits: ArchiveLimits = {}): ArchiveService => {
  const { findWithinMillis = 5_000, findsAtOnce = 8, writeWithinMillis = 60_000 } = limits
  const finds = Semaphore.makeUnsafe(findsAtOnce)

  const failure = (operation: string) => (cause: unknown) =>
    new ArchiveError({
      operation,
      reason: cause instanceof BrokenObject ? `an object is damaged: ${cause.message}` : store.reasonOf(cause),
      cause
    })

  const attempt = <A>(operation: string, act: (signal: AbortSignal) => Promise<A>) =>
    Effect.tryPromise({ try: act, catch: failure(operation) })

  const within = (operation: string, millis: number) =>
    Effect.timeoutOrElse({
      duration: millis,
      orElse: () =>
        Effect.fail(
          new ArchiveError({ operation, reason: `no answer within ${millis} ms`, cause: new Error("timed out") })
        )
    })

  /** A stream that is given up on ends its requests. */
  const streaming = <A>(operation: string, items: (signal: AbortSignal) => AsyncIterable<A>) =>
    Stream.unwrap(
      Effect.map(Effect.abortSignal, (signal) => Stream.fromAsyncIterable(items(signal), failure(operation)))
    )

  const write = Effect.fnUntraced(function* (tenant: Tenant, month: string, payments: ReadonlyArray<WholePayment>) {
    const counting = new Counting()
    for (const payment of payments) counting.add(payment)
    const lines = Buffer.from(payments.map((payment) => `${encodeLine(payment)}\n`).join(""))
    const object = yield* attempt("write", () => compress(lines))
    const measured = { bytes: object.length, sha256: sha256Of(object), linesSha256: sha256Of(lines) }
    const manifest = manifestOf({ tenant, month }, counting.counts, measured, yield* Clock.currentTimeMillis)
    const json = Buffer.from(`${JSON.stringify(manifestJson(manifest), null, 2)}\n`)
    const put = (name: string, bytes: Uint8Array) =>
      attempt("write", (signal) => store.put(name, bytes, signal)).pipe(
        Effect.interruptible,
        within("write", writeWithinMillis)
      )
    yield* put(manifest.object, object)
    yield* put(manifestOfObject(manifest.object), json)
    return manifest
  })

  return {
    location: store.location,
    put: (payments) => Effect.forEach(groupsOf(payments), ([tenant, month, group]) => write(tenant, month, group)),
    find: (tenant, paymentId) =>
      attempt("find", (signal) => findIn(store, tenant, paymentId, signal)).pipe(
        finds.withPermit,
        // A request that moves money is not interruptible, and would wait for an archive that never answers.
        Effect.interruptible,
        within("find", findWithinMillis),
        Effect.map(Option.fromUndefinedOr)
      ),
    tenants: attempt("list", (signal) => tenantsOf(store, signal)),
    list: (tenant) => streaming("list", (signal) => manifestsIn(store, tenant, signal)),
    read: (object) => streaming("read", (signal) => paymentsIn(store, object, signal)),
    verify: (tenant) => attempt("verify", (signal) => verifyTenant(store, tenant, signal)),
    reach: attempt("reach", store.reach).pipe(within("reach", findWithinMillis))
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Each in the order of ids. */
const groupsOf = (
  payments: ReadonlyArray<WholePayment>
): ReadonlyArray<readonly [Tenant, string, ReadonlyArray<WholePayment>]> => {
  const groups = Map.groupBy(payments, ({ book: { payment } }) =>
    JSON.stringify([payment.tenant.workspaceId, payment.tenant.environment, monthOf(payment.id)])
  )
  return [...groups.values()].flatMap((group) => {
    const sorted = group.toSorted((one, other) => (one.book.payment.id < other.book.payment.id ? -1 : 1))
    return Array.from({ length: Math.ceil(sorted.length / paymentsPerObject) }, (_, index) => {
      const part = sorted.slice(index * paymentsPerObject, (index + 1) * paymentsPerObject)
      const { id, tenant } = (part[0] as WholePayment).book.payment
      return [tenant, monthOf(id), part] as const
    })
  })
}

/** Of the objects of the payment's month, those whose ids include it. The greatest version of it counts. */
const findIn = async (
  store: ArchiveStore,
  tenant: Tenant,
  paymentId: string,
  signal: AbortSignal
): Promise<WholePayment | undefined> => {
  const folder = `${objectsOf(tenant)}${monthOf(paymentId)}/`
  const start = lineStart(paymentId)
  let found: WholePayment | undefined
  for await (const name of store.names(folder, folder + paymentId, signal)) {
    const object = parseObjectName(name)
    if (object === undefined || object.firstPaymentId > paymentId) continue
    const source = await store.get(name, signal)
    if (source === undefined) continue
    for await (const line of linesOf(source)) {
      if (!line.startsWith(start)) continue
      const payment = decodeLine(line, tenant)
      if (Result.isFailure(payment)) throw new BrokenObject(`${name}: ${payment.failure}`)
      if (found === undefined || isNewer(payment.success, found)) found = payment.success
    }
  }
  return found
}

/** A report may add rows to a payment without another version of it. */
const isNewer = (one: WholePayment, other: WholePayment): boolean => {
  const versions = one.book.payment.version - other.book.payment.version
  return versions === 0 ? (one.settlements?.length ?? 0) > (other.settlements?.length ?? 0) : versions > 0
}

const tenantsOf = async (store: ArchiveStore, signal: AbortSignal): Promise<ReadonlyArray<Tenant>> => {
  const tenants = new Map<string, Tenant>()
  for (const top of topFolders) {
    for (const folder of await store.folders(top, signal)) {
      const workspaceId = workspaceOf(folder)
      if (workspaceId === undefined) continue
      for (const environment of await store.folders(`${top}${folder}/`, signal)) {
        if (environment !== "sandbox" && environment !== "production") continue
        tenants.set(JSON.stringify([workspaceId, environment]), { workspaceId, environment })
      }
    }
  }
  return [...tenants.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, tenant]) => tenant)
}

async function* manifestsIn(store: ArchiveStore, tenant: Tenant, signal: AbortSignal): AsyncGenerator<ArchiveManifest> {
  for (const month of await monthsOf(store, tenant, signal)) {
    for await (const name of store.names(`${manifestsOf(tenant)}${month}/`, undefined, signal)) {
      const manifest = await readManifest(store, name, signal)
      if (manifest === "missing") continue
      if (manifest === "malformed") throw new BrokenObject(`the manifest of ${objectOfManifest(name)} is malformed`)
      yield manifest
    }
  }
}

async function* paymentsIn(store: ArchiveStore, object: string, signal: AbortSignal): AsyncGenerator<WholePayment> {
  const name = parseObjectName(object)
  const source = name === undefined ? undefined : await store.get(object, signal)
  if (name === undefined || source === undefined) throw new BrokenObject(`${object} does not exist`)
  yield* paymentsOf(source, name.tenant)
}
