//! Public mailbox providers: an address there says nothing about an organization.

use std::{collections::HashSet, sync::LazyLock};

const LIST: &str = include_str!("mailbox_providers.txt");

static DOMAINS: LazyLock<HashSet<&str>> = LazyLock::new(|| domains().collect());

/// The domains of the list.
pub fn domains() -> impl Iterator<Item = &'static str> {
    LIST.lines().filter(|line| !line.starts_with('#'))
}

/// Returns whether the domain, which is in lower case, is that of a public mailbox provider.
pub fn is_public(domain: &str) -> bool {
    DOMAINS.contains(domain)
}
