/**
 * Habits of our prose that readers stumble over, counted in all that a person may read. A change may lower a number and
 * never raises one: `goes on` is `continues`, `is told` is `reported`, and `nobody` hides who acts.
 */
import { assert, it } from "@effect/vitest"
import { files } from "../Files.ts"

const most: Readonly<Record<string, number>> = {
  "goes on": 29,
  "go on": 13,
  "is told": 12,
  "are told": 1,
  nobody: 194,
  somebody: 44,
  whoever: 0,
  "what there is": 9,
  "comes of": 0,
  "would otherwise break": 0
}

it("no habit of prose grows", () => {
  const texts = files("*.md", "{docs,packages,examples,checks,scripts,deploy}/**/*.{md,ts,sql}").filter(
    ({ path }) => !path.endsWith("Habits.test.ts")
  )
  assert.isAbove(texts.length, 1_000)
  const all = texts.map(({ text }) => text).join("\n")
  for (const [habit, atMost] of Object.entries(most)) {
    assert.isAtMost(all.match(new RegExp(`\\b${habit}\\b`, "giu"))?.length ?? 0, atMost, habit)
  }
})
