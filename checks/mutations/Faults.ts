/** Every planted fault: the lists lie beside the code that they spoil, as `X.faults.ts` beside `X.ts`. */
import { readFileSync } from "node:fs"
import { posix, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { files, root } from "../tidy/Files.ts"
import { edited } from "./EditSource.ts"
import type { Fault } from "./Fault.ts"

/** A fault whose edits have their files, from the root of the repository. */
export interface PlantedFault extends Omit<Fault, "caughtBy"> {
  readonly edits: ReadonlyArray<Fault["edits"][number] & { readonly file: string }>
  readonly caughtBy: NamedTest
}

/** `project`: as `vitest.workspace.ts` names the folder's. */
export interface NamedTest {
  readonly project: string
  readonly file: string
  readonly test: string
}

const namedTest = (caughtBy: string): NamedTest => {
  const [file = "", ...test] = caughtBy.split(" > ")
  const project = /^packages\/(.+)\/test\//u.exec(file)?.[1] ?? ""
  return { project: project.replace(/^(storage|connector)s?\//u, "$1-"), file, test: test.join(" > ") }
}

const listed = async (path: string): Promise<ReadonlyArray<PlantedFault>> => {
  const { faults }: { readonly faults: ReadonlyArray<Fault> } = await import(pathToFileURL(resolve(root, path)).href)
  const beside = `${posix.basename(path, ".faults.ts")}.ts`
  return faults.map((fault) => ({
    ...fault,
    caughtBy: namedTest(fault.caughtBy),
    edits: fault.edits.map((edit) => ({ ...edit, file: posix.join(posix.dirname(path), edit.file ?? beside) }))
  }))
}

const lists = files("packages/{*,storage/*,connectors/*}/src/**/*.faults.ts")

export const faults: ReadonlyArray<PlantedFault> = (await Promise.all(lists.map(({ path }) => listed(path)))).flat()

/** The file of an edit, as the path of a loaded module. */
export const pathOf = ({ file }: PlantedFault["edits"][number]): string => resolve(root, file)

/** The text of a file, by its absolute path, with the fault in it; `undefined` where it does not touch the file. */
export const plantedText = ({ edits, name }: PlantedFault, path: string, text: string): string | undefined =>
  edits
    .filter((edit) => pathOf(edit) === resolve(path))
    .reduce<string | undefined>((planted, edit) => {
      try {
        return edited(planted ?? text, edit)
      } catch (cause) {
        throw new Error(`"${name}" cannot be planted into ${edit.file}: ${(cause as Error).message}`)
      }
    }, undefined)

/** A fault that is not planted must not look like a test that caught nothing. */
export const assertPlantable = (fault: PlantedFault): void => {
  for (const path of new Set(fault.edits.map(pathOf))) {
    const text = readFileSync(path, "utf8")
    if (plantedText(fault, path, text) === text) throw new Error(`"${fault.name}" changes nothing in ${path}`)
  }
}
