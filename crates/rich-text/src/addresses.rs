//! Addresses and paths that link targets are.

/// Returns whether an address begins with a scheme such as `https:`.
pub fn has_scheme(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// A path relative to a folder. `None` if the path leaves the root.
pub fn joined(folder: &str, path: &str) -> Option<String> {
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}
