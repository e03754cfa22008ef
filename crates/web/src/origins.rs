//! The origins that the policy of a document names.

use url::Url;

/// Origins of one document. Proxies refuse long headers.
const MAX_ORIGINS: usize = 10;

#[derive(Debug, Default)]
pub struct Origins(Vec<String>);

impl Origins {
    /// Adds the origin of an address. Returns `false` if the policy cannot name it.
    pub fn add(&mut self, address: &str) -> bool {
        match origin(address) {
            Some(origin) if self.0.contains(&origin) => true,
            Some(origin) if self.0.len() < MAX_ORIGINS => {
                self.0.push(origin);
                true
            }
            Some(_) | None => false,
        }
    }

    pub fn into_list(self) -> Vec<String> {
        self.0
    }
}

/// The origin of an address. `None`: it is not one of `http` or `https`, or not one that can be named in a content security policy.
fn origin(address: &str) -> Option<String> {
    let url = Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let origin = url.origin().ascii_serialization();
    // Hosts may have `;`, `,`, `*` and `'`, which mean something in a policy.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/[]".contains(&byte);
    Some(origin).filter(|origin| origin.bytes().all(is_plain))
}
