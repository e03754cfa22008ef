//! `robots.txt`, as RFC 9309 reads it.

/// What a program may read.
#[derive(Debug, Default)]
pub struct Robots {
    /// The patterns, and whether each allows.
    rules: Vec<(String, bool)>,
}

/// The longest text, the most rules, and the most wildcards of a rule.
const MAX_BYTES: usize = 512 * 1024;
const MAX_RULES: usize = 2000;
const MAX_WILDCARDS: usize = 10;

impl Robots {
    /// The rules for a program of this name, in lower case: those of its groups, otherwise those for all.
    pub fn parse(text: &str, program: &str) -> Self {
        let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        let (mut own, mut all, mut has_own) = (Vec::new(), Vec::new(), false);
        let (mut is_own, mut is_all, mut in_names) = (false, false, false);
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            let allows = match name.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    if !in_names {
                        (is_own, is_all) = (false, false);
                    }
                    in_names = true;
                    is_own |= value.to_ascii_lowercase().split('/').next() == Some(program);
                    is_all |= value == "*";
                    has_own |= is_own;
                    continue;
                }
                "allow" => true,
                "disallow" => false,
                _ => continue,
            };
            in_names = false;
            if value.is_empty() || value.matches('*').count() > MAX_WILDCARDS {
                continue;
            }
            for (rules, is_group) in [(&mut own, is_own), (&mut all, is_all)] {
                if is_group && rules.len() < MAX_RULES {
                    rules.push((value.to_owned(), allows));
                }
            }
        }
        Self {
            rules: if has_own { own } else { all },
        }
    }

    /// Whether a path may be read: the longest rule that matches says so, and one that allows before one that does not.
    pub fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|(pattern, _)| matches(pattern, path));
        let longest = matching.max_by_key(|(pattern, allows)| (pattern.len(), *allows));
        longest.is_none_or(|(_, allows)| *allows)
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !to_end || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if to_end && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}
