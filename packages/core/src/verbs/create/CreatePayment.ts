/**
 * Creates a payment: routes it, claims it, charges it, records what came of it. The claim, the payment and the attempt are
 * written before the provider is asked, so that a process that dies in between leaves a payment in `Charging`, which a
 * look-up settles later. One that goes well is two commits and no read; every further attempt adds one. With `returnUrl`
 * nothing is routed until the customer acts on the hosted page.
 */
import { Context, Effect, Exit, Redacted, Result } from "effect"
import {
  type Caller,
  type Created,
  type CreateRequest,
  PaymentResultUnknown,
  RoutingFailed
} from "../../decide/CreateRequest.ts"
import type { Metadata, PaymentDetails, Purchase } from "../../model/Payment.ts"
import { Ids } from "../../ports/Ids.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { giveBackProbe, routePayment } from "../../routing/run/RoutePayment.ts"
import { attemptInTurn } from "./AttemptInTurn.ts"
import { claimFirst } from "./ClaimCharge.ts"
import { createHosted } from "./CreateHosted.ts"
import { abandon } from "./RecordCharge.ts"
import { endUnsent, keyStanding } from "./ReplayCreate.ts"
import { sendCharge } from "./SendCharge.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const create = (caller: Caller, request: CreateRequest) => Effect.uninterruptible(createOnce(caller, request))

const createOnce = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest) {
  const context = yield* Effect.context<Ids | Secrets>()
  const ids = Context.get(context, Ids)
  const secrets = Context.get(context, Secrets)
  const fingerprint =
    request.idempotencyKey === null ? null : yield* secrets.fingerprint(createFingerprintText(request))
  const paymentId = yield* ids.payment
  const { details, idempotencyKey, instruments, returnUrl } = request
  if (typeof returnUrl === "string") {
    return yield* createHosted(caller, { ...request, returnUrl }, fingerprint, paymentId)
  }
  const routed = yield* Effect.result(routePayment({ ...caller, paymentId, idempotencyKey, details, instruments }))
  if (Result.isFailure(routed)) {
    return yield* endUnsent(caller.tenant, request.idempotencyKey, fingerprint, routed.failure)
  }
  const plan = routed.success
  if (Result.isFailure(plan)) {
    // The key may belong to a payment that was routed when there still was a route.
    const earlier = yield* keyStanding(caller.tenant, request.idempotencyKey, fingerprint)
    if (earlier._tag === "Answered") return earlier.created
    return yield* new RoutingFailed({ excluded: plan.failure.excluded })
  }
  const { success: route } = plan
  const begun = yield* claimFirst(caller, request, fingerprint, paymentId, route).pipe(
    Effect.onExit((exit) =>
      Exit.isSuccess(exit) && exit.value._tag === "Begun" ? Effect.void : giveBackProbe(route, paymentId)
    )
  )
  if (begun._tag === "Replayed") return begun.created
  // From here on a provider may be asked: a bug must not read as "nothing was sent".
  const payment = yield* Effect.catchDefect(
    attemptInTurn(route, begun, {
      send: (inHand, beginBy) => sendCharge(inHand, { instruments, simulation: details.simulation }, beginBy),
      tooLate: abandon
    }),
    (cause) => new PaymentResultUnknown({ paymentId, cause })
  ).pipe(Effect.annotateLogs("payment_id", paymentId))
  return { payment, isReplay: false } satisfies Created
})

/**
 * The text whose keyed HMAC says whether two create requests are the same: the decoded request with its defaults
 * applied. Fields are named one by one, so that their order never depends on how a request was written; a field of the
 * request or of its details that is missing here does not compile.
 */
const createFingerprintText = (request: CreateRequest): string => {
  const { cancelUrl, details, instruments, debug, returnUrl } = request
  const { charge, capture, void: release, refund, lookup } = details.simulation ?? {}
  const described: { readonly [Field in keyof Required<PaymentDetails>]: unknown } = {
    money: [details.money.minorUnits, details.money.currency],
    country: details.country,
    method: details.method,
    // Left out where there is none, as below.
    paymentMethod: details.paymentMethod,
    cardBrand: details.cardBrand,
    initiator: details.initiator,
    captureMethod: details.captureMethod,
    reference: details.reference,
    // Left out of the text where there is none, so that keys from before there was any are still known again.
    metadata: byName(details.metadata),
    purchase: purchased(details.purchase),
    simulation: details.simulation === null ? null : [charge, capture, release, refund, lookup]
  }
  const parts: { readonly [Field in keyof Required<Omit<CreateRequest, "idempotencyKey">>]: unknown } = {
    details: described,
    instruments: instruments?.map(({ connectionId, token }) => [connectionId, Redacted.value(token)]) ?? null,
    returnUrl: returnUrl ?? null,
    cancelUrl: cancelUrl ?? null,
    debug
  }
  const direct = ["create", parts.details, parts.instruments, parts.cancelUrl, parts.debug]
  // Keys that were stored before there were hosted pages are still known again.
  return JSON.stringify(parts.returnUrl === null ? direct : [...direct, parts.returnUrl])
}

/** Whatever the order in which they were written. */
const byName = (metadata: Metadata | null | undefined) =>
  metadata == null ? undefined : Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))

const purchased = (purchase: Purchase | null | undefined) =>
  purchase == null
    ? undefined
    : [
        purchase.description,
        purchase.locale,
        purchase.lines?.map(({ amountMinor, name, quantity }) => [name, quantity, amountMinor]) ?? null
      ]
