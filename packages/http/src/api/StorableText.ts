import { Schema } from "effect"

/** Lone surrogates have no UTF-8, and NUL is refused by Postgres: neither can be stored and given back as it came. */
export const isStorableText = Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
  expected: "text without NUL or lone surrogates"
})
