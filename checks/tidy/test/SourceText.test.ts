import { assert, describe, it } from "@effect/vitest"
import { imports, tokens } from "../SourceText.ts"

const specifiers = (source: string) => imports(source).map(({ specifier }) => specifier)
const code = (source: string) =>
  tokens(source)
    .filter((token) => token.kind === "code")
    .map((token) => token.text)
    .join("")

describe("imports", () => {
  const cases: ReadonlyArray<readonly [name: string, source: string, found: ReadonlyArray<string>]> = [
    ["a plain import", 'import { a } from "./a.ts"', ["./a.ts"]],
    ["an import over lines", 'import {\n  a,\n  type B\n} from "./a.ts"', ["./a.ts"]],
    ["an import of types", 'import type { A } from "./a.ts"', ["./a.ts"]],
    ["an import for its effect", 'import "./a.ts"', ["./a.ts"]],
    ["an import with attributes", 'import a from "./a.json" with { type: "json" }', ["./a.json"]],
    ["single quotes", "import a from './a.ts'", ["./a.ts"]],
    ["an export from", 'export * as A from "./a.ts"\nexport type { B } from "./b.ts"', ["./a.ts", "./b.ts"]],
    ["a dynamic import", 'const a = await import("./a.ts")', ["./a.ts"]],
    ["a type by import", 'type A = import("./a.ts").A', ["./a.ts"]],
    ["a require", 'const a = require("./a.ts")', ["./a.ts"]],
    ["an import behind a comment", 'import a from /* here */ "./a.ts"', ["./a.ts"]],
    ["an import inside a template", "const a = `${import(" + '"./a.ts"' + ")}`", ["./a.ts"]],
    ["a comment", '// import a from "./a.ts"\n/* import b from "./b.ts" */', []],
    ["a string", "const a = 'import b from \"./b.ts\"'", []],
    ["a template", 'const a = `import b from "./b.ts"`', []],
    ["a call named from", 'Array.from("abc")', []],
    ["a comment in a string", 'const url = "https://example.com" ; import a from "./a.ts"', ["./a.ts"]],
    ["a quote in a pattern", 'const quote = /"/ ; import a from "./a.ts"', ["./a.ts"]],
    ["a pattern of slashes", 'const p = x.replace(/[/"]+\\//g, "") ; import a from "./a.ts"', ["./a.ts"]],
    ["a division", 'const half = a / 2 ; import b from "./b.ts" ; const c = d / 2', ["./b.ts"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
    ["braces in a template", 'const a = `${{ b: `${c}"` }.b}"` ; import d from "./d.ts"', ["./d.ts"]]
  ]
  for (const [name, source, found] of cases) {
    it(`the imports of ${name} are found`, () => {
      assert.deepStrictEqual(specifiers(source), found)
    })
  }

  it("each import on several lines has its line", () => {
    const source = '/* one\n   two */\nimport a from "./a.ts"\nconst b = `\n\n`\nimport c from "./c.ts"'
    assert.deepStrictEqual(imports(source), [
      { specifier: "./a.ts", line: 3 },
      { specifier: "./c.ts", line: 7 }
    ])
  })
})

it("only code is left without comments, strings and templates", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
  assert.strictEqual(code('a("word") // word\nb(`word ${c} word`)').replace(/\s+/g, " "), "a() b(c)")
})
