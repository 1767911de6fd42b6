/** Payouts of providers, and the rows that they pay. */
import * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import { NotFoundError } from "../PointsmanError.ts"
import type { Payout, PayoutEntry, SettlementEntry } from "../Reconciliation.ts"
import { payoutFields, payoutsQuery } from "../ReportOrders.ts"
import { readPages } from "./ReadPages.ts"
import { type Defaults, fromStore, type makeCall, readerOf } from "./RunCall.ts"

/** The views are this package's records: a field that differs does not compile. */
const asEntry = (entry: Core.SettlementEntry): SettlementEntry => InProcess.entryView(entry)
const asPayout = (payout: Core.Payout): Payout => InProcess.payoutView(payout)

export const payouts = Effect.fnUntraced(function* (defaults: Defaults, period: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const found = yield* fromStore(reconciliation.payouts({ ...(yield* payoutsQuery(period)), tenant }))
  const statusOf = yield* fromStore(reconciliation.payoutStatuses(tenant, found))
  return found.map((entry): PayoutEntry => InProcess.payoutEntryView(entry, statusOf(entry)))
})

export const payout = Effect.fnUntraced(function* (defaults: Defaults, name: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const found = yield* fromStore(reconciliation.payout(tenant, yield* payoutFields(name)))
  return asPayout(yield* Effect.mapError(Effect.fromOption(found), () => new NotFoundError("Payout not found.")))
})

export const payoutEntries = (
  call: ReturnType<typeof makeCall>,
  defaults: Defaults,
  name: unknown,
  options: unknown
): AsyncGenerator<SettlementEntry, void, undefined> => readPages(call, openPayout(defaults, name, options), asEntry)

const openPayout = Effect.fnUntraced(function* (defaults: Defaults, name: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  return reconciliation.exportPayout({ tenant }, yield* payoutFields(name))
})
