//! The headers of MCP servers, which are secrets: they are stored sealed, and no answer has their values.

use std::collections::{BTreeMap, BTreeSet};

use entity::{ids::SiteMcpServerId, publishing::sites::mcp_servers::Model};
use openapi::error::{ApiError, ErrorRule};
use poem::http::HeaderName;

use crate::kernel::Kernel;

/// The value of every header in answers. In a request it stands for the value that is stored.
const MASK: &str = "********";

/// The characters of a name, at most.
const MAX_NAME: usize = 100;

pub type Headers = BTreeMap<String, String>;

pub fn seal(kernel: &Kernel, server: SiteMcpServerId, headers: &Headers) -> Result<Vec<u8>, ApiError> {
    let sealed = kernel.secrets.seal(&purpose(server), &serde_json::to_vec(headers)?);
    sealed.map_err(ApiError::internal)
}

pub fn open(kernel: &Kernel, row: &Model) -> Result<Headers, ApiError> {
    let opened = kernel.secrets.open(&purpose(row.id), &row.headers);
    Ok(serde_json::from_slice(&opened.map_err(ApiError::internal)?)?)
}

fn purpose(server: SiteMcpServerId) -> String {
    format!("headers of the MCP server {server}")
}

/// The headers as answers show them.
pub fn masked(headers: Headers) -> Headers {
    let names = headers.into_keys();
    names.map(|name| (name, MASK.to_owned())).collect()
}

/// The headers that a request sets, each masked one with its stored value.
pub fn replace(stored: &Headers, mut sent: Headers) -> Result<Headers, ApiError> {
    let mut names = BTreeSet::new();
    for (name, value) in &mut sent {
        let is_name = name.len() <= MAX_NAME && HeaderName::try_from(name.as_str()).is_ok();
        if !is_name || !names.insert(name.to_ascii_lowercase()) {
            let rule =
                "Names of headers have 1 to 100 of the characters that HTTP allows, and differ in more than case.";
            return Err(refused(rule));
        }
        if value == MASK {
            let kept = stored.iter().find(|(stored, _)| stored.eq_ignore_ascii_case(name));
            let (_, kept) = kept.ok_or_else(|| {
                refused("The value `********` keeps the value of a header, and there is no header with this name.")
            })?;
            value.clone_from(kept);
        }
    }
    Ok(sent)
}

fn refused(message: &str) -> ApiError {
    ApiError::invalid_member("/body/headers", ErrorRule::Header, message)
}
