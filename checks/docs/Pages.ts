/** The pages whose blocks are checked: the root's README, the guides and everything else in `docs`, and each package's README. */
import { files, type TextFile } from "../tidy/Files.ts"
import { type Block, blocksOf } from "./Blocks.ts"

const pages = (): ReadonlyArray<TextFile> => files("README.md", "docs/**/*.md", "packages/**/README.md")

export const blocks = (...languages: ReadonlyArray<string>): ReadonlyArray<Block> =>
  pages()
    .flatMap(({ path, text }) => blocksOf(path, text))
    .filter(({ language }) => languages.includes(language))
