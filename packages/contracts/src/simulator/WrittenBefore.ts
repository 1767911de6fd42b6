/** What has to hold as a call arrives at the provider. */
import type { Environment } from "@pointsman/core"
import type { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import type { ProviderCall } from "./CallHandling.ts"
import type { KeyedCalls } from "./KeyedCalls.ts"
import { short } from "./Words.ts"
import { production, sandbox } from "./World.ts"

/** More than any run has. */
const disputesAtMost = 100

/**
 * What is sent is written before: the store itself is asked, as the call arrives. It is asked for the id alone: of two
 * payments with one reference, the provider takes what is sent under it to be about the first one.
 */
export const writtenBefore = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  call: ProviderCall,
  environment: Environment,
  /** Whether records of the connection are missing, so that nothing may be sent there. */
  isMissing: (connectionId: string) => boolean,
  keyed: KeyedCalls
) {
  const { id, name, paymentId } = call
  const { tenant } = environment === "sandbox" ? sandbox : production
  if (name === "submitDispute" || name === "acceptDispute") {
    const disputes = yield* ledger.disputes(tenant, { limit: disputesAtMost })
    const isWritten = disputes.some(({ submissions }) => submissions.some(({ operationId }) => operationId === id))
    return isWritten ? [] : [`${name} ${id} of ${short(paymentId)} was sent before it was written`]
  }
  const subject =
    name === "refund"
      ? { refundId: id }
      : name === "capture" || name === "void"
        ? { operationId: id }
        : { attemptId: id }
  const found = yield* ledger.bookOf(tenant, subject)
  if (Option.isNone(found)) return [`${name} ${id} of ${short(paymentId)} was sent before it was written`]
  const { attempts, operations, refunds } = found.value.book
  const sent = [...attempts, ...operations, ...refunds].find((one) => one.id === id)
  if (sent === undefined) return []
  const wrong = keyed.arrives(call, found.value.book, sent)
  return isMissing(sent.connectionId)
    ? [...wrong, `${name} ${id} of ${short(paymentId)} was sent to ${sent.connectionId}, of which records are missing`]
    : wrong
}, Effect.orDie)
