/** What an operator reads of partners and usage, and the invitations that it makes. The pages and the API share it. */
import { type MerchantWithStatus, Pointsman, type Workspace } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect, Redacted } from "effect"
import { failure, internalError, told } from "../api/Errors.ts"
import { nextId, pageView } from "../api/Records.ts"
import { directoryContents } from "../gate/Caller.ts"
import type { Partner, PartnerMerchant, Usage } from "./PartnerApi.ts"

const { timeView, validationErrorOf } = InProcess

/** Epoch milliseconds. */
export interface Period {
  readonly from: number
  readonly until: number
}

/** Of the present month unless set. */
export const periodOf = Effect.fnUntraced(function* (given: {
  readonly from?: number | undefined
  readonly until?: number | undefined
}) {
  const now = yield* Clock.currentTimeMillis
  const until = given.until ?? now
  const from = given.from ?? Date.parse(`${timeView(now).slice(0, 7)}-01T00:00:00Z`)
  if (from >= until) {
    return yield* Effect.fail(validationErrorOf("`from` must be a time before the end of the period"))
  }
  return { from, until } satisfies Period
})

const workspaces = Effect.map(directoryContents, ({ workspaces }) => workspaces)

const countUsage = Effect.fnUntraced(function* (workspaceId: string, period: Period) {
  const payments = yield* Effect.catch((yield* Pointsman).usage({ workspaceId, ...period }), internalError)
  const usage: Usage = {
    workspace_id: workspaceId,
    from: timeView(period.from),
    until: timeView(period.until),
    payments
  }
  return usage
})

export const usage = Effect.fnUntraced(function* (workspaceId: string, period: Period) {
  if (!(yield* workspaces).some(({ id }) => id === workspaceId)) {
    return yield* Effect.fail(failure("not_found", "Workspace not found."))
  }
  return yield* countUsage(workspaceId, period)
})

/** No more merchants of a partner are counted. */
export const merchantsCounted = 1_000

export const partners = Effect.fnUntraced(function* (period: Period) {
  const pointsman = yield* Pointsman
  return yield* Effect.forEach(
    (yield* workspaces).filter(isPartner),
    Effect.fnUntraced(function* ({ id, name, partner: { allowance } }) {
      const { items } = yield* Effect.catch(pointsman.merchants(id, { limit: merchantsCounted }), internalError)
      const usage = yield* countUsage(id, period)
      return { workspace_id: id, name, allowance, merchants: items.length, usage } satisfies Partner
    })
  )
})

type PartnerWorkspace = Workspace & { readonly partner: NonNullable<Workspace["partner"]> }

const isPartner = (workspace: Workspace): workspace is PartnerWorkspace => workspace.partner !== null

export const partner = Effect.fnUntraced(function* (id: string) {
  const found = (yield* workspaces).filter(isPartner).find((workspace) => workspace.id === id)
  return found ?? (yield* Effect.fail(failure("not_found", "Partner not found.")))
})

export const merchants = Effect.fnUntraced(function* (
  partnerId: string,
  query: { readonly before?: string | undefined; readonly limit: number },
  period: Period
) {
  const { id } = yield* partner(partnerId)
  const page = yield* Effect.catch((yield* Pointsman).merchants(id, query), internalError)
  const data = yield* Effect.forEach(page.items, (merchant) =>
    Effect.map(countUsage(merchant.workspaceId, period), (usage) => merchantView(merchant, usage))
  )
  return pageView(data, nextId(page))
})

const merchantView = (merchant: MerchantWithStatus, usage: Usage): PartnerMerchant => ({
  id: merchant.id,
  name: merchant.name,
  email: merchant.email,
  country: merchant.country,
  category: merchant.category,
  status: merchant.status,
  created: timeView(merchant.createdAt),
  usage
})

export const invite = Effect.fnUntraced(function* (partnerId: string, merchantId: string) {
  const { id } = yield* partner(partnerId)
  return yield* (yield* Pointsman).createInvitation(id, merchantId).pipe(
    Effect.map(({ merchant, token }) => ({
      merchant_id: merchant.id,
      email: merchant.email,
      invitation_token: Redacted.value(token)
    })),
    Effect.catchTags({
      "pointsman/CommitUnknown": () => Effect.fail(perhapsInvalid)
    }),
    told
  )
})

const perhapsInvalid = failure(
  "internal_error",
  "No token was created for certain, and the token before may be invalid. Invite the merchant again."
)
