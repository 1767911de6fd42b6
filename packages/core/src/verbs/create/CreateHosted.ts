/**
 * Creates a payment that the customer pays on a hosted page: one commit, no route, no provider. A commit whose answer was
 * lost is written again: it is the same payment, and only one of the two can be stored.
 */
import { Clock, Effect, Option, Result } from "effect"
import { keyTag } from "../../call/CallIds.ts"
import { claimGuard, type Step } from "../../commit/CommitChange.ts"
import { decideAndCommit, done, write } from "../../commit/DecideAndCommit.ts"
import { type Caller, type Created, type CreateRequest, PaymentResultUnknown } from "../../decide/CreateRequest.ts"
import { Start, step } from "../../machine/Machine.ts"
import { type Claim, moveClaim } from "../../model/Claim.ts"
import { type HostedPage, hostedPageMillis, type Payment, paymentEvent } from "../../model/Payment.ts"
import { PaymentMachine } from "../../model/PaymentMachine.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { StorageHistory } from "../../ports/StorageHistory.ts"
import { claimFor, newPayment } from "./ClaimCharge.ts"
import { whenNotClaimed } from "./RecoveredKey.ts"
import { endUnsent, free, readClaim, resolveClaim } from "./ReplayCreate.ts"

export interface HostedRequest extends CreateRequest {
  readonly returnUrl: string
}

export const createHosted = Effect.fnUntraced(function* (
  caller: Caller,
  request: HostedRequest,
  fingerprint: string | null,
  paymentId: string
) {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const { tenant } = caller
  const { idempotencyKey: key } = request
  const tokenHash = yield* secrets.hash(yield* secrets.pageToken(paymentId))
  const asked = yield* Effect.result(providersPage(caller))
  if (Result.isFailure(asked)) return yield* endUnsent(tenant, key, fingerprint, asked.failure)
  const leadsTo = asked.success
  const tag = key === null ? null : yield* keyTag(tenant, key)
  const created = (isKeyGuarded: boolean) =>
    decideAndCommit({
      first: null as Claim | Payment | null,
      decide: Effect.fnUntraced(function* (stored) {
        if (isOurs(stored)) return done<Created>({ payment: stored, isReplay: false })
        const standing = stored === null ? free(null) : yield* resolveClaim(tenant, fingerprint ?? "", stored)
        if (standing._tag === "Answered") return done(standing.created)
        // Released, or past its retention: the same key is a new request.
        const now = yield* Clock.currentTimeMillis
        const version = (yield* StorageHistory).firstVersion()
        const begun = { paymentId, version, tokenHash, leadsTo, standing: standing.claim, now }
        const guard = claimGuard(yield* PaymentSettings, tag === null || !isKeyGuarded ? null : { tag, kind: "charge" })
        const step = { ...firstStep(caller, request, fingerprint, begun), guard }
        return write<Created>(step, { payment: step.payment.after, isReplay: false })
      }),
      read: Effect.fnUntraced(function* (conflict) {
        const mayBeOurs =
          conflict._tag === "Unanswered" || (conflict._tag === "KeyClaimed" && conflict.claim.paymentId === paymentId)
        const ours = mayBeOurs ? yield* ledger.payment(tenant, paymentId) : Option.none()
        return Option.isSome(ours) ? ours.value : yield* readClaim(tenant, key, conflict)
      }),
      afterUnknown: isOurs,
      storageErrors: "fail"
    })
  return yield* created(true).pipe(
    Effect.catchTag("NotWritten", (cause) => whenNotClaimed(caller, request, fingerprint, cause, created(false))),
    Effect.catchTags({
      MaybeWritten: ({ cause }) => endUnsent(tenant, key, fingerprint, cause),
      Contended: () => Effect.fail(new PaymentResultUnknown({ paymentId, cause: "the key kept changing hands" }))
    })
  )
})

/** Where only the simulator is connected, which is never in production, no provider has a page: the buttons stay. */
const providersPage = Effect.fnUntraced(function* ({ tenant, workspace }: Caller) {
  if (tenant.environment !== "sandbox" || workspace.hostedPage !== "provider") return undefined
  const { definition } = yield* Connectors
  const connections = yield* (yield* Directory).connections(tenant)
  const isReal = (name: string) =>
    Option.exists(definition(name), ({ environments }) => environments.includes("production"))
  return connections.some(({ active, connector }) => active && isReal(connector)) ? ("provider" as const) : undefined
})

/** Stored where an earlier try was written. Its token was given to no one, so that nothing happened on its page. */
const isOurs = (stored: Claim | Payment | null): stored is Payment => stored !== null && "tenant" in stored

interface First {
  readonly paymentId: string
  readonly version: number
  readonly tokenHash: string
  readonly leadsTo: HostedPage["leadsTo"]
  readonly standing: Claim | null
  readonly now: number
}

const firstStep = (
  caller: Caller,
  request: HostedRequest,
  fingerprint: string | null,
  { leadsTo, now, paymentId, standing, tokenHash, version }: First
): Step => {
  const row = Result.getOrThrow(step(PaymentMachine, Start, "CustomerAwaited"))
  const payment = newPayment(caller, request, {
    id: paymentId,
    version,
    state: row.to,
    hosted: {
      tokenHash,
      returnUrl: request.returnUrl,
      cancelUrl: request.cancelUrl ?? null,
      expiresAt: now + hostedPageMillis,
      ...(leadsTo && { leadsTo })
    },
    routing: null,
    createdAt: now
  })
  const claim = claimFor(request, fingerprint, payment, standing)
  return {
    tenant: caller.tenant,
    apiKeyHash: caller.apiKeyHash,
    payment: { expected: 0, after: payment },
    events: row.emits.map((type) => paymentEvent(type, payment)),
    claim:
      claim === null
        ? undefined
        : {
            expected: standing?.version ?? 0,
            // Several moves, one write: the version counts writes.
            after: {
              ...moveClaim(claim, "RequestAnswered", { answeredAt: now, answer: payment }),
              version: claim.version
            }
          }
  }
}
