/**
 * The titles of tests, which one reads as a list of behaviours: one line that begins with its subject. What a template
 * fills in counts as it is written.
 */
import { assert, it } from "@effect/vitest"
import ts from "typescript"
import { files, type TextFile } from "../Files.ts"
import { foundIn } from "../SourceText.ts"

const most = 80

const rootOf = (node: ts.Expression): string => {
  if (ts.isIdentifier(node)) return node.text
  return ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) ? rootOf(node.expression) : ""
}

/** What `it`, `test`, `describe`, and helpers whose names begin so are called with. */
const titlesIn = (file: TextFile): ReadonlyArray<readonly [title: string, at: string]> =>
  foundIn(file, (node, source) => {
    const at = ts.isCallExpression(node) && /^(?:it|test|describe)/u.test(rootOf(node.expression)) && node.arguments[0]
    const isTitle = at && (ts.isStringLiteralLike(at) || ts.isTemplateExpression(at))
    return isTitle ? { at, title: at.getText(source).slice(1, -1) } : undefined
  }).map(({ line, title }) => [title, `${file.path}:${line}`])

const titleFaults = (all: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  all
    .flatMap(titlesIn)
    .flatMap(([title, at]) => [
      ...(title.length > most ? [`${at}: ${title.length} characters, at most ${most}`] : []),
      ...(/^given\b/u.test(title) ? [`${at}: begins with "given" and not with its subject`] : []),
      ...(title.includes("\n") ? [`${at}: is more than one line`] : [])
    ])

it("every title of a test is one line of at most 80 characters, subject first", () => {
  const all = files("{packages,checks,examples}/**/test/**/*.ts", "packages/contracts/src/**/*.ts")
  assert.isAbove(all.flatMap(titlesIn).length, 4_500)
  assert.deepStrictEqual(titleFaults(all), [])
})

it("control: a long title, one of two lines and one without its subject are named", () => {
  const text = [
    `it("${"x".repeat(80)}", () => {})`,
    `it.live.each([1])("${"x".repeat(81)}", () => {})`,
    "testRecord(`one\ntwo`, () => {})",
    "describe.skipIf(isLong)(`given one, then two`, () => {})"
  ]
  const found = titleFaults([{ path: "a.test.ts", text: text.join("\n") }])
  assert.deepStrictEqual(
    found.map((fault) => /:(\d)/u.exec(fault)?.[1]),
    ["2", "3", "5"]
  )
})
