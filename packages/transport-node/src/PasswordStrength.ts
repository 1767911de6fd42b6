/**
 * How many guesses a password takes, by zxcvbn: it knows common passwords, words, dates, rows of keys, sequences and
 * repetitions, also as parts of a password and with letters replaced. Of the 10,000 most common passwords, only 24 have 12
 * characters or more: a comparison with such a list alone would refuse next to nothing.
 *
 * It is loaded when the first password is set: once some 100 ms of the processor, and 9 MB that stay.
 */
import { ZxcvbnFactory } from "@zxcvbn-ts/core"
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common"

const partsAtMost = 20_000
const wholeFrom = 12

/**
 * Of zxcvbn's 49,233 passwords, with the most common first: those that are likely parts of others, and those that are long
 * enough to be accepted as they are. A bundle has these alone.
 */
export const commonAmong = (passwords: ReadonlyArray<string>): Array<string> =>
  passwords.filter((password, index) => index < partsAtMost || password.length >= wholeFrom)

/** The time grows with the square of the length: 64 characters take up to 50 ms, and 256 would take 250. */
const maxLength = 64

/**
 * "Safely unguessable: moderate protection from offline slow-hash scenario", from 100 million guesses on
 * (https://github.com/dropbox/zxcvbn#usage).
 */
const scoreAtLeast = 3

const common = { passwords: commonAmong(dictionary["passwords-common"]), words: dictionary["diceware-common"] }
const estimator = new ZxcvbnFactory({ dictionary: common, graphs: adjacencyGraphs, maxLength })

/** `known`: what an attacker tries first, such as the login. */
export const isWeak = (password: string, known: ReadonlyArray<string>): boolean => {
  const words = known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  return estimator.check(password, ["pointsman", ...words.filter((word) => word !== "")]).score < scoreAtLeast
}
