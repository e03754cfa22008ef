//! Servers of operations, and those that a page may call.

use serde_json::Value;
use url::Url;

use super::Specified;

/// Servers that are offered to readers.
const MAX_SERVERS: usize = 10;

/// Origins that the scripts of one page may call.
const MAX_ORIGINS: usize = 10;

/// Bytes of the address of a server.
const MAX_ADDRESS: usize = 2_000;

/// The addresses of the servers of an operation, of its path or of the document.
pub fn addresses(from: [&Value; 3]) -> Vec<String> {
    let mut lists = from.into_iter().filter_map(|of| of.get("servers")?.as_array());
    let servers = lists.find(|servers| !servers.is_empty()).into_iter().flatten();
    servers.take(MAX_SERVERS).filter_map(address).collect()
}

/// The address of a server with the defaults of its variables. `None`: it is too long.
fn address(server: &Value) -> Option<String> {
    let fits = |text: &&str| text.len() <= MAX_ADDRESS;
    let variables = server.get("variables").unwrap_or(&Value::Null);
    let mut parts = server.get("url")?.as_str().filter(fits)?.split('{');
    let mut address = parts.next()?.to_owned();
    for part in parts {
        let (name, after) = part.split_once('}').unwrap_or((part, ""));
        let default = variables
            .get(name)
            .and_then(|variable| variable.get("default")?.as_str());
        match default.filter(fits) {
            Some(default) => address.push_str(default),
            None => address.push_str(&format!("{{{name}}}")),
        }
        address.push_str(after);
        if address.len() > MAX_ADDRESS {
            return None;
        }
    }
    Some(address)
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

impl Specified<'_> {
    /// Lets the page call a server. Returns `false` if it cannot.
    pub(super) fn may_call(&mut self, address: &str) -> bool {
        let origins = &mut self.room.origins;
        match origin(address) {
            Some(origin) if origins.contains(&origin) => true,
            Some(origin) if origins.len() < MAX_ORIGINS => {
                origins.push(origin);
                true
            }
            Some(_) | None => false,
        }
    }
}
