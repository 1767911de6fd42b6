/** Blocks in handwritten pages that are made from the code. */

const opening = /^<!-- generated: ([\w-]+) -->$/
const closing = "<!-- /generated -->"

/** The page with its blocks as they should be, or `undefined` when it has none. Throws on a block it cannot fill. */
export const withBlocks = (
  path: string,
  page: string,
  blocks: Readonly<Record<string, () => string>>
): string | undefined => {
  const lines = page.split("\n")
  const after: Array<string> = []
  let open: string | undefined
  let found = false
  for (const line of lines) {
    const name = opening.exec(line)?.[1]
    if (name !== undefined) {
      if (open !== undefined) throw new Error(`${path}: the block ${name} begins inside the block ${open}`)
      const block = blocks[name]
      if (block === undefined) throw new Error(`${path}: nothing generates a block named ${name}`)
      open = name
      found = true
      after.push(line, "", block().trim(), "")
    } else if (line === closing) {
      if (open === undefined) throw new Error(`${path}: a block ends that did not begin`)
      open = undefined
      after.push(line)
    } else if (open === undefined) after.push(line)
  }
  if (open !== undefined) throw new Error(`${path}: the block ${open} has no ${closing}`)
  return found ? after.join("\n") : undefined
}
