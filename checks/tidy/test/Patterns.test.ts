import { assert, describe, it } from "@effect/vitest"
import { sources } from "../Files.ts"
import { type Exemption, patternFaults, patternsIn, slowInput } from "../Patterns.ts"

it("each regular expression of all packages is linear or exempted", () => {
  assert.isAbove(sources().flatMap(patternsIn).length, 100)
  assert.deepStrictEqual(patternFaults(sources()), [])
}, 300_000)

describe("controls", () => {
  const slow = [
    /^0+|0+$/,
    /^0+|0+$/g,
    /(a+)+$/,
    /\s+$/,
    /\s+$/g,
    /\/+$/u,
    /^(\w+\s?)*$/,
    /^\s*a?\s*b?\s*$/,
    /a*b*a*c/,
    /x\s*,?\s*y/,
    /<script>([\s\S]*?)<\/script>/g,
    /\bfoo.*bar/,
    /"(?:[^"\\]|\\.|[^\\"])*"$/
  ]
  for (const pattern of slow) {
    it(`${pattern} has a slow input`, () => {
      assert.isDefined(slowInput(pattern))
    })
  }

  for (const pattern of [/^\s+$/, /^[^?#]*/u, /[ \t]*/uy, /\p{Cc}/gu, /".*?"/g, /(?:^|,)\s*b/, /^(?:a|b)+$/]) {
    it(`${pattern} has no slow input`, () => assert.isUndefined(slowInput(pattern)))
  }

  const path = "packages/core/src/File.ts"
  const faults = (text: string, exempted: ReadonlyArray<Exemption> = []) => patternFaults([{ path, text }], exempted)
  const exemption: Exemption = { path, pattern: "/,+$/", reason: "We write the text." }

  it("the line of a slow literal far down is named", () => {
    assert.match(
      faults('const a = "/x+$/"\n// /x+$/\nconst b = t.replace(/,+$/, "")')[0] ?? "",
      /File\.ts:3: \/,\+\$\/ /
    )
  })

  for (const text of ['new RegExp(",+$")', 'RegExp(",+$", "u")', "new RegExp(`,+$`)", "new RegExp(/,+$/)"]) {
    it(`the expression in ${text} is known`, () =>
      assert.match(String(patternsIn({ path, text })[0]?.pattern), /^\/,\+\$\/u?$/))
  }

  it("an expression made of other values is refused", () => {
    assert.deepStrictEqual(faults('new RegExp(a + "$")'), [
      `${path}:1: new RegExp(a + "$") cannot be checked: write a literal`
    ])
  })

  it("an exempted expression passes in its place, and another does not", () => {
    assert.deepStrictEqual(faults("t.replace(/,+$/)", [exemption]), [])
    assert.lengthOf(faults("t.replace(/,+$/); t.replace(/;+$/)", [exemption]), 1)
  })

  it("an exemption that nothing uses is refused", () => {
    assert.deepStrictEqual(faults("1", [exemption]), [`${path}: /,+$/ is exempted and not used`])
  })
})
