/**
 * Routing decisions as they are stored: values by their places instead of their names, without those at the end that most
 * payments have. A decision with a field that has no place here is stored as it is, and so were all in the past.
 */
import type {
  CandidateRates,
  Fee,
  KnownRate,
  RouteValue,
  RoutingAttempt,
  RoutingCandidate,
  RoutingDecision,
  RoutingGiven,
  RoutingMode
} from "@pointsman/core"
import { idOf, shortId } from "./ShortText.ts"

type Values = ReadonlyArray<unknown>

/** A stored decision; the former form is an object. */
export type StoredDecision = RoutingDecision | Values

interface Place<A> {
  readonly name: keyof A & string
  /** What is left out at the end; `undefined` for a field that may be absent. */
  readonly usual: unknown
}

/** Only added to at the end: the places of stored decisions stay. */
const candidatePlaces: ReadonlyArray<Place<RoutingCandidate>> = [
  { name: "connectionId", usual: null },
  { name: "name", usual: null },
  { name: "priority", usual: null },
  { name: "score", usual: null },
  { name: "rates", usual: null },
  { name: "value", usual: undefined }
]
const valuePlaces: ReadonlyArray<Place<RouteValue>> = [
  { name: "approvalPpm", usual: null },
  { name: "fee", usual: null },
  { name: "expectedMicros", usual: null }
]
const feePlaces: ReadonlyArray<Place<Fee>> = [
  { name: "feeMinor", usual: null },
  { name: "rule", usual: null }
]
const attemptPlaces: ReadonlyArray<Place<RoutingAttempt>> = [
  { name: "attemptId", usual: null },
  { name: "connectionId", usual: null },
  { name: "outcome", usual: null },
  { name: "code", usual: null },
  { name: "decline", usual: undefined }
]
const givenPlaces: ReadonlyArray<Place<RoutingGiven>> = [
  { name: "merchantCountry", usual: null },
  { name: "merchantCategory", usual: null },
  { name: "instruments", usual: null },
  { name: "unable", usual: [] },
  { name: "circuits", usual: [] }
]
/** In the derived form, the second place has the number of a candidate, and most attempts captured. */
const derivedAttemptPlaces = attemptPlaces.map((place) =>
  place.name === "outcome" ? { ...place, usual: "Captured" } : place
)
/** In the derived form, the number of a mode is its place here. Only added to at the end. */
const modes = ["fixed", "priority", "failover", "auto"] as const satisfies ReadonlyArray<RoutingMode>
const decisionPlaces: ReadonlyArray<Place<RoutingDecision>> = [
  { name: "mode", usual: null },
  { name: "maxAttempts", usual: null },
  { name: "candidates", usual: [] },
  { name: "attempts", usual: [] },
  { name: "given", usual: [] },
  { name: "path", usual: "engine" },
  { name: "strategy", usual: "priority" },
  { name: "rule", usual: null },
  { name: "eligibilityVersion", usual: "1" },
  { name: "degraded", usual: false },
  { name: "draws", usual: [] },
  { name: "note", usual: null },
  { name: "excluded", usual: [] },
  { name: "skipped", usual: undefined },
  { name: "maxApprovalLossPpm", usual: undefined }
]

/** `undefined` for a record with other fields than the places have. */
const placed = <A extends object>(places: ReadonlyArray<Place<A>>, record: A): Values | undefined => {
  let found = 0
  const values = places.map(({ name, usual }) => {
    if (!(name in record)) return usual === undefined ? undefined : missing
    found++
    return record[name]
  })
  if (values.includes(missing) || found !== Object.keys(record).length) return undefined
  let length = values.length
  while (length > 0 && isUsual(values[length - 1], places[length - 1]?.usual)) length--
  return values.slice(0, length)
}

const missing = Symbol("missing")

const isUsual = (value: unknown, usual: unknown): boolean =>
  value === usual || (Array.isArray(value) && Array.isArray(usual) && value.length === 0)

const named = <A>(places: ReadonlyArray<Place<A>>, values: Values): A => {
  const record: Record<string, unknown> = {}
  for (const [index, { name, usual }] of places.entries()) {
    const value = index < values.length ? values[index] : usual
    // JSON has no `undefined`: a place before others holds `null` for an absent field.
    if (value !== undefined && !(usual === undefined && value === null)) record[name] = value
  }
  return record as A
}

const placedAll = <A extends object>(
  places: ReadonlyArray<Place<A>>,
  records: ReadonlyArray<A>
): ReadonlyArray<Values> | undefined => {
  const all: Array<Values> = []
  for (const record of records) {
    const values = placed(places, record)
    if (values === undefined) return undefined
    all.push(values)
  }
  return all
}

export const shortAttempts = (attempts: ReadonlyArray<RoutingAttempt>) =>
  placedAll(attemptPlaces, attempts)?.map(([id, ...rest]) => [shortId(attemptPrefix, id as string), ...rest])

export const attemptsOf = (short: ReadonlyArray<Values>): ReadonlyArray<RoutingAttempt> =>
  short.map(([id, ...rest]) => named(attemptPlaces, [idOf(attemptPrefix, id as string), ...rest]))

const attemptPrefix = "att_"

