import type { Transport } from "@pointsman/core/ports"
import { Effect } from "effect"

/** For what reads and checks: a request to a provider would be a mistake of ours. */
export const sendsNothing: Transport["Service"] = { send: () => Effect.die("nothing is sent from here") }
