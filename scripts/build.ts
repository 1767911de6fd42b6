/**
 * `npm run build`: `dist` of every package that npm publishes. tsup makes the JavaScript, and `tsc` the declarations
 * (docs/decisions/0033-bundles.md).
 */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { bundle } from "./build/Bundler.ts"
import { keepDeclarations } from "./build/Declarations.ts"
import { writeNotices } from "./build/Notices.ts"
import { publishedPackages, root } from "./build/Packages.ts"

const packages = publishedPackages()
for (const { folder } of packages) rmSync(join(folder, "dist"), { recursive: true, force: true })
execFileSync(
  process.execPath,
  [join(root, "node_modules/@typescript/native/bin/tsc"), "-b", "tsconfig.build.json", "--emitDeclarationOnly"],
  { cwd: root, stdio: "inherit" }
)
for (const one of packages) {
  const outputs = await bundle(one)
  if (!one.isBundle) continue
  keepDeclarations(one)
  writeNotices(one, outputs)
}
