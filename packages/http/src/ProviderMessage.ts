/** Unicode code points of a provider's message that are shown. */
const messageLimit = 500

/** What could forge a line of a log or turn the direction of a text around. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/** A provider's message for people: on one line, bounded, and without what only machines read. It may come out empty. */
export const printable = (message: string): string => {
  const characters = [...message.replace(unprintable, " ").trim()]
  return characters.length <= messageLimit ? characters.join("") : `${characters.slice(0, messageLimit - 1).join("")}…`
}
