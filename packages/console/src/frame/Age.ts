/** How long ago something was, in whole units. With the script, a page that stays open counts on. */
import { InProcess } from "@pointsman/http"
import { type Html, utcText } from "./Layout.ts"

const { html } = InProcess

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
