//! The record of a test run: which operations were called, by whom, and what they answered. Each process writes a file of its own;
//! `probes::coverage` reads them all after the run.

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write,
    path::PathBuf,
    process,
    sync::{LazyLock, Mutex},
};

/// Names the folder of the record. Without it nothing is recorded.
pub const FOLDER: &str = "BINDERY_TEST_CALLS";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    pub operation: String,
    pub caller: String,
    pub status: u16,
    /// The type of an error, and each `code@pointer` of its details.
    pub words: Vec<String>,
}

pub fn folder() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// Writes the call down, unless this process already has.
pub fn add(call: Call) {
    static KNOWN: LazyLock<Mutex<BTreeSet<Call>>> = LazyLock::new(Mutex::default);
    let Some(folder) = folder() else { return };
    if !KNOWN.lock().unwrap().insert(call.clone()) {
        return;
    }
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(process::id().to_string());
    let mut file = fs::File::options().create(true).append(true).open(file).unwrap();
    // In one piece, because the threads of a process write to the same file.
    let words = call.words.join(" ");
    let line = format!("{} {} {} {words}\n", call.operation, call.caller, call.status);
    file.write_all(line.as_bytes()).unwrap();
}

/// All calls of the run.
pub fn read() -> BTreeSet<Call> {
    let folder = folder().unwrap_or_else(|| panic!("{FOLDER} is not set: there is no record of a run"));
    let files = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    texts
        .flat_map(|text| text.lines().map(parse).collect::<Vec<_>>())
        .collect()
}

fn parse(line: &str) -> Call {
    let mut parts = line.split(' ').map(str::to_owned);
    let mut next = || parts.next().unwrap();
    Call {
        operation: next(),
        caller: next(),
        status: next().parse().unwrap(),
        words: parts.filter(|word| !word.is_empty()).collect(),
    }
}
