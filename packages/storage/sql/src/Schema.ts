/** The text of `schema.sql`. The build puts the file into the bundle in the place of this reading. */
import { readFileSync } from "node:fs"

const schema = readFileSync(new URL("./schema.sql", import.meta.url), "utf8")

const tenantColumns = `  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),`

/** `words`: what a database writes otherwise. */
export const schemaIn = (words: ReadonlyArray<readonly [RegExp, string]>): string =>
  words.reduce(
    (text, [pattern, own]) => text.replaceAll(pattern, own),
    schema.replaceAll(/^ {2}tenant,$/gmu, tenantColumns).replaceAll("(tenant", "(workspace_id, environment")
  )

/** Where the steps are recorded that a database has been given. */
export const migrationsTable = "pointsman_migrations"

/** The number of the last step. */
export const newestOf = (steps: Readonly<Record<string, unknown>>): number =>
  Math.max(...Object.keys(steps).map((name) => Number.parseInt(name, 10)))
