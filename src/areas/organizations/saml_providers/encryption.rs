//! The keys to which identity providers encrypt.

use entity::{ids::SamlProviderId, saml_providers::Model};
use openapi::error::ApiError;
use saml::{EncryptionKey, NewEncryptionKey};

use crate::app::App;

/// The subject of the certificates, which identity providers do not look at.
const NAME: &str = "Bindery";

/// Memory in which a key is made.
const MEMORY: usize = 1024 * 1024;

/// What becomes of the key of a provider.
#[derive(Clone)]
pub enum KeyChange {
    Kept,
    Deleted,
    Made {
        /// Sealed.
        key: Vec<u8>,
        certificate: String,
    },
}

impl KeyChange {
    /// What a request wants. Makes a key that may not be needed: making one takes too long for a transaction.
    pub async fn of(app: &App, provider: SamlProviderId, wanted: Option<bool>) -> Result<Self, ApiError> {
        match wanted {
            None => Ok(Self::Kept),
            Some(false) => Ok(Self::Deleted),
            Some(true) => make(app, provider).await,
        }
    }

    pub fn apply(self, row: Model) -> Model {
        let (encryption_key, encryption_certificate) = match self {
            Self::Deleted => (None, None),
            // The identity provider may know the key that is there.
            Self::Made { key, certificate } if row.encryption_key.is_none() => (Some(key), Some(certificate)),
            Self::Kept | Self::Made { .. } => return row,
        };
        Model {
            encryption_key,
            encryption_certificate,
            ..row
        }
    }
}

async fn make(app: &App, provider: SamlProviderId) -> Result<KeyChange, ApiError> {
    let now = app.clock.now().to_utc();
    let generate = move || NewEncryptionKey::generate(NAME, now);
    let made = app.work.run(MEMORY, generate).await?;
    let made = made.map_err(|error| ApiError::internal(error.to_string()))?;
    let key = app.secrets.seal(&purpose(provider), &made.private);
    Ok(KeyChange::Made {
        key: key.map_err(|error| ApiError::internal(error.to_string()))?,
        certificate: made.certificate,
    })
}

/// The stored key of a provider.
pub fn read(app: &App, row: &Model) -> Result<Option<EncryptionKey>, ApiError> {
    let Some(sealed) = &row.encryption_key else {
        return Ok(None);
    };
    let private = app.secrets.open(&purpose(row.id), sealed);
    let private = private.map_err(|error| ApiError::internal(error.to_string()))?;
    let key = EncryptionKey::read(&private).map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(Some(key))
}

fn purpose(provider: SamlProviderId) -> String {
    format!("encryption key of the SAML provider {provider}")
}
