/** Every block of TypeScript compiles: all of them are one program, against the sources. */
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { root } from "../../tidy/Files.ts"
import { type Block, blocks, blocksOf, moduleOf } from "../Blocks.ts"

const compiler = join(root, "node_modules/@typescript/native/bin/tsc")

/** In the repository, where the packages are found; git ignores it. */
const folder = join(root, "checks/docs/artifacts/pages")

const configuration = {
  extends: "../../../../tsconfig.base.json",
  compilerOptions: {
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    noEmit: true,
    noUnusedLocals: false,
    noUnusedParameters: false
  },
  include: ["**/*.ts"]
}

/** What the compiler says, with the places in the pages. */
const mistakesIn = (all: ReadonlyArray<Block>): Promise<ReadonlyArray<string>> => {
  rmSync(folder, { recursive: true, force: true })
  const modules = new Map(all.map((block) => [`${block.path.replaceAll(/[^\w]+/gu, "_")}_${block.line}.ts`, block]))
  for (const [file, block] of modules) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `${moduleOf(block).text}\n`)
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configuration))
  return new Promise((resolve, reject) => {
    // Four checkers, the default, check much of the sources once each: twice the work, and hardly sooner on two processors.
    const args = [compiler, "-p", join(folder, "tsconfig.json"), "--pretty", "false", "--checkers", "1"]
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 10_000_000 }, (error, out, err) => {
      if (error !== null && out === "") return reject(new Error(`the compiler did not run: ${err}`))
      const mistakes = out.split("\n").flatMap((line) => {
        const [, file = "", at = "", message = ""] = /^([^\s(]+)\((\d+),\d+\): (.*)$/u.exec(line) ?? []
        const block = modules.get(file)
        // The sources have a check of their own.
        if (block === undefined) return file === "" && line.includes("error") ? [line] : []
        return [`${block.path}:${Number(at) - moduleOf(block).before + block.line - 1}: ${message}`]
      })
      resolve(mistakes)
    })
  })
}

/** No page of ours: a mistake on line 12. */
const wrongPage = "wrong-page.md"
const wrong = [
  "# A page",
  "",
  "<!-- ts",
  'import { Effect } from "effect"',
  "declare const amount: number",
  "export const run = Effect.gen(function* () {",
  "…",
  "})",
  "-->",
  "```ts",
  "const doubled = yield* Effect.succeed(amount * 2)",
  "const wrong: string = doubled",
  "```"
].join("\n")

describe("every TypeScript block of the documentation, and a wrong one, as one program", () => {
  const all = blocks("ts", "typescript", "tsx")
  let mistakes: ReadonlyArray<string> = []
  beforeAll(async () => {
    mistakes = await mistakesIn([...all, ...blocksOf(wrongPage, wrong)])
  }, 120_000)
  const isOfControl = (mistake: string) => mistake.startsWith(wrongPage)

  it("no block of TypeScript in the documentation has a mistake", () => {
    assert.isAbove(all.length, 20, "blocks were found")
    assert.deepStrictEqual(
      mistakes.filter((mistake) => !isOfControl(mistake)),
      []
    )
  })

  it("control: the own line of a mistake inside of what is given is named", () => {
    const [found = "", ...others] = mistakes.filter(isOfControl)
    assert.match(found, /^wrong-page\.md:12: error TS2322/u)
    assert.deepStrictEqual(others, [])
  })
})

describe("controls", () => {
  it("a precondition that is followed by prose is refused", () => {
    assert.throws(() => blocksOf("page.md", "<!-- ts\nconst a = 1\n-->\nSome words.\n"), /^page\.md:4: /u)
  })

  it("a block that does not end is refused", () => {
    assert.throws(() => blocksOf("page.md", "```ts\nconst a = 1\n"), /^page\.md:1: /u)
  })
})
