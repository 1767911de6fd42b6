/** What the console answers, as a browser without scripts or a program sees it. */
import type { OperatorGrant, OperatorRole } from "@pointsman/core"
import { assert } from "vitest"
import { bodyOf, type World } from "./World.ts"

export const everywhere = (role: OperatorRole): ReadonlyArray<OperatorGrant> => [{ workspaceId: null, role }]

/** Where a redirect leads, without the mount. */
export const leadsTo = (response: Response): string => {
  assert.strictEqual(response.status, 303)
  return (response.headers.get("location") ?? "").replace(/^\/console/u, "")
}

export const pageOf = async (response: Response, status = 200): Promise<string> => {
  assert.strictEqual(response.status, status)
  assert.strictEqual(response.headers.get("content-type"), "text/html; charset=utf-8")
  const text = await response.text()
  // The policy allows neither.
  assert.notMatch(text, /<style|style=|<script(?! src=)|\son\w+=/u)
  return text
}

export const pageAt = async (here: World, path: string, cookie: string, status = 200): Promise<string> =>
  pageOf(await here.send(path, { cookie }), status)

/** The `data` of a response of the API. */
export const dataOf = async (response: Response) => {
  assert.strictEqual(response.status, 200)
  return (await bodyOf(response)).data
}

export const errorOf = async (
  response: Response
): Promise<readonly [status: number, code: string, message: string]> => {
  const { error } = await bodyOf(response)
  return [response.status, error.code, error.message]
}

export const codeOf = async (response: Response) => (await errorOf(response)).slice(0, 2)

/** What a field of each item is, in their order. */
export const assertFields = <Field extends string>(
  items: ReadonlyArray<{ readonly [Name in Field]?: unknown }>,
  field: Field,
  ...expected: ReadonlyArray<unknown>
): void => {
  const found = items.map((item) => item[field])
  assert.deepStrictEqual(found, [...expected])
}

/** Text as a browser reads it. */
export const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** The fields that the forms of a page send without showing them. */
export const hiddenIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="([\w.]+)" value="([^"]*)"/gu)].map(([, name = "", value = ""]) => [
      name,
      unescaped(value)
    ])
  )

/** A form whose key is in its address, opened anew: what it sends. */
export const keyedForm = async (here: World, path: string, cookie: string) => {
  const address = leadsTo(await here.send(path, { cookie }))
  const page = await pageAt(here, address, cookie)
  return { address, page, fields: hiddenIn(page) }
}

/** The address of the form that does so; empty where the page has none. */
export const actionOf = (page: string, act: string): string =>
  new RegExp(`action="/console([^"]+/${act})"`, "u").exec(page)?.[1] ?? ""
