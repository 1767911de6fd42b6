/**
 * `llms.txt` of the site (https://llmstxt.org): a list of its pages for models, each with one line about it. Made from the
 * lists that the site shows, and from the first paragraph of each page.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { addressOf, type Group, pages, root } from "./Pages.ts"

const mostCharacters = 200

/** Links as their text, and no marks of code or stress. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/[`*]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()

/** The first sentence of the first paragraph; empty where a page begins with something else. */
const lineAbout = (file: string): string => {
  const text = readFileSync(join(root, file), "utf8")
    .replace(/^---\n.*?\n---\n/su, "")
    .replaceAll(/<!--.*?-->/gsu, "")
    .replaceAll(/^```.*?^```$/gmsu, "")
  const paragraph = text.split(/\n\s*\n/u).find((block) => /^[\p{L}`[]/u.test(block.trim())) ?? ""
  const [sentence = ""] = /^.*?\.(?=\s|$)/u.exec(plain(paragraph)) ?? [plain(paragraph)]
  return sentence.length > mostCharacters ? `${sentence.slice(0, mostCharacters).trimEnd()}…` : sentence
}

const titleOf = (file: string): string => plain(/^# (.+)$/mu.exec(readFileSync(join(root, file), "utf8"))?.[1] ?? file)

/** `site`: where it is published, without a slash at its end. Without it, links begin with `/`. */
export const llmsText = (about: string, groups: ReadonlyArray<Group>, site = ""): string => {
  const files = new Map([...pages()].map(([file, address]) => [linkOf(address), file]))
  const decisions = [...pages().keys()].filter((file) => /^docs\/decisions\/\d/u.test(file))
  const line = (title: string, link: string, file: string) => {
    const said = lineAbout(file)
    const path = link.endsWith("/") ? link : `${link}.html`
    return `- [${title}](${site}${path})${said === "" ? "" : `: ${said}`}`
  }
  const sections = groups.map(
    ({ items, text }) =>
      [
        text,
        items.flatMap(({ link, text: title }) => {
          const file = files.get(link)
          return file === undefined ? [] : [line(title, link, file)]
        })
      ] as const
  )
  const optional = decisions.map((file) => line(titleOf(file), linkOf(addressOf(file) ?? ""), file))
  return [
    "# Pointsman",
    `> ${about}`,
    ...[...sections, ["Optional", optional] as const]
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => `## ${title}\n\n${lines.join("\n")}`)
  ]
    .join("\n\n")
    .concat("\n")
}

const linkOf = (address: string): string => `/${address.replace(/(^|\/)index$/u, "$1")}`
