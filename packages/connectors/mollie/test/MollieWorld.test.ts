/** `POINTSMAN_MOLLIE_SEEDS` sets how many worlds, and `POINTSMAN_MOLLIE_SEED` runs one again. */
import { MollieConnector } from "@pointsman/connector-mollie"
import { worldSuite } from "@pointsman/contracts/connector"
import * as MemoryStorage from "@pointsman/storage-memory"
import { apiKey } from "./Mollie.ts"
import { openMollie, refundedOf, takenOf } from "./World.ts"

const { POINTSMAN_MOLLIE_SEED: one, POINTSMAN_MOLLIE_SEEDS: count = "8" } = process.env

worldSuite({
  definition: MollieConnector.definition,
  credentials: { apiKey, webhookUrl: "https://shop.example/api/v1/psp-webhooks/mollie" },
  webhookSecret: null,
  instrument: "cst_1/mdt_1",
  open: (random) => {
    const { books, sendAgain, takeMail, ...mollie } = openMollie(random)
    return {
      ...mollie,
      takeMail: () => {
        const text = takeMail()
        return text === undefined ? undefined : { headers: {}, body: new TextEncoder().encode(text) }
      },
      sendAgain: ({ body }) => sendAgain(new TextDecoder().decode(body)),
      books: () =>
        [...books.values()].map((book) => ({
          attemptId: book.attemptId,
          taken: takenOf(book),
          refunded: refundedOf(book),
          isChargedBack: book.chargebacks.length > 0
        }))
    }
  },
  storage: MemoryStorage.layer(),
  seeds: { one, count },
  concludesAbsence: true
})
