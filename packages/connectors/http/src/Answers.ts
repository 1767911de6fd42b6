/**
 * What a provider's raw answer means. An answer that is not word for word in the protocol means nothing: the result
 * is unknown, and `Unanswered` says where the reading stopped. It never shows what was read.
 */
import {
  answerReader,
  type ChargeLookup,
  type ChargeState,
  type CheckoutOpened,
  type Clean,
  type DeclineCategory,
  declineCategories,
  type Found,
  type FoundRefund,
  isSoftDecline,
  isSuccess,
  type Money,
  money,
  type OperationLookup,
  type OperationState,
  type ProviderAccount,
  type RefundLookup,
  type RefundState,
  type Rejected,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Result } from "effect"
import * as Protocol from "./Protocol.ts"

export type Read<A> = Result.Result<A, Unanswered>

const answers = answerReader(
  "the provider",
  (status, field) =>
    `the provider's answer (status ${status}) is not as the protocol says${field === "" ? "" : ` at ${field}`}`
)
export const { onlySuccess, readable, unreadable, unsettling } = answers
const { ofAnother } = answers

/** What a charge or its lookup asked for. */
type AskedCharge = Pick<ChargeLookup, "attemptId" | "money">

/** The answer to a charge. */
export const chargeAnswer = (
  answer: TransportAnswer,
  asked: AskedCharge,
  clean: Clean
): Read<ChargeState | Rejected> => (isSuccess(answer) ? attemptState(answer, asked, clean) : refusal(answer, clean))

/** The answer to the opening of a checkout. Customers see the address. */
export const checkoutAnswer = (answer: TransportAnswer, clean: Clean): Read<CheckoutOpened | Rejected> =>
  isSuccess(answer)
    ? Result.flatMap(readable(Protocol.Checkout, answer), (checkout): Read<CheckoutOpened> => {
        if (clean.shows(checkout.url)) return unreadable(answer, "url")
        if (clean.shows(checkout.checkout_reference)) return unreadable(answer, "checkout_reference")
        return Result.succeed({
          _tag: "CheckoutOpened",
          reference: checkout.checkout_reference,
          url: checkout.url,
          expiresAt: typeof checkout.expires_at === "string" ? Date.parse(checkout.expires_at) : null
        })
      })
    : refusal(answer, clean)

/** The answer to a capture. Its `amount` is that of the whole charge, and says nothing about this capture. */
export const captureAnswer = (answer: TransportAnswer, asked: Money, clean: Clean): Read<ChargeState | Rejected> =>
  isSuccess(answer) ? chargeState(answer, asked, capturedAlone, clean) : refusal(answer, clean)

/** The answer to a void. It was not for an amount; one that the provider states must come with its currency. */
export const voidAnswer = (answer: TransportAnswer, clean: Clean): Read<ChargeState | Rejected> =>
  isSuccess(answer) ? chargeState(answer, undefined, capturedAlone, clean) : refusal(answer, clean)

/** What a refund or its lookup asked for. */
type AskedRefund = Pick<RefundLookup, "refundId" | "money">

export const refundAnswer = (
  answer: TransportAnswer,
  asked: AskedRefund,
  clean: Clean
): Read<RefundState | Rejected> => (isSuccess(answer) ? refundState(answer, asked, clean) : refusal(answer, clean))

export const foundCharge = (answer: TransportAnswer, asked: AskedCharge, clean: Clean): Read<Found<ChargeState>> =>
  isSuccess(answer)
    ? Result.flatMap(attemptState(answer, asked, clean), (state) =>
        Result.map(refundsIn(answer, asked.money, clean), (refunds) => ({ ...found(state), ...refunds }))
      )
    : notFound(answer, "attempt_id", asked.attemptId)

const refundsIn = (
  answer: TransportAnswer,
  asked: Money,
  clean: Clean
): Read<{ readonly refunds?: ReadonlyArray<FoundRefund> }> =>
  Result.flatMap(readable(Protocol.AnsweredCharge, answer), ({ refunds }) => {
    if (refunds == null) return Result.succeed({})
    const shows = refunds.some(({ provider_refund_id, refund_id }) =>
      [provider_refund_id, refund_id ?? ""].some(clean.shows)
    )
    if (shows) return unreadable(answer, "refunds")
    return Result.succeed({
      refunds: refunds.map((refund) => {
        // The amount that was asked for is that of the charge.
        const currency = refund.amount == null ? null : (refund.currency ?? null)
        return { refundId: refund.refund_id ?? null, state: toldRefund({ ...refund, currency }, asked, clean) }
      })
    })
  })

