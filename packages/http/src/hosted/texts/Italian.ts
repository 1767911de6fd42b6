import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "Non pagare di nuovo: l’importo potrebbe essere addebitato due volte. Puoi chiudere questa pagina; il negozio " +
  "riceverà un avviso."

export const italian: Texts = {
  pay: "Paga {merchant}",
  approve: "Approva",
  approveAfterChallenge: "Approva dopo una verifica 3DS",
  declineWithReason: "Rifiuta con un motivo",
  decline: "Rifiuta",
  cancel: "Annulla",
  challenge: "Conferma la tua identità",
  challengeText:
    "Questa pagina simula il passaggio in cui una banca chiede al cliente (3-D Secure): questo pagamento a {merchant} è tuo?",
  passChallenge: "Sì, è mio",
  failChallenge: "No, non superare la verifica",
  back: "Indietro",
  checkoutText: "Il pagamento avviene sulla pagina sicura di un fornitore di servizi di pagamento; poi tornerai qui.",
  continueToPayment: "Continua con il pagamento",
  notPaidContinue: "Non ho ancora pagato – continua con il pagamento",
  checkAgain: "Controlla di nuovo",
  backToMerchant: "Torna a {merchant}",
  backToPage: "Torna alla pagina di pagamento",
  amount: "Importo",
  merchant: "Esercente",
  reference: "Riferimento",
  status: "Stato",
  category: "Categoria",
  sandboxTitle: "{title} (sandbox)",
  sandboxName: "Sandbox.",
  sandboxText: "Non viene trasferito denaro e non serve una carta.",
  forSupport: "Per l’assistenza del negozio: {id}",
  support: "Assistenza",
  terms: "Termini e condizioni",
  outcomes: {
    waiting: { heading: "Non hai ancora pagato", text: "Non è stato addebitato nulla." },
    unconfirmed: {
      heading: "Il pagamento non è ancora confermato",
      text: "Se hai pagato, la conferma arriverà a breve: non pagare di nuovo. Se non hai pagato, puoi continuare."
    },
    opening: {
      heading: "Apertura della pagina di pagamento",
      text: "La pagina potrebbe aprirsi in un’altra scheda. Riprova tra un momento."
    },
    closed: {
      heading: "La pagina di pagamento è stata chiusa",
      text:
        "Se hai pagato, la conferma arriverà a breve: non pagare di nuovo. Se non hai pagato, non è stato addebitato " +
        "nulla."
    },
    processing: {
      heading: "Il pagamento è in corso di elaborazione",
      text: `Non è ancora confermato. ${doNotPayAgain}`
    },
    checking: {
      heading: "Il pagamento è in corso di verifica",
      text: `Stiamo verificando se il pagamento è andato a buon fine. ${doNotPayAgain}`
    },
    approved: { heading: "Pagamento approvato", text: "L’importo è riservato. Non devi fare altro." },
    captureUnknown: {
      heading: "Pagamento approvato",
      text: "Stiamo ancora verificando se l’importo è stato incassato. Non pagare di nuovo."
    },
    releasing: {
      heading: "Il pagamento è in corso di annullamento",
      text: "L’importo riservato è in corso di sblocco."
    },
    releaseUnknown: {
      heading: "Il pagamento è in corso di annullamento",
      text: "Stiamo ancora verificando se l’importo riservato è stato sbloccato."
    },
    complete: { heading: "Pagamento completato", text: "Il pagamento è andato a buon fine. Non devi fare altro." },
    partlyRefunded: { heading: "Pagamento rimborsato in parte", text: "Una parte dell’importo è stata rimborsata." },
    refunded: { heading: "Pagamento rimborsato", text: "L’importo è stato rimborsato." },
    disputed: {
      heading: "Pagamento contestato",
      text: "Il pagamento era andato a buon fine ed è stato contestato."
    },
    declined: { heading: "Pagamento rifiutato", text: "Non è stato addebitato nulla." },
    failed: {
      heading: "Pagamento non possibile",
      text: "Non è stato possibile eseguire il pagamento. Non è stato addebitato nulla."
    },
    cancelled: { heading: "Pagamento annullato", text: "Non è stato addebitato nulla." },
    released: { heading: "Pagamento annullato", text: "L’importo riservato è stato sbloccato." },
    expired: {
      heading: "Questa pagina di pagamento è scaduta",
      text: "Non è stato addebitato nulla. Per pagare, ricomincia dal negozio."
    },
    notFound: {
      heading: "Pagina di pagamento non trovata",
      text: "Il link potrebbe essere incompleto. Per pagare, ricomincia dal negozio."
    },
    tooMany: { heading: "Troppe richieste", text: "Riprova tra un momento." },
    wrongMethod: { heading: "Metodo non consentito", text: "Non è stato modificato nulla." },
    unknownAction: { heading: "Scelta non valida", text: "Non è stato modificato nulla." },
    tooLarge: { heading: "Richiesta troppo grande", text: "Non è stato modificato nulla." },
    unavailable: {
      heading: "Temporaneamente non disponibile",
      text: "Riprova tra un momento. La pagina di pagamento mostrerà allora lo stato del pagamento."
    },
    suspended: {
      heading: "Questo negozio al momento non accetta pagamenti",
      text: "Non è stato addebitato nulla."
    },
    broken: {
      heading: "Qualcosa è andato storto",
      text: "Prima di pagare di nuovo, verifica con il negozio se il pagamento è andato a buon fine."
    }
  },
  declineReasons: {
    noApproval: "La banca ha rifiutato il pagamento.",
    insufficientFunds: "Il saldo del conto non è sufficiente.",
    expiredCard: "La carta è scaduta.",
    invalidCard: "La carta non è valida.",
    limitExceeded: "È stato superato un limite del conto o della carta.",
    authenticationFailed: "L’autenticazione non è riuscita.",
    notPermitted: "Questo tipo di pagamento non è consentito per questa carta o questo conto.",
    issuerUnavailable: "Non è stato possibile contattare la banca.",
    cancelledByCustomer: "Hai annullato il pagamento."
  },
  declineCategories: {
    insufficient_funds: "Saldo insufficiente",
    do_not_honor: "Non onorare",
    expired_card: "Carta scaduta",
    invalid_card: "Carta non valida",
    lost_or_stolen: "Smarrita o rubata",
    suspected_fraud: "Sospetta frode",
    limit_exceeded: "Limite superato",
    authentication_failed: "Autenticazione non riuscita",
    not_permitted: "Non consentito",
    issuer_unavailable: "Banca non raggiungibile",
    invalid_request: "Richiesta non valida",
    cancelled_by_customer: "Annullato dal cliente",
    other: "Altro"
  }
}
