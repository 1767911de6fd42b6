/** Spaces and dashes of every script: a card number is often copied with them. */
const separators = /[\s\p{Dash_Punctuation}]/gu

/** 13 to 19 digits with a right Luhn check digit (ISO/IEC 7812), spaces and dashes ignored. */
export const looksLikeCardNumber = (text: string): boolean => {
  const digits = text.replace(separators, "")
  return /^[0-9]{13,19}$/u.test(digits) && luhnSum(digits) % 10 === 0
}

const luhnSum = (digits: string): number => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = digit * 2
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}
