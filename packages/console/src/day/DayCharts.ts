/** Charts of a day: attributes and classes alone, because the policy of the pages allows no inline style. */
import { InProcess } from "@pointsman/http"
import { type Html, time } from "../frame/Layout.ts"
import type { Day } from "./DayApi.ts"

const { html } = InProcess

const rounded = (value: number): number => Math.round(value * 100) / 100

/** Payments by hour, one column for each, by how they ended. The numbers follow in a table. */
export const hourChart = (hours: Day["today"]["hours"]): Html => {
  const totals = hours.map(({ failed, open, succeeded }) => failed + open + succeeded)
  const most = Math.max(1, ...totals)
  const columns = hours.flatMap(({ failed, open, succeeded }, at) => {
    const parts = [
      ["kept", succeeded],
      ["held", open],
      ["back", failed]
    ] as const
    let below = 0
    return parts.map(([name, count]) => {
      below += count
      return count === 0
        ? undefined
        : html`<rect class="${name}" x="${at + 0.1}" width="0.8" y="${rounded(100 - (100 * below) / most)}" height="${rounded((100 * count) / most)}"></rect>`
    })
  })
  const busiest = totals.indexOf(Math.max(...totals))
  const label = `Payments by hour: ${most} at most, in the hour from ${hours[busiest]?.from.slice(11, 16)} UTC. The numbers follow.`
  return html`<figure class="plot bars">
<div class="axis" aria-hidden="true"><span>${most}</span><span>0</span></div>
<svg role="img" aria-label="${label}" preserveAspectRatio="none" viewBox="0 0 ${hours.length} 100">
<path class="grid" d="M0 0H${hours.length}M0 100H${hours.length}"></path>${columns}</svg>
<div class="ends"><span>${time(hours[0]?.from ?? "")}</span><span>24 hours</span></div>
</figure>`
}

/** A share between 0 and 1, beside the number that says the same. */
export const shareBar = (share: number): Html =>
  html`<svg class="range" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10"><rect class="share" width="${rounded(100 * share)}" y="1" height="8"></rect></svg>`
