/**
 * A partner's sub-merchants: provisioning, inviting again, listing.
 *
 * Write, then act: the merchant and the hash of its token are stored before the owner is notified. A process that dies
 * in between leaves a merchant whose owner heard nothing; so does a notifier that fails. The address is taken then, and
 * `inviteMerchantAgain` makes a new token. The other order could invite to a workspace that is not there.
 */
import { Clock, Effect, Exit, Fiber, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { writeUntilKnown } from "../../commit/DecideAndCommit.ts"
import type { Caller } from "../../decide/CreateRequest.ts"
import {
  type Merchant,
  type MerchantDetails,
  type MerchantStanding,
  type MerchantStatus,
  merchantStatus
} from "../../model/Merchant.ts"
import { Ids } from "../../ports/Ids.ts"
import { type MerchantQuery, Merchants } from "../../ports/Merchants.ts"
import { type Invitation, Notifier } from "../../ports/Notifier.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { page } from "../read/ReadPayments.ts"

/** No such merchant of this partner: also one of another partner. */
export class MerchantNotFound extends Schema.TaggedError<MerchantNotFound>()("pointsman/MerchantNotFound", {}) {}

export interface MerchantWithStatus extends Merchant {
  readonly status: MerchantStatus
}

const tokenBytes = 32

/** A notifier that hands its message to a queue takes milliseconds; a client waits for this one. */
const notifyWithin = "10 seconds"

/** Makes the merchant and its workspace, and invites its owner. Once it writes it runs to its end. */
export const provisionMerchant = Effect.fnUntraced(function* (caller: Caller, details: MerchantDetails) {
  const store = yield* Merchants
  const ids = yield* Ids
  const { hash, token } = yield* newInvitation
  const id = yield* ids.merchant
  const merchant: Merchant = {
    name: details.name,
    email: details.email,
    country: details.country,
    category: details.category,
    id,
    partnerId: caller.tenant.workspaceId,
    workspaceId: id,
    invitationHash: hash,
    createdAt: yield* Clock.currentTimeMillis
  }
  // Both writes may be sent twice.
  yield* writeUntilKnown(store.provision({ merchant, apiKeyHash: caller.apiKeyHash }))
  yield* notify({ merchant, token })
  return withStatus({ merchant, suspended: false, hasLiveKey: false })
}, Effect.uninterruptible)

/** A new token for the owner, which the caller passes on; the one before is void. */
export const createInvitation = Effect.fnUntraced(function* (partnerId: string, merchantId: string) {
  const store = yield* Merchants
  const { hash, token } = yield* newInvitation
  const found = yield* writeUntilKnown(store.replaceInvitation(partnerId, merchantId, hash))
  return { merchant: withStatus(yield* Effect.fromOption(found, () => new MerchantNotFound())), token }
}, Effect.uninterruptible)

/** For an owner who never received the first invitation, or lost it: a new one through the notifier. */
export const inviteMerchantAgain = Effect.fnUntraced(function* (partnerId: string, merchantId: string) {
  const { merchant, token } = yield* createInvitation(partnerId, merchantId)
  yield* notify({ merchant, token })
  return merchant
}, Effect.uninterruptible)

/** Newest first. */
export const merchants = Effect.fnUntraced(function* (partnerId: string, query: MerchantQuery) {
  const { list } = yield* Merchants
  const rows = yield* list(partnerId, { ...query, limit: query.limit + 1 })
  return page<MerchantWithStatus>(query.limit, rows.map(withStatus))
})

const withStatus = (standing: MerchantStanding): MerchantWithStatus => ({
  ...standing.merchant,
  status: merchantStatus(standing)
})

const newInvitation = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const secrets = yield* Secrets
  const token = Base64Url.encode(yield* Effect.orDie(random.randomBytes(tokenBytes)))
  return { token: Redacted.make(token, { label: "invitation token" }), hash: yield* secrets.hash(token) }
})

/** In a fiber of its own, so that one that hangs can be given up while the caller cannot be interrupted. */
const notify = Effect.fnUntraced(function* (invitation: Invitation) {
  const notifier = yield* Notifier
  const fiber = yield* Effect.suspend(() => notifier.merchantInvited(invitation)).pipe(
    Effect.timeout(notifyWithin),
    Effect.forkDetach
  )
  const exit = yield* Fiber.await(fiber)
  if (Exit.isSuccess(exit)) return
  yield* Effect.logError("the invitation could not be sent: invite the merchant again", exit.cause).pipe(
    Effect.annotateLogs("merchant_id", invitation.merchant.id)
  )
})
