/** The guides that show the console, and the pictures beside them. */
import { fileURLToPath } from "node:url"

export const guides = ["console", "disputes", "finance", "reconcile"].map((name) =>
  fileURLToPath(new URL(`../../../../docs/guides/${name}.md`, import.meta.url))
)
export const folderOfPictures = fileURLToPath(new URL("../../../../docs/guides/console", import.meta.url))
