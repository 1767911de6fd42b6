/** Pieces of a snapshot: a text file beside the tests that prove it, which a check compares and a reviewer of a change reads. */

export const lines = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, ...rows].map((row) => row.join(" | ").trimEnd()).join("\n")
