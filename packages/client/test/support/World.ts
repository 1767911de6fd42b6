/** Clients of a server that runs over SQLite, with a proxy between them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { startHere } from "../../../server/test/support/CommandInProcess.ts"
import { type Client, type ClientSettings, createClient } from "../../src/index.ts"
import { type FaultyProxy, startProxy } from "./FaultyProxy.ts"

export interface World {
  readonly client: Client
  readonly proxy: FaultyProxy
  /** Of the server, without the proxy. */
  readonly direct: Client
}

/** One server for all tests of a file, from its first test to its last. */
export const serverOfFile = () => {
  const server = { url: "", apiKey: "" }
  let end = async () => {}
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pointsman-client-"))
    const running = startHere(folder, ["serve"], { PORT: "0" })
    end = async () => {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    server.url = (await running.printed(/^Pointsman listens on (\S+)\n/mu))[1] ?? ""
    server.apiKey = /ps_test_[0-9A-Za-z]{38}/u.exec(running.stdout())?.[0] ?? ""
  })
  afterAll(() => end())
  return {
    settings: server,
    world: async (settings: Partial<ClientSettings> = {}): Promise<World> => {
      const proxy = await startProxy(server.url)
      return { client: createClient({ ...server, url: proxy.url, ...settings }), proxy, direct: createClient(server) }
    }
  }
}
