/**
 * An archive in a folder of a file system.
 *
 * An object is written under a temporary name and renamed once it is on the disk. Its folder is synchronized after the
 * rename, so that the name is on the disk as well.
 */
import { constants, createReadStream } from "node:fs"
import { access, mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"
import type { ArchiveStore } from "./ArchiveStore.ts"

/** What a process that died while it wrote leaves behind begins so: it is no part of the archive. */
const temporary = ".writing-"

export const folderStore = (path: string): ArchiveStore => {
  const folder = resolve(path)
  const pathOf = (name: string) => join(folder, ...name.split("/"))
  return {
    location: folder,
    put: async (name, bytes, signal) => {
      const target = pathOf(name)
      await makeFolder(dirname(target))
      const own = await mkdtemp(join(folder, temporary))
      try {
        const written = join(own, "object")
        await writeDurably(written, bytes, signal)
        await rename(written, target)
        await synchronize(dirname(target))
      } finally {
        await rm(own, { recursive: true, force: true })
      }
    },
    get: async (name, signal) => {
      const file = pathOf(name)
      try {
        await access(file, constants.R_OK)
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined
        throw error
      }
      return createReadStream(file, { signal })
    },
    names: async function* (name, after) {
      for (const entry of await entriesOf(pathOf(name))) {
        if (entry.isFile() && (after === undefined || name + entry.name > after)) yield name + entry.name
      }
    },
    folders: async (name) =>
      (await entriesOf(pathOf(name))).filter((entry) => entry.isDirectory()).map((entry) => entry.name),
    reach: () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
    reasonOf: (error) => {
      const code = codeOf(error)
      return code === undefined ? "the folder could not be used" : (reasons[code] ?? code)
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied (EACCES)",
  EDQUOT: "the disk quota is used up (EDQUOT)",
  ENOENT: "the folder does not exist (ENOENT)",
  ENOSPC: "the disk is full (ENOSPC)",
  ENOTDIR: "a part of the path is not a folder (ENOTDIR)",
  EPERM: "permission denied (EPERM)",
  EROFS: "the file system is read-only (EROFS)"
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** The name of each new folder is made durable in the one above it. */
const makeFolder = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await synchronize(dirname(made))
}

const writeDurably = async (path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(bytes, { signal })
    await file.sync()
  } finally {
    await file.close()
  }
}

const synchronize = async (path: string): Promise<void> => {
  // Windows does not open a folder.
  if (sep === "\\") return
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Sorted by name; none of a folder that does not exist. */
const entriesOf = async (path: string) => {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter(({ name }) => !name.startsWith("."))
      .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw error
  }
}
