//! Endpoints of the DeepL form, with tags as XML.

use futures_util::{FutureExt, future::BoxFuture};
use reqwest::header::AUTHORIZATION;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::json;

use super::{Batch, Engine, EngineAddress, EngineError, http::Http, malformed, one_each};

pub struct DeepL {
    pub address: EngineAddress,
    pub http: Http,
}

#[derive(Deserialize)]
struct Answer {
    translations: Vec<Translation>,
}

#[derive(Deserialize)]
struct Translation {
    text: String,
}

impl Engine for DeepL {
    fn translate<'a>(&'a self, batch: &'a Batch<'a>) -> BoxFuture<'a, Result<Vec<String>, EngineError>> {
        async move {
            let body = json!({
                "text": batch.texts,
                "source_lang": source_code(batch.source),
                "target_lang": target_code(batch.target),
                "tag_handling": "xml",
                "context": context(batch),
            });
            let url = self.address.endpoint("v2/translate");
            let answer = self.http.post(&url, &body, |request| match &self.address.key {
                Some(key) => request.header(AUTHORIZATION, format!("DeepL-Auth-Key {}", key.expose_secret())),
                None => request,
            });
            let answer = serde_json::from_value::<Answer>(answer.await?);
            let answer = answer.map_err(|_| malformed("it has no list `translations`."))?;
            let texts = answer.translations.into_iter().map(|translation| translation.text);
            one_each(batch.texts, texts.collect())
        }
        .boxed()
    }
}

/// The context influences a translation and is not translated itself.
fn context(batch: &Batch<'_>) -> String {
    let terms = batch
        .terms
        .iter()
        .map(|term| format!("{} = {}", term.source, term.target));
    let lines = terms.chain((!batch.instructions.is_empty()).then(|| batch.instructions.to_owned()));
    lines.collect::<Vec<String>>().join("\n")
}

fn source_code(language: &str) -> String {
    match language {
        "no" => "NB".to_owned(),
        "pt-br" => "PT".to_owned(),
        "zh-tw" => "ZH".to_owned(),
        other => other.to_uppercase(),
    }
}

/// English and Portuguese need a region as targets, and Traditional Chinese its script.
fn target_code(language: &str) -> String {
    match language {
        "en" => "EN-US".to_owned(),
        "pt" => "PT-PT".to_owned(),
        "pt-br" => "PT-BR".to_owned(),
        "zh-tw" => "ZH-HANT".to_owned(),
        other => source_code(other),
    }
}
