/**
 * What one call asks a provider for, and the ways in which it may go about it. Whatever it does stands in its books at
 * once, and what it says is read from them.
 */
import { type Reply, refusal } from "../ProviderRecord.ts"
import { type Books, type ChargeEntry, chargeView, leftOf, type RefundEntry, refundView } from "./Books.ts"
import type { Draw } from "./Draw.ts"

/** What one call asks for; each gives the answer of a good provider, and `undefined` where it has to refuse. */
export interface Work {
  readonly execute: () => Reply | undefined
  /** Takes it for later. */
  readonly accept: () => Reply | undefined
  /** Writes down that it will not be. */
  readonly decline: (soft: boolean) => Reply
  /** Sends its outcome. */
  readonly tell: () => void
}

/** What lies outside of a call. */
export interface Office {
  readonly books: Books
  readonly draw: Draw
  /** Does it in its own time. */
  readonly finishLater: (finish: () => void) => void
  /** Sends a message. */
  readonly send: (connection: string, type: "charge.updated" | "refund.updated", data: object) => void
}

/** What the protocol's bodies say, as far as it is read here. */
export interface ChargeBody {
  readonly attempt_id: string
  readonly payment_id: string
  readonly amount: number
  readonly currency: string
  readonly capture: boolean
  readonly reference: string
}
export interface RefundBody {
  readonly refund_id: string
  readonly amount: number
  readonly reason: string
}

export const workIn = ({ books, draw, finishLater, send }: Office) => {
  const charging = (connection: string, body: ChargeBody): Work => {
    const write = (status: ChargeEntry["status"], decline?: ChargeEntry["decline"]) => {
      const charge: ChargeEntry = {
        attemptId: body.attempt_id,
        paymentId: body.payment_id,
        connection,
        reference: body.reference,
        amount: body.amount,
        currency: body.currency,
        status,
        capturedAmount: status === "captured" ? body.amount : 0,
        decline
      }
      books.charges.push(charge)
      return charge
    }
    const taken = body.capture ? "captured" : "authorized"
    return {
      execute: () => ok(chargeView(write(taken))),
      accept: () => {
        const charge = write("pending")
        const becomes = draw.weighted({ [taken]: 6, declined: 1, canceled: 1 })
        finishLater(() => {
          charge.status = becomes as ChargeEntry["status"]
          if (charge.status === "captured") charge.capturedAmount = charge.amount
          if (charge.status === "declined") charge.decline = reasonOf(false)
          tellCharge(charge)
        })
        return ok(chargeView(charge))
      },
      decline: (soft) => ok(chargeView(write("declined", reasonOf(soft)))),
      tell: () => {
        const charge = books.charges.find(({ attemptId }) => attemptId === body.attempt_id)
        if (charge !== undefined) tellCharge(charge)
      }
    }
  }

  const tellCharge = (charge: ChargeEntry) =>
    send(charge.connection, "charge.updated", { attempt_id: charge.attemptId, ...chargeView(charge) })

  const operating = (charge: ChargeEntry, kind: "capture" | "void", operationId: string, amount: number): Work => {
    const begin = () => books.operations.push({ operationId, paymentId: charge.paymentId, kind, amount })
    const end = () => {
      charge.status = kind === "capture" ? "captured" : "canceled"
      if (kind === "capture") charge.capturedAmount = amount
    }
    const isPossible = () => charge.status === "authorized" && amount <= charge.amount
    return {
      execute: () => {
        if (!isPossible()) return undefined
        begin()
        end()
        return ok(chargeView(charge))
      },
      accept: () => {
        if (!isPossible()) return undefined
        begin()
        charge.status = kind === "capture" ? "capturing" : "canceling"
        finishLater(() => {
          end()
          tellCharge(charge)
        })
        return ok(chargeView(charge))
      },
      decline: () => refusal(422, `no_${kind}`),
      tell: () => tellCharge(charge)
    }
  }

  const refunding = (charge: ChargeEntry, body: RefundBody): Work => {
    const write = (status: RefundEntry["status"]) => {
      const { amount, reason, refund_id: refundId } = body
      const refund: RefundEntry = {
        refundId,
        paymentId: charge.paymentId,
        reason,
        amount,
        currency: charge.currency,
        status
      }
      books.refunds.push(refund)
      return refund
    }
    const tellRefund = (refund: RefundEntry) =>
      send(charge.connection, "refund.updated", { refund_id: refund.refundId, ...refundView(refund) })
    const isPossible = () => charge.status === "captured" && body.amount <= leftOf(books, charge)
    return {
      execute: () => (isPossible() ? ok(refundView(write("succeeded"))) : undefined),
      accept: () => {
        if (!isPossible()) return undefined
        const refund = write("pending")
        const becomes = draw.weighted({ succeeded: 3, failed: 1 })
        finishLater(() => {
          refund.status = becomes
          tellRefund(refund)
        })
        return ok(refundView(refund))
      },
      decline: () => ok(refundView(write("failed"))),
      tell: () => {
        const refund = books.refunds.find(({ refundId }) => refundId === body.refund_id)
        if (refund !== undefined) tellRefund(refund)
      }
    }
  }

  return { charging, operating, refunding }
}

const reasonOf = (soft: boolean) =>
  soft
    ? { code: "try_elsewhere", category: "do_not_honor", soft }
    : { code: "card_expired", category: "expired_card", soft }

export const ok = (body: object): Reply => ({ status: 200, body })
