import type { Texts } from "./Texts.ts"

const doNotPayAgain =
  "二重に請求されるおそれがあるため、もう一度お支払いにならないでください。このページは閉じてかまいません。結果はショップに通知されます。"

export const japanese: Texts = {
  pay: "{merchant} へのお支払い",
  approve: "承認する",
  approveAfterChallenge: "3DS 認証の後に承認する",
  declineWithReason: "理由を選んで拒否する",
  decline: "拒否する",
  cancel: "キャンセル",
  challenge: "本人確認",
  challengeText:
    "銀行が利用者に確認する手順（3-D セキュア）のシミュレーションです。{merchant} へのこのお支払いは、ご本人によるものですか？",
  passChallenge: "はい、本人です",
  failChallenge: "いいえ、認証を失敗させる",
  back: "戻る",
  checkoutText: "決済事業者の安全なページでお支払いの後、こちらに戻ります。",
  continueToPayment: "お支払いに進む",
  notPaidContinue: "まだ支払っていません – お支払いに進む",
  checkAgain: "もう一度確認する",
  backToMerchant: "{merchant} に戻る",
  backToPage: "お支払いページに戻る",
  amount: "金額",
  merchant: "ショップ",
  reference: "参照番号",
  status: "ステータス",
  category: "分類",
  sandboxTitle: "{title}（サンドボックス）",
  sandboxName: "サンドボックス。",
  sandboxText: "実際の入出金はなく、カードも不要です。",
  forSupport: "ショップへのお問い合わせ番号: {id}",
  support: "お問い合わせ",
  terms: "利用規約",
  outcomes: {
    waiting: { heading: "まだお支払いが完了していません", text: "請求は行われていません。" },
    unconfirmed: {
      heading: "お支払いはまだ確認されていません",
      text: "お支払い済みの場合は、まもなく確認されます。もう一度お支払いにならないでください。まだの場合は、続けることができます。"
    },
    opening: {
      heading: "お支払いページを開いています",
      text: "別のタブで開いている可能性があります。しばらくしてからもう一度お試しください。"
    },
    closed: {
      heading: "お支払いページは閉じられました",
      text: "お支払い済みの場合は、まもなく確認されます。もう一度お支払いにならないでください。まだの場合、請求は行われていません。"
    },
    processing: { heading: "お支払いを処理しています", text: `まだ確認されていません。${doNotPayAgain}` },
    checking: {
      heading: "お支払いを確認しています",
      text: `お支払いが完了したかどうかを確認しています。${doNotPayAgain}`
    },
    approved: { heading: "お支払いが承認されました", text: "金額が確保されました。ほかに必要な操作はありません。" },
    captureUnknown: {
      heading: "お支払いが承認されました",
      text: "請求が完了したかどうかを確認しています。もう一度お支払いにならないでください。"
    },
    releasing: { heading: "お支払いを取り消しています", text: "確保された金額を解放しています。" },
    releaseUnknown: {
      heading: "お支払いを取り消しています",
      text: "確保された金額が解放されたかどうかを確認しています。"
    },
    complete: {
      heading: "お支払いが完了しました",
      text: "お支払いは正常に処理されました。ほかに必要な操作はありません。"
    },
    partlyRefunded: { heading: "一部が返金されました", text: "金額の一部が返金されました。" },
    refunded: { heading: "返金されました", text: "金額が返金されました。" },
    disputed: {
      heading: "お支払いに異議が申し立てられました",
      text: "お支払いは完了しましたが、異議が申し立てられました。"
    },
    declined: { heading: "お支払いが拒否されました", text: "請求は行われていません。" },
    failed: {
      heading: "お支払いができません",
      text: "お支払いを行うことができませんでした。請求は行われていません。"
    },
    cancelled: { heading: "お支払いがキャンセルされました", text: "請求は行われていません。" },
    released: { heading: "お支払いが取り消されました", text: "確保された金額は解放されました。" },
    expired: {
      heading: "このお支払いページは期限切れです",
      text: "請求は行われていません。お支払いになるには、ショップで最初からやり直してください。"
    },
    notFound: {
      heading: "お支払いページが見つかりません",
      text: "リンクが不完全な可能性があります。お支払いになるには、ショップで最初からやり直してください。"
    },
    tooMany: { heading: "リクエストが多すぎます", text: "しばらくしてからもう一度お試しください。" },
    wrongMethod: { heading: "許可されていないメソッドです", text: "何も変更されていません。" },
    unknownAction: { heading: "無効な選択です", text: "何も変更されていません。" },
    tooLarge: { heading: "リクエストが大きすぎます", text: "何も変更されていません。" },
    unavailable: {
      heading: "一時的に利用できません",
      text: "しばらくしてからもう一度お試しください。お支払いページに現在の状況が表示されます。"
    },
    suspended: {
      heading: "このショップは現在お支払いを受け付けていません",
      text: "請求は行われていません。"
    },
    broken: {
      heading: "問題が発生しました",
      text: "もう一度お支払いになる前に、お支払いが完了したかどうかをショップにご確認ください。"
    }
  },
  declineReasons: {
    noApproval: "銀行がお支払いを拒否しました。",
    insufficientFunds: "口座の残高が不足しています。",
    expiredCard: "カードの有効期限が切れています。",
    invalidCard: "カードが無効です。",
    limitExceeded: "口座またはカードの利用限度額を超えています。",
    authenticationFailed: "認証に失敗しました。",
    notPermitted: "このカードまたは口座では、この種類のお支払いはできません。",
    issuerUnavailable: "銀行に接続できませんでした。",
    cancelledByCustomer: "お支払いをキャンセルしました。"
  },
  declineCategories: {
    insufficient_funds: "残高不足",
    do_not_honor: "取引不可",
    expired_card: "カードの期限切れ",
    invalid_card: "無効なカード",
    lost_or_stolen: "紛失または盗難",
    suspected_fraud: "不正利用の疑い",
    limit_exceeded: "限度額超過",
    authentication_failed: "認証失敗",
    not_permitted: "許可されていない取引",
    issuer_unavailable: "銀行に接続不可",
    invalid_request: "無効なリクエスト",
    cancelled_by_customer: "利用者によるキャンセル",
    other: "その他"
  }
}
