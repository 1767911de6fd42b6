import type { Applied } from "../decide/Applied.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { LearnedRates } from "../routing/run/LearnedRates.ts"

/** Counts how attempts ended by a statement that is written. `book`: as it was before. */
export const learnFrom = (
  learned: LearnedRates["Service"],
  { attempts, payment }: PaymentBook,
  applied: Applied,
  now: number
): void => {
  for (const attempt of applied.attempts) {
    learned.learn(payment, attempts.find(({ id }) => id === attempt.id)?.outcome ?? null, attempt, now)
  }
}
