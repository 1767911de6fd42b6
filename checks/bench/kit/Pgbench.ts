/**
 * PostgreSQL's own load generator, with the two statements of a create. Each parameter is a parameter there too; ids are
 * made by the server of an integer that each client counts up.
 */
import { execFile } from "node:child_process"
import { existsSync, globSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { planning } from "../../../packages/storage/postgres/src/Database.ts"
import type { CreateStatements, Parameter } from "./CreateStatements.ts"

/** On PATH, or where Debian keeps it; the newest one. */
export const findPgbench = (): string | undefined =>
  [
    ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "pgbench")),
    ...globSync("/usr/lib/postgresql/*/bin/pgbench").toSorted().toReversed()
  ].find((path) => existsSync(path))

export interface Pgbench {
  /** Flows per second. */
  readonly run: (seconds: number) => Promise<number>
}

/** Besides what is measured: its clients connect and prepare meanwhile. */
const warmupSeconds = 1
/** Greater than the number of clients, so that no two make the same id. */
const maxClients = 64

export const openPgbench = (
  binary: string,
  options: {
    readonly url: string
    readonly clients: number
    readonly statements: CreateStatements
    readonly folder: string
  }
): Pgbench => {
  const { constants, script } = scriptOf(options.statements)
  const path = join(options.folder, "create.pgbench")
  writeFileSync(path, script)
  let runs = 0
  return {
    run: async (seconds) => {
      const whole = Math.max(1, Math.round(seconds))
      const flags = ["-n", "-M", "prepared", "-f", path, "-c", String(options.clients), "-j", "2", "-P", "1"]
      // Behind the ids of the run before, and behind those that the library wrote.
      const first = Math.round(Date.now() / maxClients) + ++runs * 100_000_000
      const variables = [...constants, ["n", String(first)] as const].flatMap(([name, value]) => [
        "-D",
        `${name}=${value}`
      ])
      const { stderr } = await promisify(execFile)(
        binary,
        [...flags, "-T", String(whole + warmupSeconds), ...variables, options.url],
        {
          env: {
            ...process.env,
            PGOPTIONS: Object.entries(planning)
              .map(([name, value]) => `-c ${name}=${value}`)
              .join(" ")
          }
        }
      )
      const perSecond = [...stderr.matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)].map((found) => Number(found[1]))
      const measured = perSecond.slice(warmupSeconds)
      if (measured.length === 0) throw new Error(`pgbench said nothing of its speed:\n${stderr}`)
      return measured.reduce((sum, one) => sum + one, 0) / measured.length
    }
  }
}

const scriptOf = ({ places, statements }: CreateStatements) => {
  const constants = new Map<string, string>()
  const constant = (value: string): string => {
    const name = constants.get(value) ?? `c${constants.size}`
    constants.set(value, name)
    return `:${name}`
  }
  const written = (parameter: Parameter): string => {
    if (parameter === null) return "null"
    // pgbench takes no empty variable.
    if (parameter === "") return "''"
    if (typeof parameter === "string") return constant(parameter)
    const parts = parameter.texts.flatMap((text, index) => {
      const place = parameter.ids[index]
      const id = place === undefined ? [] : [idExpression(place, places[place] === "chance")]
      return [...(text === "" ? [] : [`${constant(text)}::text`]), ...id]
    })
    return `(${parts.join(" || ")})`
  }
  const lines = statements.flatMap(({ draws, params, sql }) => [
    ...draws.map((place) => `\\set id${place} (:n + ${place}) * ${maxClients} + :client_id`),
    `${sql.replaceAll(/\$(\d+)/g, (_, number) => written(params[Number(number) - 1] ?? null))};`
  ])
  const script = [...lines, `\\set n :n + ${places.length}`, ""].join("\n")
  return { constants: [...constants].map(([value, name]) => [name, value] as const), script }
}

/**
 * An id of the same length as the library's. It begins with the number as if that were its milliseconds, so that event
 * ids follow one another as they do there.
 */
const idExpression = (place: number, isChance: boolean): string => {
  if (isChance) return `md5((:id${place}::bigint)::text)::uuid::text`
  const digits = `lpad(to_hex(:id${place}::bigint), 12, '0')`
  return `substr(${digits}, 1, 8) || '-' || substr(${digits}, 9) || '-7000-8000-' || ${digits}`
}
