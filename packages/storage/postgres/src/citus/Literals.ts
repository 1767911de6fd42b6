/** Values in the text of a statement. */

/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-STRINGS */
export const literal = (value: string | null): string => {
  if (value === null) return "null"
  // What a brace could begin is a shard's name (see `NodeReads.ts`).
  const quoted = value.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("{", "\\x7b")
  return ` E'${quoted}'`
}

/** Of names that need no quotes. */
export const arrayText = (names: ReadonlyArray<string>): string => `{${names.join(",")}}`
