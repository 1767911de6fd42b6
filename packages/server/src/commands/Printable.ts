/**
 * What providers and merchants wrote may hold anything, and a terminal obeys control characters: each becomes a `?`.
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?")
