/**
 * The two statements of a create, as the library sends them: recorded of real creates, and told as texts with places for
 * ids, so that others can send them again for payments of their own.
 */
import { randomUUID } from "node:crypto"
import { Pointsman } from "@pointsman/core"
import { Ledger } from "@pointsman/core/ports"
import * as PostgresStorage from "@pointsman/storage-postgres"
import { Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { type Database, open } from "../../../packages/storage/postgres/src/Database.ts"
import { make as makeLedger } from "../../../packages/storage/postgres/src/Ledger.ts"
import { bindValue } from "../../../packages/storage/postgres/src/Rows.ts"
import { caller, worldLayer } from "../World.ts"
import { createRequest } from "./CreateRequest.ts"

/** Of one parameter: a fixed value, or texts between ids. `texts` is one longer than `ids`, which name places. */
export type Parameter = string | null | { readonly texts: ReadonlyArray<string>; readonly ids: ReadonlyArray<number> }

export interface RecordedStatement {
  readonly sql: string
  readonly params: ReadonlyArray<Parameter>
  /** The places whose ids are drawn for this statement; the second one goes on with those of the first. */
  readonly draws: ReadonlyArray<number>
}

export interface CreateStatements {
  readonly statements: readonly [claim: RecordedStatement, settle: RecordedStatement]
  /** For each place, whether its id is one of chance alone (version 4) or begins with the time (version 7). */
  readonly places: ReadonlyArray<"chance" | "time">
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Makes a payment in the database, which becomes one of the library's. */
export const recordCreate = async (url: string): Promise<CreateStatements> => {
  const asked: Array<readonly [string, ReadonlyArray<string | null>]> = []
  const runtime = ManagedRuntime.make(worldLayer(recordingStorage(url, (sql, params) => asked.push([sql, params]))))
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    await runtime.runPromise(pointsman.create(caller, createRequest("order-1")))
    asked.length = 0
    await runtime.runPromise(pointsman.create(caller, createRequest("order-1")))
  } finally {
    await runtime.dispose()
  }
  const { places, statements } = toldWithPlaces(asked)
  const [claim, settle, ...others] = statements
  if (claim === undefined || settle === undefined || others.length > 0) {
    throw new Error(`a create is two statements, and not ${asked.length}`)
  }
  return { places, statements: [claim, settle] }
}

const recordingStorage = (url: string, onAsked: (sql: string, params: ReadonlyArray<string | null>) => void) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const options = { url: Redacted.make(url), allowAsyncCommit: true }
      const built = yield* Layer.build(PostgresStorage.layer(options))
      const db = yield* open(options)
      const recording: Database = {
        ...db,
        write: (operation, sql, params = []) => {
          onAsked(sql, params.map(bindValue))
          return db.write(operation, sql, params)
        }
      }
      return Context.add(built, Ledger, yield* makeLedger(recording))
    })
  )

const toldWithPlaces = (asked: ReadonlyArray<readonly [string, ReadonlyArray<string | null>]>) => {
  const found: Array<string> = []
  const statements = asked.map(([sql, params]): RecordedStatement => {
    const before = found.length
    const told = params.map((param): Parameter => {
      const ids = param?.match(uuid) ?? []
      if (param === null || ids.length === 0) return param
      for (const id of ids) if (!found.includes(id)) found.push(id)
      return { texts: param.split(uuid), ids: ids.map((id) => found.indexOf(id)) }
    })
    return { sql, params: told, draws: found.slice(before).map((_, index) => before + index) }
  })
  return { statements, places: found.map((id) => (id[14] === "4" ? ("chance" as const) : ("time" as const))) }
}

/** Ids that follow one another, as those of one process do. */
let count = 0
const timeId = (): string => {
  const millis = Date.now().toString(16).padStart(12, "0")
  const number = (++count % 2 ** 36).toString(16).padStart(9, "0")
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7${number.slice(0, 3)}-8${number.slice(3, 6)}-${number.slice(6)}000000000`
}

/** What is to be sent for one more payment: a statement's parameters, asked for when it is sent. */
export const nextFlow = ({ places }: CreateStatements) => {
  const ids: Array<string> = []
  return ({ draws, params }: RecordedStatement): ReadonlyArray<string | null> => {
    for (const place of draws) ids[place] = places[place] === "chance" ? randomUUID() : timeId()
    return params.map((param) => {
      if (param === null || typeof param === "string") return param
      let text = param.texts[0] ?? ""
      for (let index = 0; index < param.ids.length; index++) {
        text += `${ids[param.ids[index] ?? 0]}${param.texts[index + 1]}`
      }
      return text
    })
  }
}
