/** What a hosted page shows. */
import { Effect } from "effect"
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
  const { brand = null, name } = yield* Effect.fromOption(workspace, () => new PageNotFound())
  return { payment, merchant: brand?.name ?? name, brand } satisfies HostedView
})
