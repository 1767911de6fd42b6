/** What those write who are not the payment's provider: another connection in its own name, or a stranger in its name. */
import type { ChargeState } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import type { Asking } from "./Asked.ts"
import type { Draw } from "./Draw.ts"
import type { Taken } from "./Mail.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import { type Filed, secretHeader, writeProviderMessage } from "./ProviderMail.ts"
import { short } from "./Words.ts"
import { messageSecretOf, type World } from "./World.ts"

export const makeLiars = ({ provider, time }: World, { ask, wrong }: Asking) => {
  /** What other connections wrote, as far as it was taken. */
  const lies = new Map<Filed, Taken>()
  let liesTold = 0

  const lie = (draw: Draw, process: MortalProcess) => {
    const charge = draw.one([...provider.charges.values()])
    if (charge === undefined) return
    const { attemptId, connectionId, money, providerRef } = charge
    const isStranger = draw.chance(0.3)
    const [role, environment] = connectionId.split("-", 2)
    const liar = isStranger ? connectionId : `${role === "main" ? "backup" : "main"}-${environment}`
    const state = draw.pick<ChargeState>([
      { _tag: "Captured", providerRef, stated: money },
      { _tag: "Canceled", providerRef }
    ])
    liesTold += 1
    const id = `lie_${liesTold}`
    const body = writeProviderMessage({
      id,
      at: time.now(),
      about: { _tag: "Charge", charge: { attemptId }, state: () => state }
    })
    const from = time.now()
    const headers = { [secretHeader]: isStranger ? "psst" : messageSecretOf(liar) }
    const what = `${isStranger ? "a stranger" : liar} claims that the charge of ${short(charge.paymentId)} is ${state._tag}`
    ask(
      process,
      what,
      (it) => Effect.flatMap(it.verifyMessage({ connectionId: liar, headers, body }), it.recordMessage),
      (exit) => {
        if (!Exit.isSuccess(exit)) return
        if (isStranger) wrong.push(`${what}, and was believed`)
        else lies.set({ connectionId: liar, id, storedAs: "unmatched" }, { from, to: time.now() })
      }
    )
  }

  return { lies, lie }
}
