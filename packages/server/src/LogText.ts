/**
 * The forms of a log line. What turns the direction of a text around, or begins a line in some terminals, is written as
 * its code: a reference or a provider's answer could otherwise make a line look like another one.
 */
import { Logger } from "effect"

/** The formats escape the other control characters by themselves. */
const misleading = /[\p{Bidi_Control}\p{Zl}\p{Zp}\u007f-\u009f]/gu

const visible = (line: string): string =>
  line.replace(misleading, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const logfmt = Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visible))
export const json = Logger.withConsoleError(Logger.map(Logger.formatJson, visible))
