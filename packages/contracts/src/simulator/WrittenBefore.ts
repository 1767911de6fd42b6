/**
 * What has to hold as a call arrives at the provider. What is sent is written before. Under a merchant's key the ids of calls
 * are derived and not drawn (decision 30): a request that is repeated under the key reaches the provider under the same
 * id, also if the store lost its records in between.
 */
import type { Attempt, Environment, Operation, Refund } from "@pointsman/core"
import type { PaymentBook } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import type { ProviderCall, ProviderOptions } from "./CallHandling.ts"
import type { Acting } from "./outside/Outside.ts"
import { day } from "./Time.ts"
import { short } from "./Words.ts"
import { production, sandbox, type World } from "./World.ts"

/** More than any run has. */
const disputesAtMost = 100

interface Checking {
  readonly world: () => World
  readonly acting: () => Pick<Acting, "isMissing" | "lost">
  /** In sentences. */
  readonly wrong: Array<string>
}

/**
 * The store itself is asked, as the call arrives and nothing is done yet. It is asked for the id alone: of two payments with
 * one reference, the provider takes what is sent under it to be about the first one. A call of the moment of a loss was
 * written to the store that is lost.
 */
export const callChecks = ({ acting, world, wrong }: Checking): NonNullable<ProviderOptions["onCall"]> => {
  const sentOtherwise = keyedCalls(world)
  const check = Effect.fnUntraced(function* (call: ProviderCall, environment: Environment) {
    const { id, name, paymentId } = call
    const { ledger } = world()
    const { tenant } = environment === "sandbox" ? sandbox : production
    const words = `${name} ${id} of ${short(paymentId)} was sent`
    if (name === "submitDispute" || name === "acceptDispute") {
      const disputes = yield* ledger.disputes(tenant, { limit: disputesAtMost })
      const isWritten = disputes.some(({ submissions }) => submissions.some(({ operationId }) => operationId === id))
      return isWritten ? [] : [`${words} before it was written`]
    }
    const isOperation = name === "capture" || name === "void"
    const subject = name === "refund" ? { refundId: id } : isOperation ? { operationId: id } : { attemptId: id }
    const found = yield* ledger.bookOf(tenant, subject)
    if (Option.isNone(found)) return [`${words} before it was written`]
    const { book } = found.value
    const sent = [...book.attempts, ...book.operations, ...book.refunds].find((one) => one.id === id)
    if (sent === undefined) return []
    const { connectionId } = sent
    // Nothing may be sent there.
    const missing = acting().isMissing(connectionId)
      ? [`${words} to ${connectionId}, of which records are missing`]
      : []
    return [...sentOtherwise(call, book, sent), ...missing]
  }, Effect.orDie)
  return (call, environment) =>
    Effect.suspend(() => {
      if (acting().lost()?.calls.has(call.id) === true) return Effect.void
      // Time waits while the store is read: otherwise the next step would begin before the provider has answered.
      const { hold } = world().time
      hold(1)
      return check(call, environment).pipe(
        Effect.flatMap((what) => Effect.sync(() => void wrong.push(...what))),
        Effect.ensuring(Effect.sync(() => hold(-1)))
      )
    })
}

const keyedCalls = (world: () => World) => {
  /** The ids of each key, by what was asked under it. */
  const known = new Map<string, Set<string>>()

  /** The provider did it, or is at it, and contradicted nothing that it said of the charge. */
  const isDone = (id: string, charge: string): boolean => {
    const { charges, refunds } = world().provider
    const its = charges.get(charge)
    if (its === undefined || its.contradictions.length > 0) return false
    const refund = refunds.get(id)
    if (refund !== undefined) return refund.state !== "RefundFailed"
    return its.operation?.operationId === id && its.operation.state !== "Failed"
  }

  return (
    { id, name }: ProviderCall,
    { attempts, operations, payment, refunds }: PaymentBook,
    sent: Attempt | Operation | Refund
  ): ReadonlyArray<string> => {
    const { environment } = payment.tenant
    const isAttempt = name === "charge" || name === "openCheckout"
    const key = isAttempt ? payment.idempotencyKey : "idempotencyKey" in sent ? sent.idempotencyKey : null
    if (key === null) return []
    const charge = attempts.findLast(({ providerRef }) => providerRef === sent.providerRef)?.id ?? ""
    const about = isAttempt ? [sent.connectionId, payment.createdAt - (payment.createdAt % day)] : [charge]
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
