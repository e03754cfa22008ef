//! The skeleton of a new area, in all layers: objects of an organization that have a title. The skeleton builds and passes
//! the probes.

mod edit;
mod layers;
mod names;

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use chrono::NaiveDate;

use crate::model::{Api, CONTEXTS};
use edit::Place;
use layers::{ENTRIES, Entry, FILES, FOLDERS, IN_GROUP, NEW_CONTEXT};
pub use names::Names;

/// The reason for refusing to write a skeleton.
#[derive(Debug)]
pub enum Refusal {
    /// Existing names, or files without the expected places.
    Problems(Vec<String>),
    Io(PathBuf, io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problems(problems) => f.write_str(&problems.join("\n")),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

/// A file with the new text.
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

/// The files to write.
pub struct Plan {
    pub new: Vec<File>,
    pub changed: Vec<File>,
}

impl Plan {
    /// The skeleton for the repository in `root`, whose contract is `api`.
    pub fn new(root: &Path, api: &Api, names: &Names, today: NaiveDate) -> Result<Self, Refusal> {
        let migration = format!("m{}_{}", today.format("%Y%m%d"), names.area);
        let (group_before, tag_before) = before(api, &names.context);
        let fill = |template: &str| {
            let template = template.replace("{{migration}}", &migration);
            let template = template.replace("{{group_before}}", group_before);
            names.fill(&template.replace("{{tag_before}}", tag_before))
        };
        let new: Vec<File> = FILES
            .iter()
            .map(|(path, template)| File {
                path: root.join(fill(path)),
                text: fill(template),
            })
            .collect();
        let mut problems = taken(root, api, names, &new);
        let mut plan = Self { new, changed: vec![] };
        for (path, place, template) in ENTRIES.iter().chain(of_context(api, &names.context)) {
            let (prefix, lines) = (fill(place.prefix()), fill(template));
            problems.extend(plan.add(root.join(fill(path)), place.with(&prefix), &lines)?);
        }
        for folder in FOLDERS {
            let module = root.join(folder.path).join(&names.context).join("mod.rs");
            if module.exists() {
                let line = format!("{}{};", folder.of_area, names.area);
                problems.extend(plan.add(module, Place::Sorted(folder.of_area), &line)?);
                continue;
            }
            let text = fill(folder.template);
            plan.new.push(File { path: module, text });
            let line = format!("{}{};", folder.of_context, names.context);
            problems.extend(plan.add(root.join(folder.parent), Place::Sorted(folder.of_context), &line)?);
        }
        if problems.is_empty() {
            return Ok(plan);
        }
        Err(Refusal::Problems(problems))
    }

    /// Adds lines to a file, or returns a problem if the file lacks the place.
    fn add(&mut self, path: PathBuf, place: Place<'_>, lines: &str) -> Result<Option<String>, Refusal> {
        let known = self.changed.iter_mut().find(|file| file.path == path);
        let text = match &known {
            Some(file) => file.text.clone(),
            None => read(&path)?,
        };
        match (place.insert(&text, lines), known) {
            (Some(text), Some(file)) => file.text = text,
            (Some(text), None) => self.changed.push(File { path, text }),
            (None, _) => {
                return Ok(Some(format!(
                    "{}: cannot find the place for these lines:\n{lines}",
                    path.display()
                )));
            }
        }
        Ok(None)
    }

    /// The Rust files among them.
    pub fn rust(&self) -> impl Iterator<Item = &PathBuf> {
        let files = self.new.iter().chain(&self.changed).map(|file| &file.path);
        files.filter(|path| path.extension().is_some_and(|end| end == "rs"))
    }

    /// Writes the new files, which must not exist, then the changed files.
    pub fn write(&self) -> Result<(), Refusal> {
        for file in &self.new {
            create(file).map_err(|error| Refusal::Io(file.path.clone(), error))?;
        }
        for File { path, text } in &self.changed {
            fs::write(path, text).map_err(|error| Refusal::Io(path.clone(), error))?;
        }
        Ok(())
    }
}

fn create(file: &File) -> io::Result<()> {
    if let Some(folder) = file.path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut new = fs::File::create_new(&file.path)?;
    io::Write::write_all(&mut new, file.text.as_bytes())
}

fn read(path: &Path) -> Result<String, Refusal> {
    fs::read_to_string(path).map_err(|error| Refusal::Io(path.to_owned(), error))
}

/// The existing objects with one of the new names.
fn taken(root: &Path, api: &Api, names: &Names, new: &[File]) -> Vec<String> {
    let exists = |path: &Path| path.exists().then(|| format!("{} exists", path.display()));
    let (context, area, one) = (&names.context, &names.area, names.type_of_one());
    let modules = [
        format!("src/areas/{context}/{area}.rs"),
        format!("src/areas/{context}/{area}"),
        format!("entity/src/{context}/{area}"),
    ];
    let files = new.iter().filter_map(|file| exists(&file.path));
    let modules = modules.iter().filter_map(|path| exists(&root.join(path)));
    let types = [one.clone(), format!("{one}List"), format!("Create{one}")];
    let types = types.into_iter().filter(|name| api.types.contains_key(name));
    let tags = api.tags.iter().filter(|tag| tag.name == *area);
    let path = names.fill("/v1/orgs/{organizationId}/{{area_kebab}}");
    let ids = ["list{{Area}}", "create{{One}}", "get{{One}}", "delete{{One}}"].map(|id| names.fill(id));
    let operations = api.areas.iter().flat_map(|known| &known.operations);
    let operations = operations.filter(|operation| operation.path == path || ids.contains(&operation.id));
    files
        .chain(modules)
        .chain(tags.map(|tag| format!("the tag `{}` exists", tag.name)))
        .chain(types.map(|name| format!("the schema `{name}` exists")))
        .chain(operations.map(|operation| format!("the operation `{}` exists at {}", operation.id, operation.path)))
        .collect()
}

/// The last tag group that is not after the context, and the last tag of the group.
fn before<'a>(api: &'a Api, context: &str) -> (&'a str, &'a str) {
    let rank = |name: &str| CONTEXTS.iter().position(|known| *known == name);
    let mut groups = api.contexts.iter().filter(|known| rank(&known.name) <= rank(context));
    let last = groups.next_back();
    let tag = last.and_then(|group| group.tags.last());
    (
        last.map_or("", |group| group.title.as_str()),
        tag.map_or("", String::as_str),
    )
}

/// The lines of the context. One without areas has no group and no service yet.
fn of_context(api: &Api, context: &str) -> &'static [Entry] {
    if api.contexts.iter().any(|known| known.name == context) {
        return IN_GROUP;
    }
    NEW_CONTEXT
}
