/** The disputes of a payment, on its page. */
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import type { TenantPath } from "../gate/Caller.ts"
import { disputes, shownAtMost } from "./DisputeDesk.ts"
import { disputeTable } from "./DisputeTable.ts"

const { html } = InProcess

/** Nothing for a payment without disputes. */
export const disputesOfPayment = Effect.fnUntraced(function* (mount: string, tenant: TenantPath, paymentId: string) {
  const { items } = yield* disputes(tenant, { paymentId, limit: shownAtMost })
  if (items.length === 0) return undefined
  return html`<h2>Disputes</h2>
${disputeTable(mount, tenant, items, yield* Clock.currentTimeMillis)}`
})
