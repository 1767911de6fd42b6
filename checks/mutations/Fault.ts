import type { OutsideFault } from "@pointsman/contracts/simulator"

/**
 * What an edit replaces: each is named by a word, which is an identifier, a literal, or a path of properties such as
 * `loss.ended`.
 */
export interface Places {
  /** The innermost statement, case or import that mentions the word. */
  readonly statement: string
  /** The `if` whose condition mentions the word, with what it guards. */
  readonly if: string
  /** The condition of an `if`, a `?:` or a loop that mentions the word. */
  readonly condition: string
  /** The operand of `&&`, `||` or `??` that mentions the word. */
  readonly operand: string
  /** The call of this function or constructor, as `Math.max`. */
  readonly call: string
  /** The value of the property of this name, or the whole of a shorthand property. */
  readonly property: string
  /** The initial value of this constant or variable. */
  readonly const: string
  /** What a function returns that mentions the word. */
  readonly returned: string
  /** This text inside a string, a template or a regular expression: SQL, where syntax ends. */
  readonly text: string
}

/** Where an edit applies, and its replacement. It must match exactly one place: none or several are an error. */
export type Edit = {
  readonly [Place in keyof Places]: { readonly [_ in Place]: string }
}[keyof Places] & {
  /** Another file, from the folder of the list of faults. Without it: the file beside that list. */
  readonly file?: string
  /** The function, method, class, constant or property around it. Without it: anywhere in the file. */
  readonly in?: string
  /** Another word that the place mentions, where the first one is not enough. */
  readonly about?: string
  /** Code, in which `$` is the code that stood there. Nothing removes a statement. */
  readonly become: string
}

/** A fault that `X.faults.ts` plants into `X.ts`, and the test that must catch it. */
export interface Fault {
  readonly name: string
  /** What would go wrong with somebody's money. */
  readonly harm: string
  readonly edits: ReadonlyArray<Edit>
  /** The test as Vitest prints it: its file, ` > `, and its name. */
  readonly caughtBy: string
  /**
   * Where simulations over this storage catch it too, within some hundred seeds: they know nothing of the fault, and
   * look at the money alone.
   */
  readonly simulatedOn?: "memory" | "sqlite"
  /** The fault from outside that each of these simulations has; drawn for few of them unless set. */
  readonly simulatedUnder?: OutsideFault
}
