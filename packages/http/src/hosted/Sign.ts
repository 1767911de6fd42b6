/** The picture beside the outcome of a payment. It says nothing that the text does not say. */
import { type Html, html } from "./Html.ts"
import type { Tone } from "./Outcomes.ts"

export const sign = (tone: Tone): Html =>
  html`<span class="sign ${tone}" aria-hidden="true"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round">${strokes[tone]}</svg></span>`

const strokes: Readonly<Record<Tone, Html>> = {
  good: html`<path d="M5 12.5l4.5 4.5L19 7.5"/>`,
  bad: html`<path d="M7 7l10 10M17 7L7 17"/>`,
  wait: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>`,
  still: html`<path d="M6 12h12"/>`
}
