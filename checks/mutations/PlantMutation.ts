import { readFileSync } from "node:fs"
import { resolve, sep } from "node:path"
import type { Plugin } from "vitest/config"
import type { Mutation } from "./Mutation.ts"
import { mutations } from "./Mutations.ts"

/** The environment variable that names the mutation to plant. It is read whenever a module is loaded. */
export const plantVariable = "POINTSMAN_PLANT"

const mutationNamed = (name: string): Mutation => {
  const mutation = mutations.find((mutation) => mutation.name === name)
  if (mutation === undefined) throw new Error(`no mutation is named "${name}"`)
  return mutation
}

/** A fault that is not planted must not look like a test that caught nothing. */
export const assertPlantable = (root: string, { edits, name }: Mutation): void => {
  for (const { file, find } of edits) {
    const times = readFileSync(resolve(root, file), "utf8").split(find).length - 1
    if (times !== 1) throw new Error(`"${name}": its text stands ${times} times in ${file}`)
  }
}

/** The text of a file, by its absolute path, with the mutation in it; `undefined` where it does not touch the file. */
export const plantedText = (root: string, { edits }: Mutation, path: string, text: string): string | undefined =>
  edits
    .filter(({ file }) => path.split(sep).join("/") === resolve(root, file).split(sep).join("/"))
    .reduce<string | undefined>(
      (planted, { find, replace }) => (planted ?? text).replace(find, () => replace),
      undefined
    )

/** Plants the named mutation into the sources as they are loaded; without one it does nothing. */
export const plantMutation = (root: string): Plugin => {
  const planted = () => process.env[plantVariable]
  const first = planted()
  if (first !== undefined && first !== "") assertPlantable(root, mutationNamed(first))
  return {
    name: "plant-mutation",
    enforce: "pre",
    transform: (code, id) => {
      const name = planted()
      if (name === undefined || name === "") return undefined
      return plantedText(root, mutationNamed(name), id.split("?")[0] ?? id, code)
    }
  }
}
