/** Tables: each scrolls sideways in a region of its own, so that a wide one does not move the page. */
import { InProcess } from "@pointsman/http"
import type { Html } from "./Layout.ts"

const { html } = InProcess

interface Table {
  /** What the rows are. */
  readonly label: string
  /** Names; `numbers`: of a column of numbers. */
  readonly columns: ReadonlyArray<string | { readonly numbers: string }>
  readonly rows: ReadonlyArray<Html>
  /** Shown instead of a table without rows. */
  readonly none?: string
  /** Whether it is a part of a card already. */
  readonly isInCard?: boolean
  /** On a phone each row takes two lines, instead of scrolling: the first and the last cell, then the others. */
  readonly isInTwoLines?: boolean
}

export const table = ({ columns, isInCard = false, isInTwoLines = false, label, none, rows }: Table): Html =>
  none !== undefined && rows.length === 0
    ? html`<p class="card">${none}</p>`
    : html`<div class="${isInCard ? "scroll" : "card scroll"}${isInTwoLines ? " lines" : undefined}" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map((column) =>
        typeof column === "string"
          ? html`<th scope="col">${column}</th>`
          : html`<th scope="col" class="number">${column.numbers}</th>`
      )}</tr></thead>
<tbody>${rows}</tbody></table></div>`
