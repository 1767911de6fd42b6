/** What pages answer, as a browser without scripts sees it. */
import type { OperatorGrant, OperatorRole } from "@pointsman/core"
import { assert } from "vitest"
import { bodyOf } from "./World.ts"

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

export const errorOf = async (response: Response): Promise<readonly [number, string, string]> => {
  const { error } = await bodyOf(response)
  return [response.status, error.code, error.message]
}
