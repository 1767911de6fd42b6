/** Messages as rows that lead to their pages. */
import type { TenantMessage } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { type Html, idView, time } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import type { MessageKey } from "./MessageDesk.ts"
import { aboutText, outcomeNames } from "./MessageWords.ts"

const { html, timeView } = InProcess

/** Under the mount. */
export const messagePath = (tenant: TenantPath, { connection, id }: MessageKey): string =>
  `${pathOf("messages", tenant, "message")}?${new URLSearchParams({ connection, id }).toString()}`

export const messageTable = (mount: string, tenant: TenantPath, items: ReadonlyArray<TenantMessage>): Html =>
  table({
    label: "Messages",
    columns: ["Received", "Result", "About", "Connection", "Message"],
    none: "No messages found.",
    rows: items.map(
      (
        one
      ) => html`<tr><td><a href="${mount}${messagePath(tenant, { connection: one.connectionId, id: one.eventId })}">${time(timeView(one.receivedAt))}</a></td>
<td class="word">${outcomeNames[one.outcome]}</td><td>${aboutText(one)}</td><td>${one.connectionId}</td><td>${idView(one.eventId)}</td></tr>`
    )
  })
