/** Pieces of a snapshot: a text file beside the tests that prove it, which a check compares and a reviewer of a change reads. */

export const lines = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, ...rows].map((row) => row.join(" | ").trimEnd()).join("\n")

interface Row {
  readonly names: ReadonlyArray<string>
  readonly cells: ReadonlyArray<string>
}

/** Rows that follow each other and say the same are one. */
export const merged = (rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<Row> = []
  for (const { cells, names } of rows) {
    const last = all.at(-1)
    if (last?.cells.join("|") === cells.join("|")) all[all.length - 1] = { cells, names: [...last.names, ...names] }
    else all.push({ cells, names })
  }
  return all.map(({ cells, names }) => [names.join(" / "), ...cells])
}
