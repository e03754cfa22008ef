//! Words by which questions, complaints and courtesies are told. Each line has several, separated by commas.

use std::sync::LazyLock;

use text_analysis::{
    normalize::normalize_into,
    tokenizer::{TokenKind, for_each_token},
};

const QUESTIONS: &[&str] = &[
    // English
    "how do, how can, how to, how would, is there, is it possible, where is, where do, where can",
    "what is the, why is, why do, why does, why are, can I, could I, wondering if, any way to",
    "do you support",
    // German
    "wie kann, wie geht, wie bekomme, wo finde, wo ist, wo kann, warum, gibt es, ist es möglich, kann man",
    "kann ich",
    // French
    "comment, où est, où puis, pourquoi, est-ce que, est-il possible, y a-t-il, puis-je, peut-on",
    // Spanish, Portuguese, Italian
    "cómo, dónde, por qué, es posible, hay alguna, puedo, como faço, como posso, onde, por que",
    "é possível, come posso, come faccio, dove, perché, è possibile, posso",
    // Dutch, Polish, Russian, Turkish, Swedish
    "hoe kan, hoe krijg, waar vind, waar kan, waarom, is het mogelijk, jak, gdzie, dlaczego, czy można",
    "czy jest, как, где, почему, можно ли, есть ли, nasıl, nerede, neden, hur, var hittar, varför",
];

const COMPLAINTS: &[&str] = &[
    // English
    "can't, cant, cannot, could not, couldn't, unable, won't, wont, doesn't, doesnt, does not, don't",
    "didn't, did not, isn't, is not, not working, not work, never, no longer, nothing, fail, fails",
    "failed, failing, failure, error, errors, broken, broke, wrong, crash, crashes, crashed, bug, stuck",
    "missing, lost, refused, denied, rejected, declined, invalid, keeps, still, slow, instead of, stops",
    "stopped, hangs, unexpected, expired, disappeared, gone, blank, empty",
    // German
    "nicht, kein, keine, keinen, fehler, fehlt, fehlermeldung, kaputt, falsch, abgelehnt, stürzt, hängt",
    "verschwunden, langsam, leer, leider, nichts",
    // French
    "ne, n', pas, erreur, impossible, échoue, échec, refusé, refusée, problème, plante, vide, lent",
    "disparu, rien",
    // Spanish, Portuguese, Italian
    "no puedo, no me, no funciona, no se, no llega, nunca, fallo, falla, rechazada, rechazado, lento",
    "não consigo, não funciona, não, erro, falha, recusado, non riesco, non funziona, non, errore",
    "rifiutata, bloccato",
    // Dutch, Polish, Russian, Turkish, Swedish
    "niet, geen, fout, foutmelding, mislukt, nie, błąd, błędu, не, нет, ошибка, ошибку, çalışmıyor, hata",
    "olmuyor, inte, fel, fungerar inte",
];

/// Parts of texts in scripts without spaces.
const QUESTIONS_WITHOUT_SPACES: &[&str] =
    &["ですか, ますか, 方法, どうすれば, どこ, 怎么, 如何, 哪里, 为什么, 吗, 어떻게, 나요, 까요, 어디"];

const COMPLAINTS_WITHOUT_SPACES: &[&str] = &[
    "ません, できない, エラー, 失敗, おかしい, 不能, 无法, 没有, 错误, 失败, 不行, 안 돼, 안돼, 않아, 않습니다, 없습니다, 오류, 못",
];

const COURTESIES: &[&str] = &[
    "hi, hello, hey, dear, good morning, good afternoon, thanks, thank you, thx, cheers, regards",
    "kind regards, please help, hope you, have a nice, have a great, appreciate, let me know",
    "looking forward, great, perfect, that worked, it works now, solved, hallo, guten tag, guten morgen",
    "danke, vielen dank, grüße, gruß, bonjour, merci, cordialement, salut, bonne journée, hola",
    "buenos días, buenas tardes, gracias, saludos, olá, bom dia, obrigado, obrigada, ciao, buongiorno",
    "grazie, saluti, goedendag, bedankt, dank, groeten, dzień dobry, dziękuję, pozdrawiam, здравствуйте",
    "привет, добрый день, спасибо, merhaba, teşekkürler, hej, tack",
];

const COURTESIES_WITHOUT_SPACES: &[&str] =
    &["こんにちは, お世話, ありがとう, よろしく, 你好, 您好, 谢谢, 안녕하세요, 감사합니다"];

