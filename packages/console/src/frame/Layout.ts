/** A page around its contents. */
import { InProcess } from "@pointsman/http"
import type { ConsoleError } from "../api/Errors.ts"
import { type AreaGroup, areaGroups, type Frame, placeLinks } from "./Navigation.ts"

const { html, timeView } = InProcess
export type Html = InProcess.Html

export interface Document {
  /** That of the problem unless set, and 200 without one. */
  readonly status?: number | undefined
  readonly title: string
  /** Why the request was refused. The page shows it first. */
  readonly problem?: ConsoleError | undefined
  /** What the request before did. */
  readonly notice?: string | undefined
  readonly main: Html
  /** Whether the page shows changes by itself. */
  readonly isLive?: boolean
  /** Under the mount: the stream that says when a live page changed. Without it, the page asks every five seconds. */
  readonly changes?: string
  /** Only for a form. */
  readonly isSmall?: boolean
  /** What the page loads besides the script of all pages. */
  readonly script?: "passkeys.js"
  readonly headers?: Readonly<Record<string, string>>
}

const brand = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 14 8 8 8 2M8 8l5 6"></path></svg>Pointsman`

export const documentText = (
  { changes, isLive = false, isSmall = false, main, notice, problem, script, title }: Document,
  mount: string,
  frame: Frame | undefined,
  asOf: Html | undefined
): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Pointsman</title>
<link rel="icon" href="${mount}/icon.svg">
<link rel="stylesheet" href="${mount}/style.css">
<script src="${mount}/console.js" defer></script>
${script === undefined ? undefined : html`<script src="${mount}/${script}" defer></script>`}
</head>
<body${frame === undefined ? undefined : html` class="framed"`}>
${frame === undefined ? undefined : headerOf(frame, mount)}
<main${isSmall ? html` class="small"` : undefined}${isLive ? html` data-live="${changes === undefined ? "" : `${mount}${changes}`}"` : undefined}>
${frame === undefined ? html`<p class="brand">${brand}</p>` : placeLinks(frame, mount)}
<h1>${title}</h1>
${alert(problem?.error.message)}
${notice === undefined ? undefined : html`<p class="note" role="status">${notice}</p>`}
${main}
${asOf}
</main>
</body>
</html>
`.text

/**
 * The areas beside the page. Where it is too narrow, the first group is below the header and the others fold. What is not
 * shown is hidden from readers too.
 */
const headerOf = (frame: Frame, mount: string): Html => {
  const groups = areaGroups(frame, mount)
  const [first, ...others] = groups
  const isFolded = others.length > 0
  const named = (some: ReadonlyArray<AreaGroup>) => some.map(({ list, name }) => html`<p>${name}</p>${list}`)
  return html`<header>
<a class="brand" href="${mount}/">${brand}</a>
<a href="${mount}/account">${frame.operator.displayName}</a>
<form method="post" action="${mount}/sign-out"><button>Sign out</button></form>
${first === undefined ? undefined : html`<nav class="first" aria-label="${first.name}">${first.list}</nav>`}
${isFolded ? html`<details class="menu"><summary>Menu</summary><nav aria-label="Others">${named(others)}</nav></details>` : undefined}
</header>
<nav class="side" aria-label="Console">${named(groups)}</nav>`
}

/** Of a page that was read from a standby: of which moment it is, in epoch milliseconds. */
export const standbyNote = (asOf: number, now: number): Html => {
  const behind = Math.max(0, Math.round((now - asOf) / 1_000))
  return html`<p class="soft">As of ${time(timeView(asOf))}, ${behind} s behind. Lists are read from a standby of the database.</p>`
}

export const alert = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p class="note" role="alert">${message}</p>`

/** `2026-11-24 20:42:13 UTC`, of RFC 3339. */
const utcText = (text: string): string => `${text.slice(0, 19).replace("T", " ")} UTC`

export const time = (text: string): Html => html`<time datetime="${text}">${utcText(text)}</time>`

/** An id or a reference, as it is recorded. */
export const idView = (text: string | null): Html => (text === null ? html`–` : html`<code>${text}</code>`)

export const timeOr = (text: string | null, otherwise: string): Html =>
  text === null ? html`${otherwise}` : time(text)

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000]
] as const

/** `3 d`, `5 h`, `12 min`. */
export const ageText = (millis: number): string => {
  const [unit, length] = units.find(([, length]) => millis >= length) ?? ["min", 60_000]
  return `${Math.max(0, Math.floor(millis / length))} ${unit}`
}

/** `4 min ago`, of RFC 3339 and of epoch milliseconds; its title is the time. */
export const ago = (text: string, now: number): Html => {
  const age = now - Date.parse(text)
  return html`<time class="ago" datetime="${text}" title="${utcText(text)}">${age < 60_000 ? "just now" : `${ageText(age)} ago`}</time>`
}
