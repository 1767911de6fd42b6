/**
 * Creates a payment: routes it, claims it, charges it, records what came of it.
 *
 * The claim, the payment and the attempt are written before the provider is asked, so a process that dies in
 * between leaves a payment in `Charging`, which a look-up settles later. Never the other way round.
 *
 * A create that goes well is two commits and no read: claim + payment + attempt, then outcome + events + stored
 * answer. Every further attempt adds one.
 *
 * With `returnUrl` nothing is routed and nobody is asked until the customer acts on the hosted page.
 */
import { Clock, Effect, Exit, Result } from "effect"
import { missingRecords } from "../../call/MissingRecords.ts"
import {
  type Caller,
  type Created,
  type CreateRequest,
  PaymentResultUnknown,
  RoutingFailed
} from "../../decide/CreateRequest.ts"
import type { LostCharge } from "../../decide/LostCharge.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { RecordLosses } from "../../ports/RecordLoss.ts"
import { Secrets } from "../../ports/Secrets.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { Circuits } from "../../routing/run/Circuits.ts"
import { giveBackProbe, routePayment, takesCharges } from "../../routing/run/RoutePayment.ts"
import { attemptInTurn } from "./AttemptInTurn.ts"
import { claimFirst, type FirstAttempt } from "./ClaimCharge.ts"
import { createHosted } from "./CreateHosted.ts"
import { findLostCharge } from "./FindLostCharge.ts"
import { createFingerprintText } from "./Fingerprint.ts"
import { abandon } from "./RecordCharge.ts"
import { recordLostCharge } from "./RecordLostCharge.ts"
import { recoveredKey } from "./RecoveredKey.ts"
import { endUnsent, keyStanding } from "./ReplayCreate.ts"
import { sendCharge } from "./SendCharge.ts"

/** Once claimed, a request runs to its end, also when its caller goes away. */
export const create = (caller: Caller, request: CreateRequest) => Effect.uninterruptible(createOnce(caller, request))

const createOnce = Effect.fnUntraced(function* (caller: Caller, request: CreateRequest) {
  const ids = yield* Ids
  const secrets = yield* Secrets
  const fingerprint =
    request.idempotencyKey === null ? null : yield* secrets.fingerprint(createFingerprintText(request))
  const recovered = yield* recoveredKey(caller, request, fingerprint)
  if (recovered !== undefined) return recovered
  const paymentId = yield* ids.payment
  const { details, idempotencyKey, instruments, returnUrl } = request
  if (typeof returnUrl === "string") {
    const missing = idempotencyKey === null ? undefined : yield* missingAnywhere(caller.tenant)
    if (missing !== undefined) return yield* endUnsent(caller.tenant, idempotencyKey, fingerprint, missing)
    return yield* createHosted(caller, { ...request, returnUrl }, fingerprint, paymentId)
  }
  const routed = yield* Effect.result(
    routePayment({ ...caller, paymentId, idempotencyKey, details, instruments, isAble: takesCharges })
  )
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
  const lost = yield* Effect.result(
    Effect.andThen(refuseMissing(route), findLostCharge(caller, request, paymentId, route))
  )
  if (Result.isFailure(lost)) {
    yield* giveBackProbe(route, paymentId)
    if (lost.failure._tag === "pointsman/KeyReused") return yield* lost.failure
    return yield* endUnsent(caller.tenant, idempotencyKey, fingerprint, lost.failure)
  }
  const first = yield* firstAttempt(route, lost.success, paymentId)
  const begun = yield* claimFirst(caller, request, fingerprint, paymentId, first).pipe(
    Effect.onExit((exit) =>
      Exit.isSuccess(exit) && exit.value._tag === "Begun" ? Effect.void : giveBackProbe(first.plan, paymentId)
    )
  )
  if (begun._tag === "Replayed") return begun.created
  const { success: found } = lost
  // From here on a provider may be asked: a bug must not read as "nothing was sent".
  const payment = yield* Effect.catchDefect(
    found._tag === "Made"
      ? recordLostCharge(begun, found.state)
      : attemptInTurn(first.plan, begun, {
          send: (inHand, beginBy) => sendCharge(inHand, { instruments, simulation: details.simulation }, beginBy),
          tooLate: abandon
        }),
    (cause) => new PaymentResultUnknown({ paymentId, cause })
  ).pipe(Effect.annotateLogs("payment_id", paymentId))
  return { payment, isReplay: found._tag === "Made" } satisfies Created
})

const refuseMissing = Effect.fnUntraced(function* ({ order }: RoutePlan) {
  const missing = yield* missingRecords(order)
  if (missing !== undefined) return yield* missing
})

/**
 * The page of a lost payment may be paid: once its charge is recovered, the key answers with that payment. A second page
 * would be paid again.
 */
const missingAnywhere = Effect.fnUntraced(function* (tenant: Tenant) {
  if ((yield* (yield* RecordLosses).known) === null) return undefined
  const connections = yield* Effect.result((yield* Directory).connections(tenant))
  return Result.isFailure(connections) ? connections.failure : yield* missingRecords(connections.success)
})

/** The plan, which begins with the connection that may have the charge already. */
const firstAttempt = Effect.fnUntraced(function* (
  plan: RoutePlan,
  lost: Exclude<LostCharge, { readonly _tag: "Undecided" }>,
  paymentId: string
) {
  if (lost._tag === "None") return { plan, isRecovered: false } satisfies FirstAttempt
  const { connection, day } = lost
  const isRecovered = lost._tag === "Made"
  const others = plan.order.filter(({ id }) => id !== connection.id)
  yield* giveBackProbe(plan, paymentId)
  if (!isRecovered) (yield* Circuits).keepProbe(connection, paymentId, yield* Clock.currentTimeMillis)
  return { plan: { ...plan, order: [connection, ...others] }, day, isRecovered } satisfies FirstAttempt
})