/// Words of which an answer to a solution has nothing but these and courtesies: "All good now, thanks!".
const ACKNOWLEDGEMENTS: &[&str] = &[
    // English
    "everything is fine, everything is good, everything works, everything, it all works, all good, all set, all fine, all clear",
    "all done, no worries, no problem, no problems, no more questions, no further questions, no other questions, nothing else",
    "that is all, that s all, that s it, that is it, it works, that works, this works, works, working, works fine, works well",
    "it is working, it s working, it is fixed, it s fixed, fixed, that fixed it, this fixed it, that did it, did the trick",
    "that did the trick, that helped, it helped, this helped, that helps, sorted, resolved, it is resolved, issue resolved",
    "problem solved, solved, got it, i got it, found it, i found it, never mind, nevermind, understood, makes sense",
    "sounds good, looks good, will do, done, good, fine, awesome, excellent, amazing, wonderful, brilliant, cool, nice, ok, okay",
    "yes, yep, yeah, sure, alright, all right, you re welcome, you are welcome, much, so, very, now, again, team, everyone",
    "and, it s, it is, is, you, very much, so much, a lot",
    // German, French
    "alles gut, alles klar, alles bestens, alles in ordnung, alles ok, passt, passt so, passt alles, erledigt, hat geklappt",
    "klappt, klappt jetzt, klappt wieder, es klappt, es funktioniert, funktioniert, funktioniert jetzt, funktioniert wieder",
    "geht, geht jetzt, geht wieder, es geht, gelöst, super, prima, perfekt, toll, gut, verstanden, jetzt, wieder, ja, das, hat",
    "geholfen, kein problem, keine fragen mehr, tout va bien, tout est bon, c est bon, c est réglé, ça marche, ça fonctionne",
    "tout fonctionne, réglé, résolu, parfait, super, d accord, très bien, bien, oui, maintenant, pas de souci, beaucoup",
    // Spanish, Portuguese, Italian
    "todo bien, todo en orden, ya funciona, funciona, ahora funciona, resuelto, solucionado, perfecto, genial, vale, muy bien",
    "listo, sí, muchas, ahora, ya, tudo certo, tudo bem, tudo ok, resolvido, agora funciona, já funciona, perfeito, ótimo, sim",
    "muito, agora, tutto bene, tutto a posto, tutto ok, va bene, risolto, ora funziona, adesso funziona, funziona, perfetto",
    "ottimo, sì, ora, mille",
    // Dutch, Polish, Russian, Turkish, Swedish
    "alles goed, alles werkt, het werkt, werkt, werkt weer, opgelost, prima, top, geen probleem, nu, wszystko dobrze, działa",
    "już działa, wszystko działa, rozwiązane, super, świetnie, dobrze, bardzo, już, всё хорошо, все хорошо, всё работает",
    "все работает, работает, заработало, решено, отлично, понятно, хорошо, ок, большое, теперь, her şey yolunda, çalışıyor",
    "tamam, çözüldü, allt bra, det fungerar, fungerar nu, löst, nu, så, mycket",
];

/// Parts of such answers in scripts without spaces.
const ACKNOWLEDGEMENTS_WITHOUT_SPACES: &[&str] = &[
    "大丈夫です, 解決しました, できました, 動きました, 了解です, 了解しました, わかりました, 没问题了, 没问题, 好的, 解决了, 可以了, 明白了",
    "알겠습니다, 해결되었습니다, 해결됐습니다, 잘 됩니다",
];

/// The end of a problem: "That fixed the error, thanks!".
const SOLUTIONS: &[&str] = &[
    "that fixed, this fixed, fixed the, fixed it, fixed my, fixed our, that solved, this solved, solved the, solved my, solved it",
    "resolved the, resolved my, resolved it, works now, works again, working now, working again, it works, that works, is gone",
    "are gone, did the trick, that worked, it worked, no more errors, no errors any more, no errors anymore",
    "funktioniert jetzt, funktioniert wieder, geht jetzt, geht wieder, klappt jetzt, klappt wieder, hat geklappt, hat geholfen",
    "ist weg, ist behoben, ist gelöst, ça marche, ça fonctionne, est résolu, est réglé, ya funciona, ahora funciona",
    "está resuelto, já funciona, agora funciona, foi resolvido, ora funziona, adesso funziona, è risolto, werkt nu, werkt weer",
    "is opgelost, już działa, teraz działa, теперь работает, всё работает, все работает, заработало, fungerar nu",
];

