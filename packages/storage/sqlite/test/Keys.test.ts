/** Ids as bytes. */
import { it } from "@effect/vitest"
import { assert } from "vitest"
import { bindAfter, bindBefore, bindId } from "../src/Rows.ts"

const ids = ["0", "1", "8", "a", "f"].flatMap((digit) => [
  `00000002-89ce-7534-b56c-afb9b8a74cf${digit}`,
  `${digit.repeat(8)}-${digit.repeat(4)}-7${digit.repeat(3)}-${digit.repeat(4)}-${digit.repeat(12)}`
])

it("a text has the same ids before and after it however it is bound", () => {
  for (const id of ids) {
    for (let length = 0; length <= id.length; length++) {
      for (const more of ["", " ", "-", "0", "9", ":", "a", "f", "g", "~"]) {
        const text = id.slice(0, length) + more
        for (const other of ids) {
          const isAfter = Buffer.compare(bindId(other) ?? Buffer.of(), bindAfter(text)) > 0
          const isBefore = Buffer.compare(bindId(other) ?? Buffer.of(), bindBefore(text)) < 0
          assert.strictEqual(isAfter, other > text, `${other} after ${text}`)
          assert.strictEqual(isBefore, other < text, `${other} before ${text}`)
        }
      }
    }
  }
})
