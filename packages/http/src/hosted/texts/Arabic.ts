import type { Texts } from "./Texts.ts"

const doNotPayAgain = "يُرجى عدم الدفع مرة أخرى، فقد يُخصم المبلغ مرتين. يمكنك إغلاق هذه الصفحة، وسيتم إشعار المتجر."

export const arabic: Texts = {
  pay: "الدفع إلى {merchant}",
  approve: "موافقة",
  approveAfterChallenge: "موافقة بعد تحقق 3DS",
  declineWithReason: "رفض مع ذكر السبب",
  decline: "رفض",
  cancel: "إلغاء",
  challenge: "تأكيد هويتك",
  challengeText: "تحاكي هذه الصفحة الخطوة التي يسأل فيها البنك عميله (3-D Secure): هل هذه الدفعة إلى {merchant} لك؟",
  passChallenge: "نعم، إنها لي",
  failChallenge: "لا، إفشال التحقق",
  back: "رجوع",
  checkoutText: "يتم الدفع على الصفحة الآمنة لمزوّد خدمة الدفع، ثم تعود بعد ذلك.",
  continueToPayment: "المتابعة إلى الدفع",
  notPaidContinue: "لم أدفع بعد – المتابعة إلى الدفع",
  checkAgain: "التحقق مرة أخرى",
  backToMerchant: "العودة إلى {merchant}",
  backToPage: "العودة إلى صفحة الدفع",
  amount: "المبلغ",
  merchant: "التاجر",
  reference: "المرجع",
  status: "الحالة",
  category: "الفئة",
  sandboxTitle: "{title} (بيئة اختبار)",
  sandboxName: "بيئة اختبار.",
  sandboxText: "لا تُنقل أي أموال، ولا حاجة إلى بطاقة.",
  forSupport: "لخدمة دعم المتجر: {id}",
  support: "المساعدة",
  terms: "الشروط والأحكام",
  outcomes: {
    waiting: { heading: "لم تدفع بعد", text: "لم يُخصم أي مبلغ." },
    unconfirmed: {
      heading: "لم يتم تأكيد دفعتك بعد",
      text: "إذا كنت قد دفعت، فسيصل التأكيد قريبًا: يُرجى عدم الدفع مرة أخرى. وإذا لم تدفع، يمكنك المتابعة."
    },
    opening: {
      heading: "جارٍ فتح صفحة الدفع",
      text: "ربما يجري فتح الصفحة في علامة تبويب أخرى. يُرجى المحاولة مرة أخرى بعد قليل."
    },
    closed: {
      heading: "أُغلقت صفحة الدفع",
      text: "إذا كنت قد دفعت، فسيصل التأكيد قريبًا: يُرجى عدم الدفع مرة أخرى. وإذا لم تدفع، فلم يُخصم أي مبلغ."
    },
    processing: { heading: "جارٍ معالجة دفعتك", text: `لم يتم تأكيدها بعد. ${doNotPayAgain}` },
    checking: {
      heading: "جارٍ التحقق من دفعتك",
      text: `نتحقق مما إذا كانت دفعتك قد تمت. ${doNotPayAgain}`
    },
    approved: { heading: "تمت الموافقة على الدفع", text: "المبلغ محجوز. لا يلزمك فعل أي شيء آخر." },
    captureUnknown: {
      heading: "تمت الموافقة على الدفع",
      text: "ما زلنا نتحقق مما إذا كان المبلغ قد حُصّل. يُرجى عدم الدفع مرة أخرى."
    },
    releasing: { heading: "جارٍ إلغاء دفعتك", text: "جارٍ تحرير المبلغ المحجوز." },
    releaseUnknown: {
      heading: "جارٍ إلغاء دفعتك",
      text: "ما زلنا نتحقق مما إذا كان المبلغ المحجوز قد حُرّر."
    },
    complete: { heading: "اكتمل الدفع", text: "تمت دفعتك. لا يلزمك فعل أي شيء آخر." },
    partlyRefunded: { heading: "رُدّ جزء من المبلغ", text: "أُعيد إليك جزء من المبلغ." },
    refunded: { heading: "رُدّ المبلغ", text: "أُعيد إليك المبلغ." },
    disputed: { heading: "تم الاعتراض على الدفع", text: "تمت الدفعة ثم قُدّم اعتراض عليها." },
    declined: { heading: "رُفض الدفع", text: "لم يُخصم أي مبلغ." },
    failed: { heading: "تعذّر الدفع", text: "لم يكن من الممكن إجراء الدفع. لم يُخصم أي مبلغ." },
    cancelled: { heading: "أُلغي الدفع", text: "لم يُخصم أي مبلغ." },
    released: { heading: "أُلغي الدفع", text: "حُرّر المبلغ المحجوز." },
    expired: {
      heading: "انتهت صلاحية صفحة الدفع هذه",
      text: "لم يُخصم أي مبلغ. للدفع، يُرجى البدء من جديد في المتجر."
    },
    notFound: {
      heading: "صفحة الدفع غير موجودة",
      text: "ربما كان الرابط غير مكتمل. للدفع، يُرجى البدء من جديد في المتجر."
    },
    tooMany: { heading: "عدد كبير جدًا من الطلبات", text: "يُرجى المحاولة مرة أخرى بعد قليل." },
    wrongMethod: { heading: "طريقة غير مسموح بها", text: "لم يتغير أي شيء." },
    unknownAction: { heading: "اختيار غير صالح", text: "لم يتغير أي شيء." },
    tooLarge: { heading: "الطلب كبير جدًا", text: "لم يتغير أي شيء." },
    unavailable: {
      heading: "غير متاح مؤقتًا",
      text: "يُرجى المحاولة مرة أخرى بعد قليل. ستعرض صفحة الدفع حينها حالة دفعتك."
    },
    suspended: { heading: "لا يقبل هذا المتجر المدفوعات حاليًا", text: "لم يُخصم أي مبلغ." },
    broken: {
      heading: "حدث خطأ ما",
      text: "قبل الدفع مرة أخرى، يُرجى التأكد من المتجر مما إذا كانت دفعتك قد تمت."
    }
  },
  declineReasons: {
    noApproval: "رفض البنك الدفع.",
    insufficientFunds: "رصيد الحساب غير كافٍ.",
    expiredCard: "انتهت صلاحية البطاقة.",
    invalidCard: "البطاقة غير صالحة.",
    limitExceeded: "تم تجاوز حد الحساب أو البطاقة.",
    authenticationFailed: "فشلت المصادقة.",
    notPermitted: "هذا النوع من الدفع غير مسموح به لهذه البطاقة أو لهذا الحساب.",
    issuerUnavailable: "تعذّر الاتصال بالبنك.",
    cancelledByCustomer: "لقد ألغيت الدفع."
  },
  declineCategories: {
    insufficient_funds: "رصيد غير كافٍ",
    do_not_honor: "عدم القبول",
    expired_card: "بطاقة منتهية الصلاحية",
    invalid_card: "بطاقة غير صالحة",
    lost_or_stolen: "مفقودة أو مسروقة",
    suspected_fraud: "اشتباه في احتيال",
    limit_exceeded: "تجاوز الحد",
    authentication_failed: "فشل المصادقة",
    not_permitted: "غير مسموح به",
    issuer_unavailable: "البنك غير متاح",
    invalid_request: "طلب غير صالح",
    cancelled_by_customer: "ألغاه العميل",
    other: "أخرى"
  }
}
