/** The guide to the console, and the pictures beside it. */
import { fileURLToPath } from "node:url"

export const guide = fileURLToPath(new URL("../../../../docs/guides/console.md", import.meta.url))
export const folderOfPictures = fileURLToPath(new URL("../../../../docs/guides/console", import.meta.url))
