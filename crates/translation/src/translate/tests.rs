//! Requests for batches, with an engine that fails.

use std::{collections::VecDeque, sync::Mutex};

use futures_util::{FutureExt, future::BoxFuture};

use super::*;

type Reply = Result<Vec<String>, EngineError>;

/// Gives the replies of a list, and the texts themselves afterwards, unless a text says otherwise.
struct Scripted {
    replies: Mutex<VecDeque<Reply>>,
    sizes: Mutex<Vec<usize>>,
}

/// The engine rejects batches with this word.
const FORBIDDEN: &str = "forbidden";

impl Engine for Scripted {
    fn translate<'a>(&'a self, batch: &'a Batch<'a>) -> BoxFuture<'a, Reply> {
        self.sizes.lock().unwrap().push(batch.texts.len());
        let next = self.replies.lock().unwrap().pop_front();
        let same = || match batch.texts.iter().any(|text| text.contains(FORBIDDEN)) {
            true => Err(rejected()),
            false => Ok(batch.texts.iter().map(|text| (*text).to_owned()).collect()),
        };
        std::future::ready(next.unwrap_or_else(same)).boxed()
    }
}

impl Scripted {
    fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            replies: Mutex::new(replies.into_iter().collect()),
            sizes: Mutex::default(),
        }
    }

    fn sizes(&self) -> Vec<usize> {
        std::mem::take(&mut self.sizes.lock().unwrap())
    }
}

