import { assert, describe, it } from "@effect/vitest"
import { imports, partsOf } from "../SourceText.ts"

const ofText = (text: string) => imports({ path: "source.ts", text })

describe("imports", () => {
  const cases: ReadonlyArray<readonly [name: string, source: string, found: ReadonlyArray<string>]> = [
    ["a plain import", 'import { a } from "./a.ts"', ["./a.ts"]],
    ["an export from", 'export * as A from "./a.ts"\nexport type { B } from "./b.ts"', ["./a.ts", "./b.ts"]],
    ["a dynamic import", 'const a = await import("./a.ts")', ["./a.ts"]],
    ["a type by import", 'type A = import("./a.ts").A', ["./a.ts"]],
    ["a require", 'const a = require("./a.ts")', ["./a.ts"]],
    ["an import inside a template", "const a = `${import(" + '"./a.ts"' + ")}`", ["./a.ts"]],
    ["a comment", '// import a from "./a.ts"\n/* import b from "./b.ts" */', []],
    ["a string", "const a = 'import b from \"./b.ts\"'", []],
    ["a call named from", 'Array.from("abc")', []]
  ]
  it.each(cases)("the imports of %s are found", (_, source, found) => {
    assert.deepStrictEqual(
      ofText(source).map(({ specifier }) => specifier),
      found
    )
  })

  it("each import on several lines has its line", () => {
    const source = '/* one\n   two */\nimport a from "./a.ts"\nconst b = `\n\n`\nimport c from "./c.ts"'
    assert.deepStrictEqual(ofText(source), [
      { specifier: "./a.ts", line: 3 },
      { specifier: "./c.ts", line: 7 }
    ])
  })
})

it("code, strings and comments have their places", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
  const text = 'a("word") // why\nb(`word ${c} word`, /"/u)\n'
  assert.deepStrictEqual(partsOf({ path: "source.ts", text }), {
    code: 'a(      )       \nb(        c       , /"/u)\n',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
    strings: '  "word"        \n  `word ${ } word`       \n',
    comments: "          // why\n                         \n"
  })
})
