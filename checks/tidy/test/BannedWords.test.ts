import { assert, describe, it } from "@effect/vitest"
import { bannedWords, wordFaults } from "../BannedWords.ts"
import { sources } from "../Files.ts"

it("the sources of all packages use no banned word without a reason", () => {
  assert.isNotEmpty(sources())
  assert.deepStrictEqual(wordFaults(sources()), [])
})

describe("controls: what must be refused", () => {
  const path = "packages/core/src/File.ts"
  const words = (text: string) => wordFaults([{ path, text }], {}).map((fault) => fault.split(": ")[1])

  const refused: Readonly<Record<string, ReadonlyArray<string>>> = {
    "Date.now": ["const at = Date.now()", "const clock = Date\n  .now"],
    "new Date()": ["const at = new Date()", "const at = new Date( )", "const at = new Date", "f(new Date)"],
    "performance.now": ["performance.now()"],
    "Math.random": ["Math.random()"],
    randomUUID: [
      "crypto.randomUUID()",
      "crypto.randomBytes(4)",
      "crypto.getRandomValues(bytes)",
      'import { createHash, randomBytes } from "node:crypto"'
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test is a template itself.
    console: ['console.log("x")', "x(`${console.error(1)}`)"],
    setTimeout: ["setTimeout(f, 1)", "globalThis.setTimeout(f)"],
    setInterval: ["setInterval(f, 1)"],
    setImmediate: ["setImmediate(f)"],
    "process.env": ['process.env["PORT"]'],
    "process.exit": ["process.exit(1)"]
  }
  it("every banned word has a control", () => {
    assert.sameMembers(
      Object.keys(refused),
      bannedWords.map(({ word }) => word)
    )
  })
  it.each(Object.entries(refused).flatMap(([word, texts]) => texts.map((text) => [text, word] as const)))(
    "%j has %s refused",
    (text, word) => {
      assert.deepStrictEqual(words(text), [word])
    }
  )

  it.each([
    "const at = new Date(millis).toISOString()",
    "// Date.now() is not used here",
    'const text = "Math.random()"',
    "const setTimeoutMillis = 1",
    "Console.log(1)",
    "yield* random.randomBytes(12)"
  ])("%j has nothing refused", (text) => {
    assert.deepStrictEqual(words(text), [])
  })

  it("the line of a fault far down is right", () => {
    assert.match(wordFaults([{ path, text: '"a"\n/* b\n*/\n\nf(\n  Math.random())' }], {})[0] ?? "", /File\.ts:6: /)
  })

  it("an excepted word passes in its file and nowhere else", () => {
    const exception = { "packages/a/src/cli/": ["a command prints", "console"] } as const
    const text = "console.log(1)"
    const printing = { path: "packages/a/src/cli/Print.ts", text }
    assert.deepStrictEqual(wordFaults([printing], exception), [])
    assert.lengthOf(wordFaults([printing, { path: "packages/a/src/Other.ts", text }], exception), 1)
  })

  it("an exception that nothing uses is refused", () => {
    assert.deepStrictEqual(wordFaults([], { [path]: ["it printed once", "console"] }), [
      `${path}: console is excepted and not used`
    ])
  })
})
