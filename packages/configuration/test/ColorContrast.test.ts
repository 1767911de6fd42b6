/** The contrast of white text on a color, and the nearest shade that has enough of it. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { contrastAtLeast, readableShade, whiteTextContrast } from "../src/ColorContrast.ts"

describe("the contrast of white text", () => {
  // As WebAIM's and axe's contrast checkers state them.
  it.each([
    ["#000000", 21],
    ["#ffffff", 1],
    ["#767676", 4.54],
    ["#777777", 4.48],
    ["#ff0000", 4],
    ["#0000ff", 8.59],
    ["#008000", 5.14]
  ])("%s has a contrast of %f", (color, contrast) => {
    assert.closeTo(whiteTextContrast(color), contrast, 0.005)
  })

  it("a color's shade has enough contrast, is no lighter, and one step less has not", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
        const color = `#${number.toString(16).padStart(6, "0")}`
        const shade = readableShade(color)
        assert.isAtLeast(whiteTextContrast(shade), contrastAtLeast)
        if (whiteTextContrast(color) >= contrastAtLeast) assert.strictEqual(shade, color)
        else {
          const lighter = channels(shade).map((channel, index) => Math.min(channel + 2, channels(color)[index] ?? 0))
          assert.isBelow(whiteTextContrast(hex(lighter)), contrastAtLeast)
        }
        for (const [index, channel] of channels(shade).entries()) assert.isAtMost(channel, channels(color)[index] ?? 0)
      })
    )
  })
})

const channels = (color: string): ReadonlyArray<number> =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

const hex = (of: ReadonlyArray<number>): string => `#${of.map((one) => one.toString(16).padStart(2, "0")).join("")}`
