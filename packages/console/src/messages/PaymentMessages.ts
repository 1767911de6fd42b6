/** The messages of providers about one payment, for the payment's pages. */
import { mayAct } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import type { TenantPath } from "../gate/Caller.ts"
import { CurrentOperator } from "../gate/CurrentOperator.ts"
import * as Desk from "./MessageDesk.ts"
import { messageTable } from "./MessageTable.ts"

/** A payment has a few. */
const limit = 100

/** `undefined` for an operator who may not read messages, and where there are none. */
export const messagesOfPayment = Effect.fnUntraced(function* (
  mount: string,
  { payment, ...tenant }: TenantPath & { readonly payment: string }
) {
  const { operator } = yield* CurrentOperator
  if (!mayAct(operator, "message.apply", tenant.workspace)) return undefined
  const { items } = yield* Desk.messages(tenant, { paymentId: payment, limit })
  return items.length === 0
    ? undefined
    : InProcess.html`<h2>Messages</h2>${messageTable(mount, tenant, items, yield* Clock.currentTimeMillis)}`
})