/** An operation of another id or kind than was asked for is another operation, and says nothing about this one. */
export const foundOperation = (
  answer: TransportAnswer,
  { kind, money: asked, operationId }: Pick<OperationLookup, "kind" | "money" | "operationId">,
  clean: Clean
): Read<Found<OperationState>> => {
  if (answer.status === 501) return unsupported("lookup of operations")
  if (!isSuccess(answer)) return notFound(answer, "operation_id", operationId)
  return Result.flatMap(readable(Protocol.Operation, answer), (operation): Read<Found<OperationState>> => {
    if (operation.operation_id !== operationId) return unreadable(answer, "operation_id")
    if (operation.kind !== kind) return unreadable(answer, "kind")
    return Result.succeed(found(toldOperation(operation, asked, clean)))
  })
}

export const foundRefund = (answer: TransportAnswer, asked: AskedRefund, clean: Clean): Read<Found<RefundState>> =>
  isSuccess(answer)
    ? Result.map(refundState(answer, asked, clean), found)
    : notFound(answer, "refund_id", asked.refundId)

/** The adapter's account. Its modes are the adapter's own: they are part of its id. */
export const accountAnswer = (answer: TransportAnswer, clean: Clean): Read<ProviderAccount> => {
  if (answer.status === 501) return unsupported("account")
  if (!isSuccess(answer)) return unsettling(answer)
  return Result.flatMap(
    readable(Protocol.Account, answer),
    ({ account }): Read<ProviderAccount> =>
      clean.shows(account) ? unreadable(answer, "account") : Result.succeed({ id: account, mode: null })
  )
}

/** By 501, and nothing else, an adapter says that it lacks an optional call. */
export const unsupported = (what: string, status = 501): Result.Result<never, Unanswered> =>
  Result.fail(new Unanswered({ reason: `the adapter has no ${what} (status ${status})`, isUnsupported: true }))

const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })

/** Which amount of a charge states what was captured. */
type CapturedAmount = (charge: Protocol.Charge) => number | undefined
const capturedAlone: CapturedAmount = (charge) => charge.captured_amount ?? undefined
const amountOrCaptured: CapturedAmount = (charge) => charge.captured_amount ?? charge.amount ?? undefined

const chargeState = (
  answer: TransportAnswer,
  asked: Money | undefined,
  capturedAmount: CapturedAmount,
  clean: Clean
): Read<ChargeState> =>
  Result.flatMap(readable(Protocol.AnsweredCharge, answer), (charge) =>
    chargeIn(answer, charge, asked, capturedAmount, clean)
  )

/** The charge of the attempt that was asked for. That of another one settles nothing here, and is passed on as its own. */
const attemptState = (answer: TransportAnswer, { attemptId, money }: AskedCharge, clean: Clean): Read<ChargeState> =>
  Result.flatMap(readable(Protocol.AnsweredCharge, answer), (charge) => {
    const state = chargeIn(answer, charge, money, amountOrCaptured, clean)
    const named = charge.attempt_id ?? attemptId
    if (named === attemptId) return state
    if (clean.shows(named)) return unreadable(answer, "attempt_id")
    return ofAnother(state, named, "the provider's answer is about another attempt, at attempt_id")
  })

const chargeIn = (
  answer: TransportAnswer,
  charge: Protocol.Charge,
  asked: Money | undefined,
  capturedAmount: CapturedAmount,
  clean: Clean
): Read<ChargeState> => {
  if (clean.shows(charge.provider_reference)) return unreadable(answer, "provider_reference")
  const state = stateOfCharge(charge, asked, capturedAmount, clean)
  return state === undefined ? unreadable(answer, "decline") : Result.succeed(state)
}

/** `undefined` for a decline without its reason. */
const stateOfCharge = (
  charge: Protocol.Charge,
  asked: Money | undefined,
  capturedAmount: CapturedAmount,
  clean: Clean
): ChargeState | undefined => {
  const providerRef = charge.provider_reference
  switch (charge.status) {
    case "authorized":
      return { _tag: "Authorized", providerRef, ...stated(charge.amount, charge.currency, asked) }
    case "pending":
      return { _tag: "Pending", providerRef, ...stated(charge.amount, charge.currency, asked) }
    case "captured":
      return { _tag: "Captured", providerRef, ...stated(capturedAmount(charge), charge.currency, asked) }
    case "requires_authentication":
      return { _tag: "NeedsCustomer", providerRef }
    case "canceled":
      return { _tag: "Canceled", providerRef }
    case "declined": {
      if (charge.decline === undefined || charge.decline === null) return undefined
      const category = declineCategory(charge.decline.category)
      return {
        _tag: "Declined",
        providerRef,
        category,
        code: clean(charge.decline.code),
        soft: charge.decline.soft ?? isSoftDecline(category)
      }
    }
  }
}

