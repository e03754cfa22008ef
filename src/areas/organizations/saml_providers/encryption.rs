//! The keys to which identity providers encrypt.

use entity::{ids::SamlProviderId, organizations::saml_providers::Model};
use openapi::error::ApiError;
use saml::{EncryptionKey, NewEncryptionKey};

use crate::{areas::organizations::Organizations, kernel::Kernel};

/// The subject of the certificates, which identity providers do not look at.
const NAME: &str = "Bindery";

/// A change of the key of a provider.
#[derive(Clone)]
pub enum KeyChange {
    Kept,
    Deleted,
    Made(NewKey),
}

/// A key that is to be stored, sealed.
#[derive(Clone)]
pub struct NewKey {
    key: Vec<u8>,
    certificate: String,
    /// The one that it takes the place of.
    former: Option<Vec<u8>>,
}

impl KeyChange {
    /// The change that a request asks for. A key is made before the transaction: making one takes too long within it.
    pub async fn of(organizations: &Organizations, row: &Model, wanted: Option<bool>) -> Result<Self, ApiError> {
        match wanted {
            None => Ok(Self::Kept),
            Some(false) => Ok(Self::Deleted),
            // The identity provider may know the key that is there.
            Some(true) if read(&organizations.kernel, row).is_some() => Ok(Self::Kept),
            Some(true) => Ok(Self::Made(make(organizations, row).await?)),
        }
    }

    pub fn apply(self, row: Model) -> Model {
        let (encryption_key, encryption_certificate) = match self {
            Self::Deleted => (None, None),
            Self::Made(new) if new.former == row.encryption_key => (Some(new.key), Some(new.certificate)),
            Self::Kept | Self::Made(_) => return row,
        };
        Model {
            encryption_key,
            encryption_certificate,
            ..row
        }
    }
}

async fn make(organizations: &Organizations, row: &Model) -> Result<NewKey, ApiError> {
    let kernel = &organizations.kernel;
    let now = kernel.clock.now().to_utc();
    let generate = move || NewEncryptionKey::generate(NAME, now);
    let made = organizations.saml_work.make_key(row.organization_id, generate).await?;
    let made = made.map_err(|error| ApiError::internal(error.to_string()))?;
    let key = kernel.secrets.seal(&purpose(row.id), &made.private);
    Ok(NewKey {
        key: key.map_err(|error| ApiError::internal(error.to_string()))?,
        certificate: made.certificate,
        former: row.encryption_key.clone(),
    })
}

/// The stored key of a provider. A key of another secret key of the server is none.
pub fn read(kernel: &Kernel, row: &Model) -> Option<EncryptionKey> {
    let sealed = row.encryption_key.as_ref()?;
    let opened = kernel
        .secrets
        .open(&purpose(row.id), sealed)
        .map_err(|error| error.to_string());
    let key = opened.and_then(|private| EncryptionKey::read(&private).map_err(|error| error.to_string()));
    key.inspect_err(|error| tracing::error!(provider = %row.id, "no assertion can be decrypted: {error}"))
        .ok()
}

fn purpose(provider: SamlProviderId) -> String {
    format!("encryption key of the SAML provider {provider}")
}
