//! Environment and configuration of git, which take nothing from the server's or the user's.

use std::{ffi::OsString, path::Path};

/// Where git and ssh are looked for if the server has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Variables of each run. curl and git look for files of the user in `HOME`.
const VARIABLES: [(&str, &str); 13] = [
    ("HOME", "/dev/null"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_SSH_VARIANT", "ssh"),
    // What the allocator of the launcher reserves would count against the limit on memory.
    ("MIMALLOC_ARENA_RESERVE", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// Configuration of each run.
const CONFIG: [(&str, &str); 20] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.logAllRefUpdates", "false"),
    ("credential.helper", ""),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("transfer.fsckObjects", "true"),
    ("transfer.bundleURI", "false"),
    // One file, to which the limit on files applies, in place of thousands.
    ("fetch.unpackLimit", "1"),
    ("fastimport.unpackLimit", "1"),
    ("protocol.version", "2"),
    ("http.followRedirects", "false"),
    ("http.proxy", ""),
    ("http.lowSpeedLimit", "1"),
];

/// All variables of a run. `protocols` are those that git may use, separated by colons.
pub(crate) fn variables(
    repository: Option<&Path>,
    protocols: &str,
    config: &[(String, String)],
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = Vec::new();
    let mut set = |name: &str, value: OsString| variables.push((name.into(), value));
    for (name, value) in VARIABLES {
        set(name, value.into());
    }
    set("PATH", std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into()));
    set("GIT_ALLOW_PROTOCOL", protocols.into());
    if let Some(repository) = repository {
        set("GIT_DIR", repository.into());
    }
    let fixed = CONFIG.iter().map(|(name, value)| (*name, *value));
    let added = config.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut count = 0;
    for (index, (name, value)) in fixed.chain(added).enumerate() {
        set(&format!("GIT_CONFIG_KEY_{index}"), name.into());
        set(&format!("GIT_CONFIG_VALUE_{index}"), value.into());
        count = index + 1;
    }
    set("GIT_CONFIG_COUNT", count.to_string().into());
    variables
}
