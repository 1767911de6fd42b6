import { assert, it } from "@effect/vitest"
import { exists, files } from "../Files.ts"

/** A newcomer reads no more of core than this to follow a create from its request to its response. */
const filesAtMost = 12

it("each file of the life of a create in ARCHITECTURE.md exists, few of core", () => {
  const text = files("ARCHITECTURE.md")[0]?.text ?? ""
  const [, section = ""] = text.split("## The life of a create request\n")
  const create = section.slice(0, section.indexOf("**Captures, voids and refunds**"))
  assert.isNotEmpty(create)
  const named = [...new Set([...create.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/gu)].map(([, path]) => path ?? ""))]
  const all = files("packages/**/src/**/*.ts").map(({ path }) => path)
  const found = named.map((path) => all.filter((one) => one.endsWith(`/${path}`)))
  assert.deepStrictEqual(
    named.filter((_, at) => found[at]?.length === 0),
    []
  )
  const ofCore = new Set(found.flat().filter((path) => path.startsWith("packages/core/src/") && exists(path)))
  assert.isAbove(ofCore.size, 10)
  assert.isAtMost(ofCore.size, filesAtMost)
})
