/** HTML that escapes by default: whatever is put into the template is text, unless it came out of the template itself. */

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Content = string | number | Html | ReadonlyArray<Content> | undefined

/** Attributes must be written in quotes: what is put between them cannot leave them. */
export const html = (strings: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html =>
  new Html(strings.reduce((text, string, at) => `${text}${render(contents[at - 1])}${string}`))

const render = (content: Content): string => {
  if (content === undefined) return ""
  if (content instanceof Html) return content.text
  return typeof content === "string" || typeof content === "number"
    ? escaped(String(content))
    : content.map(render).join("")
}

const escaped = (text: string): string => text.replace(/[&<>"']/gu, (character) => entities[character] as string)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
