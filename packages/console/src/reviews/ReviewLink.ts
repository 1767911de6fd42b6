/** From a payment to its review. */
import { mayAct, type Operator } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import type { Html } from "../frame/Layout.ts"
import { pathOf } from "../frame/Page.ts"
import type { TenantPath } from "../gate/Caller.ts"

/** `undefined` for an operator who may not settle it. */
export const reviewLink = (
  operator: Operator,
  mount: string,
  path: TenantPath & { readonly payment: string }
): Html | undefined =>
  mayAct(operator, "review.resolve", path.workspace)
    ? InProcess.html`<p><a class="button" href="${mount}${pathOf("reviews", path, path.payment)}">Settle this review…</a></p>`
    : undefined
