/** What no response of the console may be. */
import { assert } from "vitest"
import { markup } from "./PlantedWorld.ts"

const links = /\s(?:href|action|src|data-live|data-passkeys|data-sign-in|data-add)="([^"]*)"/gu
const lasting = /^text\/(?:event-stream|csv)/u

const checkPage = (text: string): void => {
  assert.notInclude(text, "<x-planted")
  assert.notInclude(text, markup)
  // The policy allows neither.
  assert.notMatch(text, /<style|\sstyle=|<script(?! src="\/console\/)|<[a-z][^>"]*\son\w+=/u)
  // A link of a page leads to the console, and never to another scheme or host.
  for (const [, link = ""] of text.matchAll(links)) assert.match(link, /^(?:$|\/console(?:[/?]|$))/u)
}

/** Values that a program writes where it expected another one. */
const slips = [/\bundefined\b/u, /\[object /u, /\bNaN\b/u]

const withoutSlips = (text: string, sent = ""): void => {
  for (const slip of slips) if (!slip.test(sent)) assert.notMatch(text, slip)
}

/** Whether a page that shows it has a value that a program may have written. */
export const hasSlip = (sent: string): boolean => slips.some((slip) => slip.test(sent))

const checkEnvelope = (text: string, sent: string): void => {
  const { error, ...rest } = JSON.parse(text)
  assert.deepStrictEqual(rest, {})
  assert.match(error.code, /^[a-z_]+$/u)
  assert.match(error.message, /\S/u)
  // Without the name of a parameter that the request gave.
  withoutSlips(
    error.message.replaceAll(/`([^`]*)`/gu, (quoted: string, name: string) => (sent.includes(name) ? "" : quoted))
  )
}

/** The text of the response, after all checks; a stream of changes is closed. `sent`: what a page may show as it came. */
export const checked = async (
  response: Response,
  method: string,
  secrets: ReadonlyArray<string>,
  sent = ""
): Promise<string> => {
  const { headers, status } = response
  const type = headers.get("content-type") ?? ""
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel()
    return ""
  }
  const text = await response.text()
  assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
  assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
  if (!/^(?:text\/(?:css|javascript)|image\/svg)/u.test(type))
    assert.strictEqual(headers.get("cache-control"), "no-store")
  const location = headers.get("location")
  if (location !== null) assert.match(location, /^\/console(?:[/?]|$)/u)
  for (const secret of secrets) {
    assert.notInclude(text, secret)
    assert.notInclude(location ?? "", secret)
  }
  assert.notMatch(text, /\bat (?:\S+ )?\(?(?:file:|\/|node:)\S+:\d+|node_modules/u)
  if (method === "HEAD" || text === "" || lasting.test(type)) return text
  if (type.startsWith("text/html")) {
    checkPage(text)
    withoutSlips(text, sent)
  }
  if (type.startsWith("application/json") && status >= 400) checkEnvelope(text, sent)
  if (status >= 400) assert.match(type, /^(?:text\/html|application\/json)/u)
  return text
}