fn texts(texts: &[&str]) -> Reply {
    Ok(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn malformed() -> EngineError {
    EngineError::Malformed("truncated".to_owned())
}

fn unavailable() -> EngineError {
    EngineError::Unavailable("down".to_owned())
}

fn rejected() -> EngineError {
    EngineError::Rejected("status 400".to_owned())
}

fn translated(text: &str) -> Outcome {
    Outcome::Translated {
        text: text.to_owned(),
        follows_glossary: true,
    }
}

async fn translate_with(
    engine: &Scripted,
    (terms, rejections): (&[Term], &Rejections),
    texts: &[&str],
) -> Translations {
    let segments: Vec<Segment> = texts.iter().map(|text| Segment::plain(text)).collect();
    let segments: Vec<&Segment> = segments.iter().collect();
    let task = Task {
        source: "en",
        target: "de",
        instructions: "",
        glossary: &Glossary::new(terms.to_vec()).unwrap(),
        rejections,
    };
    translate(engine, task, &segments).await
}

async fn translations(engine: &Scripted, texts: &[&str]) -> Translations {
    translate_with(engine, (&[], &Rejections::default()), texts).await
}

#[tokio::test]
async fn broken_translations_are_asked_for_once_more() {
    let engine = Scripted::new([texts(&["Eins", "<g>"]), texts(&["<g>"])]);
    let done = translations(&engine, &["One", "Two words"]).await;
    assert_eq!(done.outcomes, [translated("Eins"), Outcome::Failed]);
    assert_eq!((done.failure, done.sent_words), (None, 3 + 2));
    assert_eq!(engine.sizes(), [2, 1]);

    let terms = [Term {
        source: "one".to_owned(),
        target: "Eins".to_owned(),
    }];
    let engine = Scripted::new([texts(&["Zwei"]), texts(&["Drei"])]);
    let done = translate_with(&engine, (&terms, &Rejections::default()), &["One"]).await;
    assert!(matches!(&done.outcomes[..], [Outcome::Translated { text, follows_glossary: false }] if text == "Zwei"));
    assert_eq!(done.sent_words, 2);
}

#[tokio::test]
async fn translations_that_are_much_longer_than_their_texts_are_broken() {
    let sentence = "Ein ganzer Satz für ein einziges Wort. ".repeat(20);
    let engine = Scripted::new([texts(&[sentence.trim()])]);
    let done = translations(&engine, &["One"]).await;
    assert_eq!(done.outcomes, [translated(sentence.trim())]);
    let endless = "Wort ".repeat(600_000);
    let engine = Scripted::new([texts(&[&endless]), texts(&[&endless])]);
    let done = translations(&engine, &["One"]).await;
    assert_eq!(done.outcomes, [Outcome::Failed]);
}

#[tokio::test]
async fn unusable_answers_are_asked_for_in_smaller_batches() {
    let engine = Scripted::new([Err(malformed()), texts(&["one"])]);
    let done = translations(&engine, &["a", "b", "c", "d"]).await;
    assert_eq!(done.outcomes, ["a", "b", "c", "d"].map(translated));
    assert_eq!(engine.sizes(), [4, 4, 2, 2]);
    assert_eq!(done.sent_words, 12);

    let engine = Scripted::new((0..100).map(|_| Err(malformed())));
    let done = translations(&engine, &["a", "b"]).await;
    assert_eq!(done.outcomes, [Outcome::Failed, Outcome::Failed]);
    assert!(engine.sizes().len() < 20);
}

#[tokio::test]
async fn answers_before_a_failure_are_kept() {
    // The second request for a segment fails.
    let engine = Scripted::new([texts(&["Eins", "<g>"]), Err(unavailable())]);
    let done = translations(&engine, &["One", "Two words"]).await;
    assert_eq!(done.outcomes, [translated("Eins"), Outcome::Failed]);
    assert_eq!((done.failure, done.sent_words), (Some(unavailable()), 5));

    // A half fails.
    let refused = EngineError::Refused("status 403".to_owned());
    let replies = [
        Err(malformed()),
        Err(malformed()),
        texts(&["A", "B"]),
        Err(refused.clone()),
    ];
    let engine = Scripted::new(replies);
    let done = translations(&engine, &["a", "b", "c", "d"]).await;
    let [a, b] = ["A", "B"].map(translated);
    assert_eq!(done.outcomes, [a, b, Outcome::Failed, Outcome::Failed]);
    assert_eq!((done.failure, done.sent_words), (Some(refused), 12));
    // The engine is not asked any more.
    assert_eq!(engine.sizes(), [4, 4, 2, 2]);

    // A translation that ignores the glossary is better than none.
    let terms = [Term {
        source: "one".to_owned(),
        target: "Eins".to_owned(),
    }];
    let engine = Scripted::new([texts(&["Zwei"]), Err(unavailable())]);
    let done = translate_with(&engine, (&terms, &Rejections::default()), &["One"]).await;
    assert!(matches!(&done.outcomes[..], [Outcome::Translated { text, follows_glossary: false }] if text == "Zwei"));
    assert_eq!(done.failure, Some(unavailable()));
}

#[tokio::test]
async fn a_rejected_segment_stays_alone() {
    let engine = Scripted::new([]);
    let names: Vec<String> = (0..20).map(|number| format!("text {number}")).collect();
    let mut batch: Vec<&str> = names.iter().map(String::as_str).collect();
    batch[6] = FORBIDDEN;
    let done = translations(&engine, &batch).await;
    assert_eq!(done.failure, None);
    for (index, (outcome, text)) in done.outcomes.iter().zip(&batch).enumerate() {
        match index {
            6 => assert_eq!(*outcome, Outcome::Rejected),
            _ => assert_eq!(*outcome, translated(text)),
        }
    }
    // Down to the single segment, which is not sent a second time.
    let sizes = engine.sizes();
    assert_eq!(sizes, [20, 10, 5, 5, 2, 1, 1, 3, 10]);
    assert_eq!(done.sent_words, 39 + 19 + 10 + 9 + 3 + 2 + 1 + 6 + 20);
}

#[tokio::test]
async fn an_engine_that_rejects_everything_gets_few_requests() {
    let engine = Scripted::new([]);
    let rejections = Rejections::default();
    let batch = [FORBIDDEN; 20];
    let done = translate_with(&engine, (&[], &rejections), &batch).await;
    assert_eq!(done.failure, Some(EngineError::Refused("status 400".to_owned())));
    assert!(engine.sizes().len() < 2 * 20);
    // A batch beside it ends as well, at its first request.
    let done = translate_with(&engine, (&[], &rejections), &batch).await;
    assert!(matches!(done.failure, Some(EngineError::Refused(_))));
    assert_eq!(engine.sizes(), [20]);

    // Batches of single segments count together.
    let rejections = Rejections::default();
    let mut failure = None;
    while failure.is_none() {
        failure = translate_with(&engine, (&[], &rejections), &[FORBIDDEN]).await.failure;
    }
    assert_eq!(engine.sizes().len(), 20);
}

#[tokio::test]
async fn rejections_count_in_a_row() {
    let engine = Scripted::new([]);
    let rejections = Rejections::default();
    for _ in 0..3 {
        for _ in 0..MAX_REJECTIONS - 1 {
            let done = translate_with(&engine, (&[], &rejections), &[FORBIDDEN]).await;
            assert_eq!((done.failure, done.outcomes), (None, vec![Outcome::Rejected]));
        }
        assert_eq!(translate_with(&engine, (&[], &rejections), &["a"]).await.failure, None);
    }
}
