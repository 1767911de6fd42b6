/** The guides show each area, and no picture is forgotten or too large. `test/browser/Pictures.browser.test.ts` takes them. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { areaNames } from "../src/frame/Navigation.ts"
import { folderOfPictures, guides } from "./support/GuidePictures.ts"

const text = guides.map((guide) => readFileSync(guide, "utf8")).join("\n")
const shown = [
  ...text.matchAll(/!\[(?<alt>[^\]]*)\]\(console\/(?<file>[^)]+)\)/gu),
  ...text.matchAll(/<img src="\.\/console\/(?<file>[^"]+)" alt="(?<alt>[^"]*)"/gu)
].map(({ groups }) => ({ alt: groups?.["alt"] ?? "", file: groups?.["file"] ?? "" }))

describe("the pictures of the guides", () => {
  it("the guides show the first page of each area of the console", () => {
    const files = shown.map(({ file }) => file)
    assert.deepStrictEqual(
      areaNames.filter((name) => !files.includes(`${name}.png`)),
      []
    )
  })

  it("the guides show each picture once, with a text for those who do not see it", () => {
    assert.deepStrictEqual(shown.map(({ file }) => file).sort(), readdirSync(folderOfPictures).sort())
    assert.deepStrictEqual(
      shown.filter(({ alt }) => alt.length < 20),
      []
    )
  })

  it("each picture is below 120 kB, and all are below 1.5 MB", () => {
    const sizes = readdirSync(folderOfPictures).map((name) => statSync(join(folderOfPictures, name)).size)
    assert.isBelow(Math.max(...sizes), 120_000)
    assert.isBelow(
      sizes.reduce((sum, size) => sum + size, 0),
      1_500_000
    )
  })
})