/// Words with which there is something else than thanks.
const RESERVATIONS: &[&str] = &[
    "but, however, except, still, only, yet, aber, jedoch, trotzdem, nur, noch, mais, cependant, encore, pero, sin embargo",
    "todavía, mas, porém, ainda, ma, però, ancora, maar, nog, ale, jednak, но, однако, ama, fakat, men, dock",
];

/// Words that say that there is something else as well.
const ADDITIONS: &[&str] = &[
    "also, another issue, another problem, another question, another thing, secondly, besides, one more",
    "separately, unrelated, additionally, außerdem, zweitens, noch eine Frage, aussi, autre question",
    "autre chose, deuxièmement, par ailleurs, también, otra pregunta, otra cosa, também, outra coisa",
    "outra pergunta, inoltre, un'altra, ook, nog een vraag, również, также, ещё один, ayrıca, också",
];

struct Cues {
    words: Vec<String>,
    parts: Vec<&'static str>,
}

impl Cues {
    fn of(words: &[&str], parts: &'static [&'static str]) -> Self {
        Self {
            words: words.iter().flat_map(|line| line.split(", ")).map(words_of).collect(),
            parts: parts.iter().flat_map(|line| line.split(", ")).collect(),
        }
    }

    /// Sorts the cues for [`Cues::remove_from`].
    fn longest_first(mut self) -> Self {
        self.words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        self
    }

    /// Removes all cues from normalized words.
    fn remove_from(&self, words: &mut String) {
        for cue in &self.words {
            if words.contains(cue.as_str()) {
                // Each word has spaces of its own, so that neighbours are found.
                let cue = format!(" {} ", cue.trim().replace(' ', "  "));
                let rest = words.replace(' ', "  ").replace(&cue, " ");
                *words = format!(" {} ", rest.split_whitespace().collect::<Vec<&str>>().join(" "));
            }
        }
    }

    /// Returns whether a sentence has one of the cues.
    fn occur_in(&self, sentence: &Normalized<'_>) -> bool {
        self.words.iter().any(|cue| sentence.words.contains(cue.as_str()))
            || self.parts.iter().any(|part| sentence.written.contains(part))
    }
}

static QUESTION: LazyLock<Cues> = LazyLock::new(|| Cues::of(QUESTIONS, QUESTIONS_WITHOUT_SPACES));
static COMPLAINT: LazyLock<Cues> = LazyLock::new(|| Cues::of(COMPLAINTS, COMPLAINTS_WITHOUT_SPACES));
static COURTESY: LazyLock<Cues> = LazyLock::new(|| Cues::of(COURTESIES, COURTESIES_WITHOUT_SPACES));
static ADDITION: LazyLock<Cues> = LazyLock::new(|| Cues::of(ADDITIONS, &[]));
static ACKNOWLEDGEMENT: LazyLock<Cues> =
    LazyLock::new(|| Cues::of(ACKNOWLEDGEMENTS, ACKNOWLEDGEMENTS_WITHOUT_SPACES).longest_first());
static SOLUTION: LazyLock<Cues> = LazyLock::new(|| Cues::of(SOLUTIONS, &[]));
static RESERVATION: LazyLock<Cues> = LazyLock::new(|| Cues::of(RESERVATIONS, &[]));

/// The most bytes of an answer that only acknowledges something.
const MAX_ACKNOWLEDGEMENT: usize = 120;

struct Normalized<'t> {
    written: &'t str,
    /// The words, each between spaces.
    words: String,
}

impl Normalized<'_> {
    /// Returns whether a sentence says nothing but that something is well.
    fn is_acknowledgement(&self) -> bool {
        if self.written.len() > MAX_ACKNOWLEDGEMENT {
            return false;
        }
        let parts = || ACKNOWLEDGEMENT.parts.iter().chain(&COURTESY.parts);
        if parts().any(|part| self.written.contains(part)) {
            let rest = parts().fold(self.written.to_owned(), |rest, part| rest.replace(part, ""));
            return !rest.contains(char::is_alphanumeric);
        }
        let mut rest = self.words.clone();
        COURTESY.remove_from(&mut rest);
        ACKNOWLEDGEMENT.remove_from(&mut rest);
        rest.trim().is_empty() && !self.words.trim().is_empty()
    }

    /// Returns whether a sentence says thanks because a problem is no more.
    fn is_solved(&self) -> bool {
        COURTESY.occur_in(self) && SOLUTION.occur_in(self) && !RESERVATION.occur_in(self)
    }
}