const shortCandidates = (candidates: ReadonlyArray<RoutingCandidate>): ReadonlyArray<Values> | undefined => {
  const all: Array<RoutingCandidate> = []
  for (const candidate of candidates) {
    if (candidate.value === undefined) {
      all.push(candidate)
      continue
    }
    const fee = candidate.value.fee === null ? null : placed(feePlaces, candidate.value.fee)
    const value = fee === undefined ? undefined : placed(valuePlaces, { ...candidate.value, fee: fee as Fee | null })
    if (value === undefined) return undefined
    const rates = candidate.rates === null ? null : (shortRates(candidate.rates) as unknown as CandidateRates)
    all.push({ ...candidate, rates, value: value as unknown as RouteValue })
  }
  return placedAll(candidatePlaces, all)
}

const candidateOf = (short: Values): RoutingCandidate => {
  const candidate = named(candidatePlaces, short)
  if (candidate.value === undefined) return candidate
  const value = named(valuePlaces, candidate.value as unknown as Values)
  const fee = value.fee === null ? null : named(feePlaces, value.fee as unknown as Values)
  const rates = candidate.rates === null ? null : ratesFrom(candidate.rates)
  return { ...candidate, rates, value: { ...value, fee } }
}

/**
 * Each rate with what is remembered of it as an array: of the long weights, then of the short ones unless they are those of
 * the rate, as they are until the rate is found to have changed.
 */
const shortRates = (rates: CandidateRates) => ({
  connection: shortRate(rates.connection),
  segment: shortRate(rates.segment)
})

const shortRate = ({ memory, ...rate }: KnownRate) => {
  if (memory === undefined) return rate
  const { long, short } = memory
  const isRate = short.succeeded === rate.succeeded && short.failed === rate.failed
  return { ...rate, memory: [long, ...(isRate ? [] : [short])].flatMap(({ failed, succeeded }) => [succeeded, failed]) }
}

const ratesFrom = (rates: CandidateRates): CandidateRates => ({
  connection: rateFrom(rates.connection),
  segment: rateFrom(rates.segment)
})

const rateFrom = ({ memory, ...rate }: KnownRate): KnownRate => {
  if (!Array.isArray(memory)) return memory === undefined ? rate : { ...rate, memory }
  const [longSucceeded, longFailed, succeeded = rate.succeeded, failed = rate.failed] = memory as ReadonlyArray<number>
  const long = { succeeded: longSucceeded ?? 0, failed: longFailed ?? 0 }
  return { ...rate, memory: { short: { succeeded, failed }, long } }
}

/** `undefined` where one is at a connection that is not among the candidates, or has other fields. */
const derivedAttempts = ({ attempts, candidates }: RoutingDecision): ReadonlyArray<Values> | undefined => {
  const numbers = attempts.map((attempt) =>
    candidates.findIndex(({ connectionId }) => connectionId === attempt.connectionId)
  )
  if (numbers.includes(-1)) return undefined
  return placedAll(derivedAttemptPlaces, attempts)?.map(([id, _connection, ...rest], index) => [
    shortId(attemptPrefix, id as string),
    numbers[index],
    ...rest
  ])
}

const attemptFrom = (short: Values, candidates: ReadonlyArray<RoutingCandidate>): RoutingAttempt => {
  const [id, connection, ...rest] = short
  const attemptId = idOf(attemptPrefix, id as string)
  return typeof connection === "number"
    ? named(derivedAttemptPlaces, [attemptId, candidates[connection]?.connectionId, ...rest])
    : named(attemptPlaces, [attemptId, connection, ...rest])
}

const modeOf = (stored: RoutingMode | number): RoutingMode => {
  const mode = typeof stored === "number" ? modes[stored] : stored
  if (mode === undefined) throw new Error(`Ledger: unknown routing mode ${stored}`)
  return mode
}

/** `isDerived`: see `Owner`. */
export const shortDecision = (decision: RoutingDecision, isDerived = false): StoredDecision => {
  if (!Array.isArray(decision.candidates) || decision.given === undefined) return decision
  const candidates = shortCandidates(decision.candidates)
  const attempts = (isDerived ? derivedAttempts(decision) : undefined) ?? shortAttempts(decision.attempts)
  const given = placed(givenPlaces, decision.given)
  if (candidates === undefined || attempts === undefined || given === undefined) return decision
  const mode = isDerived ? modes.indexOf(decision.mode) : decision.mode
  const short = { ...decision, mode, candidates, attempts, given }
  return placed(decisionPlaces as unknown as ReadonlyArray<Place<typeof short>>, short) ?? decision
}

/** Whether it is in the derived form, whose mode is a number. */
export const isDerivedDecision = (stored: StoredDecision | null): boolean =>
  Array.isArray(stored) && typeof stored[0] === "number"

export const decisionOf = (stored: StoredDecision | null): RoutingDecision | null => {
  if (!Array.isArray(stored)) return stored as RoutingDecision | null
  const short = named(decisionPlaces, stored as Values)
  const candidates = (short.candidates as unknown as ReadonlyArray<Values>).map(candidateOf)
  return {
    ...short,
    mode: modeOf(short.mode as RoutingMode | number),
    candidates,
    attempts: (short.attempts as unknown as ReadonlyArray<Values>).map((one) => attemptFrom(one, candidates)),
    given: named(givenPlaces, short.given as unknown as Values)
  }
}
