/** Plots as images in the page: attributes and classes alone, because the policy of the pages allows no inline style. */
import { InProcess } from "@pointsman/http"
import type { Html } from "../frame/Layout.ts"
import { percent, type SuccessRange } from "./SuccessRange.ts"

const { html } = InProcess

export interface Plotted {
  /** One for each step; `undefined` where nothing is known. */
  readonly points: ReadonlyArray<SuccessRange | undefined>
  /** What it shows, for those who do not see it. */
  readonly label: string
  /** Below its left and its right end. */
  readonly ends: readonly [from: Html, until: Html]
}

/** A bar for the range of each step and a line for the rates, which breaks where nothing is known. */
export const plot = ({ ends, label, points }: Plotted): Html => {
  const floor = floorOf(points)
  const y = (rate: number) => rounded((100 * (1 - rate)) / (1 - floor))
  const known = points.flatMap((range, step) => (range === undefined ? [] : [{ range, step }]))
  const line = known.map(
    ({ range, step }) => `${points[step - 1] === undefined ? "M" : "L"}${step + 0.5} ${y(range.rate)}`
  )
  const dots = known.map(({ range, step }) => `M${step + 0.5} ${y(range.rate)}h0`)
  return html`<figure class="plot">
<div class="axis" aria-hidden="true"><span>100 %</span><span>${percent((1 + floor) / 2)}</span><span>${percent(floor)}</span></div>
<svg role="img" aria-label="${label}" preserveAspectRatio="none" viewBox="0 0 ${points.length} 100">
<path class="grid" d="M0 0H${points.length}M0 50H${points.length}M0 100H${points.length}"></path>
${known.map(
  ({ range, step }) =>
    html`<rect class="span" x="${step + 0.1}" width="0.8" y="${y(range.high)}" height="${rounded(y(range.low) - y(range.high))}"></rect>`
)}
<path class="rate" d="${line.join("")}"></path><path class="dots" d="${dots.join("")}"></path>
</svg>
<div class="ends"><span>${ends[0]}</span><span>${ends[1]}</span></div>
</figure>`
}

/** The range of one rate between 0 and 100 %, beside the numbers that say the same. */
export const rangeBar = (range: SuccessRange | undefined): Html | undefined =>
  range === undefined
    ? undefined
    : html`<svg class="range" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10">
<path class="grid" d="M0 5H100"></path><rect class="span" x="${rounded(100 * range.low)}" width="${rounded(100 * (range.high - range.low))}" y="1" height="8"></rect>
<path class="dots" d="M${rounded(100 * range.rate)} 5h0"></path></svg>`

/** Where the axis begins: a tenth below which no range reaches, so that rates near 100 % can be told apart. */
const floorOf = (points: Plotted["points"]): number =>
  Math.min(0.9, ...points.flatMap((range) => (range === undefined ? [] : [Math.floor(range.low * 10) / 10])))

const rounded = (value: number): number => Math.round(value * 100) / 100
