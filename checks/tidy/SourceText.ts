/**
 * A small reader of TypeScript text: what is code, what is a string, what is a comment. It needs no compiler, and it
 * does not take a word in a comment or in a string for code.
 */

export interface Token {
  /** `code` holds no comments; template literals are strings, and the contents of their `${}` are code. */
  readonly kind: "code" | "string"
  /** For a string, the text between its quotes. */
  readonly text: string
  /** Counted from 1. */
  readonly line: number
}

/** A `/` after one of these, or at the beginning, opens a regular expression and does not divide. */
const beforePattern = /(?:^|[([{,;=:!&|?+\-*%~^<>}]|\b(?:return|typeof|case|in|of|await|yield|throw|else|do))\s*$/

/** Cuts a source text into code and strings, in order. `onComment` is called for each comment, with where it begins. */
export const tokens = (
  source: string,
  onComment: (text: string, at: number) => void = () => {}
): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  /** For every `${` that is open, how many braces are open inside it. */
  const templates: Array<number> = []
  let at = 0
  let line = 1
  let code = ""
  let codeLine = 1
  const flush = () => {
    if (code !== "") found.push({ kind: "code", text: code, line: codeLine })
    code = ""
  }
  const take = (text: string) => {
    if (code === "") codeLine = line
    code += text
    line += text.split("\n").length - 1
    at += text.length
  }
  const skip = (text: string) => {
    onComment(text, at)
    line += text.split("\n").length - 1
    at += text.length
    // A comment separates words as a space does.
    code += text.includes("\n") ? "\n" : " "
  }
  const string = (text: string, content: string) => {
    flush()
    found.push({ kind: "string", text: content, line })
    line += text.split("\n").length - 1
    at += text.length
    codeLine = line
  }
  /** The part of a template literal up to its end or to the next `${`, beginning behind the opening mark. */
  const template = (from: number) => {
    let end = from
    while (end < source.length) {
      if (source[end] === "\\") end += 2
      else if (source[end] === "`") {
        string(source.slice(at, end + 1), source.slice(from, end))
        return
      } else if (source.startsWith("${", end)) {
        string(source.slice(at, end + 2), source.slice(from, end))
        templates.push(0)
        return
      } else end += 1
    }
    string(source.slice(at), source.slice(from))
  }
  while (at < source.length) {
    const rest = source.slice(at)
    const char = rest[0] as string
    if (rest.startsWith("//")) skip(/^[^\n]*/.exec(rest)?.[0] ?? rest)
    else if (rest.startsWith("/*")) skip(/^\/\*[\s\S]*?(?:\*\/|$)/.exec(rest)?.[0] ?? rest)
    else if (char === '"' || char === "'") {
      const text = (char === '"' ? /^"(?:\\[\s\S]|[^"\\\n])*"?/ : /^'(?:\\[\s\S]|[^'\\\n])*'?/).exec(rest)?.[0] ?? rest
      string(text, text.slice(1, -1))
    } else if (char === "`") template(at + 1)
    else if (char === "/" && beforePattern.test(code === "" && found.length > 0 ? "x" : code)) {
      take(/^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/.exec(rest)?.[0] ?? char)
    } else if (char === "{" && templates.length > 0) {
      templates.push((templates.pop() ?? 0) + 1)
      take(char)
    } else if (char === "}" && templates.length > 0) {
      const open = templates.pop() ?? 0
      if (open === 0) template(at + 1)
      else {
        templates.push(open - 1)
        take(char)
      }
    } else take(/^(?:[A-Za-z0-9_$]+|\s+|[\s\S])/.exec(rest)?.[0] ?? char)
  }
  flush()
  return found
}

/** The source text with spaces in place of all that is no comment, so that its lines and columns stay. */
export const onlyComments = (source: string): string => {
  const blank = (text: string) => text.replace(/[^\n]/g, " ")
  let text = ""
  tokens(source, (comment, at) => {
    text += blank(source.slice(text.length, at)) + comment
  })
  return text + blank(source.slice(text.length))
}

export interface Import {
  readonly specifier: string
  readonly line: number
}

/**
 * Every module that a source text names: `import`, `export … from`, `import()` and `import("…")` in a type. Imports of
 * types count as well: they tie two files together for readers.
 */
export const imports = (source: string): ReadonlyArray<Import> => {
  const all = tokens(source)
  return all.flatMap((token, index): ReadonlyArray<Import> => {
    const before = all[index - 1]
    if (token.kind !== "string" || before?.kind !== "code") return []
    return /(?:^|[^\w$.])(?:from|import|(?:import|require)\s*\()\s*$/.test(before.text)
      ? [{ specifier: token.text, line: token.line }]
      : []
  })
}
