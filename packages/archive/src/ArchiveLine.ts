/**
 * A payment as one line of an object: JSON of what core records of it.
 *
 * Nothing that opens something is archived, sealed or not. The address of a
 * provider's checkout and the hash of a hosted page's token are left out, and so are the answers that were stored for
 * repeated requests: their keys are long forgotten.
 */
import type { Attempt, Dispute, HostedPage, Operation, Payment, Refund, SettlementEntry, Tenant } from "@pointsman/core"
import { brokenInvariant } from "@pointsman/core/internal"
import type { WholePayment } from "@pointsman/core/ports"
import { Result } from "effect"

/** Of the lines. A reader knows this number and every one before it. */
export const lineFormat = 1

/** The beginning of a payment's line, by which it is found without decoding the others. */
export const lineStart = (paymentId: string): string => `{"format":${lineFormat},"id":${JSON.stringify(paymentId)},`

/** Without the line break at its end. */
export const encodeLine = ({ book, disputes = [], events, settlements = [] }: WholePayment): string => {
  const { attempts, operations, payment, refunds } = book
  return JSON.stringify({
    format: lineFormat,
    id: payment.id,
    payment: { ...payment, hosted: payment.hosted === null ? null : withoutToken(payment.hosted) },
    attempts: attempts.map(withoutAddress),
    operations: operations.map(withoutReply),
    refunds: refunds.map(withoutReply),
    events,
    // Lines from before disputes were archived have none.
    ...(disputes.length === 0 ? {} : { disputes }),
    // And so of rows of reports.
    ...(settlements.length === 0 ? {} : { settlements })
  })
}

const withoutToken = ({ tokenHash: _, ...page }: HostedPage) => page

const withoutReply = <A extends Operation | Refund>({ reply: _, ...rest }: A) => rest

const withoutAddress = ({ checkout, ...attempt }: Attempt) => {
  if (checkout === null) return { ...attempt, checkout }
  const { sealedUrl: _, ...rest } = checkout
  return { ...attempt, checkout: rest }
}

interface Line {
  readonly format: unknown
  readonly id: unknown
  readonly payment: Payment
  readonly attempts: ReadonlyArray<Attempt>
  readonly operations: ReadonlyArray<Operation>
  readonly refunds: ReadonlyArray<Refund>
  readonly events: WholePayment["events"]
  readonly disputes?: ReadonlyArray<Dispute>
  readonly settlements?: ReadonlyArray<SettlementEntry>
}

/** What was left out is empty: it opens nothing. Fails with what is wrong, without the line's contents. */
export const decodeLine = (text: string, tenant: Tenant): Result.Result<WholePayment, string> => {
  const line = Result.getOrUndefined(Result.try({ try: () => JSON.parse(text) as Line | null, catch: () => null }))
  if (line === undefined || line === null || typeof line !== "object") return Result.fail("it is not a JSON object")
  if (line.format !== lineFormat) return Result.fail(`expected format ${lineFormat}`)
  const { attempts, disputes, events, operations, payment, refunds, settlements } = line
  if (![attempts, operations, refunds, events].every(Array.isArray) || payment?.id !== line.id) {
    return Result.fail("expected a payment with its attempts, operations, refunds and events")
  }
  if (disputes !== undefined && !Array.isArray(disputes)) return Result.fail("expected a list of disputes")
  if (settlements !== undefined && !Array.isArray(settlements)) return Result.fail("expected a list of settlements")
  if (payment.tenant?.workspaceId !== tenant.workspaceId || payment.tenant.environment !== tenant.environment) {
    return Result.fail("the payment is of another workspace or environment")
  }
  const broken = brokenInvariant(payment)
  if (broken !== undefined) return Result.fail(broken)
  return Result.succeed({
    book: {
      payment: { ...payment, hosted: payment.hosted === null ? null : { ...payment.hosted, tokenHash: "" } },
      attempts: attempts.map((attempt) => ({
        ...attempt,
        checkout: attempt.checkout === null ? null : { ...attempt.checkout, sealedUrl: "" }
      })),
      operations: operations.map((operation) => ({ ...operation, reply: null })),
      refunds: refunds.map((refund) => ({ ...refund, reply: null }))
    },
    events,
    ...(disputes === undefined ? {} : { disputes }),
    ...(settlements === undefined ? {} : { settlements })
  })
}
