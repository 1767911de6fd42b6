/** Ids as bytes. */
import { it } from "@effect/vitest"
import { assert } from "vitest"
import { bindBound, bindId } from "../src/Keys.ts"

const ids = ["0", "1", "8", "a", "f"].flatMap((digit) => [
  `00000002-89ce-7534-b56c-afb9b8a74cf${digit}`,
  `${digit.repeat(8)}-${digit.repeat(4)}-${digit.repeat(4)}-${digit.repeat(4)}-${digit.repeat(12)}`
])

it("given any text, when it is bound, then it is between the same two ids as the text is", () => {
  for (const id of ids) {
    for (let length = 0; length <= id.length; length++) {
      for (const more of ["", " ", "-", "0", "9", ":", "a", "f", "g", "~"]) {
        const text = id.slice(0, length) + more
        for (const other of ids) {
          const expected = other < text ? -1 : other > text ? 1 : 0
          assert.strictEqual(
            Buffer.compare(bindId(other) ?? Buffer.of(), bindBound(text)),
            expected,
            `${other} ${text}`
          )
        }
      }
    }
  }
})
