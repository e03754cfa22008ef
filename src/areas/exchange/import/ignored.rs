//! Files that a repository ignores: those that its ignore files exclude, and what programs write.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::names;

/// The names of ignore files.
pub const IGNORE_FILES: [&str; 2] = [".bookignore", ".gitignore"];
/// The directories of packages and of rendered books.
const OUTPUT_DIRECTORIES: [&str; 2] = ["node_modules", "_book"];

/// Returns whether a directory has nothing to import.
pub fn is_output(name: &str) -> bool {
    OUTPUT_DIRECTORIES.contains(&name)
}

/// The ignore files of a repository.
#[derive(Default)]
pub struct IgnoreRules {
    /// The path of the imported directory in the repository.
    root: String,
    files: Vec<IgnoreFile>,
}

struct IgnoreFile {
    /// The directory for which the rules are; both paths are those in the repository.
    directory: String,
    path: String,
    rules: Gitignore,
}

impl IgnoreRules {
    /// Goes on in a directory of the current one.
    pub fn enter(&mut self, directory: &str) {
        self.root = join(&self.root, directory);
    }

    /// Adds an ignore file of the current directory. A line that cannot be understood has no effect, as in Git.
    pub fn add(&mut self, path: &str, text: &[u8]) {
        // The paths that are matched begin in the directory of the file.
        let mut builder = GitignoreBuilder::new(".");
        for line in String::from_utf8_lossy(text).lines() {
            let _ = builder.add_line(None, &names::comparable(line));
        }
        let path = names::comparable(&join(&self.root, path));
        self.files.extend(builder.build().ok().map(|rules| IgnoreFile {
            directory: names::directory(&path).to_owned(),
            path,
            rules,
        }));
    }

    /// Returns the path of the ignore file that excludes a file of the current directory.
    pub fn excluding(&self, path: &str) -> Option<&str> {
        let path = join(&self.root, path);
        // The rules of directories come after those of the directories above.
        let decision = self.files.iter().rev().find_map(|file| {
            let inner = match file.directory.as_str() {
                "" => path.as_str(),
                directory => path.strip_prefix(directory)?.strip_prefix('/')?,
            };
            let found = file.rules.matched_path_or_any_parents(inner, false);
            (!found.is_none()).then(|| found.is_ignore().then_some(file.path.as_str()))
        });
        decision.flatten()
    }
}

fn join(directory: &str, path: &str) -> String {
    match directory {
        "" => path.to_owned(),
        directory => format!("{directory}/{path}"),
    }
}
