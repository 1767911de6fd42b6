/** Sign-in links of operators, and their removal. */
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { formPage, secretPage } from "../frame/Forms.ts"
import { type Document, time } from "../frame/Layout.ts"
import { type Answer, page, type Visit } from "../frame/Page.ts"
import type { OperatorRecord } from "./OperatorApi.ts"
import * as Desk from "./OperatorDesk.ts"

const { html } = InProcess

export const operatorPath = (id: string): string => `/operators/${encodeURIComponent(id)}`

export const linkPage = (
  { mount }: Visit,
  { id, login }: OperatorRecord,
  { expires, url }: { readonly expires: string; readonly url: string }
): Document =>
  secretPage({
    title: "Sign-in link",
    advice: `Send the link to ${login} now. It is shown only once: only its hash is stored.`,
    secret: url,
    more: html`<p>It signs in once, until ${time(expires)}.</p>`,
    done: `${mount}${operatorPath(id)}`
  })

/** A repeated request makes another link. The ones before stay valid until their time is over. */
const createLink = Effect.fnUntraced(function* (visit: Visit) {
  const id = visit.params["operator"] ?? ""
  return linkPage(visit, yield* Desk.operator(id), yield* Desk.createLink(id))
})

const confirm = Effect.fnUntraced(function* (visit: Visit) {
  const { id, login, name } = yield* Desk.operator(visit.params["operator"] ?? "")
  const here = `${visit.mount}${operatorPath(id)}`
  return formPage({
    title: `Remove ${name}`,
    action: `${here}/remove`,
    fields: html`<p>${login} is signed out everywhere at once, and cannot sign in. The audit trail keeps what it did.</p>`,
    button: "Remove the operator",
    back: here
  })
})

const remove = Effect.fnUntraced(function* (visit: Visit) {
  yield* Desk.remove(visit.params["operator"] ?? "")
  return { redirect: "/operators?notice=removed" } satisfies Answer
})

export const operatorLinkPages = [
  page("POST", "/operators/:operator/link", "operator.manage", createLink),
  page("GET", "/operators/:operator/remove", "operator.manage", confirm),
  page("POST", "/operators/:operator/remove", "operator.manage", remove)
]
