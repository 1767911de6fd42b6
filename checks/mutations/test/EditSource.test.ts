import { assert, describe, it } from "vitest"
import { edited } from "../EditSource.ts"
import type { Edit } from "../Fault.ts"

const source = `
import { send } from "./Send.ts"

const atMost = 3

const one = (key: string | null, now: number) => {
  // key
  if (key === null && now > 0) return first(key)
  if (isOver) return 0
  return key === null ? send({ id: key, now }) : \`select \${now} where id = \${key} and version = 2\`
}

const other = (key: string) => {
  switch (key) {
    case "sent": return true
  }
  return Math.max(1, loss.ended ?? atMost) > 1 && (isOver || /^over$/u.test(key))
}
`

/** How the code changes, line by line. */
const changed = (edit: Edit): ReadonlyArray<string> => {
  const before = source.split("\n")
  return edited(source, edit)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !before.some((one) => one.trim() === line))
}

describe("edits of a source", () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the code under test is a template itself.
  const edits: Readonly<Record<string, readonly [edit: Edit, becomes: string]>> = {
    "an if that goes": [{ in: "one", if: "isOver", become: "" }, ";"],
    "a statement that another one precedes": [
      { in: "other", statement: "Math.max", become: "key(); $" },
      "key(); return Math.max(1, loss.ended ?? atMost) > 1 && (isOver || /^over$/u.test(key));"
    ],
    "a case": [{ statement: "sent", become: 'case "gone": $' }, 'case "gone": case "sent": return true;'],
    "an import": [
      { statement: "./Send.ts", become: 'import { send } from "./Other.ts"' },
      'import { send } from "./Other.ts";'
    ],
    "the condition of an if": [{ in: "one", condition: "isOver", become: "!($)" }, "if (!(isOver)) return 0"],
    "a condition, by a second word": [
      { in: "one", condition: "key", about: "now", become: "false" },
      "if (false) return first(key)"
    ],
    "an operand": [{ in: "one", operand: "now", become: "true" }, "if (key === null && (true)) return first(key)"],
    "an operand in parentheses": [
      { operand: "isOver", become: "false" },
      "return Math.max(1, loss.ended ?? atMost) > 1 && ((false) || /^over$/u.test(key))"
    ],
    "a path of properties": [
      { operand: "loss.ended", about: "loss", become: "0" },
      "return Math.max(1, (0) ?? atMost) > 1 && (isOver || /^over$/u.test(key))"
    ],
    "a call": [
      { call: "Math.max", become: "Math.min(1, 2)" },
      "return (Math.min(1, 2)) > 1 && (isOver || /^over$/u.test(key))"
    ],
    "a property": [
      { property: "id", become: '"drawn"' },
      'return key === null ? send({ id: "drawn", now }) : `select ${now} where id = ${key} and version = 2`'
    ],
    "a property without a value": [
      { property: "now", become: "0" },
      "return key === null ? send({ id: key, now: 0 }) : `select ${now} where id = ${key} and version = 2`"
    ],
    "a constant": [{ const: "atMost", become: "$ + 1" }, "const atMost = 3 + 1"],
    "what is returned": [{ in: "one", returned: "first", become: "1" }, "if (key === null && now > 0) return 1"],
    "a text in a template": [
      { text: " and version = 2", become: "" },
      "return key === null ? send({ id: key, now }) : `select ${now} where id = ${key}`"
    ],
    "a text in a regular expression": [
      { text: "^over", become: "over" },
      "return Math.max(1, loss.ended ?? atMost) > 1 && (isOver || /over$/u.test(key))"
    ]
  }
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the code under test is a template itself.
  for (const [name, [edit, becomes]] of Object.entries(edits)) {
    it(`an edit of ${name} changes nothing else`, () => {
      assert.deepStrictEqual(changed(edit), [becomes])
    })
  }

  it("the place of an edit is found in code of another format", () => {
    const text = "const one = (\n  key,\n) =>\n  loss\n    // why\n    .ended && key\n"
    assert.include(edited(text, { in: "one", operand: "loss.ended", become: "true" }), "=>\n  (true) && key")
  })

  const refused: Readonly<Record<string, readonly [edit: Edit, message: RegExp]>> = {
    "a word that is not there": [
      { in: "one", call: "Math.max", become: "" },
      /call "Math\.max" is found 0 times in one/
    ],
    "a function that is not there": [{ in: "gone", call: "Math.max", become: "" }, /is found 0 times in gone/],
    "two places": [
      { condition: "key", about: "key", become: "" },
      /condition "key" about "key" is found 2 times in the file/
    ],
    "two texts in one literal": [{ text: "e", become: "" }, /is found \d+ times/],
    "a comment": [{ statement: "why", become: "" }, /is found 0 times/]
  }
  for (const [name, [edit, message]] of Object.entries(refused)) {
    it(`control: an edit of ${name} is refused`, () => {
      assert.throws(() => edited(source, edit), message)
    })
  }
})
