/** Partners' merchants in a map. One provision at a time, from its checks to its last write. */
import type { Merchant, MerchantStanding } from "@pointsman/core"
import { emailKey, workspaceOfMerchant } from "@pointsman/core/internal"
import {
  AllowanceExhausted,
  AlreadyInvited,
  ApiKeyRevoked,
  Merchants,
  NotAPartner,
  type Provision,
  type ProvisionFailure
} from "@pointsman/core/ports"
import { Effect, Option, Result, Semaphore } from "effect"
import { byText, copy, type State } from "./State.ts"

export interface MerchantsOptions {
  /** For race tests: lets other fibers run between the checks of a provision and its write. `false` unless set. */
  readonly yieldBetween?: boolean
}

export const make = (state: State, options: MerchantsOptions = {}): Merchants["Service"] => {
  const turn = Semaphore.makeUnsafe(1)

  const write = Effect.fnUntraced(function* ({ apiKeyHash, merchant }: Provision) {
    if (state.merchants.has(merchant.id)) return
    yield* Effect.fromResult(check(state, merchant, apiKeyHash))
    if (options.yieldBetween === true) yield* Effect.yieldNow
    state.merchants.set(merchant.id, merchant)
    state.workspaces.set(merchant.workspaceId, workspaceOfMerchant(merchant))
  }, Effect.uninterruptible)

  return Merchants.of({
    provision: (provision) => Effect.suspend(() => turn.withPermit(write(copy(provision)))),
    replaceInvitation: (partnerId, id, invitationHash) =>
      Effect.sync(() => {
        const found = state.merchants.get(id)
        if (found?.partnerId !== partnerId) return Option.none()
        const merchant = { ...found, invitationHash }
        state.merchants.set(id, merchant)
        return Option.some(standingOf(state, merchant))
      }),
    list: (partnerId, { before, limit }) =>
      Effect.sync(() =>
        ofPartner(state, partnerId)
          .filter(({ id }) => before === undefined || id < before)
          .sort((a, b) => byText(b.id, a.id))
          .slice(0, limit)
          .map((merchant) => standingOf(state, merchant))
      ),
    workspaceIds: Effect.sync(() => new Set([...state.merchants.values()].map(({ workspaceId }) => workspaceId)))
  })
}

const ofPartner = (state: State, partnerId: string): Array<Merchant> =>
  [...state.merchants.values()].filter((merchant) => merchant.partnerId === partnerId)

/** In the port's order. */
const check = (
  state: State,
  { email, partnerId }: Merchant,
  apiKeyHash: string | undefined
): Result.Result<void, ProvisionFailure> => {
  if (apiKeyHash !== undefined && state.apiKeys.get(apiKeyHash)?.revokedAt !== null) {
    return Result.fail(new ApiKeyRevoked())
  }
  const partner = state.workspaces.get(partnerId)?.partner
  if (partner === undefined || partner === null) return Result.fail(new NotAPartner())
  const present = ofPartner(state, partnerId)
  if (present.some((merchant) => emailKey(merchant.email) === emailKey(email))) return Result.fail(new AlreadyInvited())
  if (present.length >= partner.allowance) {
    return Result.fail(new AllowanceExhausted({ allowance: partner.allowance }))
  }
  return Result.void
}

const standingOf = (state: State, merchant: Merchant): MerchantStanding => ({
  merchant: copy(merchant),
  suspended: state.workspaces.get(merchant.workspaceId)?.suspended === true,
  hasLiveKey: [...state.apiKeys.values()].some(
    ({ environment, revokedAt, workspaceId }) =>
      workspaceId === merchant.workspaceId && environment === "production" && revokedAt === null
  )
})
