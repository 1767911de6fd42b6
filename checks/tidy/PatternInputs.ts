/**
 * Texts on which a regular expression may take longer than its input is long, made of its own parts: a repeated unit
 * behind every prefix that the pattern requires, with and without a character at the end that breaks the match.
 */

interface Atom {
  readonly kind: "atom"
  readonly source: string
}

interface Group {
  readonly kind: "group"
  /** Empty for a lookaround, which consumes nothing. */
  readonly consumed: ReadonlyArray<ReadonlyArray<Term>>
  readonly alternatives: ReadonlyArray<ReadonlyArray<Term>>
}

interface Term {
  readonly node: Atom | Group
  readonly min: number
  readonly max: number
}

const anchor = /[\^$]|\\[bB]/uy
const groupStart = /\((?:\?(?:[:=!]|<[=!]|<[\w$]+>))?/uy
const atom =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|k<[^>]*>|c[A-Za-z]|.)|./suy
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/uy

const bounds = (text: string): Pick<Term, "min" | "max"> => {
  if (text === "") return { min: 1, max: 1 }
  if (!text.startsWith("{")) return { min: text.startsWith("+") ? 1 : 0, max: text.startsWith("?") ? 1 : Infinity }
  const [min = "", max] = text.replace(/[{}?]/gu, "").split(",")
  return { min: Number(min), max: max === undefined ? Number(min) : max === "" ? Infinity : Number(max) }
}

/** Reads the source of a valid regular expression. */
const parse = (source: string): ReadonlyArray<ReadonlyArray<Term>> => {
  let at = 0
  const take = (sticky: RegExp): string => {
    sticky.lastIndex = at
    const [text = ""] = sticky.exec(source) ?? []
    at += text.length
    return text
  }
  const alternatives = (): ReadonlyArray<ReadonlyArray<Term>> => {
    const all: Array<Array<Term>> = [[]]
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at++
        all.push([])
      } else if (take(anchor) === "") all.at(-1)?.push(term())
    }
    at++
    return all
  }
  const term = (): Term => {
    const start = take(groupStart)
    if (start === "") return { node: { kind: "atom", source: take(atom) }, ...bounds(take(quantifier)) }
    const inside = alternatives()
    const node: Group = { kind: "group", alternatives: inside, consumed: /[=!]$/u.test(start) ? [] : inside }
    return { node, ...bounds(take(quantifier)) }
  }
  return alternatives()
}

const atomsOf = (alternatives: Group["alternatives"]): ReadonlyArray<Atom> =>
  alternatives.flat().flatMap(({ node }) => (node.kind === "atom" ? [node] : atomsOf(node.alternatives)))

/** ASCII, and one of each kind of character that a class of Unicode may name. */
const candidates: ReadonlyArray<string> = [
  ..."aA0 -!xzZ19_.:/",
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ..."\u0085\u00a0\u0130\u017f\u00e9\u0663\u2013\u2028\u2029\u202e\u3000\ufeff\u212a",
  "\ud800",
  "\u{1f600}"
]

/**
 * One character of each kind: characters that the same atoms match are the same to the pattern. `breaker` is one that no
 * atom matches, where there is one.
 */
const characters = (atoms: ReadonlyArray<Atom>, flags: string) => {
  const patterns = [...new Set(atoms.map(({ source }) => source))]
    // A reference to a group stands for no character.
    .filter((source) => !/^\\(?:[1-9]|k<)/u.test(source))
    .map((source) => new RegExp(`^${source}$`, flags.replace(/[gy]/gu, "")))
  const ofKind = new Map<string, string>()
  const literals = atoms.map(({ source }) => source).filter((source) => [...source].length === 1)
  for (const character of [...literals, ...candidates]) {
    const kind = patterns.map((pattern) => (pattern.test(character) ? "1" : "0")).join("")
    if (!ofKind.has(kind)) ofKind.set(kind, character)
  }
  const none = "0".repeat(patterns.length)
  return {
    matched: [...ofKind].filter(([kind]) => kind !== none).map(([, character]) => character),
    breaker: ofKind.get(none)
  }
}

export interface Inputs {
  readonly units: ReadonlyArray<string>
  readonly prefixes: ReadonlyArray<string>
  readonly suffixes: ReadonlyArray<string>
}

/** Fewer repetitions than this cannot make a pattern slow by themselves. */
const manyTimes = 16

/** The shortest text that a pattern takes, or one with every optional part and the longest alternatives. */
const textOf = (characterOf: (source: string) => string, isFull: boolean) => {
  const times = (term: Term): string => once(term).repeat(isFull ? Math.max(term.min, 1) : term.min)
  const text = (terms: ReadonlyArray<Term>): string => terms.map(times).join("")
  const once = ({ node }: Term): string => {
    if (node.kind === "atom") return characterOf(node.source)
    const texts = node.consumed.map(text).toSorted((one, other) => one.length - other.length)
    return texts.at(isFull ? -1 : 0) ?? ""
  }
  return { times, text }
}

/** A unit is repeated between a prefix and a suffix. */
export const inputsOf = ({ flags, source }: RegExp): Inputs => {
  const pattern = parse(source)
  const { breaker = "\n", matched } = characters(atomsOf(pattern), flags)
  const characterOf = (text: string): string => {
    const single = new RegExp(`^${text}$`, flags.replace(/[gy]/gu, ""))
    return [...matched, ...candidates].find((character) => single.test(character)) ?? ""
  }
  const units = new Set<string>()
  const prefixes = new Set(["", breaker])
  for (const { text, times } of [textOf(characterOf, false), textOf(characterOf, true)]) {
    const walk = (terms: ReadonlyArray<Term>, before: string): void => {
      let prefix = before
      for (const term of terms) {
        if (term.max > manyTimes) {
          prefixes.add(prefix)
          if (term.node.kind === "group") for (const body of term.node.consumed) units.add(text(body))
        }
        if (term.node.kind === "group") for (const body of term.node.alternatives) walk(body, prefix)
        prefix += times(term)
      }
    }
    for (const terms of pattern) {
      walk(terms, "")
      units.add(text(terms))
    }
  }
  // What begins a match, again and again: each beginning may look at all that follows.
  for (const prefix of prefixes) for (const end of ["", breaker, " "]) units.add(prefix + end)
  const single = [...matched, breaker]
  for (const one of single) for (const other of single) units.add(one === other ? one : one + other)
  return { units: [...units].filter((unit) => unit !== ""), prefixes: [...prefixes], suffixes: ["", breaker] }
}
