//! The translation engine of the server, and its limits.

use std::sync::OnceLock;

use entity::languages::translations::TranslationEngine;
use openapi::error::ApiError;
use platform::{
    config::{Settings, TranslationProtocol, TranslationSettings},
    outbound,
};
use tokio::sync::Semaphore;
use translation::engine::{Engine, EngineAddress, HttpLimits, Protocol, connect};

/// The engine, if the operator has set one, and what it may be asked for.
pub struct Translator {
    settings: Option<TranslationSettings>,
    /// Created at the first use, because most processes do not need it.
    engine: OnceLock<Box<dyn Engine>>,
    /// A permit for each request at a time.
    pub permits: Semaphore,
    pub requests: usize,
    pub words_per_run: u64,
    pub words_per_day: u64,
}

impl Translator {
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.translation(),
            engine: OnceLock::new(),
            permits: Semaphore::new(settings.translation_requests.min(Semaphore::MAX_PERMITS)),
            requests: settings.translation_requests,
            words_per_run: settings.translation_words_per_run,
            words_per_day: settings.translation_words_per_day,
        }
    }

    /// The engine in answers.
    pub fn kind(&self) -> TranslationEngine {
        match self.settings.as_ref().map(|settings| settings.protocol) {
            None => TranslationEngine::None,
            Some(TranslationProtocol::OpenAi) => TranslationEngine::Openai,
            Some(TranslationProtocol::LibreTranslate) => TranslationEngine::Libretranslate,
            Some(TranslationProtocol::DeepL) => TranslationEngine::Deepl,
        }
    }

    /// The name of the model; empty without one.
    pub fn model(&self) -> &str {
        self.settings.as_ref().map_or("", |settings| settings.model.as_str())
    }

    /// `None`: the server has no engine.
    pub fn engine(&self) -> Result<Option<&dyn Engine>, ApiError> {
        let Some(settings) = &self.settings else {
            return Ok(None);
        };
        if let Some(engine) = self.engine.get() {
            return Ok(Some(engine.as_ref()));
        }
        let client = outbound::of_operator().map_err(|error| ApiError::internal(error.into_boxed_dyn_error()))?;
        let address = EngineAddress {
            protocol: match settings.protocol {
                TranslationProtocol::OpenAi => Protocol::OpenAi,
                TranslationProtocol::LibreTranslate => Protocol::LibreTranslate,
                TranslationProtocol::DeepL => Protocol::DeepL,
            },
            url: settings.url.clone(),
            key: settings.key.clone(),
            model: settings.model.clone(),
        };
        let engine = connect(address, client, HttpLimits::default());
        Ok(Some(self.engine.get_or_init(|| engine).as_ref()))
    }
}