/// The kind of a sentence, by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub is_question: bool,
    pub is_complaint: bool,
    pub is_courtesy: bool,
    pub is_addition: bool,
}

impl Kind {
    pub fn of(sentence: &str) -> Self {
        let normalized = Normalized {
            written: sentence,
            words: words_of(sentence),
        };
        let has_question_mark = sentence.contains(['?', '？', '؟']);
        let is_courtesy = COURTESY.occur_in(&normalized);
        if !has_question_mark && (normalized.is_acknowledgement() || normalized.is_solved()) {
            return Self {
                is_question: false,
                is_complaint: false,
                is_courtesy: true,
                is_addition: false,
            };
        }
        Self {
            is_question: has_question_mark || QUESTION.occur_in(&normalized),
            is_complaint: COMPLAINT.occur_in(&normalized),
            is_courtesy,
            is_addition: ADDITION.occur_in(&normalized),
        }
    }

    pub fn is_problem(self) -> bool {
        self.is_question || self.is_complaint
    }
}

/// Returns the normalized words of a text between spaces: " can t log in ".
fn words_of(text: &str) -> String {
    let mut words = String::from(" ");
    for_each_token(text, |_, range, kind| {
        if kind == TokenKind::Word {
            normalize_into(&mut words, text.get(range).unwrap_or_default());
            words.push(' ');
        }
    });
    words
}

/// Returns a sentence without a salutation before it: "Hi team, where is …".
pub fn without_salutation(sentence: &str) -> &str {
    const LONGEST: usize = 30;
    let Some((salutation, rest)) = sentence.split_once([',', '!']) else {
        return sentence;
    };
    let is_salutation = salutation.len() <= LONGEST && {
        let kind = Kind::of(salutation);
        kind.is_courtesy && !kind.is_problem()
    };
    let normalized = Normalized {
        written: sentence,
        words: words_of(sentence),
    };
    // The thanks tell that the rest is no complaint.
    let is_salutation = is_salutation && !normalized.is_solved();
    if is_salutation && rest.chars().any(char::is_alphanumeric) {
        rest.trim_start()
    } else {
        sentence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_complaints_are_told() {
        for (sentence, question, complaint) in [
            ("How do I reset it", true, false),
            ("I can’t log in", false, true),
            ("Why does it crash?", true, true),
            ("I use the basic plan.", false, false),
            ("Die Seite lädt nicht", false, true),
            ("Je n'arrive pas à payer", false, true),
            ("Где мои счета", true, false),
            ("ログインできません", false, true),
            ("如何导出", true, false),
            ("", false, false),
        ] {
            let kind = Kind::of(sentence);
            assert_eq!(
                (kind.is_question, kind.is_complaint),
                (question, complaint),
                "{sentence}"
            );
        }
    }

    #[test]
    fn courtesies_are_told() {
        for sentence in [
            "Hi team,",
            "Many thanks in advance",
            "Viele Grüße",
            "Merci !",
            "よろしくお願いします",
        ] {
            assert!(Kind::of(sentence).is_courtesy, "{sentence}");
        }
        assert!(!Kind::of("The history is empty").is_courtesy);
    }

    #[test]
    fn thanks_are_courtesies() {
        for sentence in [
            "All good!",
            "all good now, thanks",
            "Thanks, that fixed the error!",
            "Perfect, it works now",
            "No more questions, thank you so much.",
            "Alles gut, danke!",
            "Merci, ça marche",
            "Todo bien, gracias",
            "Всё работает, спасибо",
            "好的，谢谢",
            "OK",
        ] {
            let kind = Kind::of(sentence);
            assert!(kind.is_courtesy && !kind.is_problem(), "{sentence}");
        }
        for sentence in [
            "Nothing works now!",
            "It works now, but the export is empty, thanks",
            "Is it all good?",
            "Everything is broken",
            "The help is not good",
        ] {
            let kind = Kind::of(sentence);
            assert!(kind.is_problem(), "{sentence}");
        }
    }

    #[test]
    fn salutations_are_cut_off() {
        assert_eq!(without_salutation("Hi team, where is it?"), "where is it?");
        assert_eq!(without_salutation("Hello!"), "Hello!");
        assert_eq!(
            without_salutation("Since monday, nothing works"),
            "Since monday, nothing works"
        );
    }
}
