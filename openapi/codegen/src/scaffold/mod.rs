//! The skeleton of a new area, in all layers: things with a title, which an organization has. It builds and passes the
//! probes as it stands.

mod edit;
mod layers;
mod names;

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use chrono::NaiveDate;

use crate::model::Api;
use layers::{ENTRIES, FILES};
pub use names::Names;

/// Why there is no skeleton.
#[derive(Debug)]
pub enum Refusal {
    /// What exists already, or a file that is not as expected.
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

/// A file with its new text.
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

/// What is to be written.
pub struct Plan {
    pub new: Vec<File>,
    pub changed: Vec<File>,
}

impl Plan {
    /// The skeleton for the repository in `root`, whose contract is `api`.
    pub fn new(root: &Path, api: &Api, names: &Names, today: NaiveDate) -> Result<Self, Refusal> {
        let migrations = root.join("migration/src/lib.rs");
        let number = next_number(&read(&migrations)?);
        let migration = format!("m{}_{number:06}_{}", today.format("%Y%m%d"), names.area);
        let fill = |template: &str| names.fill(&template.replace("{{migration}}", &migration));
        let new: Vec<File> = FILES
            .iter()
            .map(|(path, template)| File {
                path: root.join(fill(path)),
                text: fill(template),
            })
            .collect();
        let mut problems = taken(root, api, names, &new);
        let mut changed: Vec<File> = Vec::new();
        for (path, place, template) in ENTRIES {
            let (path, lines) = (root.join(path), fill(template));
            let known = changed.iter_mut().find(|file| file.path == path);
            let text = match &known {
                Some(file) => file.text.clone(),
                None => read(&path)?,
            };
            match (place.insert(&text, &lines), known) {
                (Some(text), Some(file)) => file.text = text,
                (Some(text), None) => changed.push(File { path, text }),
                (None, _) => problems.push(format!("{}: found no place for\n{lines}", path.display())),
            }
        }
        if problems.is_empty() {
            return Ok(Self { new, changed });
        }
        Err(Refusal::Problems(problems))
    }

    /// The new files that are Rust.
    pub fn rust(&self) -> impl Iterator<Item = &PathBuf> {
        let files = self.new.iter().map(|file| &file.path);
        files.filter(|path| path.extension().is_some_and(|end| end == "rs"))
    }

    /// Writes the new files, none of which may exist, then the others.
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

/// Whatever has one of the new names.
fn taken(root: &Path, api: &Api, names: &Names, new: &[File]) -> Vec<String> {
    let exists = |path: &Path| path.exists().then(|| format!("{} exists", path.display()));
    let (area, one) = (&names.area, names.type_of_one());
    let modules = [
        format!("src/{area}.rs"),
        format!("src/{area}"),
        format!("entity/src/{area}"),
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

/// The number behind that of the last migration.
fn next_number(migrations: &str) -> u32 {
    let names = migrations.lines().filter_map(|line| line.strip_prefix("mod m"));
    let numbers = names.filter_map(|name| name.split('_').nth(1)?.parse::<u32>().ok());
    numbers.max().unwrap_or_default() + 1
}
