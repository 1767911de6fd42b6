/**
 * The forms of a log line. What turns the direction of a text around, or begins a line in some terminals, is written as
 * its code: a reference or a provider's answer could otherwise make a line look like another one.
 */
import { Logger } from "effect"
import { printable } from "./commands/Words.ts"

/** The formats for programs escape the other control characters by themselves. */
const misleading = /[\p{Bidi_Control}\p{Zl}\p{Zp}\u007f-\u009f]/gu

const visible = (line: string): string =>
  line.replace(misleading, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** For a person before a terminal: `2026-11-30T04:10:12.345Z INFO  the message name=value`. A cause keeps its lines. */
const textOf = ({ annotations, cause, level, message, timestamp }: Entry): string => {
  const said = message === "audit" ? auditText(annotations) : [message, ...Object.entries(annotations).map(named)]
  const lines = [[timestamp, level.padEnd(5), ...said].map(plain).join(" "), ...(cause ?? "").split("\n").map(plain)]
  return lines.filter((line) => line !== "").join("\n  ")
}

type Entry = typeof Logger.formatStructured extends Logger.Logger<unknown, infer Output> ? Output : never

const plain = (value: unknown): string =>
  printable(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)))

const named = ([name, value]: readonly [string, unknown]): string => `${name}=${plain(value)}`

/** Without details and hash, which are for programs: `pointsman audit list` shows them. */
const auditText = ({ action, actor, number, subject, via }: Entry["annotations"]): ReadonlyArray<unknown> => [
  `audit ${number}: ${action} ${subject}, by ${actor} (${via})`
]

export const text = Logger.withConsoleError(Logger.map(Logger.formatStructured, textOf))
export const logfmt = Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visible))
export const json = Logger.withConsoleError(Logger.map(Logger.formatJson, visible))
