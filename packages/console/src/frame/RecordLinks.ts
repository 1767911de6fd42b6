/** Links from one area to the records of another. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { isAllowed } from "../gate/Access.ts"
import type { TenantPath } from "../gate/Caller.ts"
import { CurrentOperator } from "../gate/CurrentOperator.ts"
import type { Html } from "./Layout.ts"
import { areas, type EnvironmentArea } from "./Navigation.ts"
import { pathOf, type Visit } from "./Page.ts"

const { html } = InProcess

/** The text alone for an operator who may not open the area. */
export const recordLinks = Effect.fnUntraced(function* ({ mount }: Visit, tenant: TenantPath) {
  const { operator } = yield* CurrentOperator
  return (area: EnvironmentArea, text: string | Html, ...path: ReadonlyArray<string>): Html =>
    isAllowed(operator, areas[area].access, tenant.workspace)
      ? html`<a href="${mount}${pathOf(area, tenant, ...path)}">${text}</a>`
      : html`${text}`
})
