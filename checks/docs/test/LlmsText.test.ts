/** `llms.txt` of the site has every page of its lists, in the form of https://llmstxt.org. */
import { assert, describe, it } from "vitest"
import { llmsText } from "../../../docs/.vitepress/LlmsText.ts"
import { conceptsPart, pages, recipesPart, referencePart, startPart } from "../../../docs/.vitepress/Pages.ts"

const groups = [...startPart(), ...conceptsPart(), ...recipesPart(), ...referencePart()]
const text = llmsText("Payments.", groups, "https://docs.example.com")

/** The lines of a list: title, address and what is said of it. */
const entries = [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)(?:: (.+))?$/gmu)].map(([, title, url = "", said]) => ({
  title,
  path: url.replace("https://docs.example.com", ""),
  said
}))

describe("llms.txt", () => {
  it("the text begins with the name and one line, and has lists under headings", () => {
    assert.match(text, /^# Pointsman\n\n> Payments\.\n\n## Start\n\n- \[/u)
    const others = text.split("\n").filter((line) => line !== "" && !/^(?:# |> |## |- \[)/u.test(line))
    assert.deepStrictEqual(others, [])
    assert.strictEqual(entries.length, text.split("\n").filter((line) => line.startsWith("- ")).length)
  })

  it("each page is listed once, with its address and mostly a line about it", () => {
    const expected = [...pages()]
      .filter(([file]) => !/^docs\/api\/|^docs\/index\.md$|^docs\/(?!.*\/README\.md$).*\/node_modules\//u.test(file))
      .map(([, address]) =>
        /(?:^|\/)index$/u.test(address) ? `/${address.replace(/index$/u, "")}` : `/${address}.html`
      )
    const listed = entries.map(({ path }) => path)
    assert.deepStrictEqual(
      expected.filter((path) => !listed.includes(path)),
      []
    )
    assert.deepStrictEqual(
      listed.filter((path, at) => listed.indexOf(path) !== at),
      []
    )
    assert.isAbove(entries.filter(({ said }) => said !== undefined).length, 0.8 * entries.length)
    assert.isAtMost(Math.max(...entries.map(({ said = "" }) => said.length)), 201)
    const [start] = entries
    assert.deepInclude(start, { title: "The first payment", path: "/start.html" })
  })

  it("links begin at the site's root without its address", () => {
    assert.include(llmsText("Payments.", groups), "- [The first payment](/start.html)")
  })
})
