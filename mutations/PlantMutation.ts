import { readFileSync } from "node:fs"
import { resolve, sep } from "node:path"
import type { Plugin } from "vitest/config"
import { mutations } from "./Mutations.ts"

/** The environment variable that names the mutation to plant. */
export const plantVariable = "POINTSMAN_PLANT"

/** Plants the named mutation into the sources as they are loaded; without one it does nothing. */
export const plantMutation = (root: string): Plugin => {
  const name = process.env[plantVariable]
  const mutation = mutations.find((mutation) => mutation.name === name)
  if (name !== undefined && mutation === undefined) throw new Error(`no mutation is named "${name}"`)
  // Checked at once, for every edit: a fault that is not planted must not look like a test that caught nothing.
  for (const { file, find } of mutation?.edits ?? []) {
    const times = readFileSync(resolve(root, file), "utf8").split(find).length - 1
    if (times !== 1) throw new Error(`"${name}": its text stands ${times} times in ${file}`)
  }
  return {
    name: "plant-mutation",
    enforce: "pre",
    transform: (code, id) =>
      (mutation?.edits ?? [])
        .filter(({ file }) => id.split("?")[0] === resolve(root, file).split(sep).join("/"))
        .reduce<string | undefined>((text, { find, replace }) => (text ?? code).replace(find, () => replace), undefined)
  }
}
