/** The library in a backend's own process: creates, and reads of what `kit/FillStores.ts` wrote. */
import { Pointsman } from "@pointsman/core"
import type { PaymentQuery } from "@pointsman/core/ports"
import * as CitusStorage from "@pointsman/storage-citus"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { createRequest } from "../kit/CreateRequest.ts"
import * as filledIds from "../kit/FilledIds.ts"
import { type Load, run } from "../kit/Load.ts"
import { answerOrders } from "../kit/Side.ts"
import { agreeing, caller, callerOf, overHttp, type Storage, worldLayer } from "../World.ts"

export type StorageSettings =
  | {
      readonly _tag: "postgres"
      readonly url: string
      readonly maxConnections?: number
      readonly batchCommits?: boolean
      readonly distributed?: boolean
    }
  | { readonly _tag: "sqlite"; readonly filename: string }

export interface LibrarySettings {
  readonly storage: StorageSettings
  /** In the process, answering after up to so many milliseconds, drawn evenly; or over HTTP. In the process at once unless set. */
  readonly provider?: { readonly slowestMillis: number } | { readonly url: string }
  /** Payments are made of one after the other; one workspace unless set. */
  readonly workspaces?: ReadonlyArray<string>
}

export type Read = keyof ReturnType<typeof readsOf>

export type LibraryOrder =
  | { readonly _tag: "create"; readonly load: Load }
  /** `filled`: how many payments there are. */
  | { readonly _tag: "read"; readonly read: Read; readonly filled: number; readonly load: Load }

const storageOf = (settings: StorageSettings): Storage => {
  if (settings._tag === "sqlite") return SqliteStorage.layer({ filename: settings.filename })
  const { _tag, distributed = false, url, ...options } = settings
  const { layer } = distributed ? CitusStorage : PostgresStorage
  return layer({ url: Redacted.make(url), ...options })
}

const providerOf = (provider: LibrarySettings["provider"] = { slowestMillis: 0 }) =>
  "url" in provider ? overHttp(provider.url) : agreeing(() => Math.round(Math.random() * provider.slowestMillis))

const pageSize = 20
const { tenant } = caller
let count = 0

/** `filled`: how many payments there are. */
const readsOf = (pointsman: Pointsman["Service"]) => {
  const search = (query: Omit<PaymentQuery, "limit">) => pointsman.payments(tenant, { ...query, limit: pageSize })
  return {
    replay: (filled) => {
      const number = some(filled)
      return pointsman.create(
        caller,
        filledIds.sampleRequest(filledIds.keyOf(number), filledIds.captureMethodOf(number))
      )
    },
    payments: (filled) => search({ before: filledIds.paymentIdOf(some(filled)) }),
    paymentsByState: (filled) => search({ states: ["Authorized"], before: filledIds.paymentIdOf(some(filled)) }),
    byReference: (filled) => search({ reference: filledIds.textOf(some(filled)) }),
    byProviderReference: (filled) => search({ providerRef: filledIds.providerRefOf(some(filled)) }),
    byMetadata: (filled) => search({ metadata: { order: filledIds.textOf(some(filled)) } }),
    byCommonMetadata: (filled) => search({ metadata: { channel: "web" }, before: filledIds.paymentIdOf(some(filled)) }),
    byAmount: (filled) => search({ amountMinor: 1_000, currency: "EUR", before: filledIds.paymentIdOf(some(filled)) }),
    byAmountInAnyCurrency: (filled) => search({ amountMinor: 1_000, before: filledIds.paymentIdOf(some(filled)) }),
    byCreation: (filled) => {
      const createdFrom = filledIds.createdAtOf(some(filled))
      return search({ createdFrom, createdBefore: createdFrom + 24 * 60 * 60_000 })
    },
    events: (filled) => pointsman.events(tenant, { before: filledIds.eventIdOf(some(filled)), limit: pageSize }),
    timeline: (filled) => pointsman.timeline(tenant, filledIds.paymentIdOf(some(filled)), { limit: pageSize })
  } satisfies Readonly<Record<string, (filled: number) => Effect.Effect<unknown, unknown>>>
}

answerOrders<LibrarySettings, LibraryOrder>(async ({ provider, storage, workspaces }) => {
  const callers = workspaces?.map((id) => callerOf(id, `bench-${id}`)) ?? [caller]
  const runtime = ManagedRuntime.make(worldLayer(storageOf(storage), providerOf(provider), ["main"], callers))
  const nextCaller = () => callers[count % callers.length] as typeof caller
  const pointsman = await runtime.runPromise(Pointsman)
  const reads = readsOf(pointsman)
  return (order) =>
    run(order.load, () =>
      order._tag === "create"
        ? runtime.runPromise(
            untilAdmitted(Effect.suspend(() => pointsman.create(nextCaller(), createRequest(`order-${++count}`))))
          )
        : runtime.runPromise<unknown, unknown>(reads[order.read](order.filled)).then(heldSomething)
    )
})

/** Again after a refusal, as a client does: a slow machine is given more than it takes. */
const untilAdmitted = <A, E extends { readonly _tag: string }>(create: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(create, { while: ({ _tag }) => _tag === "pointsman/NotAdmitted", times: 100 })

/** Any of those that are there, but the oldest ones: a page behind each is full. */
const some = (filled: number) => Math.floor(filled * (0.1 + 0.9 * Math.random()))

/** A read that finds nothing is quick. */
const heldSomething = (answer: unknown) => {
  const { isReplay, items } = Object(answer)
  if (isReplay !== true && !(Array.isArray(items) && items.length > 0)) throw new Error("nothing was found")
}
