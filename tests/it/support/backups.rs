//! Installations that are backed up and restored, with the real program.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use backup::{Blob, Manifest, Table, Trailer, Visitor};
use platform::db::Backend;
use reqwest::Method;
use serde_json::Value;
use tempfile::TempDir;

use super::{
    database::TestDatabase,
    process::{Server, send},
};

pub const PASSPHRASE: &str = "correct horse battery staple";

/// A data directory with a database.
pub struct Installation {
    pub home: TempDir,
    pub database: TestDatabase,
}

impl Installation {
    pub async fn new(backend: Backend) -> Self {
        let home = tempfile::tempdir().unwrap();
        let database = match backend {
            Backend::Sqlite => TestDatabase::to_be_kept(backend, home.path()),
            Backend::Postgres => TestDatabase::new(backend),
        };
        database.create().await;
        Self { home, database }
    }

    /// With an organization, whose database has about 2 MB, and a file of 4 MB, which is larger.
    pub async fn with_a_large_file(backend: Backend) -> Self {
        let installation = Self::new(backend).await;
        installation.run(&["demo"]);
        let handbook = tempfile::tempdir().unwrap();
        fs::write(handbook.path().join("README.md"), "# Handbook\n\n![Chart](chart.png)").unwrap();
        fs::write(handbook.path().join("chart.png"), vec![7; 4_000_000]).unwrap();
        let source = handbook.path().to_str().unwrap();
        installation.run(&["import", source, "--org", "Kestrel Weather", "--title", "Handbook"]);
        installation
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn serve(&self) -> Server {
        Server::spawn(self.home.path(), &self.database)
    }

    /// The program with a command; `prefix` are the words before it.
    pub fn program(&self, prefix: &[&str], arguments: &[&str]) -> Command {
        program(self.home.path(), &self.database, prefix, arguments)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.program(&[], arguments)
    }

    /// Runs a command that succeeds, and returns what it prints.
    pub fn run(&self, arguments: &[&str]) -> String {
        succeed(self.command(arguments))
    }

    /// Runs a command that fails, and returns the reason.
    pub fn refused(&self, arguments: &[&str]) -> String {
        refused(self.command(arguments))
    }

    /// Starts the server, and asks it for its first user.
    pub async fn works(&self) {
        let mut server = self.serve();
        let client = server.ready().await;
        let user = send(&client, Method::GET, "/v1/user", None).await.unwrap();
        assert_eq!(user["email"], "admin@localhost");
    }

    /// The content of a space as files.
    pub fn export(&self, space: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("space");
        self.run(&["export", "space", space, target.to_str().unwrap()]);
        let mut files = BTreeMap::new();
        collect(&target, &target, &mut files);
        files
    }

    /// The names in the data directory.
    pub fn names(&self) -> Vec<String> {
        names(self.home.path())
    }
}

/// The program with a command on a data directory and a database.
pub fn program(home: &Path, database: &TestDatabase, prefix: &[&str], arguments: &[&str]) -> Command {
    let words = [prefix, &[env!("CARGO_BIN_EXE_bindery")], arguments].concat();
    let mut command = Command::new(words[0]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .args(&words[1..])
        .args(["--database-url", database.url(), "--log-format", "text", "--data-dir"])
        .arg(home)
        .current_dir(home)
        .env("BINDERY_BACKUP_PASSPHRASE", PASSPHRASE)
        .stdin(Stdio::null());
    command
}

pub fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn collect(root: &Path, directory: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            files.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
        }
    }
}

/// Waits for a command, whose server or writers go on meanwhile.
pub fn output(mut command: Command) -> Output {
    tokio::task::block_in_place(|| command.output().unwrap())
}

pub fn succeed(command: Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub fn refused(command: Command) -> String {
    let output = output(command);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// The content of an archive, without its key.
#[derive(Debug, Default, PartialEq)]
pub struct Content {
    /// By table, sorted.
    pub rows: BTreeMap<String, Vec<String>>,
    pub blobs: Vec<(String, Vec<u8>)>,
}

impl Content {
    pub fn of(archive: &Path) -> (Self, Trailer) {
        let mut content = Self::default();
        let trailer = backup::read(BufReader::new(File::open(archive).unwrap()), &mut content).unwrap();
        content.rows.values_mut().for_each(|rows| rows.sort());
        (content, trailer)
    }
}

impl Visitor for Content {
    fn manifest(&mut self, _: &Manifest) -> anyhow::Result<()> {
        Ok(())
    }

    fn row(&mut self, table: &Table, mut row: Vec<Value>) -> anyhow::Result<()> {
        // A restore has the terms of the search made anew.
        if let Some(version) = table.columns.iter().position(|column| column.name == "terms_version") {
            row.remove(version);
        }
        let rows = self.rows.entry(table.name.clone()).or_default();
        let row: Vec<Value> = row.into_iter().map(canonical).collect();
        rows.push(Value::from(row).to_string());
        Ok(())
    }

    fn blob(&mut self, blob: &Blob, bytes: &mut dyn Read) -> anyhow::Result<()> {
        let mut content = Vec::new();
        bytes.read_to_end(&mut content)?;
        self.blobs.push((blob.suffix.clone(), content));
        Ok(())
    }

    fn key(&mut self, _: &[u8]) -> anyhow::Result<()> {
        Ok(())
    }
}

/// The databases keep the members of objects in JSON in orders of their own.
fn canonical(value: Value) -> Value {
    let json = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    match json {
        Some(json @ (Value::Object(_) | Value::Array(_))) => sorted(json).to_string().into(),
        _ => value,
    }
}

fn sorted(json: Value) -> Value {
    match json {
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}
