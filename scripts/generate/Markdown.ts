/** Pieces of a generated page. */

/** Words as code: a `|` would end the cell of a table. */
export const code = (text: string): string => `\`${text}\``

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", "<br>")

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

export const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``

/** The anchor that GitHub and the site give a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/gu, "-")
