/** What our packages publish: each door of their `exports`, and the source file behind it. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const manifests = ["packages/*/package.json", "packages/storage/*/package.json", "packages/connectors/*/package.json"]

export const doors = () =>
  globSync(manifests, { cwd: root })
    .toSorted()
    .flatMap((path) => {
      const { name, exports } = JSON.parse(readFileSync(join(root, path), "utf8"))
      return Object.entries(exports ?? {}).flatMap(([door, targets]) => {
        const source = targets["@pointsman/source"]
        const file = source === undefined ? undefined : join(root, dirname(path), source)
        return file !== undefined && existsSync(file) ? [{ name: join(name, door), file }] : []
      })
    })
