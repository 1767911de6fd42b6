/** A provider that keeps its own books, lists them page by page, and outlives the stores of a test. */
import type { Money } from "@pointsman/core"
import type {
  ChargeRequest,
  ChargeState,
  ListedCharge,
  ListedDispute,
  ListedPage,
  ListedRefund,
  ListRequest,
  OperationState,
  RefundState
} from "@pointsman/core/ports"
import { approve, type ScriptedProvider, scriptedProvider } from "@pointsman/core/testing"
import { Clock, Effect, type Layer } from "effect"
import { itIn } from "./ItIn.ts"
import { world } from "./World.ts"

interface Charge {
  readonly connectionId: string
  readonly request: ChargeRequest
  readonly created: number
  state: ChargeState
}

interface Refund {
  readonly connectionId: string
  readonly refundId: string | null
  readonly providerRef: string
  readonly money: Money
  readonly created: number
  state: RefundState
}

interface Dispute {
  readonly connectionId: string
  readonly created: number
  readonly stated: ListedDispute
}

export interface ListingProvider extends ScriptedProvider {
  /** Declines a charge so that another connection may be asked, and keeps it in its books. */
  readonly declineSoftly: ScriptedProvider["onCharge"]
  readonly books: {
    readonly charges: Map<string, Charge>
    readonly refunds: Map<string, Refund>
    readonly disputes: Array<Dispute>
  }
}

export interface ListingOptions {
  /** Entries of a page; 2 unless set. */
  readonly pageSize?: number
  /** Whether it was told our payment ids, and lists them; it was unless told otherwise. */
  readonly knowsPayments?: boolean
}

export const listingProvider = ({ knowsPayments = true, pageSize = 2 }: ListingOptions = {}): ListingProvider => {
  const provider = scriptedProvider()
  const charges = new Map<string, Charge>()
  const refunds = new Map<string, Refund>()
  const disputes: Array<Dispute> = []
  const operations = new Map<string, OperationState>()
  const moved = (attemptId: string, to: (charge: Charge) => ChargeState) => {
    const charge = charges.get(attemptId)
    if (charge === undefined) throw new Error(`no charge of ${attemptId}`)
    charge.state = to(charge)
    return Effect.succeed(charge.state)
  }
  const page = <Item extends { readonly created: number; readonly connectionId: string }, Out>(
    all: Iterable<Item>,
    { connectionId, createdBefore, createdFrom, cursor }: ListRequest & { readonly connectionId: string },
    view: (item: Item) => Out
  ): ListedPage<Out> => {
    const start = Number(cursor ?? 0)
    const found = [...all].filter(
      (one) => one.connectionId === connectionId && one.created >= createdFrom && one.created < createdBefore
    )
    return {
      items: found.slice(start, start + pageSize).map(view),
      unreadable: [],
      nextCursor: start + pageSize < found.length ? String(start + pageSize) : null
    }
  }
  const executed = (request: Parameters<ScriptedProvider["onCharge"]>[0], state: ChargeState) =>
    Effect.map(Clock.currentTimeMillis, (created) => {
      const known = charges.get(request.attemptId)
      if (known === undefined) {
        charges.set(request.attemptId, { connectionId: request.connectionId, request, created, state })
      }
      return known?.state ?? state
    })
  provider.onCharge = (request) => Effect.flatMap(approve(request), (state) => executed(request, state as ChargeState))
  provider.onCapture = ({ attemptId, money, operationId, providerRef }) => {
    operations.set(operationId, { _tag: "OperationConfirmed", stated: money })
    return moved(attemptId, () => ({ _tag: "Captured", providerRef, stated: money }))
  }
  provider.onVoid = ({ attemptId, operationId, providerRef }) => {
    operations.set(operationId, { _tag: "OperationConfirmed" })
    return moved(attemptId, () => ({ _tag: "Canceled", providerRef }))
  }
  provider.onRefund = ({ connectionId, money, providerRef, refundId }) =>
    Effect.gen(function* () {
      const created = yield* Clock.currentTimeMillis
      const state: RefundState = { _tag: "Succeeded", providerRefundId: `ref_${refundId}` }
      if (!refunds.has(refundId)) refunds.set(refundId, { connectionId, refundId, providerRef, money, created, state })
      return state
    })
  provider.onLookUpCharge = ({ attemptId }) => {
    const charge = charges.get(attemptId)
    return Effect.succeed(
      charge === undefined ? { _tag: "NotFound", conclusive: true } : { _tag: "Found", state: charge.state }
    )
  }
  provider.onLookUpRefund = ({ refundId }) => {
    const refund = refunds.get(refundId)
    return Effect.succeed(
      refund === undefined ? { _tag: "NotFound", conclusive: true } : { _tag: "Found", state: refund.state }
    )
  }
  provider.onListCharges = (request) =>
    Effect.sync(() =>
      page(
        charges.values(),
        request,
        ({ created, request: asked, state }): ListedCharge => ({
          attemptId: asked.attemptId,
          paymentId: knowsPayments ? asked.paymentId : null,
          idempotencyKey: asked.attemptId,
          reference: asked.reference,
          country: asked.country,
          method: asked.method,
          cardBrand: asked.cardBrand,
          initiator: asked.initiator,
          capture: asked.capture,
          money: asked.money,
          state,
          created
        })
      )
    )
  provider.onListRefunds = (request) =>
    Effect.sync(() => page(refunds.values(), request, ({ connectionId: _, ...refund }): ListedRefund => refund))
  provider.onListDisputes = (request) => Effect.sync(() => page(disputes, request, ({ stated }) => stated))
  // Decided as a connection is first used: a test may take it away before.
  provider.onLookUpOperation = ({ attemptId, operationId }) => {
    const state = operations.get(operationId)
    if (!charges.has(attemptId) || state === undefined) return Effect.succeed({ _tag: "NotFound", conclusive: true })
    return Effect.succeed({ _tag: "Found", state })
  }
  const declineSoftly: ScriptedProvider["onCharge"] = (request) =>
    executed(request, {
      _tag: "Declined",
      providerRef: `ref_${request.attemptId}`,
      category: "do_not_honor",
      code: "05",
      soft: true
    })
  return Object.assign(provider, { books: { charges, refunds, disputes }, declineSoftly })
}

/** A world at a provider with lists. */
export const listingWorld = (provider = listingProvider()) => ({ ...world({ provider }), provider })

type Listing = ReturnType<typeof listingWorld>

export const itInListing = (
  title: string,
  steps: Parameters<typeof itIn<Layer.Success<Listing["layer"]>, Listing>>[2]
) => itIn(title, listingWorld(), steps)
