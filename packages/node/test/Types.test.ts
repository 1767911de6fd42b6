/** What a stranger's compiler sees of this package: no Effect, and the API's own shapes. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type * as Configuration from "@pointsman/configuration"
import type * as Api from "@pointsman/http/api"
import { assert, it } from "vitest"
import type { CreatePayment, Event, Payment, Workspace } from "../src/index.ts"
import { folder } from "./support/Shop.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The files that an entry's declarations lead to, and the modules outside that they name. */
const reachable = (entry: string) => {
  const files = new Set<string>()
  const outside = new Set<string>()
  const visit = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    const text = readFileSync(file, "utf8")
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/gu)) {
      if (specifier.startsWith(".")) visit(resolve(dirname(file), specifier.replace(/\.[jt]s$/u, ".d.ts")))
      else outside.add(specifier)
    }
  }
  visit(entry)
  return { files: [...files], outside: [...outside] }
}

it("given the declarations that are published, when their imports are followed, then none leads to Effect", async () => {
  const out = folder()
  const compiler = join(root, "node_modules/.bin/tsc")
  const flags = [
    "--composite",
    "false",
    "--incremental",
    "false",
    "--tsBuildInfoFile",
    "null",
    "--declarationMap",
    "false"
  ]
  // Other packages may not be built, which the compiler regrets; the declarations are written all the same.
  await promisify(execFile)(process.execPath, [
    compiler,
    "-p",
    join(root, "packages/node/tsconfig.json"),
    ...flags,
    "--emitDeclarationOnly",
    "--outDir",
    out
  ]).catch(() => {})
  assert.isTrue(existsSync(join(out, "index.d.ts")))
  const { files, outside } = reachable(join(out, "index.d.ts"))
  assert.isAtLeast(files.length, 6)
  assert.deepStrictEqual(outside, ["node:http"])
  for (const file of files) {
    const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//gu, "")
    // A type that the compiler could not find would be `any`.
    assert.notMatch(code, /\b(?:any|Effect|Layer)\b/u, file)
  }
})

it("given the API's shapes, when these types are held against them, then they are the same", () => {
  const same = <A, B>(_there: (a: A) => B, _back: (b: B) => A) => true
  assert.isTrue(
    same<Api.Payment, Payment>(
      (api) => api,
      (payment) => payment
    )
  )
  assert.isTrue(
    same<Api.Event, Event>(
      (api) => api,
      (event) => event
    )
  )
  // What may be written here may be written there; a token is redacted only once it was read.
  const createTo = (order: CreatePayment): typeof Api.CreatePayment.Encoded => order
  const createBack = (order: typeof Api.CreatePayment.Encoded): CreatePayment => order
  assert.isTrue(same(createTo, createBack))
  /** Every field of the configuration file, and no other. */
  type Names<A> = { readonly [Name in keyof A]-?: true }
  const names = (workspace: Names<Workspace>): Names<Configuration.WorkspaceFile> => workspace
  const back = (workspace: Names<Configuration.WorkspaceFile>): Names<Workspace> => workspace
  assert.isTrue(same(names, back))
})
