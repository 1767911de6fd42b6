/**
 * Links as GitHub follows them, from file to file, become links from page to page. What is no page (a source file,
 * the licence) is linked in the repository, if the site has its address, and is plain text otherwise.
 */
import { existsSync } from "node:fs"
import { join, posix } from "node:path"
import type { MarkdownRenderer } from "vitepress"
import { addressOf, root } from "./Pages.ts"

/** Where the repository's files can be read, as `https://host/owner/name/blob/main`. */
const repository = process.env["POINTSMAN_REPOSITORY_FILES"]

/** `undefined`: leave it alone. `null`: no link. */
export const linkOf = (file: string, target: string): string | null | undefined => {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/iu.test(target)) return undefined
  const [path = "", anchor] = target.split("#")
  const named = posix.join(posix.dirname(file), decodeURIComponent(path)).replace(/\/$/u, "")
  const asPage = named.endsWith(".md") ? named : posix.join(named, "README.md")
  const address = existsSync(join(root, asPage)) ? addressOf(asPage) : undefined
  if (address !== undefined) {
    return `/${address.replace(/(^|\/)index$/u, "$1")}${anchor === undefined ? "" : `#${anchor}`}`
  }
  if (named.endsWith(".md") && !existsSync(join(root, named))) return undefined
  return repository === undefined ? null : `${repository.replace(/\/+$/u, "")}/${named}`
}

export const rewriteLinks = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push("links between files", ({ tokens, env }) => {
    const file = posix.relative(root.replaceAll("\\", "/"), String(env.realPath ?? env.path).replaceAll("\\", "/"))
    for (const block of tokens) {
      let isPlain = false
      for (const token of block.children ?? []) {
        if (token.type === "link_open") {
          const link = linkOf(file, token.attrGet("href") ?? "")
          isPlain = link === null
          if (typeof link === "string") token.attrSet("href", link)
        }
        if (isPlain && (token.type === "link_open" || token.type === "link_close")) {
          if (token.type === "link_close") isPlain = false
          token.type = "text"
          token.tag = ""
          token.nesting = 0
          token.content = ""
        }
      }
    }
  })
}
