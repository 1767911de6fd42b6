import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Prosimy nie płacić ponownie: kwota mogłaby zostać pobrana dwa razy. Można zamknąć tę stronę; sklep otrzyma " +
  "powiadomienie."

/** Worded so that the merchant's name is never inflected. */
export const polish: Texts = {
  pay: "Płatność dla: {merchant}",
  approve: "Zatwierdź",
  approveAfterChallenge: "Zatwierdź po weryfikacji 3DS",
  declineWithReason: "Odrzuć, podając powód",
  decline: "Odrzuć",
  cancel: "Anuluj",
  challenge: "Potwierdź swoją tożsamość",
  challengeText:
    "Ta strona symuluje krok, w którym bank pyta swojego klienta (3-D Secure): czy ta płatność (odbiorca: {merchant}) jest Twoja?",
  passChallenge: "Tak, jest moja",
  failChallenge: "Nie, niepowodzenie weryfikacji",
  back: "Wstecz",
  checkoutText:
    "Płatność odbywa się na bezpiecznej stronie dostawcy usług płatniczych, a potem następuje powrót tutaj.",
  continueToPayment: "Przejdź do płatności",
  notPaidContinue: "Jeszcze nie zapłaciłem(-am) – przejdź do płatności",
  checkAgain: "Sprawdź ponownie",
  backToMerchant: "Powrót do sklepu {merchant}",
  backToPage: "Powrót do strony płatności",
  amount: "Kwota",
  merchant: "Sprzedawca",
  reference: "Numer referencyjny",
  status: "Status",
  category: "Kategoria",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Pieniądze nie są przekazywane, a karta nie jest potrzebna.",
  forSupport: "Dla obsługi sklepu: {id}",
  support: "Pomoc",
  terms: "Regulamin",
  outcomes: {
    waiting: { heading: "Płatność nie została jeszcze dokonana", text: "Nic nie zostało pobrane." },
    unconfirmed: {
      heading: "Płatność nie jest jeszcze potwierdzona",
      text:
        "Jeśli płatność została dokonana, potwierdzenie nadejdzie wkrótce: prosimy nie płacić ponownie. Jeśli nie, " +
        "można kontynuować."
    },
    opening: {
      heading: "Otwieranie strony płatności",
      text: "Strona może otwierać się w innej karcie przeglądarki. Spróbuj ponownie za chwilę."
    },
    closed: {
      heading: "Strona płatności została zamknięta",
      text:
        "Jeśli płatność została dokonana, potwierdzenie nadejdzie wkrótce: prosimy nie płacić ponownie. Jeśli nie, " +
        "nic nie zostało pobrane."
    },
    processing: {
      heading: "Płatność jest przetwarzana",
      text: `Nie jest jeszcze potwierdzona. ${doNotPayAgain}`
    },
    checking: {
      heading: "Płatność jest sprawdzana",
      text: `Sprawdzamy, czy płatność się powiodła. ${doNotPayAgain}`
    },
    approved: {
      heading: "Płatność zatwierdzona",
      text: "Kwota jest zarezerwowana. Nie trzeba robić nic więcej."
    },
    captureUnknown: {
      heading: "Płatność zatwierdzona",
      text: "Nadal sprawdzamy, czy kwota została pobrana. Prosimy nie płacić ponownie."
    },
    releasing: { heading: "Płatność jest anulowana", text: "Zarezerwowana kwota jest zwalniana." },
    releaseUnknown: {
      heading: "Płatność jest anulowana",
      text: "Nadal sprawdzamy, czy zarezerwowana kwota została zwolniona."
    },
    complete: { heading: "Płatność zakończona", text: "Płatność się powiodła. Nie trzeba robić nic więcej." },
    partlyRefunded: { heading: "Płatność częściowo zwrócona", text: "Część kwoty została zwrócona." },
    refunded: { heading: "Płatność zwrócona", text: "Kwota została zwrócona." },
    disputed: { heading: "Płatność zakwestionowana", text: "Płatność się powiodła i została zakwestionowana." },
    declined: { heading: "Płatność odrzucona", text: "Nic nie zostało pobrane." },
    failed: {
      heading: "Płatność niemożliwa",
      text: "Nie udało się wykonać płatności. Nic nie zostało pobrane."
    },
    cancelled: { heading: "Płatność anulowana", text: "Nic nie zostało pobrane." },
    released: { heading: "Płatność anulowana", text: "Zarezerwowana kwota została zwolniona." },
    expired: {
      heading: "Ta strona płatności wygasła",
      text: "Nic nie zostało pobrane. Aby zapłacić, zacznij ponownie w sklepie."
    },
    notFound: {
      heading: "Nie znaleziono strony płatności",
      text: "Link może być niekompletny. Aby zapłacić, zacznij ponownie w sklepie."
    },
    tooMany: { heading: "Zbyt wiele żądań", text: "Spróbuj ponownie za chwilę." },
    wrongMethod: { heading: "Niedozwolona metoda", text: "Nic nie zostało zmienione." },
    unknownAction: { heading: "Nieprawidłowy wybór", text: "Nic nie zostało zmienione." },
    tooLarge: { heading: "Żądanie jest za duże", text: "Nic nie zostało zmienione." },
    unavailable: {
      heading: "Chwilowo niedostępne",
      text: "Spróbuj ponownie za chwilę. Strona płatności pokaże wtedy stan płatności."
    },
    suspended: { heading: "Ten sklep obecnie nie przyjmuje płatności", text: "Nic nie zostało pobrane." },
    broken: {
      heading: "Coś poszło nie tak",
      text: "Przed ponowną płatnością sprawdź w sklepie, czy ta płatność się powiodła."
    }
  },
  declineReasons: {
    noApproval: "Bank odrzucił płatność.",
    insufficientFunds: "Na koncie brakuje środków.",
    expiredCard: "Karta straciła ważność.",
    invalidCard: "Karta jest nieprawidłowa.",
    limitExceeded: "Przekroczono limit konta lub karty.",
    authenticationFailed: "Uwierzytelnienie się nie powiodło.",
    notPermitted: "Ten rodzaj płatności nie jest dozwolony dla tej karty lub tego konta.",
    issuerUnavailable: "Nie udało się połączyć z bankiem.",
    cancelledByCustomer: "Płatność została anulowana przez Ciebie."
  },
  declineCategories: {
    insufficient_funds: "Brak środków",
    do_not_honor: "Nie honorować",
    expired_card: "Karta nieważna",
    invalid_card: "Nieprawidłowa karta",
    lost_or_stolen: "Zgubiona lub skradziona",
    suspected_fraud: "Podejrzenie oszustwa",
    limit_exceeded: "Przekroczony limit",
    authentication_failed: "Nieudane uwierzytelnienie",
    not_permitted: "Niedozwolone",
    issuer_unavailable: "Bank niedostępny",
    invalid_request: "Nieprawidłowe żądanie",
    cancelled_by_customer: "Anulowane przez klienta",
    other: "Inne"
  }
}
