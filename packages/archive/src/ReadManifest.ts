import type { ArchiveManifest } from "@pointsman/core/ports"
import { parseManifest } from "./ArchiveManifests.ts"
import type { ArchiveStore } from "./ArchiveStore.ts"

/** Some hundred times a manifest with the sums of every currency, in bytes. */
const longestManifest = 1024 * 1024

export const readManifest = async (
  store: ArchiveStore,
  name: string,
  signal: AbortSignal
): Promise<ArchiveManifest | "missing" | "malformed"> => {
  const source = await store.get(name, signal)
  if (source === undefined) return "missing"
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > longestManifest) return "malformed"
  }
  return parseManifest(Buffer.concat(chunks).toString("utf8")) ?? "malformed"
}
