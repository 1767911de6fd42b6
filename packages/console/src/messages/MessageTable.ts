/** Messages as rows that lead to their pages. */
import type { TenantMessage } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { type Html, time } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"
import type { MessageKey } from "./MessageDesk.ts"
import { aboutText, outcomeNames } from "./MessageWords.ts"

const { html, timeView } = InProcess

/** Under the mount. */
export const messagePath = (tenant: TenantPath, { connection, id }: MessageKey): string =>
  `${pathOf("messages", tenant, "message")}?${new URLSearchParams({ connection, id }).toString()}`

export const messageTable = (mount: string, tenant: TenantPath, items: ReadonlyArray<TenantMessage>): Html =>
  html`<div class="card scroll" tabindex="0" role="region" aria-label="Messages of providers"><table>
<thead><tr><th scope="col">Received</th><th scope="col">Result</th><th scope="col">About</th><th scope="col">Connection</th><th scope="col">Message</th></tr></thead>
<tbody>${items.map(
    (one) => html`<tr><td>${time(timeView(one.receivedAt))}</td><td>${outcomeNames[one.outcome]}</td>
<td>${aboutText(one)}</td><td>${one.connectionId}</td>
<td class="long"><a href="${mount}${messagePath(tenant, { connection: one.connectionId, id: one.eventId })}">${one.eventId}</a></td></tr>`
  )}</tbody></table></div>`
