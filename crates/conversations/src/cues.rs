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

struct Normalized<'t> {
    written: &'t str,
    /// The words, each between spaces.
    words: String,
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
        Self {
            is_question: sentence.contains(['?', '？', '؟']) || QUESTION.occur_in(&normalized),
            is_complaint: COMPLAINT.occur_in(&normalized),
            is_courtesy: COURTESY.occur_in(&normalized),
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
    fn salutations_are_cut_off() {
        assert_eq!(without_salutation("Hi team, where is it?"), "where is it?");
        assert_eq!(without_salutation("Hello!"), "Hello!");
        assert_eq!(
            without_salutation("Since monday, nothing works"),
            "Since monday, nothing works"
        );
    }
}
