//! Words by which mail programs mark quotations and signatures. Each line has several, separated by commas.
//!
//! Ported from `quotequail` and `mail-parser-reply` (both MIT).

/// Verbs of the line above a quotation, "On … wrote:", as they begin.
pub const WROTE: &[&str] = &[
    "wrote, schrieb, a écrit, escribió, escribio, escribiste, escreveu, ha scritto, schreef, geschreven, napisał, napisal",
    "nadesłał, napísal, пишет, писал, написал, написав, пише, skrev, kirjoitti, írta, a scris, yazdı, yazmış, έγραψε",
    "menulis, đã viết, ha escrit, написа, je napisao, rašė, rakstīja, kirjutas",
];

/// The same in scripts without spaces.
pub const WROTE_WITHOUT_SPACES: &[&str] =
    &["写道, 寫道, 写到, 寫, 書きました, のメッセージ, 작성, 썼습니다, כתב, كتب, เขียน"];

/// Words that begin the line above a quotation.
pub const BEGINNINGS: &[&str] = &[
    "on, at, am, le, el, em, no dia, il, op, w dniu, dnia, den, dne, dňa, în data, pe, la, στις, vào, pada, в, dana, 在, 于, 於",
];

/// Names of headers of mails, as programs show them: of the sender, the time, the recipients and the subject.
pub const FROM: &[&str] = &[
    "from, von, absender, de, expéditeur, remitente, da, mittente, van, afzender, od, nadawca, от, от кого, отправитель",
    "від, відправник, från, avsändare, fra, avsender, lähettäjä, odesílatel, odosielateľ, feladó, kimden, gönderen, de la",
    "από, dari, từ, 发件人, 寄件者, 寄件人, 差出人, 送信者, 发信人, 보낸 사람, 보낸사람, 발신",
];
pub const SENT: &[&str] = &[
    "sent, date, gesendet, datum, envoyé, envoyé le, date d'envoi, enviado, enviado el, enviado em, enviada em, enviada",
    "data, fecha, inviato, verzonden, wysłano, data wysłania, отправлено, дата, надіслано, skickat, sendt, lähetetty",
    "päivämäärä, odesláno, odoslané, dátum, elküldve, küldve, tarih, gönderildi, trimis, ημερομηνία, dikirim, tanggal",
    "đã gửi, ngày, 发送时间, 發送時間, 寄件日期, 传送时间, 日期, 時間, 时间, 送信日時, 日時, 日付, 보낸 날짜, 날짜, 보냄",
];
pub const TO: &[&str] = &[
    "to, cc, an, kopie, à, destinataire, para, a, aan, do, dw, кому, копия, кому, копія, till, kopia, til, kopi",
    "vastaanottaja, komu, címzett, kime, alıcı, către, προς, kepada, đến, 收件人, 收件者, 抄送, 副本, 宛先, 받는 사람, 참조",
    "reply-to, antwort an, répondre à, responder a, antwoord aan",
];
pub const SUBJECT: &[&str] = &[
    "subject, betreff, objet, sujet, asunto, assunto, oggetto, onderwerp, temat, тема, ämne, emne, aihe, předmět, predmet",
    "tárgy, konu, subiect, θέμα, subjek, perihal, chủ đề, 主题, 主旨, 主題, 件名, 제목",
];

/// Lines between rulings from which on everything is quoted.
pub const SEPARATORS: &[&str] = &[
    "original message, original email, original mail, forwarded message, begin forwarded message, forwarded by",
    "reply above this line, please reply above this line, please type your reply above this line",
    "ursprüngliche nachricht, originalnachricht, original-nachricht, weitergeleitete nachricht",
    "ursprüngliche e-mail, anfang der weitergeleiteten, antwort oberhalb dieser zeile",
    "message d'origine, message original, message transféré, message d’origine, début du message",
    "mensaje original, mensaje reenviado, inicio del mensaje, mensagem original, mensagem encaminhada",
    "mensagem reencaminhada, início da mensagem, messaggio originale, messaggio inoltrato, inizio messaggio",
    "oorspronkelijk bericht, origineel bericht, oorspronkelijke bericht, doorgestuurd bericht",
    "begin doorgestuurd bericht, wiadomość oryginalna, oryginalna wiadomość, wiadomość przekazana",
    "przekazana wiadomość, treść przekazanej wiadomości, исходное сообщение, оригинальное сообщение",
    "пересылаемое сообщение, пересланное сообщение, первоначальное сообщение, начало переадресованного",
    "вихідне повідомлення, оригінальне повідомлення, ursprungligt meddelande, originalmeddelande",
    "vidarebefordrat meddelande, oprindelig meddelelse, original meddelelse, videresendt meddelelse",
    "videresendt melding, opprinnelig melding, alkuperäinen viesti, välitetty viesti, původní zpráva",
    "přeposlaná zpráva, pôvodná správa, eredeti üzenet, továbbított üzenet, mesaj original, mesajul original",
    "özgün ileti, orijinal mesaj, orjinal mesaj, iletilen ileti, αρχικό μήνυμα, pesan asli, thư gốc, tin nhắn gốc",
    "原始邮件, 原始郵件, 原邮件, 转发邮件, 转发的邮件, 轉寄郵件, 原始信件, 元のメッセージ, オリジナルメッセージ, 転送メッセージ",
    "元のメール, 원본 메시지, 원본 메일, 전달된 메시지, הודעה מקורית, الرسالة الأصلية",
];

/// Beginnings of the line that a device or program adds.
pub const SENT_FROM: &[&str] = &[
    "sent from, sent via, get outlook, von meinem, gesendet von, gesendet mit, envoyé de, envoyé depuis, envoyé à partir",
    "enviado desde, enviado de, enviado do, enviado a partir, enviado con, inviato da, verzonden vanaf, verstuurd vanaf",
    "wysłano z, wysłane z, отправлено с, отправлено из, надіслано з, skickat från, sendt fra, lähetetty, odesláno z, odoslané z",
    "elküldve, trimis de pe, 从我的, 发自我的, 發自我的, 從我的, iphoneから送信, ipadから送信, 나의",
];

/// Words of which one is in such a line as well.
pub const DEVICES: &[&str] = &[
    "iphone, ipad, android, outlook, samsung, galaxy, huawei, xiaomi, pixel, smartphone, blackberry, yahoo, proton, gmail",
    "mobile device, windows, thunderbird, handy",
];
