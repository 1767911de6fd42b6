/** Possible answers, as far as the contract says what they are. */
import { type Code, refusals } from "./Contract.ts"
import { type Name, type Pattern, Such } from "./Pattern.ts"

export interface Answer {
  readonly status: number
  readonly body: Pattern
  /** Whether `Idempotent-Replay: true` is there; `undefined` where it is not stated. */
  readonly replay: boolean | undefined
  /** Methods that the header `Allow` names. */
  readonly allow?: ReadonlyArray<string>
}

export interface Answered {
  readonly status: number
  readonly body: unknown
}

export interface Possibility {
  readonly answer: Answer
  /** What is so from then on, when this was the answer. */
  readonly so?: (answered: Answered) => void
}

export const anyText = new Such("a text", (value) => typeof value === "string" && value !== "")
export const versionOrNull = new Such("a version or null", (value) => value === null || anyText.holds(value))

export const success = (status: 200 | 201, body: Pattern): Possibility => ({ answer: { status, body, replay: false } })

export const refusal = (code: Code, more: Record<string, Pattern> = {}): Possibility => ({
  answer: {
    status: refusals[code],
    body: { error: mayNameField.has(code) ? namingField(code) : { code, message: anyText, ...more } },
    replay: false
  }
})

const mayNameField: ReadonlySet<Code> = new Set([
  "validation_error",
  "invalid_amount",
  "idempotency_key_required",
  "invalid_idempotency_key"
])

/** Which field is wrong is stated where it is one. */
const namingField = (code: Code): Pattern =>
  new Such(`the error ${code}`, (value) => {
    const { code: stated, message, param, ...more } = value as Readonly<Record<string, unknown>>
    const names = param === undefined || anyText.holds(param)
    return stated === code && anyText.holds(message) && names && Object.keys(more).length === 0
  })

/** One possibility for each code: more than one where several refusals hold and no order of them is given. */
export const refuse = (...codes: ReadonlyArray<Code>): ReadonlyArray<Possibility> => codes.map((code) => refusal(code))

/** The stored answer, word for word. Of create alone it is stated that a header marks it. */
export const replay = ({ body, status }: Answered, marked: true | undefined): Possibility => ({
  answer: { status, body: body as Pattern, replay: marked }
})

/** Where it is not stated whether the answer is marked as a replay. */
export const unmarked = ({ answer }: Possibility): Possibility => ({ answer: { ...answer, replay: undefined } })

/**
 * The page behind a cursor, the last id of the page before. What any other text does is not stated, so the generators
 * send none but ids of the caller's own.
 */
export const page = <Item extends { readonly id: Name }>(
  all: ReadonlyArray<Item>,
  isFound: (item: Item) => boolean,
  view: (item: Item) => Pattern,
  cursor: string | undefined,
  limit = "50"
): ReadonlyArray<Possibility> => {
  const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id.text === cursor) + 1
  const left = all.slice(start).filter(isFound)
  const items = left.slice(0, Number(limit))
  const hasMore = left.length > items.length
  const last = items.at(-1)
  return [success(200, { data: items.map(view), has_more: hasMore, next_cursor: hasMore && last ? last.id : null })]
}
