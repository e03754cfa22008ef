//! The protocols of translation engines, against an engine that fails.

use std::time::{Duration, Instant};

use platform::outbound;
use translation::{
    Term,
    engine::{Batch, Engine, EngineAddress, EngineError, HttpLimits, Protocol, connect},
};

use crate::support::engine::{Fault, TranslationEngine};

const PROTOCOLS: [Protocol; 3] = [Protocol::OpenAi, Protocol::LibreTranslate, Protocol::DeepL];

const FAST: HttpLimits = HttpLimits {
    time: Duration::from_secs(20),
    attempts: 3,
    first_wait: Duration::from_millis(1),
    longest_wait: Duration::from_millis(5),
    bytes: 10_000,
};

fn client(server: &TranslationEngine, protocol: Protocol, limits: HttpLimits) -> Box<dyn Engine> {
    let address = EngineAddress {
        protocol,
        url: server.url.parse().unwrap(),
        key: Some("sesame".into()),
        model: "small".to_owned(),
    };
    connect(address, outbound::of_operator().unwrap(), limits)
}

async fn translate(engine: &dyn Engine, texts: &[&str]) -> Result<Vec<String>, EngineError> {
    let term = Term {
        source: "finger".to_owned(),
        target: "Greiffinger".to_owned(),
    };
    let batch = Batch {
        source: "en",
        target: "pt-br",
        instructions: "Be brief.",
        terms: &[&term],
        texts,
    };
    engine.translate(&batch).await
}

#[tokio::test]
async fn every_protocol_translates_with_key_and_glossary() {
    let server = TranslationEngine::start().await;
    for protocol in PROTOCOLS {
        let engine = client(&server, protocol, FAST);
        let texts = ["A <g id=\"1\">finger</g> &amp; more", "B"];
        let answer = translate(engine.as_ref(), &texts).await.unwrap();
        assert_eq!(answer, ["A <g id=\"1\">FINGER</g> &amp; MORE", "B"]);
        let [request] = server.take_requests().try_into().unwrap();
        let body = request.body.to_string();
        match protocol {
            Protocol::OpenAi => {
                assert_eq!(request.authorization, "Bearer sesame");
                assert!(
                    body.contains("Greiffinger") && body.contains("Be brief.") && body.contains("pt-br"),
                    "{body}"
                );
                assert_eq!(request.body["model"], "small");
            }
            Protocol::LibreTranslate => {
                assert_eq!(
                    (&request.body["api_key"], &request.body["target"]),
                    (&"sesame".into(), &"pt-BR".into())
                );
                assert_eq!(request.body["format"], "html");
            }
            Protocol::DeepL => {
                assert_eq!(request.authorization, "DeepL-Auth-Key sesame");
                assert_eq!(
                    (&request.body["source_lang"], &request.body["target_lang"]),
                    (&"EN".into(), &"PT-BR".into())
                );
                assert_eq!(request.body["context"], "finger = Greiffinger\nBe brief.");
            }
        }
    }
}

#[tokio::test]
async fn requests_are_repeated_where_that_may_help() {
    let server = TranslationEngine::start().await;
    for protocol in PROTOCOLS {
        let engine = client(&server, protocol, FAST);
        for faults in [
            vec![Fault::Status(429, "Retry-After: 3600\r\n"), Fault::Status(503, "")],
            vec![Fault::Status(500, ""), Fault::Disconnect],
        ] {
            server.fail(faults);
            assert_eq!(translate(engine.as_ref(), &["a"]).await.unwrap(), ["A"]);
            assert_eq!(server.take_requests().len(), 3);
        }
        server.fail([Fault::Status(429, ""), Fault::Status(502, ""), Fault::Status(503, "")]);
        let refused = translate(engine.as_ref(), &["a"]).await.unwrap_err();
        assert!(
            matches!(&refused, EngineError::Unavailable(message) if message.contains("503")),
            "{refused}"
        );
        server.take_requests();
        for status in [401, 403, 302, 400, 413, 422] {
            server.fail([Fault::Status(status, "Location: /elsewhere\r\n")]);
            let refused = translate(engine.as_ref(), &["a"]).await.unwrap_err();
            let is_of_texts = matches!(refused, EngineError::Rejected(_));
            assert!(is_of_texts || matches!(refused, EngineError::Refused(_)), "{refused}");
            assert_eq!(is_of_texts, [400, 413, 422].contains(&status), "{refused}");
            assert!(!refused.to_string().contains("sesame"));
        }
        assert_eq!(server.take_requests().len(), 6);
    }
}

#[tokio::test]
async fn an_engine_is_left_alone_for_as_long_as_it_says() {
    let server = TranslationEngine::start().await;
    let limits = HttpLimits {
        longest_wait: Duration::from_secs(60),
        ..FAST
    };
    let engine = client(&server, Protocol::DeepL, limits);
    server.fail([Fault::Status(429, "Retry-After: 1\r\n")]);
    let asked = Instant::now();
    assert_eq!(translate(engine.as_ref(), &["a"]).await.unwrap(), ["A"]);
    assert!(asked.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn unusable_answers_are_told_apart() {
    let server = TranslationEngine::start().await;
    let long: &'static str = Box::leak("[".repeat(20_000).into_boxed_str());
    for protocol in PROTOCOLS {
        let engine = client(&server, protocol, FAST);
        let faults = [
            Fault::Body("{\"translations\": [{\"te"),
            Fault::Body("[]"),
            Fault::Body("{\"translations\": [], \"translatedText\": [], \"choices\": []}"),
            Fault::Body(r#"{"choices": [{"message": {"content": "{}"}, "finish_reason": "length"}]}"#),
            Fault::Body(
                r#"{"choices": [{"message": {"content": "{\"translations\": [{\"id\": 9, \"text\": \"A\"}]}"}}]}"#,
            ),
            Fault::Body(long),
            Fault::TooFew,
        ];
        let count = faults.len();
        server.fail(faults);
        for _ in 0..count {
            let broken = translate(engine.as_ref(), &["a"]).await.unwrap_err();
            assert!(matches!(broken, EngineError::Malformed(_)), "{protocol:?}: {broken}");
        }
    }
}

#[tokio::test]
async fn engines_that_do_not_answer_are_given_up() {
    let server = TranslationEngine::start().await;
    server.fail([Fault::Wait, Fault::Wait]);
    let limits = HttpLimits {
        time: Duration::from_millis(50),
        attempts: 2,
        ..FAST
    };
    let engine = client(&server, Protocol::DeepL, limits);
    let slow = translate(engine.as_ref(), &["a"]).await.unwrap_err();
    assert!(matches!(slow, EngineError::Unavailable(_)), "{slow}");
}
