//! Servers of operations, and those that a page may call.

use serde_json::Value;

/// Servers that are offered to readers.
const MAX_SERVERS: usize = 10;

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
