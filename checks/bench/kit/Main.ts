/** What every program of the benches does around its work. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Machine, toldMachine, watchMachine } from "./Machine.ts"
import { openPostgres, type Postgres } from "./Postgres.ts"
import { endAll } from "./Side.ts"

/** Of the arguments, by their names: texts, with what each is unless set; `false`: a flag without a value. */
type Defaults = Readonly<Record<string, string | false>>
type Given<D extends Defaults> = { readonly [Name in keyof D]: D[Name] extends string ? string : boolean }

/** Ends by printing how the program is used. */
export class Misuse extends Error {}

export const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (value > 0) return value
  throw new Misuse(`--${name}: expected a number above 0`)
}

export interface Run {
  /** Empty, and gone after the run. */
  readonly folder: string
  /** A server that is stopped after the run. */
  readonly startPostgres: (settings?: Readonly<Record<string, string>>) => Promise<Postgres>
}

/** Gives the machine of the run, once every process has ended; `undefined` where the program only said how it is used. */
export const main = async <const D extends Defaults>(
  usage: string,
  defaults: D,
  work: (given: Given<D>, run: Run) => Promise<void>
): Promise<Machine | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      console.error(`ended by ${signal}`)
      endAll()
      removeFolder()
      process.exit(1)
    })
  }
  let postgres: Postgres | undefined
  const startPostgres: Run["startPostgres"] = async (settings) => {
    const found = await openPostgres(settings)
    if ("missing" in found) throw new Error(`There is no PostgreSQL here: ${found.missing}`)
    postgres = found
    return found
  }
  try {
    const flags = Object.entries<string | false>({ ...defaults, help: false })
    const { values } = parseArgs({
      options: Object.fromEntries(
        flags.map(([name, value]) => [name, { type: value === false ? "boolean" : "string", default: value }] as const)
      )
    })
    if (values["help"] === true) return void console.log(usage)
    const machine = watchMachine()
    if (machine.warning !== undefined) console.error(machine.warning)
    await work(values as Given<D>, { folder, startPostgres })
    endAll()
    await postgres?.stop()
    const ended = machine.end(postgres === undefined ? "none" : `${postgres.version} ${postgres.origin}`)
    console.log(toldMachine(ended))
    return ended
  } catch (cause) {
    endAll()
    await postgres?.stop()
    console.error(cause instanceof Misuse ? `${cause.message}\n\n${usage}` : cause)
    process.exitCode = 1
    return undefined
  } finally {
    removeFolder()
  }
}
