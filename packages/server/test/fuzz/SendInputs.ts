/** Sends generated inputs, each of which is judged, to one receiver after another. */
import * as fc from "fast-check"
import { judge, type Receiver, withoutRejections } from "./Judge.ts"

export interface Sending<Input> {
  readonly inputs: fc.Arbitrary<Input>
  readonly seed: number
  readonly numRuns: number
  readonly open: () => Promise<Receiver<Input>>
  /** Then a new receiver takes its place: what inputs change is used up, or grows slow. */
  readonly inputsPerReceiver: number
  /** In milliseconds of the processor. */
  readonly budget?: ((input: Input) => number) | undefined
}

/** Gives how many were accepted. */
export const sendInputs = async <Input>({
  budget,
  inputs,
  inputsPerReceiver,
  numRuns,
  open,
  seed
}: Sending<Input>): Promise<number> => {
  let receiver = await open()
  let sent = 0
  let accepted = 0
  await withoutRejections(() =>
    fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        if (++sent % inputsPerReceiver === 0) {
          await receiver.close()
          receiver = await open()
        }
        const { status } = await judge(receiver, input, open, budget?.(input))
        if (status >= 200 && status < 400) accepted++
      }),
      // Making an input of 20,000 characters shorter would take longer than all the others.
      { seed, numRuns, endOnFailure: true }
    )
  ).finally(() => receiver.close())
  return accepted
}
