//! Endpoints of the LibreTranslate form. They know no glossaries and no instructions.

use futures_util::{FutureExt, future::BoxFuture};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::json;

use super::{Batch, Engine, EngineAddress, EngineError, http::Http, malformed, one_each};

pub struct LibreTranslate {
    pub address: EngineAddress,
    pub http: Http,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    translated_text: Vec<String>,
}

impl Engine for LibreTranslate {
    fn translate<'a>(&'a self, batch: &'a Batch<'a>) -> BoxFuture<'a, Result<Vec<String>, EngineError>> {
        async move {
            let mut body = json!({
                "q": batch.texts,
                "source": code(batch.source),
                "target": code(batch.target),
                "format": "html",
            });
            if let (Some(key), Some(body)) = (&self.address.key, body.as_object_mut()) {
                body.insert("api_key".to_owned(), json!(key.expose_secret()));
            }
            let url = self.address.endpoint("translate");
            let answer = self.http.post(&url, &body, |request| request).await?;
            let answer = serde_json::from_value::<Answer>(answer);
            let answer = answer.map_err(|_| malformed("it has no list `translatedText`."))?;
            one_each(batch.texts, answer.translated_text)
        }
        .boxed()
    }
}

fn code(language: &str) -> &str {
    match language {
        "no" => "nb",
        "pt-br" => "pt-BR",
        "zh-tw" => "zt",
        other => other,
    }
}
