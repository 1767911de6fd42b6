import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { exists, files, root, rootManifest, textAt } from "../Files.ts"
import { markdownFaults } from "../MarkdownPaths.ts"

it("each link and name of a path in a Markdown file exists", () => {
  const pages = files("**/*.md", ".changeset/*.md")
  assert.isNotEmpty(pages)
  const context = {
    exists,
    read: textAt,
    // `npm start` keeps its data there, which is no part of the project.
    tops: readdirSync(root).filter((name) => name !== ".pointsman"),
    scripts: Object.keys(rootManifest().scripts ?? {})
  }
  assert.deepStrictEqual(
    pages.flatMap((page) => markdownFaults(page, context)),
    []
  )
})

describe("controls: what must be refused", () => {
  const there = ["docs/words.md", "packages/core", "README.md"]
  const faults = (text: string) =>
    markdownFaults(
      { path: "docs/page.md", text },
      {
        exists: (path) => there.includes(path),
        read: () => "# Words\n\n## One word, one thing\n",
        tops: ["docs", "packages"],
        scripts: ["build"]
      }
    )

  const refused: Readonly<Record<string, string>> = {
    "a link to nothing": "See [it](gone.md).",
    "a link out of the folder to nothing": "See [it](../packages/gone).",
    "a link with a title": 'See [it](gone.md "Gone").',
    "an image of nothing": "![picture](gone.svg)",
    "a link to a heading that is not there": "See [it](words.md#two-words).",
    "a path in code marks": "See `packages/gone/src`.",
    "a relative path in code marks": "See `./gone.md`.",
    "a script that is not there": "```\nnpm run gone\n```"
  }
  it.each(Object.entries(refused))("%s is refused", (_, text) => {
    assert.strictEqual(faults(text).length, 1)
  })

  const allowed: Readonly<Record<string, string>> = {
    "links that lead somewhere":
      "[a](words.md) [b](../README.md) [c](words.md#one-word-one-thing) [d](https://example.com/x)",
    "a path in code marks": "See `packages/core`.",
    "code marks that name no path": "`a/b` and `application/json` and `packages/*`",
    "a path inside a fence": "```\ncat packages/gone\n```",
    "a script that is there": "`npm run build`."
  }
  it.each(Object.entries(allowed))("%s passes", (_, text) => {
    assert.deepStrictEqual(faults(text), [])
  })
})