/** The charge of a message, as a lookup would find it; `undefined` for a decline without its reason. */
export const toldCharge = (charge: Protocol.Charge, asked: Money, clean: Clean): ChargeState | undefined =>
  stateOfCharge(charge, asked, amountOrCaptured, clean)

/** Also the operation of a message. Its amount is that of the capture, and not of the charge. */
export const toldOperation = (operation: Protocol.Operation, asked: Money, clean: Clean): OperationState => {
  const reason = operation.failure_reason ?? ""
  switch (operation.status) {
    case "confirmed":
      return { _tag: "OperationConfirmed", ...stated(operation.amount, operation.currency, asked) }
    case "pending":
      return { _tag: "OperationPending" }
    case "failed":
      return {
        _tag: "OperationFailed",
        isFinal: true,
        reason: reason === "" ? null : clean(reason),
        ...stated(operation.amount, operation.currency, asked)
      }
  }
}

const refundState = (
  answer: TransportAnswer,
  { money: asked, refundId }: AskedRefund,
  clean: Clean
): Read<RefundState> =>
  Result.flatMap(readable(Protocol.AnsweredRefund, answer), (refund) => {
    if (clean.shows(refund.provider_refund_id)) return unreadable(answer, "provider_refund_id")
    return (refund.refund_id ?? refundId) === refundId
      ? Result.succeed(toldRefund(refund, asked, clean))
      : unreadable(answer, "refund_id")
  })

/** Also the refund of a message. */
export const toldRefund = (refund: Protocol.Refund, asked: Money, clean: Clean): RefundState => {
  const providerRefundId = refund.provider_refund_id
  const reason = refund.failure_reason ?? null
  switch (refund.status) {
    case "succeeded":
      return { _tag: "Succeeded", providerRefundId, ...stated(refund.amount, refund.currency, asked) }
    case "pending":
    case "requires_action":
      return { _tag: "RefundPending", providerRefundId, ...stated(refund.amount, refund.currency, asked) }
    case "failed":
    case "canceled":
      return { _tag: "RefundFailed", providerRefundId, reason: reason === null ? null : clean(reason) }
  }
}

/**
 * The amount that the provider states. A currency alone states the amount that was asked for in that currency, so
 * that core sees a foreign one; an amount alone is in the currency that was asked for.
 */
const stated = (
  amount: number | null | undefined,
  currency: string | null | undefined,
  asked: Money | undefined
): { readonly stated?: Money } => {
  const minorUnits = amount ?? (typeof currency === "string" ? asked?.minorUnits : undefined)
  const code = currency ?? asked?.currency
  return minorUnits === undefined || code === undefined ? {} : { stated: money(minorUnits, code) }
}

const categories: ReadonlySet<string> = new Set(declineCategories)

const declineCategory = (category: string | null | undefined): DeclineCategory =>
  typeof category === "string" && categories.has(category) ? (category as DeclineCategory) : "other"

export const refusal = (answer: TransportAnswer, clean: Clean): Read<Rejected> => {
  // It has an earlier request with our key, or is at work on it.
  if (answer.status === 409) {
    return Result.fail(
      new Unanswered({ reason: "the provider responded with status 409, so the result is unknown", isKeyUsed: true })
    )
  }
  if (!Protocol.refusalStatuses.has(answer.status)) return unsettling(answer)
  return Result.map(readable(Protocol.Refusal, answer), ({ error }) => ({
    _tag: "Rejected",
    code: clean(error.code),
    message: clean(error.message)
  }))
}

/**
 * "Never received" is believed in so many words, and of the id that was asked for. Gateways, wrong paths and frameworks
 * answer 404 too, without a body or in JSON of their own: taken for the adapter's word, money that was moved would be
 * given up, and moved again.
 */
export const notFound = (answer: TransportAnswer, field: Protocol.LookupField, id: string): Read<Found<never>> => {
  if (answer.status !== 404) return unsettling(answer)
  return Result.flatMap(
    readable(Protocol.NotFound, answer),
    (body): Read<Found<never>> =>
      body[field] === id
        ? Result.succeed({ _tag: "NotFound", conclusive: body.conclusive ?? true })
        : unreadable(answer, field)
  )
}
