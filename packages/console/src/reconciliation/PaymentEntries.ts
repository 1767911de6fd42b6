/** What providers' reports say of a payment, on its page. */
import { mayAct } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import type { TenantPath } from "../gate/Caller.ts"
import { CurrentOperator } from "../gate/CurrentOperator.ts"
import { payoutStatuses } from "./PayoutDesk.ts"
import { entriesOf } from "./ReconciliationDesk.ts"
import { entryTable } from "./ReconciliationViews.ts"

const { html } = InProcess

/** Nothing for those who may not read it, and for a payment that no report has. */
export const entriesOfPayment = Effect.fnUntraced(function* (mount: string, tenant: TenantPath, paymentId: string) {
  const { operator } = yield* CurrentOperator
  if (!mayAct(operator, "reconciliation.read", tenant.workspace)) return undefined
  const entries = yield* entriesOf(tenant, paymentId)
  if (entries.length === 0) return undefined
  return html`<h2>Reports</h2>
${entryTable(mount, tenant, entries, yield* payoutStatuses(tenant, entries))}`
})
