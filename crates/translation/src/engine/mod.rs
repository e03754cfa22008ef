//! Translation services by their protocols.

mod deepl;
mod http;
mod libretranslate;
mod openai;

use std::fmt;

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use url::Url;

use crate::glossary::Term;
pub use http::HttpLimits;

/// Texts to translate together. They have the form of segments: `<g id="1">…</g>`, `<x id="2"/>`, `&amp;`.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    pub source: &'a str,
    pub target: &'a str,
    /// What the people of the space want of translations, as Markdown.
    pub instructions: &'a str,
    pub terms: &'a [&'a Term],
    pub texts: &'a [&'a str],
}

/// A translation service.
pub trait Engine: Send + Sync {
    /// Translates all texts of a batch: as many translations, in the same order.
    fn translate<'a>(&'a self, batch: &'a Batch<'a>) -> BoxFuture<'a, Result<Vec<String>, EngineError>>;
}

/// The reason why an engine gives no translations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// Another request may succeed later.
    Unavailable(String),
    /// The engine refuses the request, because of its key or its settings.
    Refused(String),
    /// The engine does not take these texts: they are too large, or of a content that the engine does not translate. Smaller
    /// batches may be taken.
    Rejected(String),
    /// The answer cannot be used; the same texts in smaller batches may have one that can.
    Malformed(String),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(message)
            | Self::Refused(message)
            | Self::Rejected(message)
            | Self::Malformed(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for EngineError {}

/// The protocol of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    OpenAi,
    LibreTranslate,
    DeepL,
}

/// The address of an engine, and what it needs.
#[derive(Clone, Debug)]
pub struct EngineAddress {
    pub protocol: Protocol,
    pub url: Url,
    pub key: Option<SecretString>,
    /// The model; only for the OpenAI form.
    pub model: String,
}

/// Creates the engine at an address. `client` sends its requests.
pub fn connect(address: EngineAddress, client: reqwest::Client, limits: HttpLimits) -> Box<dyn Engine> {
    let http = http::Http { client, limits };
    match address.protocol {
        Protocol::OpenAi => Box::new(openai::OpenAi { address, http }),
        Protocol::LibreTranslate => Box::new(libretranslate::LibreTranslate { address, http }),
        Protocol::DeepL => Box::new(deepl::DeepL { address, http }),
    }
}

impl EngineAddress {
    /// The address of an endpoint below that of the engine.
    fn endpoint(&self, path: &str) -> String {
        format!("{}/{path}", self.url.as_str().trim_end_matches('/'))
    }
}

fn malformed(message: impl fmt::Display) -> EngineError {
    EngineError::Malformed(format!(
        "The answer of the translation engine cannot be used: {message}"
    ))
}

/// Returns the answers if there is one for each text.
pub(crate) fn one_each(texts: &[&str], answers: Vec<String>) -> Result<Vec<String>, EngineError> {
    if answers.len() == texts.len() {
        return Ok(answers);
    }
    Err(malformed(format_args!(
        "{} translations of {} texts.",
        answers.len(),
        texts.len()
    )))
}
