import { assert, describe, it } from "@effect/vitest"
import { withBlocks } from "../../../scripts/generate/Blocks.ts"
import { declaredIn } from "../../../scripts/generate/Where.ts"
import { differences, generated } from "../../../scripts/generate.ts"
import { textAt } from "../Files.ts"

/** Of all tests here: it takes most of a second. */
const once = generated()

it("the generated pages are what is committed", async () => {
  assert.deepStrictEqual(await differences(undefined, once), [])
})

it("payment and claim have a page and a picture from the tables", async () => {
  assert.includeMembers(
    [...(await once).keys()],
    ["docs/states/payment.md", "docs/states/payment.svg", "docs/states/claim.md", "docs/states/claim.svg"]
  )
})

describe("controls: what must be refused", () => {
  it("a page that was changed by hand is named", async () => {
    const changed = "docs/states/payment.md"
    assert.deepStrictEqual(await differences((path) => (path === changed ? `${textAt(path)} ` : textAt(path)), once), [
      changed
    ])
  })

  it("a page that is missing is named", async () => {
    const missing = "docs/states/claim.svg"
    assert.deepStrictEqual(await differences((path) => (path === missing ? undefined : textAt(path)), once), [missing])
  })
})

describe("blocks", () => {
  const blocks = { rows: () => "new\n" }
  const page = (...lines: ReadonlyArray<string>) => lines.join("\n")

  it("filling a block changes nothing else of its page", () => {
    const before = page("# Title", "<!-- generated: rows -->", "old", "<!-- /generated -->", "end", "")
    const after = page("# Title", "<!-- generated: rows -->", "", "new", "", "<!-- /generated -->", "end", "")
    assert.strictEqual(withBlocks("page.md", before, blocks), after)
    assert.strictEqual(withBlocks("page.md", after, blocks), after, "filling it again changes nothing")
  })

  it("a page without a block stays as it is", () => {
    assert.strictEqual(withBlocks("page.md", "# Title\n", blocks), undefined)
  })

  for (const [name, text] of [
    ["that nothing generates", page("<!-- generated: gone -->", "<!-- /generated -->")],
    ["that does not end", page("<!-- generated: rows -->", "old")],
    ["that did not begin", page("old", "<!-- /generated -->")],
    ["inside a block", page("<!-- generated: rows -->", "<!-- generated: rows -->", "<!-- /generated -->")]
  ] as const) {
    it(`a block ${name} is refused by the page's name`, () => {
      assert.throws(() => withBlocks("page.md", text, blocks), /^page\.md: /)
    })
  }
})

describe("the lines of docs/contributing/where.md", () => {
  const text = "const oneMore = 1\n// const one\nexport const one = 2\nexport type one = number\n"

  it("the line of a symbol is that of its first declaration", () => {
    assert.strictEqual(declaredIn("a.ts", text, "one"), 3)
  })

  it("a symbol that is gone is named with its file", () => {
    assert.throws(() => declaredIn("a.ts", text, "two"), /^a\.ts does not declare two/)
  })
})
