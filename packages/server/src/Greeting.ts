/** What a server says when it is ready: where it listens, and how to begin. */
import type { DirectoryContents } from "@pointsman/core/ports"
import { Option, Redacted } from "effect"
import type { Listeners } from "./Listeners.ts"
import type { Settings } from "./Settings.ts"

type SandboxKey = Option.Option<Redacted.Redacted<string>>

export const greeting = (
  settings: Settings,
  { admin, api: { url } }: Listeners,
  { contents, sandboxKey }: { readonly contents: DirectoryContents; readonly sandboxKey: SandboxKey },
  told: ReadonlyArray<string> = [],
  consoleLink: Option.Option<string> = Option.none()
): string => {
  // To the address that listens: the base URL may be that of a proxy which is not up yet.
  const lines = [`  Base URL  ${settings.baseUrl ?? url}`, `  Docs      ${url}/docs`]
  if (admin !== undefined) lines.push(`  Admin     ${admin.url}`)
  if (settings.workers > 1) lines.push(`  Workers   ${settings.workers}`)
  // Last, so that everything else is ready for those who wait for it.
  const ready = `\nPointsman listens on ${url}`
  if (Option.isNone(sandboxKey)) {
    const active = contents.connections.filter((connection) => connection.active).length
    lines.push(`  Serving   ${contents.workspaces.length} workspace(s), ${active} active connection(s)`)
    return [...lines, ...told, ready].join("\n")
  }
  const key = Redacted.value(sandboxKey.value)
  const payment = JSON.stringify({ amount: 1000, currency: "EUR", country: "NL", reference: "first-payment" })
  if (Option.isSome(consoleLink)) lines.push(`  Console   ${consoleLink.value} (once, within 15 minutes)`)
  lines.push(
    `  API key   ${key}`,
    "",
    "Make a payment:",
    "",
    `curl -sS ${url}/api/v1/payments -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${payment}'`,
    ...told,
    ready
  )
  return lines.join("\n")
}

/** How a reader of `/docs` begins, beside a demo. The key is printed to the operator alone: the page has other readers. */
export const docsNoteOf = (sandboxKey: SandboxKey): string | undefined =>
  Option.isNone(sandboxKey)
    ? undefined
    : "**Try it in the sandbox:** enter the API key that the server printed at startup, `ps_test_…`, under " +
      "*Authentication*, and send requests from this page. No money moves."
