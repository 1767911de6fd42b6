/** Storages keep other text in another form, whose beginning does not say how the text begins. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes("\0")
