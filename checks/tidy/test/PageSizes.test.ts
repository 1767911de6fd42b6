/** Pages that a contributor reads whole stay short: in words, as `wc -w` counts them. */
import { assert, it } from "@effect/vitest"
import { files } from "../Files.ts"

const wordsIn = (...patterns: ReadonlyArray<string>): ReadonlyArray<readonly [path: string, words: number]> =>
  files(...patterns).map(({ path, text }) => [path, text.split(/\s+/u).filter((word) => word !== "").length])

const sum = (pages: ReturnType<typeof wordsIn>): number => pages.reduce((all, [, words]) => all + words, 0)

it("the words of a contributor's pages are few", () => {
  assert.isAtMost(sum(wordsIn("ARCHITECTURE.md")), 2_000)
  assert.isAtMost(sum(wordsIn("AGENTS.md", "CONTRIBUTING.md")), 2_000)
})

it("the decisions are at most 25, each of at most 500 words", () => {
  const decisions = wordsIn("docs/decisions/[0-9]*.md")
  assert.isAbove(sum(decisions), 5_000)
  assert.isAtMost(decisions.length, 25)
  assert.deepStrictEqual(
    decisions.filter(([, words]) => words > 500),
    []
  )
  assert.isAtMost(sum(wordsIn("docs/decisions/*.md")), 13_000)
})
