import { assert, describe, it } from "@effect/vitest"
import { citationFaults } from "../Citations.ts"
import { files, textAt } from "../Files.ts"

/** This file is no part of them: its samples are citations that lead nowhere. */
const isRead = ({ path }: { readonly path: string }) => path !== "checks/tidy/test/Citations.test.ts"

it("every citation in the texts of the repository leads somewhere", () => {
  const texts = files(
    "**/*.{ts,tsx,mjs,js,jsonc,md,yml,yaml,sh,sql}",
    "**/Dockerfile",
    ".changeset/*.md",
    ".github/**/*.yml",
    ".ci/*"
  ).filter(isRead)
  const decisions = new Set(
    files("docs/decisions/[0-9]*.md").map(({ path }) => Number(/\/(\d{4})-[^/]*$/u.exec(path)?.[1]))
  )
  assert.isAbove(texts.length, 1_000)
  assert.isAbove(decisions.size, 20)
  assert.deepStrictEqual(
    texts.flatMap((text) => citationFaults(text, { decisions, read: textAt })),
    []
  )
})

const pages: Readonly<Record<string, string>> = {
  "docs/rules.md": "# Rules\n\n## Once and for all\n",
  "packages/core/README.md": "# Core\n"
}
const faultsOf = (path: string, text: string) =>
  citationFaults({ path, text }, { decisions: new Set([2, 36]), read: (page) => pages[page] })

describe("controls: what must be refused", () => {
  const refused: Readonly<Record<string, string>> = {
    "a section of the decisions": "/** A rule (decisions, section 3). */",
    "sections of the decisions": "/** A rule (decisions, sections 3 and 5). */",
    "a number of the decisions": "/** A rule (decisions, 7). */",
    "a section in the next line": "/**\n * A rule (decisions, section\n * 11) of ours.\n */",
    "a section in the next line of a line comment": "// A rule (decisions,\n// section 11).",
    "a specification": "/** A rule (specification, Errors). */",
    "a specification in a title": 'it("given the specification, then it is met")',
    "a section of a page without a name": "// As section 4 says.",
    "a decision that is not there": "/** A rule (decision 37). */",
    "one of several decisions that is not there": "/** A rule (decisions 2 and 37). */",
    "a file of a decision that is not there": "// docs/decisions/0037",
    "a page that is not there": "/** More in docs/gone.md. */",
    "a page in code marks that is not there": "/** More in `style.md`. */",
    "a heading that is not there": '/** A rule (docs/rules.md, "Twice"). */',
    "a heading in the next line that is not there": '// A rule (docs/rules.md,\n// "Twice").',
    "a section that is not there": '/** A rule (docs/rules.md, section "Twice"). */',
    "a numbered section of a page": "/** A rule (docs/rules.md, section 4). */",
    "an anchor that is not there": "// docs/rules.md#twice"
  }
  it.each(Object.entries(refused))("%s is refused", (_, text) => {
    assert.lengthOf(faultsOf("packages/core/src/Sample.ts", `const a = 1\n${text}\n`), 1)
  })

  it("the line of a refused citation is named", () => {
    assert.deepStrictEqual(faultsOf("a.ts", "\n\n// A rule (decision 37).\n"), [
      "a.ts:3: cites decision 37, which does not exist"
    ])
  })

  it("wrong citations in texts that are not TypeScript are refused", () => {
    assert.lengthOf(faultsOf("docs/page.md", "A rule: decision 37, and decisions.md, section 3."), 2)
    assert.lengthOf(faultsOf("a.yml", "a: 1 # docs/gone.md says why\n"), 1)
    assert.lengthOf(faultsOf("run.sh", "# As section 4 says.\n"), 1)
  })

  const allowed: Readonly<Record<string, string>> = {
    "a decision": "/** A rule (decision 36), and decisions 2 and 36. */",
    "a file of a decision": "// docs/decisions/0036",
    "a page": "/** `docs/rules.md` says more. */",
    "a page of the package": "/** ../README.md says more. */",
    "a heading": '/** A rule (docs/rules.md, "Once and for all"). */',
    "an anchor": "// docs/rules.md#once-and-for-all",
    "a section of a standard":
      "// RFC 9110, section 15.5.2; HTML standard, section 9.2; ISO 32000-1 section 7.5.2; OpenID Connect Discovery 1.0, section 3.",
    "a page of a provider": "// https://example.com/docs/readme.md#section-3.1",
    "a name that is no comment": 'const page = "gone.md"',
    "decisions that are counted": "/** Makes 100 decisions, and specifications of tests. */"
  }
  it.each(Object.entries(allowed))("%s passes", (_, text) => {
    assert.deepStrictEqual(faultsOf("packages/core/src/Sample.ts", `const a = 1\n${text}\n`), [])
  })
})
