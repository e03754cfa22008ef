//! The secret key in an archive: an age file, which the program `age` opens as well.

use age::{DecryptError, scrypt};
use anyhow::anyhow;
use secrecy::SecretString;
use zeroize::Zeroizing;

/// Two to this power are the rounds of scrypt: about half a second, and 128 MiB of memory.
const WORK_FACTOR: u8 = 17;

/// An archive may not ask for more.
const MAX_WORK_FACTOR: u8 = 20;

/// Seals the text of a key file.
pub fn seal_key(passphrase: &SecretString, key: &str) -> anyhow::Result<Vec<u8>> {
    let mut recipient = scrypt::Recipient::new(passphrase.clone());
    recipient.set_work_factor(WORK_FACTOR);
    Ok(age::encrypt(&recipient, key.as_bytes())?)
}

/// Opens a sealed key.
pub fn open_key(passphrase: &SecretString, sealed: &[u8]) -> anyhow::Result<Zeroizing<String>> {
    let mut identity = scrypt::Identity::new(passphrase.clone());
    identity.set_max_work_factor(MAX_WORK_FACTOR);
    let key = age::decrypt(&identity, sealed).map_err(|error| match error {
        DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
            anyhow!("the passphrase is not the one that the archive was made with")
        }
        error => anyhow!("the key in the archive cannot be opened: {error}"),
    })?;
    let key = String::from_utf8(key).map_err(|_| anyhow!("the key in the archive is not a text"))?;
    Ok(Zeroizing::new(key))
}
