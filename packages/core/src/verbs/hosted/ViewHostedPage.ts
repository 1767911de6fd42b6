/** What a hosted page shows. */
import { Effect, Option } from "effect"
import { type HostedView, PageNotFound } from "../../decide/HostedOrder.ts"
import type { Payment } from "../../model/Payment.ts"
import { Directory } from "../../ports/Directory.ts"
import { findPage } from "./FindPage.ts"

export const hostedPage = Effect.fnUntraced(function* (token: string) {
  return yield* viewOf(yield* findPage(token))
})

export const viewOf = Effect.fnUntraced(function* (payment: Payment) {
  const directory = yield* Directory
  const workspace = yield* directory.workspace(payment.tenant.workspaceId)
  if (Option.isNone(workspace)) return yield* new PageNotFound()
  const { brand = null, name } = workspace.value
  return { payment, merchant: brand?.name ?? name, brand } satisfies HostedView
})
