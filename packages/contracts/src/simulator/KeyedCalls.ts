/**
 * Under a merchant's key the ids of calls are derived and not drawn (decision 30): a request that is repeated under the
 * key reaches the provider under the same id, also if the store lost its records in between.
 */
import type { Attempt, Operation, Refund } from "@pointsman/core"
import type { PaymentBook } from "@pointsman/core/ports"
import type { ProviderCall } from "./CallHandling.ts"
import type { Provider } from "./Provider.ts"

export interface KeyedCalls {
  /** A call arrives, and nothing is done yet. `sent`: its record in the book. Gives what is wrong, in sentences. */
  readonly arrives: (call: ProviderCall, book: PaymentBook, sent: Attempt | Operation | Refund) => ReadonlyArray<string>
}

const dayMillis = 24 * 60 * 60_000

export const keyedCalls = (provider: () => Pick<Provider, "charges" | "refunds">): KeyedCalls => {
  /** The ids of each key, by what was asked under it. */
  const known = new Map<string, Set<string>>()

  /** The provider did it, or is at it, and contradicted nothing that it said of the charge. */
  const isDone = (id: string, charge: string): boolean => {
    const its = provider().charges.get(charge)
    if (its === undefined || its.contradictions.length > 0) return false
    const refund = provider().refunds.get(id)
    if (refund !== undefined) return refund.state !== "RefundFailed"
    return its.operation?.operationId === id && its.operation.state !== "Failed"
  }

  return {
    arrives: ({ id, name }, { attempts, operations, payment, refunds }, sent) => {
      const { environment } = payment.tenant
      const isAttempt = name === "charge" || name === "openCheckout"
      const key = isAttempt ? payment.idempotencyKey : "idempotencyKey" in sent ? sent.idempotencyKey : null
      if (key === null) return []
      const charge = attempts.findLast(({ providerRef }) => providerRef === sent.providerRef)?.id ?? ""
      const about = isAttempt ? [sent.connectionId, payment.createdAt - (payment.createdAt % dayMillis)] : [charge]
      const place = JSON.stringify([name, environment, key, ...about])
      const ids = known.get(place) ?? new Set()
      known.set(place, ids)
      if (ids.has(id)) return []
      const onFile = new Set([...operations, ...refunds].map((one) => one.id))
      // The store lost the record of a call, and with it the refusal: that call counts only if the provider executed it.
      const others = [...ids].filter((other) => isAttempt || !onFile.has(other) || isDone(other, charge))
      ids.add(id)
      return others.map((other) => `${name} under ${key} was sent as ${other}, and then as ${id}`)
    }
  }
}
