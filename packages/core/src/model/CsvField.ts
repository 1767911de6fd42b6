/** Texts in CSV (RFC 4180) that spreadsheets open. */

/** A spreadsheet runs a cell that begins with one of these (CWE-1236); some take the full-width forms for the same. */
const beginsFormula = /^[\s"]*[=+\-@＝＋－＠]/u

/**
 * Where fields are separated by `;` or a tab, as in many languages, a spreadsheet begins a cell inside of our field too,
 * and does not see the quotes: there a line break begins one as well.
 */
const cellBegin = /([;\t\r\n])/u

/** A text that a spreadsheet would run begins with an apostrophe, which spreadsheets show as text. */
export const csvField = (text: string): string => {
  const cells = text.split(cellBegin).map((cell) => (beginsFormula.test(cell) ? `'${cell}` : cell))
  const harmless = `${/^[\t\r\n]/u.test(text) ? "'" : ""}${cells.join("")}`
  return /[",;\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csvRow = (fields: ReadonlyArray<string>): string => `${fields.join(",")}\r\n`
