import { Effect } from "effect"
import type { Transport } from "../ports/Transport.ts"

/** For what reads and checks: a request to a provider would be a mistake of ours. */
export const sendsNothing: Transport["Service"] = { send: () => Effect.die("nothing is sent from here") }
