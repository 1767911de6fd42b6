/** Messages as rows that lead to their pages. */
import { mayAct } from "@pointsman/core"
import type { TenantMessage } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { ago, type Html, idView } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import { CurrentOperator, type TenantPath } from "../gate/Caller.ts"
import type { MessageKey } from "./MessageDesk.ts"
import * as Desk from "./MessageDesk.ts"
import { aboutText, outcomeNames } from "./MessageWords.ts"

const { html, timeView } = InProcess

/** Under the mount. */
export const messagePath = (tenant: TenantPath, { connection, id }: MessageKey): string =>
  `${pathOf("messages", tenant, "message")}?${new URLSearchParams({ connection, id }).toString()}`

/** `now`: epoch milliseconds. */
export const messageTable = (
  mount: string,
  tenant: TenantPath,
  items: ReadonlyArray<TenantMessage>,
  now: number
): Html =>
  table({
    label: "Messages",
    columns: ["Message", "Result", "About", "Connection", "Received"],
    none: "No messages found.",
    rows: items.map(
      (
        one
      ) => html`<tr><td><a href="${mount}${messagePath(tenant, { connection: one.connectionId, id: one.eventId })}">${idView(one.eventId)}</a></td>
<td class="word">${outcomeNames[one.outcome]}</td><td>${aboutText(one)}</td><td>${one.connectionId}</td><td>${ago(timeView(one.receivedAt), now)}</td></tr>`
    )
  })

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
