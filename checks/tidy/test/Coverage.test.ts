import { assert, describe, it } from "@effect/vitest"
import { coverageFaults } from "../Coverage.ts"
import { textAt } from "../Files.ts"

it("each test in the list of what is tested is there", () => {
  const path = "checks/tidy/test/coverage.txt"
  const text = textAt(path) ?? ""
  assert.isAbove(text.split("\n").length, 100)
  assert.deepStrictEqual(coverageFaults({ path, text }, textAt), [])
})

it("each test in the threat model is there", () => {
  const path = "docs/concepts/threat-model.md"
  const text = textAt(path) ?? ""
  assert.isAbove(text.match(/^\| .* \| .* \| `/gmu)?.length ?? 0, 25)
  assert.deepStrictEqual(coverageFaults({ path, text }, textAt, {}), [])
})

describe("controls: what must be refused", () => {
  const sources: Readonly<Record<string, string>> = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
    "a.test.ts": 'it("given one, when two", () => {})\nit(`given ${word} | or not`, () => {})\n',
    "b.test.ts": 'it.skip("given one", () => {})',
    "c.test.ts": 'it.skipIf(isLinux)("given one", () => {})'
  }
  const faults = (...cells: ReadonlyArray<string>) =>
    coverageFaults(
      {
        path: "page.md",
        text: [
          "## Rules",
          "| Where | Requirement | Test |",
          "|---|---|---|",
          ...cells.map((cell, at) => `| ${at + 1} | A requirement \\| more | ${cell} |`)
        ].join("\n")
      },
      (path) => sources[path],
      { Rules: 1 }
    )

  const refused: Readonly<Record<string, string>> = {
    "an empty cell": "",
    "words alone": "tested somewhere",
    "a file without a title": "`a.test.ts`",
    "a file that is not there": '`gone.test.ts` "given one"',
    "a title that is not there": '`a.test.ts` "given three"',
    "the middle of a title": '`a.test.ts` "when two"',
    "a second title that is not there": '`a.test.ts` "given one", "given three"',
    "a second file that is not there": '`a.test.ts` "given one"<br>`gone.test.ts` "given one"',
    "a test that is skipped": '`b.test.ts` "given one"',
    "not yet, without a word why": "not yet"
  }
  it.each(Object.entries(refused))("%s is refused", (_, cell) => {
    assert.lengthOf(faults(cell), 1)
  })

  it("a numbered section without one of its rules is refused", () => {
    assert.deepStrictEqual(faults(), ["page.md: Rules has no row 1"])
  })

  const allowed: Readonly<Record<string, string>> = {
    "a whole title": '`a.test.ts` "given one, when two"',
    "the beginning of one": '`a.test.ts` "given one"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
    "a template as the source has it": '`a.test.ts` "given ${word} \\| or"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
    "several titles and files": '`a.test.ts` "given one", "given ${word}"<br>`c.test.ts` "given one"',
    "what is not there yet": "not yet: [background checks](#background-checks)",
    "some of it now": '`a.test.ts` "given one"<br>not yet: [background checks](#background-checks)'
  }
  it.each(Object.entries(allowed))("%s passes", (_, cell) => {
    assert.deepStrictEqual(faults(cell), [])
  })
})
