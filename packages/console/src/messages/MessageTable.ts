/** Messages as rows that lead to their pages. */
import type { TenantMessage } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { ago } from "../frame/Age.ts"
import { type Html, idView } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import { table } from "../frame/Table.ts"
import type { TenantPath } from "../gate/Caller.ts"
import type { MessageKey } from "./MessageDesk.ts"
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
