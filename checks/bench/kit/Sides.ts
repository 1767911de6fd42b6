/** The sides, by what they are asked and what they answer. */

import type { ClientOrder } from "../sides/Client.ts"
import type { LibraryOrder, LibrarySettings } from "../sides/Library.ts"
import type { BareSettings } from "../sides/Pool.ts"
import type { ProxySettings } from "../sides/Proxy.ts"
import type { Load, Sample } from "./Load.ts"
import { type Side, startSide } from "./Side.ts"

export type Library = Side<LibraryOrder, Sample>

export const startLibrary = (settings: LibrarySettings): Promise<Library> => startSide("Library", settings)

export const startBare = (settings: BareSettings): Promise<Side<Load, Sample>> => startSide("Bare", settings)

export const startClient = (): Promise<Side<ClientOrder, Sample>> => startSide("Client", {})

/** A program that listens somewhere. */
export interface Listening {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

const listening = async (side: Side<null, string>): Promise<Listening> => ({
  url: await side.ask(null),
  pid: side.pid,
  stop: side.stop
})

/** The URL ends before the milliseconds that the provider takes. */
export const startProvider = async (): Promise<Listening> => listening(await startSide("Provider", {}))

export const startProxy = async (settings: ProxySettings): Promise<Listening> =>
  listening(await startSide("Proxy", settings))
