/** Unicode code points of the text that are shown. */
const textLimit = 500

/** What could forge a line of a log or turn the direction of a text around. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/**
 * A text that a provider wrote, for people: on one line, bounded, and without what only machines read. It may come out
 * empty.
 */
export const printable = (text: string): string => {
  const characters = [...text.replace(unprintable, " ").trim()]
  return characters.length <= textLimit ? characters.join("") : `${characters.slice(0, textLimit - 1).join("")}…`
}
