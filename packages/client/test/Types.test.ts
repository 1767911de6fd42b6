/** What the compiler holds: the types are the contract's, and a program that forgets UNKNOWN does not compile. */
import type { EventType as CoreEventType } from "@pointsman/core"
import type * as Api from "@pointsman/http/api"
import { assert, it } from "vitest"
import type * as Contract from "../src/Contract.ts"
import type { EventType, Payment, PointsmanError } from "../src/index.ts"

/** Each can stand for the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : { readonly there: A; readonly back: B }

interface Held {
  readonly payment: Same<Contract.Payment, Api.Payment>
  readonly dispute: Same<Contract.Dispute, Api.Dispute>
  readonly merchant: Same<Contract.Merchant, Api.Merchant>
  readonly createPayment: Same<Contract.CreatePayment, typeof Api.CreatePayment.Encoded>
  readonly createMerchant: Same<Contract.CreateMerchant, typeof Api.CreateMerchant.Encoded>
  readonly capture: Same<Contract.CapturePayment, typeof Api.CapturePayment.Encoded>
  readonly refund: Same<Contract.RefundPayment, typeof Api.RefundPayment.Encoded>
  readonly codes: Same<Contract.ApiErrorCode, Api.ErrorCode>
  readonly filters: Same<
    keyof Contract.PaymentsQuery,
    keyof typeof Api.PaymentFilter.fields | "metadata" | "before" | "limit"
  >
  readonly events: Same<EventType, CoreEventType>
  readonly statuses: Same<Payment["status"], Api.PaymentStatus>
}

/** A field more, less, or with another type does not compile. */
const isHeld: Held[keyof Held] extends true ? true : Held = true

it("the client's types are the same as the API's schemas", () => {
  assert.isTrue(isHeld)
})

it("a program that handles every status but UNKNOWN does not compile", () => {
  const whole = (payment: Payment): string => {
    switch (payment.status) {
      case "CAPTURED":
      case "SETTLED":
      case "AUTHORIZED":
        return "thank you"
      case "DECLINED":
        // Known only here.
        return payment.decline.advice
      case "REQUIRES_ACTION":
        return payment.next_action.url ?? "none"
      case "UNKNOWN":
      case "CREATED":
      case "PENDING":
        return "wait"
      case "FAILED":
      case "CANCELLED":
      case "REFUNDED":
      case "PARTIALLY_REFUNDED":
      case "CHARGEBACK":
        return "no"
    }
  }
  // @ts-expect-error UNKNOWN ends without a text.
  const forgetful = (payment: Payment): string => {
    switch (payment.status) {
      case "CAPTURED":
      case "SETTLED":
      case "AUTHORIZED":
        return "thank you"
      case "REQUIRES_ACTION":
      case "CREATED":
      case "PENDING":
        return "wait"
      case "DECLINED":
      case "FAILED":
      case "CANCELLED":
      case "REFUNDED":
      case "PARTIALLY_REFUNDED":
      case "CHARGEBACK":
        return "no"
    }
  }
  const careless = (payment: Payment): string | undefined => {
    // @ts-expect-error Only a declined payment has advice for certain.
    if (payment.status !== "CAPTURED") return payment.decline.advice
    return undefined
  }
  for (const program of [whole, forgetful, careless]) assert.isFunction(program)
})

it("the code of an error says what is known of money", () => {
  const moved = (error: PointsmanError): boolean => {
    switch (error.code) {
      case "capture_result_unknown": {
        const always: true = error.moneyMayHaveMoved
        return always
      }
      case "psp_error": {
        const never: false = error.moneyMayHaveMoved
        return never
      }
      // @ts-expect-error There is no such code.
      case "money_lost":
        return true
      default:
        return error.moneyMayHaveMoved
    }
  }
  assert.isFunction(moved)
})
