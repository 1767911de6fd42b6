/** `@pointsman/node/sandbox`: the provider simulator. */
import { sandbox as open } from "@pointsman/connector-sandbox"
import type { Connector } from "./Settings.ts"

/**
 * The connector `sandbox`. `recordsFile`: where the simulated provider keeps what it executed, in a SQLite file of its
 * own; name one wherever payments outlive the process, or the simulator will not know them again after a restart. In
 * memory unless named.
 */
export const sandbox: (recordsFile?: string) => Connector = open
